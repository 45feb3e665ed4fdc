// What keys mean while no message is written.
#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/attach/keys_help.h"
#include "cli/dashboard/model.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

using Kind = DashboardAction::Kind;

constexpr size_t kTitleColumns = 40;

}  // namespace

std::vector<DashboardAction> Model::OnKey(const Key& key,
                                          const Moment& moment) {
  Actions actions;
  if (key.kind == Key::Kind::kRedraw || key.kind == Key::Kind::kSuspend) {
    actions.push_back({.kind = key.kind == Key::Kind::kRedraw
                                   ? Kind::kRedraw
                                   : Kind::kSuspend});
    return actions;
  }
  if (too_small_) {
    // The user can't see what any other key does.
    if (key.kind == Key::Kind::kCtrlC || key == Key{.text = "q"}) {
      actions.push_back({.kind = Kind::kQuit});
    }
    return actions;
  }
  switch (mode_) {
    case Mode::kBrowse:
      OnBrowseKey(key, moment, &actions);
      break;
    case Mode::kLine:
      OnLineKey(key, moment, &actions);
      if (mode_ != Mode::kLine) line_closed_at_ = moment.awake;
      break;
    case Mode::kFilter:
      OnFilterKey(key, &actions);
      break;
    case Mode::kForm:
      OnFormKey(key, &actions);
      break;
    case Mode::kConfirm:
      OnConfirmKey(key, &actions);
      break;
    case Mode::kHelp:
      OnHelpKey(key);
      break;
  }
  return actions;
}

void Model::OnBrowseKey(const Key& key, const Moment& moment,
                        Actions* actions) {
  notice_ = {};
  const absl::Time line_closed_at =
      std::exchange(line_closed_at_, absl::InfinitePast());
  const auto page = static_cast<int64_t>(std::max<size_t>(
      1, focus_ == Focus::kList ? list_height_ : pane_height_));
  switch (key.kind) {
    case Key::Kind::kText:
      // Keys that came together. One of them may open the line, and the others
      // are then typed there.
      for (size_t i = 0; i < key.text.size(); ++i) {
        if (mode_ != Mode::kBrowse) {
          const Actions rest = OnKey({.text = key.text.substr(i)}, moment);
          actions->insert(actions->end(), rest.begin(), rest.end());
          return;
        }
        OnBrowseCharacter(key.text[i], moment, actions);
      }
      return;
    case Key::Kind::kPaste:
      return Say("nothing was pasted: i begins a message, n a task");
    case Key::Kind::kEdit:
      if (key.text == "\x10") Move(-1, moment.now);
      if (key.text == "\x0e") Move(1, moment.now);
      if (key.text == "\x02") focus_ = Focus::kList;
      if (key.text == "\x06") focus_ = Focus::kPane;
      if (key.text == "\x01") MoveToEnd(-1, moment.now);
      if (key.text == "\x05") MoveToEnd(1, moment.now);
      return;
    case Key::Kind::kPageUp:
      return Move(-page, moment.now);
    case Key::Kind::kPageDown:
      return Move(page, moment.now);
    case Key::Kind::kTab:
      focus_ = focus_ == Focus::kList ? Focus::kPane : Focus::kList;
      return;
    case Key::Kind::kEnter:
      // It was typed for the line.
      if (moment.awake - line_closed_at < Dialog::kSettling) return;
      if (task() == nullptr) return Say("there is no task: n makes one");
      actions->push_back({.kind = Kind::kAttach, .task = selected_});
      return;
    case Key::Kind::kEscape:
      if (focus_ == Focus::kPane) {
        focus_ = Focus::kList;
      } else {
        book_.SetFilter("");
      }
      return;
    case Key::Kind::kCtrlC:
    case Key::Kind::kCtrlD:
    case Key::Kind::kDetach:
      actions->push_back({.kind = Kind::kQuit});
      return;
    default:
      return;
  }
}

void Model::OnBrowseCharacter(char c, const Moment& moment, Actions* actions) {
  switch (c) {
    case 'j':
      return Move(1, moment.now);
    case 'k':
      return Move(-1, moment.now);
    case 'g':
      return MoveToEnd(-1, moment.now);
    case 'G':
      return MoveToEnd(1, moment.now);
    case 'a':
      return Answer(moment.now);
    case 'i':
      return OpenLine(LineUse::kMessage);
    case 'x':
      return Confirm(Kind::kInterrupt);
    case 's':
      return Confirm(Kind::kStop);
    case 'n':
    case 'N':
      mode_ = Mode::kForm;
      form_.Open(&editor_);
      actions->push_back({.kind = Kind::kReadHarnesses});
      return;
    case '/':
      mode_ = Mode::kFilter;
      filter_before_ = book_.filter();
      return editor_.Set(filter_before_);
    case '?':
      return OpenHelp();
    case 'q':
      actions->push_back({.kind = Kind::kQuit});
      return;
    default:
      return Say("? shows the keys");
  }
}

