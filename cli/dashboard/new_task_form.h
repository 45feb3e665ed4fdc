// The form in which the user describes a new task.
#ifndef TROIKA_CLI_DASHBOARD_NEW_TASK_FORM_H_
#define TROIKA_CLI_DASHBOARD_NEW_TASK_FORM_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cli/attach/keys.h"
#include "cli/attach/line_editor.h"
#include "cli/dashboard/frame.h"

namespace troika::cli {

struct NewTask {
  std::string prompt;
  std::string harness;
  std::string cwd;
  std::string edit_mode;
};

// One of the values that a field offers.
struct FormChoice {
  std::string id;
  bool found = true;   // False if its program is missing.
  bool usable = true;  // False if something has to be done first.
  std::string note;    // What it means, or what to do; any text.
};

// What the form offers.
struct FormChoices {
  std::vector<FormChoice> harnesses;
  std::vector<FormChoice> edit_modes;
};

// No I/O. The editor belongs to the caller, and has the text of the field that
// the user is in.
class NewTaskForm {
 public:
  NewTaskForm(NewTask defaults, FormChoices choices);

  // Opens the form with what it had when it was left.
  void Open(LineEditor* editor);
  void Leave(const LineEditor& editor);
  // Forgets the prompt, because the task was made.
  void Clear() {
    task_.prompt.clear();
    cut_ = false;
  }
  // Sets the prompt of a task that the server refused.
  void Restore(const NewTask& task) { task_ = task; }
  // Takes what the server offers; nothing if it can't say. Chooses one that is
  // usable, or else one that was found, unless the user has chosen.
  void SetHarnesses(std::vector<FormChoice> harnesses);

  enum class Result {
    kNothing,
    kCreate,
    kTooLong,  // The text did not fit; Enter makes no task until it is edited.
    kNotRead,  // Enter makes no task until the harnesses are known.
  };
  // Takes a key other than Escape and Ctrl-C.
  Result OnKey(const Key& key, LineEditor* editor);
  const NewTask& task() const { return task_; }
  // Whether the user is in the prompt, where Enter makes the task.
  bool in_prompt() const { return field_ == kPrompt; }

  // Draws it in at most `height` rows.
  Frame Draw(const LineEditor& editor, size_t width, size_t height,
             const Paint& paint) const;

 private:
  enum Field { kPrompt, kHarness, kFolder, kMode };
  static constexpr int kFields = 4;

  bool IsText() const { return field_ == kPrompt || field_ == kFolder; }
  std::string& text() { return field_ == kPrompt ? task_.prompt : task_.cwd; }
  void MoveTo(int field, LineEditor* editor);
  Result Insert(absl::string_view text, const Key& key, LineEditor* editor);
  void Choose(int step);
  void ChooseByLetter(absl::string_view letter);
  const std::vector<FormChoice>& choices() const {
    return field_ == kMode ? choices_.edit_modes : choices_.harnesses;
  }
  std::string& chosen() {
    return field_ == kMode ? task_.edit_mode : task_.harness;
  }

  NewTask task_;
  FormChoices choices_;
  int field_ = kPrompt;
  bool harnesses_known_ = false;
  bool cut_ = false;  // The last text that was typed or pasted did not fit.
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_DASHBOARD_NEW_TASK_FORM_H_
