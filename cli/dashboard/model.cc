#include "cli/dashboard/model.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {

Model::Model(Options options, LineEditor* editor)
    : options_(std::move(options)),
      paint_(options_.color),
      editor_(*editor),
      form_(options_.defaults, options_.choices) {}

void Model::Say(absl::string_view text) {
  notice_ = {.text = SanitizedLine(text)};
}

void Model::SayError(absl::string_view text) {
  notice_ = {.text = SanitizedLine(text), .is_error = true};
}

void Model::KeepDraft(const std::string& task, absl::string_view text) {
  if (mode_ == Mode::kLine && task == selected_ && editor_.empty() &&
      !dialog_.answers()) {
    editor_.Set(text);
    return;
  }
  std::string& draft = drafts_[task];
  draft = absl::StrCat(text, draft.empty() ? "" : "\n", draft);
}

bool Model::RestoreForm(const NewTask& task) {
  const bool open = mode_ == Mode::kForm;
  if (open) form_.Leave(editor_);
  if (!form_.task().prompt.empty()) return false;
  form_.Restore(task);
  if (open) form_.Open(&editor_);
  return true;
}

std::vector<std::string> Model::TakeDrafts() {
  if (mode_ == Mode::kLine) CloseLine();
  if (mode_ == Mode::kForm) {
    form_.Leave(editor_);
    editor_.Set("");
    mode_ = Mode::kBrowse;
  }
  std::vector<std::string> texts = TakeOrphans();
  for (auto& [task, draft] : drafts_) {
    if (!draft.empty()) texts.push_back(std::move(draft));
  }
  drafts_.clear();
  if (!form_.task().prompt.empty()) texts.push_back(form_.task().prompt);
  form_.Clear();
  return texts;
}

void Model::ChangeSelection(const std::string& id) {
  if (id == selected_) return;
  if (mode_ == Mode::kLine) CloseLine();
  if (!selected_.empty()) {
    // What was begun as an answer is none to another task.
    const std::string draft = dialog_.MessageIn(drafts_[selected_]);
    drafts_[selected_] = draft;
    if (draft.empty()) drafts_.erase(selected_);
  }
  selected_ = id;
  dialog_ = Dialog();
  asked_id_.clear();
  asked_.reset();
  transcript_.ScrollToEnd();
}

void Model::UpdateSelection(absl::Time now) {
  const std::vector<TaskBook::Entry>& entries = book_.Entries(now);
  const auto index_of = [&](const std::string& id) {
    return static_cast<size_t>(
        std::find_if(entries.begin(), entries.end(),
                     [&](const auto& one) { return one.task->id() == id; }) -
        entries.begin());
  };
  if (!wanted_.empty()) {
    if (const size_t at = index_of(wanted_); at < entries.size()) {
      ChangeSelection(wanted_);
      wanted_.clear();
    }
  }
  const size_t at = index_of(selected_);
  if (at < entries.size()) {
    selected_index_ = at;
    return;
  }
  // A task that is being written to stays, even if the filter hides it.
  if (mode_ == Mode::kLine && book_.Find(selected_) != nullptr) return;
  if (mode_ == Mode::kLine) {
    CloseLine();
    const auto draft = drafts_.extract(selected_);
    if (!draft.empty()) orphans_.push_back(draft.mapped());
    SayError(draft.empty() ? "the task was deleted"
                           : "the task was deleted: Up in another message gets "
                             "back what you typed");
  }
  if (entries.empty()) return ChangeSelection("");
  selected_index_ = std::min(selected_index_, entries.size() - 1);
  ChangeSelection(entries[selected_index_].task->id());
}

void Model::UpdateDialog(absl::Time awake) {
  if (state() == nullptr) return;
  const bool types = mode_ == Mode::kLine;
  const std::string line = types ? editor_.text() : drafts_[selected_];
  Dialog::Step step = dialog_.Update(*state(), line, awake);
  if (step.line && types) editor_.Set(*step.line);
  if (step.line && !types) drafts_[selected_] = *step.line;
  if (!step.say.empty()) Say(step.say);
  if (dialog_.asked() != asked_id_) {
    asked_id_ = dialog_.asked();
    asked_requested_ = false;
    asked_.reset();
    // Until it was shown, it takes the word "allow".
    dialog_.Describe("", Asker::Seen::kPart);
  }
  if (types && wanted_use_) ApplyWantedUse();
}

void Model::ApplyWantedUse() {
  const LineUse use = *wanted_use_;
  wanted_use_.reset();
  if (use == LineUse::kAnswer && asked_id_.empty()) {
    Say("the agent asks nothing now");
    if (editor_.empty()) CloseLine();
    return;
  }
  if (dialog_.answers() == (use == LineUse::kAnswer)) return;
  const Dialog::Step step = dialog_.OnTab(editor_.text());
  if (step.line) editor_.Set(*step.line);
}

void Model::Update(const Moment& moment) {
  UpdateSelection(moment.now);
  UpdateDialog(moment.awake);
}

std::string Model::TakeWanted() {
  if (mode_ != Mode::kLine || asked_id_.empty() || asked_requested_) return "";
  asked_requested_ = true;
  return asked_id_;
}

void Model::Present(const std::string& id, Asked asked) {
  if (id != asked_id_) return;  // It was answered meanwhile.
  asked_ = std::move(asked);
  document_width_ = 0;
}

}  // namespace troika::cli
