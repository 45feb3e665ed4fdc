#include "cli/dashboard/new_task_form.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/attach/input_rows.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kLabels[] = {"prompt", "harness", "folder", "mode"};
constexpr size_t kLabelColumns = 12;

const FormChoice* /*nullable*/ FindChoice(const std::vector<FormChoice>& all,
                                          const std::string& id) {
  const auto it = std::find_if(all.begin(), all.end(),
                               [&](const auto& one) { return one.id == id; });
  return it == all.end() ? nullptr : &*it;
}

}  // namespace

NewTaskForm::NewTaskForm(NewTask defaults, FormChoices choices)
    : task_(std::move(defaults)), choices_(std::move(choices)) {}

void NewTaskForm::Open(LineEditor* editor) {
  field_ = kPrompt;
  editor->Set(task_.prompt);
}

void NewTaskForm::Leave(const LineEditor& editor) {
  if (IsText()) text() = editor.text();
}

void NewTaskForm::SetHarnesses(std::vector<FormChoice> harnesses) {
  harnesses_known_ = true;
  if (harnesses.empty()) return;
  choices_.harnesses = std::move(harnesses);
  if (!task_.harness.empty()) return;
  // The first one of the best.
  const auto best =
      std::max_element(choices_.harnesses.begin(), choices_.harnesses.end(),
                       [](const FormChoice& a, const FormChoice& b) {
                         return std::make_pair(a.usable, a.found) <
                                std::make_pair(b.usable, b.found);
                       });
  task_.harness = best->id;
}

void NewTaskForm::MoveTo(int field, LineEditor* editor) {
  Leave(*editor);
  field_ = (field + kFields) % kFields;
  editor->Set(IsText() ? text() : "");
}

void NewTaskForm::Choose(int step) {
  const std::vector<FormChoice>& all = choices();
  if (all.empty()) return;
  const FormChoice* const now = FindChoice(all, chosen());
  const auto count = static_cast<int>(all.size());
  const int at = now == nullptr ? -1 : static_cast<int>(now - all.data());
  chosen() = all[static_cast<size_t>((at + step + count) % count)].id;
}

void NewTaskForm::ChooseByLetter(absl::string_view letter) {
  for (size_t i = 0; i < choices().size(); ++i) {
    Choose(1);
    if (absl::StartsWithIgnoreCase(chosen(), letter)) return;
  }
}

NewTaskForm::Result NewTaskForm::Insert(absl::string_view text, const Key& key,
                                        LineEditor* editor) {
  cut_ = !editor->Insert(text) || key.cut;
  return cut_ ? Result::kTooLong : Result::kNothing;
}

NewTaskForm::Result NewTaskForm::OnKey(const Key& key, LineEditor* editor) {
  using Kind = Key::Kind;
  const bool up = key.kind == Kind::kEdit && key.text == "\x10";
  const bool down = key.kind == Kind::kEdit && key.text == "\x0e";
  if (key.kind == Kind::kTab || down) {
    MoveTo(field_ + 1, editor);
  } else if (up) {
    MoveTo(field_ - 1, editor);
  } else if (key.kind == Kind::kEnter) {
    if (field_ != kPrompt) {
      MoveTo(kPrompt, editor);
      return Result::kNothing;
    }
    Leave(*editor);
    if (cut_) return Result::kTooLong;
    if (task_.harness.empty() && !harnesses_known_) return Result::kNotRead;
    if (!absl::StripAsciiWhitespace(task_.prompt).empty()) {
      return Result::kCreate;
    }
  } else if (!IsText()) {
    if (key.kind == Kind::kEdit && key.text == "\x02") Choose(-1);
    if (key.kind == Kind::kEdit && key.text == "\x06") Choose(1);
    if (key.kind == Kind::kText && key.text == " ") Choose(1);
    if (key.kind == Kind::kText && key.text != " ") ChooseByLetter(key.text);
  } else if (key.kind == Kind::kEdit) {
    editor->Press(key.text);
    cut_ = false;
  } else if (key.kind == Kind::kText || key.kind == Kind::kPaste) {
    return Insert(key.text, key, editor);
  } else if (key.kind == Kind::kNewline && field_ == kPrompt) {
    return Insert("\n", key, editor);
  }
  return Result::kNothing;
}

Frame NewTaskForm::Draw(const LineEditor& editor, size_t width, size_t height,
                        const Paint& paint) const {
  Frame frame;
  frame.rows = {paint("1", "New task"), ""};
  // The prompt gets the rows that the other fields leave.
  const size_t most = height > 8 ? height - 8 : 1;
  for (int field = 0; field < kFields; ++field) {
    const bool here = field == field_;
    const std::string label =
        absl::StrFormat("%s %-9s ", here ? "▸" : " ", kLabels[field]);
    const std::string sign = paint(here ? "1" : "2", label);
    if (field == kHarness || field == kMode) {
      const std::string& id = field == kMode ? task_.edit_mode : task_.harness;
      const FormChoice* const choice = FindChoice(
          field == kMode ? choices_.edit_modes : choices_.harnesses, id);
      const std::string name = SanitizedLine(!id.empty()        ? id
                                             : harnesses_known_ ? "(none)"
                                                                : "reading…");
      const std::string value = here ? absl::StrCat("‹ ", name, " ›") : name;
      const size_t used = kLabelColumns + DisplayWidth(value) + 2;
      const std::string note = choice == nullptr || used >= width
                                   ? ""
                                   : SanitizedLine(choice->note, width - used);
      frame.rows.push_back(absl::StrCat(sign, value, "  ", paint("2", note)));
      continue;
    }
    const std::string text = here               ? editor.text()
                             : field == kPrompt ? task_.prompt
                                                : task_.cwd;
    InputRows rows = LayInput(sign, text, here ? editor.cursor() : 0, width);
    ShortenInput(field == kPrompt ? most : 2, &rows);
    if (here) {
      frame.cursor = {.row = frame.rows.size() + rows.cursor_row,
                      .column = rows.cursor_column};
    }
    for (std::string& row : rows.texts) frame.rows.push_back(std::move(row));
    if (field == kPrompt) frame.rows.emplace_back();
  }
  return frame;
}

}  // namespace troika::cli
