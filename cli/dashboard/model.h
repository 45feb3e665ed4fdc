// What the dashboard knows and shows, and what keys mean there.
#ifndef TROIKA_CLI_DASHBOARD_MODEL_H_
#define TROIKA_CLI_DASHBOARD_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "cli/approvals/asked.h"
#include "cli/attach/dialog.h"
#include "cli/attach/keys.h"
#include "cli/attach/line_editor.h"
#include "cli/dashboard/frame.h"
#include "cli/dashboard/new_task_form.h"
#include "cli/dashboard/scrolled_rows.h"
#include "cli/dashboard/task_book.h"
#include "cli/dashboard/task_rows.h"
#include "dto/troika.pb.h"
#include "task/state.h"

namespace troika::cli {

// What the user wants that the model can't do by itself.
struct DashboardAction {
  enum class Kind {
    kQuit,
    kSuspend,
    kRedraw,
    kAttach,
    kRespond,  // `response` goes to the agent.
    kSend,     // `text` goes to the agent.
    kInterrupt,
    kStop,
    kCreate,         // `new_task` is to be made.
    kSearch,         // `text` is to be looked for in all tasks.
    kReadHarnesses,  // For the form.
  };
  Kind kind = Kind::kQuit;
  std::string task = {};
  std::string text = {};  // For kInterrupt and kStop: the reason.
  v1::InputRequest::Mode mode = v1::InputRequest::auto_;
  v1::RespondRequest response = {};
  NewTask new_task = {};
};

struct ScreenSize {
  size_t columns = 80;
  size_t rows = 24;
};

// A moment by both clocks (base/clock.h).
struct Moment {
  absl::Time now;
  absl::Time awake;
};

// The task whose events are followed.
struct WatchedTask {
  std::string id;
  const TaskState* /*nullable*/ state = nullptr;  // Null until it was read.
  std::string status_line;  // Shows an agent at work; else empty.
  std::string problem;      // Why it can't be read; any text.
  std::string waiting;      // Lines about a turn that no agent has taken yet.
};

// No I/O and no clock. The rules of cli/attach/dialog.h hold for what is typed.
// Drafts of messages are kept for each task until they are sent.
class Model {
 public:
  struct Options {
    Timeline::Color color = Timeline::Color::kNever;
    std::string home = {};        // The user's folder, which is shown as ~.
    absl::string_view help = "";  // Of `troika dashboard`; its keys are shown.
    NewTask defaults = {};
    FormChoices choices = {};
  };

  // Screens that are smaller show only that they are.
  static constexpr size_t kFewestColumns = 40;
  static constexpr size_t kFewestRows = 10;

  // `editor` is borrowed.
  Model(Options options, LineEditor* editor);

  TaskBook& book() { return book_; }
  NewTaskForm& form() { return form_; }
  // Rows of the task whose id is selected().
  Transcript& transcript() { return transcript_; }
  // Id of the task whose timeline is wanted; empty if there is none.
  const std::string& selected() const { return selected_; }
  void Select(const std::string& id) { wanted_ = id; }
  // Columns and rows that the timeline has on a screen of this size.
  static ScreenSize PaneSize(const ScreenSize& screen);

  void SetWatched(WatchedTask watched) { watched_ = std::move(watched); }
  // Says in the header why the list does not change; empty if it does.
  void SetServerProblem(std::string text) { server_problem_ = std::move(text); }
  void Say(absl::string_view text);
  void SayError(absl::string_view text);
  // Gives back a message that was not sent. The user may have begun another.
  void KeepDraft(const std::string& task, absl::string_view text);
  // Gives the form back the description of a task that was not made. False if
  // the user has begun another prompt there, which stays.
  bool RestoreForm(const NewTask& task);
  // Returns messages whose task was deleted while they were written.
  std::vector<std::string> TakeOrphans() { return std::exchange(orphans_, {}); }
  // Returns the messages and the prompt that were begun and not sent, because
  // the user leaves.
  std::vector<std::string> TakeDrafts();

  // Brings the selection and what is asked up to date, after tasks or the
  // watched task have changed.
  void Update(const Moment& moment);
  // Id of an approval or question that is to be shown whole; empty if there is
  // none. Each is returned once.
  std::string TakeWanted();
  void Present(const std::string& id, Asked asked);
  void AnswerRefused() { dialog_.AnswerRefused(); }

