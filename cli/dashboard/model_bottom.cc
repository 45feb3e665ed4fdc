// The rows at the bottom of the dashboard: the line, notices and keys.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/attach/input_rows.h"
#include "cli/dashboard/model.h"
#include "cli/timeline/painted_text.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

constexpr size_t kMostNoticeRows = 3;

}  // namespace

std::vector<std::string> Model::BottomExplanation(size_t width) const {
  std::vector<std::string> rows;
  for (const std::string& line : dialog_.Explanation()) {
    for (const std::string& row : WrapToWidth(line, width - 1)) {
      rows.push_back(paint_("33", row));
    }
  }
  return rows;
}

Frame Model::Bottom(size_t width, size_t most) {
  Frame frame;
  if (mode_ != Mode::kLine && mode_ != Mode::kFilter) return frame;
  std::string sign = paint_("33", "/ ");
  if (mode_ == Mode::kLine) {
    frame.rows = BottomExplanation(width);
    sign = dialog_.answers() ? paint_("33", "? ") : paint_("36", "❯ ");
  }
  InputRows input = LayInput(sign, editor_.text(), editor_.cursor(), width);
  ShortenInput(std::max<size_t>(1, most * 2 / 3), &input);
  // The line matters most, and then what is right above it.
  if (frame.rows.size() + input.texts.size() > most) {
    const size_t keep =
        most > input.texts.size() ? most - input.texts.size() : 0;
    frame.rows.erase(frame.rows.begin(),
                     frame.rows.end() - static_cast<ptrdiff_t>(
                                            std::min(keep, frame.rows.size())));
  }
  frame.cursor = {.row = frame.rows.size() + input.cursor_row,
                  .column = input.cursor_column};
  for (std::string& row : input.texts) frame.rows.push_back(std::move(row));
  return frame;
}

std::vector<std::string> Model::NoticeRows(size_t width) const {
  std::vector<std::string> rows = WrapToWidth(
      confirmation_ ? confirmation_->question : notice_.text, width);
  if (rows.size() > kMostNoticeRows) {
    rows.resize(kMostNoticeRows);
    rows.back() = CutToWidth(absl::StrCat(rows.back(), "…"), width);
  }
  for (std::string& row : rows) {
    row = paint_(confirmation_ ? "33" : notice_.is_error ? "31" : "", row);
  }
  return rows;
}

Model::KeyWords Model::BrowseKeys() const {
  KeyWords keys;
  const v1::Task* const shown = task();
  const bool asks =
      shown != nullptr && (shown->state() == v1::Task::awaiting_approval ||
                           shown->state() == v1::Task::awaiting_answer);
  const bool works =
      shown != nullptr && (shown->state() == v1::Task::starting ||
                           shown->state() == v1::Task::running);
  if (asks) keys.emplace_back("a", "answer");
  if (shown != nullptr) keys.emplace_back("i", "write");
  if (shown != nullptr) keys.emplace_back("Enter", "attach");
  if (works || asks) keys.emplace_back("x", "interrupt");
  if (shown != nullptr && !shown->has_ended_at()) {
    keys.emplace_back("s", "stop");
  }
  keys.emplace_back("n", "new");
  keys.emplace_back("/", "filter");
  keys.emplace_back("?", "keys");
  keys.emplace_back("q", "quit");
  keys.emplace_back("Tab", focus_ == Focus::kList ? "timeline" : "list");
  return keys;
}

std::string Model::KeysLine(size_t width) const {
  KeyWords keys;
  switch (mode_) {
    case Mode::kLine:
      keys = {{"Enter", dialog_.answers() ? "answers" : "sends"},
              {"Esc", "leaves"}};
      if (!asked_id_.empty()) {
        keys.emplace_back("Tab", dialog_.answers() ? "message" : "answer");
      }
      keys.emplace_back("PgUp/PgDn", "scroll");
      if (!dialog_.answers()) keys.emplace_back("Alt-Enter", "new line");
      break;
    case Mode::kFilter:
      keys = {{"Enter", "keeps the filter"}, {"Esc", "leaves it as it was"}};
      break;
    case Mode::kForm:
      keys = {{"Enter", form_.in_prompt() ? "starts it" : "back to the prompt"},
              {"Tab/Up/Down", "fields"},
              {"Left/Right", "choose"},
              {"Esc", "leaves"}};
      break;
    case Mode::kConfirm:
      keys = {{"y", "yes"}, {"any other key", "no"}};
      break;
    case Mode::kHelp:
      if (help_.size() > help_height_) {
        keys = {{"PgUp/PgDn", "scroll"}, {"any other key", "goes back"}};
      } else {
        keys = {{"any key", "goes back"}};
      }
      break;
    case Mode::kBrowse:
      keys = BrowseKeys();
      break;
  }
  std::string row;
  for (const auto& [key, word] : keys) {
    const std::string item = absl::StrCat(
        row.empty() ? "" : "  ", paint_("1", key), " ", paint_("2", word));
    if (PaintedWidth(row) + PaintedWidth(item) > width) break;
    absl::StrAppend(&row, item);
  }
  return row;
}

}  // namespace troika::cli