void Model::Move(int64_t by, absl::Time now) {
  if (focus_ == Focus::kPane) return transcript_.Scroll(by, pane_height_);
  const std::vector<TaskBook::Entry>& entries = book_.Entries(now);
  if (entries.empty()) return;
  selected_index_ = static_cast<size_t>(
      std::clamp<int64_t>(static_cast<int64_t>(selected_index_) + by, 0,
                          static_cast<int64_t>(entries.size()) - 1));
  wanted_.clear();
  ChangeSelection(entries[selected_index_].task->id());
}

void Model::MoveToEnd(int64_t direction, absl::Time now) {
  constexpr int64_t kFar = int64_t{1} << 30;
  if (focus_ == Focus::kList) return Move(direction * kFar, now);
  if (direction > 0) return transcript_.ScrollToEnd();
  transcript_.ScrollToStart();
}

void Model::Answer(absl::Time now) {
  const v1::Task* const here = task();
  // The list may not know yet that the user has answered.
  const bool asks =
      here != nullptr &&
      (state() != nullptr ? !asked_id_.empty()
                          : GroupOf(*here, now) == TaskGroup::kNeedsYou);
  if (!asks) {
    const std::vector<TaskBook::Entry>& entries = book_.Entries(now);
    const auto other =
        std::find_if(entries.begin(), entries.end(), [&](const auto& entry) {
          return entry.group == TaskGroup::kNeedsYou && entry.task != here;
        });
    if (other == entries.end()) return Say("no agent asks anything");
    selected_index_ = static_cast<size_t>(other - entries.begin());
    ChangeSelection(other->task->id());
  }
  OpenLine(LineUse::kAnswer);
}

void Model::Confirm(Kind kind) {
  if (task() == nullptr) return Say("there is no task: n makes one");
  const std::string title = SanitizedLine(task()->title(), kTitleColumns);
  confirmation_ = {
      .action = {.kind = kind, .task = selected_, .text = "dashboard"},
      .question = kind == Kind::kStop
                      ? absl::StrCat("stop the agent of \"", title,
                                     "\"? y stops it; any other key does not")
                      : absl::StrCat("interrupt the turn of \"", title,
                                     "\"? y does; any other key does not")};
  mode_ = Mode::kConfirm;
}

void Model::OnConfirmKey(const Key& key, Actions* actions) {
  mode_ = Mode::kBrowse;
  const Confirmation confirmation = *std::move(confirmation_);
  confirmation_.reset();
  if (key.kind == Key::Kind::kText && (key.text == "y" || key.text == "Y")) {
    actions->push_back(confirmation.action);
  } else {
    Say("nothing was done");
  }
}

void Model::OpenHelp() {
  mode_ = Mode::kHelp;
  const std::string keys = KeysIn(options_.help);
  help_.Set(absl::StrSplit(absl::StripTrailingAsciiWhitespace(keys), '\n'));
}

void Model::OnHelpKey(const Key& key) {
  const auto page = static_cast<int64_t>(help_height_);
  int64_t by = 0;
  if (key.kind == Key::Kind::kPageUp) by = -page;
  if (key.kind == Key::Kind::kPageDown) by = page;
  if (key == Key{Key::Kind::kEdit, "\x10"} || key.text == "k") by = -1;
  if (key == Key{Key::Kind::kEdit, "\x0e"} || key.text == "j") by = 1;
  if (by == 0 || help_.size() <= help_height_) {
    mode_ = Mode::kBrowse;
  } else {
    help_.Scroll(by, help_height_);
  }
}

void Model::OnFilterKey(const Key& key, Actions* actions) {
  switch (key.kind) {
    case Key::Kind::kEnter:
      mode_ = Mode::kBrowse;
      if (!book_.filter().empty()) {
        actions->push_back({.kind = Kind::kSearch, .text = book_.filter()});
      }
      break;
    case Key::Kind::kEscape:
    case Key::Kind::kCtrlC:
    case Key::Kind::kDetach:
      mode_ = Mode::kBrowse;
      book_.SetFilter(filter_before_);
      break;
    default:
      if (key.kind != Key::Kind::kNewline) EditLine(key);
      return book_.SetFilter(SanitizedLine(editor_.text()));
  }
  editor_.Set("");
}

void Model::OnFormKey(const Key& key, Actions* actions) {
  if (key.kind == Key::Kind::kEscape || key.kind == Key::Kind::kCtrlC ||
      key.kind == Key::Kind::kDetach) {
    form_.Leave(editor_);
    editor_.Set("");
    mode_ = Mode::kBrowse;
    return;
  }
  notice_ = {};
  switch (form_.OnKey(key, &editor_)) {
    case NewTaskForm::Result::kNothing:
      return;
    case NewTaskForm::Result::kTooLong:
      return SayError(kTooLong);
    case NewTaskForm::Result::kNotRead:
      return Say("the harnesses are not read yet: press Enter again");
    case NewTaskForm::Result::kCreate:
      actions->push_back({.kind = Kind::kCreate, .new_task = form_.task()});
      form_.Clear();
      editor_.Set("");
      mode_ = Mode::kBrowse;
      return Say("the task is being made");
  }
}

}  // namespace troika::cli
