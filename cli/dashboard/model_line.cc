// The line for the agent of the selected task.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cli/dashboard/model.h"

namespace troika::cli {

using Kind = DashboardAction::Kind;

void Model::OpenLine(LineUse use) {
  if (task() == nullptr) return Say("there is no task: n makes one");
  mode_ = Mode::kLine;
  notice_ = {};
  wanted_use_ = use;
  editor_.Set(drafts_[selected_]);
}

void Model::CloseLine() {
  mode_ = Mode::kBrowse;
  wanted_use_.reset();
  const std::string draft = dialog_.MessageIn(editor_.text());
  // Half an answer is not kept: the user reads the question again.
  if (dialog_.answers()) dialog_.OnTab("");
  drafts_[selected_] = draft;
  if (draft.empty()) {
    drafts_.erase(selected_);
  } else {
    Say("your message is kept: i goes on with it");
  }
  editor_.Set("");
}

bool Model::ScrollBy(const Key& key) {
  const bool answers = dialog_.answers();
  int64_t by = 0;
  const auto page = static_cast<int64_t>(
      std::max<size_t>(1, pane_height_ > 1 ? pane_height_ - 1 : 1));
  if (key.kind == Key::Kind::kPageUp) by = -page;
  if (key.kind == Key::Kind::kPageDown) by = page;
  // The arrows get earlier messages, but for an answer.
  if (answers && key == Key{Key::Kind::kEdit, "\x10"}) by = -1;
  if (answers && key == Key{Key::Kind::kEdit, "\x0e"}) by = 1;
  if (by == 0) return false;
  if (answers) {
    document_.Scroll(by, pane_height_);
  } else {
    transcript_.Scroll(by, pane_height_);
  }
  return true;
}

void Model::EditLine(const Key& key) {
  switch (key.kind) {
    case Key::Kind::kText:
    case Key::Kind::kPaste:
    case Key::Kind::kNewline:
      if (!editor_.Insert(key.kind == Key::Kind::kNewline ? "\n" : key.text) ||
          key.cut) {
        SayError(kTooLong);
      }
      return;
    case Key::Kind::kEdit:
      return editor_.Press(key.text);
    case Key::Kind::kCtrlD:
      return editor_.Press("\x04");
    default:
      return;
  }
}

void Model::OnLineKey(const Key& key, const Moment& moment, Actions* actions) {
  notice_ = {};
  const std::string line = editor_.text();
  if (ScrollBy(key)) return;
  switch (key.kind) {
    case Key::Kind::kEscape:
    case Key::Kind::kDetach:
      return CloseLine();
    case Key::Kind::kTab:
      return Take(dialog_.OnTab(line), actions);
    case Key::Kind::kEnter:
      if (state() == nullptr) {
        return Say("the task is not read yet: press Enter again");
      }
      return Take(dialog_.OnEnter(line, moment.awake), actions);
    case Key::Kind::kCtrlC: {
      Dialog::Step step =
          dialog_.OnCtrlC(line, Dialog::Agent::kRests, moment.awake);
      // On an empty line there is nothing to take back but the line itself.
      const bool closes =
          line.empty() &&
          (!step.say.empty() || step.action.kind == UserAction::Kind::kDetach);
      if (closes) return CloseLine();
      return Take(std::move(step), actions);
    }
    case Key::Kind::kCtrlD:
      if (line.empty()) return CloseLine();
      return EditLine(key);
    default:
      return EditLine(key);
  }
}

void Model::Take(Dialog::Step step, Actions* actions) {
  if (step.line) editor_.Set(*step.line);
  if (!step.say.empty()) Say(step.say);
  DashboardAction action = {.task = selected_,
                            .text = step.action.text,
                            .mode = step.action.mode,
                            .response = step.action.response};
  switch (step.action.kind) {
    case UserAction::Kind::kNone:
      return;
    case UserAction::Kind::kSend:
      action.kind = Kind::kSend;
      break;
    case UserAction::Kind::kRespond:
      action.kind = Kind::kRespond;
      break;
    case UserAction::Kind::kInterrupt:
      action.kind = Kind::kInterrupt;
      break;
    case UserAction::Kind::kStop:
      action.kind = Kind::kStop;
      break;
    case UserAction::Kind::kShowQueue: {
      const auto waiting =
          std::count_if(state()->inputs.begin(), state()->inputs.end(),
                        [](const TaskInput& input) { return input.waits(); });
      return Say(
          absl::StrCat(waiting, " inputs wait: troika queue ", selected_));
    }
    case UserAction::Kind::kShowHelp:
      CloseLine();
      return OpenHelp();
    case UserAction::Kind::kDetach:
      return CloseLine();
  }
  CloseLine();
  actions->push_back(std::move(action));
}

}  // namespace troika::cli
