// Any bytes from a terminal: they become the same keys however they are cut,
// and whatever is typed, the line can be drawn.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "cli/attach/dialog.h"
#include "cli/attach/keys.h"
#include "cli/attach/line_editor.h"
#include "cli/attach/screen.h"

namespace troika::cli {
namespace {

// The same keys with text that was typed at a stretch as one.
std::vector<Key> Joined(const std::vector<Key>& keys) {
  std::vector<Key> joined;
  for (const Key& key : keys) {
    if (key.kind == Key::Kind::kText && !joined.empty() &&
        joined.back().kind == Key::Kind::kText) {
      joined.back().text += key.text;
    } else {
      joined.push_back(key);
    }
  }
  return joined;
}

std::vector<Key> Decoded(absl::string_view bytes, size_t step) {
  KeyDecoder decoder;
  std::vector<Key> keys;
  for (size_t at = 0; at < bytes.size(); at += step) {
    for (Key& key : decoder.Feed(bytes.substr(at, step))) {
      keys.push_back(std::move(key));
    }
  }
  return Joined(keys);
}

class Run {
 public:
  void Press(const Key& key) {
    now_ += absl::Milliseconds(300);
    Change();
    switch (key.kind) {
      case Key::Kind::kEdit:
        editor().Press(key.text);
        break;
      case Key::Kind::kEnter:
        Take(dialog_.OnEnter(editor().text(), now_));
        break;
      case Key::Kind::kTab:
        Take(dialog_.OnTab(editor().text()));
        break;
      case Key::Kind::kCtrlC:
        Take(dialog_.OnCtrlC(editor().text(), Dialog::Agent::kWorks, now_));
        break;
      default:
        editor().Insert(key.text);
    }
    Draw();
  }

 private:
  static LineEditor& editor() {
    static LineEditor& editor = *LineEditor::Open()->release();
    return editor;
  }

  // What is asked comes and goes.
  void Change() {
    ++events_;
    if (events_ % 7 == 0) {
      state_.approvals["a"] = {.asked = {events_, 0}};
    } else if (events_ % 11 == 0) {
      state_.approvals.clear();
    }
    Take(dialog_.Update(state_, editor().text(), now_));
  }

  void Take(const Dialog::Step& step) {
    if (step.line) editor().Set(*step.line);
    if (!step.say.empty()) screen_.Print(step.say + "\n");
    if (step.action.kind == UserAction::Kind::kSend) {
      CHECK(!step.action.text.empty());
    }
  }

  void Draw() {
    const InputArea area = {.above = dialog_.Explanation(),
                            .sign = "> ",
                            .line = editor().text(),
                            .cursor = editor().cursor()};
    CHECK(area.cursor <= area.line.size());
    screen_.Draw(area);
    CHECK(screen_.Draw(area).empty());
  }

  Dialog dialog_;
  TaskState state_;
  Screen screen_{20, 6};
  absl::Time now_ = absl::UnixEpoch();
  int events_ = 0;
};

}  // namespace
}  // namespace troika::cli

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using troika::cli::Decoded;
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<troika::cli::Key> keys = Decoded(bytes, size + 1);
  CHECK(keys == Decoded(bytes, 1));
  troika::cli::Run run;
  for (const troika::cli::Key& key : keys) run.Press(key);
  return 0;
}