  std::vector<DashboardAction> OnKey(const Key& key, const Moment& moment);
  Frame Draw(const ScreenSize& size, const Moment& moment);

 private:
  using Actions = std::vector<DashboardAction>;
  enum class Mode { kBrowse, kLine, kFilter, kForm, kConfirm, kHelp };
  enum class Focus { kList, kPane };
  enum class LineUse { kMessage, kAnswer };
  static constexpr absl::string_view kTooLong =
      "the text is too long: put it into a file, and name the file";
  // What `y` does.
  struct Confirmation {
    DashboardAction action;
    std::string question;
  };
  struct Notice {
    std::string text;
    bool is_error = false;
  };

  // model.cc
  const v1::Task* /*nullable*/ task() const { return book_.Find(selected_); }
  const TaskState* /*nullable*/ state() const {
    return watched_.id == selected_ ? watched_.state : nullptr;
  }
  void UpdateSelection(absl::Time now);
  void UpdateDialog(absl::Time awake);
  void ChangeSelection(const std::string& id);
  void ApplyWantedUse();

  // model_keys.cc
  void OnBrowseKey(const Key& key, const Moment& moment, Actions* actions);
  void OnBrowseCharacter(char c, const Moment& moment, Actions* actions);
  void OnFilterKey(const Key& key, Actions* actions);
  void OnFormKey(const Key& key, Actions* actions);
  void OnConfirmKey(const Key& key, Actions* actions);
  void OpenHelp();
  void OnHelpKey(const Key& key);
  void Move(int64_t by, absl::Time now);
  void MoveToEnd(int64_t direction, absl::Time now);
  void Answer(absl::Time now);
  void Confirm(DashboardAction::Kind kind);

  // model_line.cc
  void OpenLine(LineUse use);
  void CloseLine();
  void OnLineKey(const Key& key, const Moment& moment, Actions* actions);
  void EditLine(const Key& key);
  bool ScrollBy(const Key& key);
  void Take(Dialog::Step step, Actions* actions);

  // model_bottom.cc
  std::vector<std::string> BottomExplanation(size_t width) const;
  Frame Bottom(size_t width, size_t most);
  // Returns at least one row.
  std::vector<std::string> NoticeRows(size_t width) const;
  using KeyWords = std::vector<std::pair<absl::string_view, absl::string_view>>;
  KeyWords BrowseKeys() const;
  std::string KeysLine(size_t width) const;

  // model_view.cc
  struct Areas;
  Areas LayOut(const ScreenSize& size, size_t bottom_rows, absl::Time now);
  std::string Header(size_t width, absl::Time now);
  std::string PaneHead(size_t width) const;
  std::vector<std::string> PaneRows(const ScreenSize& pane);
  void DrawBody(const Areas& areas, const Moment& moment, Frame* frame);
  void LayDocument(size_t width);
  Frame DrawOnce(const ScreenSize& size, const Moment& moment);

  const Options options_;
  const Paint paint_;
  LineEditor& editor_;
  TaskBook book_;
  TaskRows task_rows_;
  NewTaskForm form_;

  Mode mode_ = Mode::kBrowse;
  Focus focus_ = Focus::kList;
  std::string selected_;
  std::string wanted_;         // To be selected as soon as it is listed.
  size_t selected_index_ = 0;  // Among the entries.
  WatchedTask watched_;
  Transcript transcript_;
  std::string server_problem_;
  Notice notice_;
  std::optional<Confirmation> confirmation_;
  std::string filter_before_;

  Dialog dialog_;  // With the agent of the selected task.
  std::map<std::string, std::string> drafts_;  // Messages by task.
  std::vector<std::string> orphans_;
  // When the line was closed, until the next key.
  absl::Time line_closed_at_ = absl::InfinitePast();
  std::optional<LineUse> wanted_use_;  // Of the line, once the state is known.
  std::string asked_id_;               // dialog_.asked()
  bool asked_requested_ = false;       // TakeWanted() has returned it.
  std::optional<Asked> asked_;         // Unset until it is known whole.
  Document document_;                  // Its rows.
  size_t document_width_ = 0;          // 0 if document_ is not up to date.

  Document help_;  // The keys.

  // As they were drawn last.
  bool too_small_ = false;
  size_t list_height_ = 1;
  size_t pane_height_ = 1;
  size_t help_height_ = 1;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_DASHBOARD_MODEL_H_
