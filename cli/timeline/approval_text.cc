#include "cli/timeline/approval_text.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/exact_text.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

using Kind = ApprovalText::Kind;

constexpr size_t kFewestColumns = 20;
constexpr size_t kGutterColumns = 4;

constexpr absl::string_view kPathKeys[] = {"file_path", "absolute_path",
                                           "notebook_path", "path"};

using Lines = std::vector<absl::string_view>;

// Limit for the cells of the table of common lines.
constexpr size_t kMostCells = size_t{1} << 22;

Lines Split(absl::string_view text) {
  if (text.empty()) return {};
  return absl::StrSplit(text, '\n');
}

// Lines [first, last) of a text.
struct Part {
  const Lines& lines;
  size_t first = 0;
  size_t last = 0;

  size_t size() const { return last - first; }
  absl::string_view at(size_t i) const { return lines[first + i]; }
};

void AddAll(const Part& part, Kind kind, std::vector<DiffLine>* out) {
  for (size_t i = 0; i < part.size(); ++i) {
    out->push_back({.kind = kind, .text = part.at(i)});
  }
}

// Finds the difference by a longest common subsequence.
void AddDifference(const Part& before, const Part& after,
                   std::vector<DiffLine>* out) {
  const size_t rows = before.size(), columns = after.size();
  if (rows == 0 || columns == 0 || rows > kMostCells / columns) {
    AddAll(before, Kind::kRemoved, out);
    AddAll(after, Kind::kAdded, out);
    return;
  }
  // common[i][j] is how many lines the rests from i and j have in common.
  std::vector<uint32_t> common((rows + 1) * (columns + 1));
  const auto cell = [&](size_t i, size_t j) -> uint32_t& {
    return common[i * (columns + 1) + j];
  };
  for (size_t i = rows; i-- > 0;) {
    for (size_t j = columns; j-- > 0;) {
      cell(i, j) = before.at(i) == after.at(j)
                       ? cell(i + 1, j + 1) + 1
                       : std::max(cell(i + 1, j), cell(i, j + 1));
    }
  }
  size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && before.at(i) == after.at(j)) {
      out->push_back({.kind = Kind::kSame, .text = before.at(i)});
      ++i;
      ++j;
    } else if (j == columns || (i < rows && cell(i + 1, j) >= cell(i, j + 1))) {
      out->push_back({.kind = Kind::kRemoved, .text = before.at(i++)});
    } else {
      out->push_back({.kind = Kind::kAdded, .text = after.at(j++)});
    }
  }
}

bool HasDuplicateKeys(json::Value object) {
  std::set<absl::string_view> keys;
  for (const json::Member& member : object.members()) {
    if (!keys.insert(member.key).second) return true;
  }
  return false;
}

bool IsEdit(json::Value value) {
  return value.Get("old_string").IsString() &&
         value.Get("new_string").IsString() && !HasDuplicateKeys(value);
}

bool AreEdits(json::Value value) {
  if (!value.IsArray() || value.size() == 0) return false;
  const json::ArrayRange items = value.items();
  for (const json::Value item : items) {
    if (!IsEdit(item)) return false;
  }
  return true;
}

// Makes an ApprovalText of the members of an input. Each method shows some of
// them, and AddRest() all that are left.
class Describer {
 public:
  Describer(json::Value input, ApprovalText* out) : input_(input), out_(*out) {}

  // Returns false, and shows nothing, if the form of the input is unknown.
  bool Describe() {
    const bool is_command = input_.Get("command").IsString();
    const bool is_write =
        !PathKey().empty() && input_.Get("content").IsString();
    const bool is_source = input_.Get("new_source").IsString();
    const bool is_edit = IsEdit(input_),
               are_edits = AreEdits(input_.Get("edits"));
    if (!is_command && !is_write && !is_source && !is_edit && !are_edits) {
      return false;
    }
    if (!PathKey().empty()) {
      out_.summary = ExactLine(input_.Get(PathKey()).StringOr(""));
      AddField(Take(PathKey()), input_.Get(PathKey()));
    }
    if (is_command) {
      out_.summary = ExactLine(input_.Get("command").StringOr(""));
      AddText("command");
    }
    if (is_write) AddText("content");
    if (is_source) AddText("new_source");
    if (is_edit) {
      AddDiff(input_);
      Take("old_string");
      Take("new_string");
    }
    if (are_edits) AddEdits(input_.Get(Take("edits")));
    AddRest();
    return true;
  }

 private:
  absl::string_view PathKey() const {
    for (const absl::string_view key : kPathKeys) {
      if (input_.Get(key).IsString()) return key;
    }
    return "";
  }

  absl::string_view Take(absl::string_view key) {
    taken_.insert(key);
    return key;
  }

  void Add(Kind kind, std::string text) {
    out_.lines.push_back({.kind = kind, .text = std::move(text)});
  }

  void AddContent(Kind kind, std::string text) {
    ++out_.content_lines;
    Add(kind, std::move(text));
  }

  void AddText(absl::string_view key) {
    const absl::string_view text = input_.Get(Take(key)).StringOr("");
    out_.content_bytes += text.size();
    if (text.empty()) Add(Kind::kField, absl::StrCat(key, ": (empty)"));
    for (std::string& line : ExactLines(text)) {
      AddContent(Kind::kText, std::move(line));
    }
  }

  void AddDiff(json::Value edit) {
    const absl::string_view before = edit.Get("old_string").StringOr("");
    const absl::string_view after = edit.Get("new_string").StringOr("");
    out_.content_bytes += before.size() + after.size();
    for (const DiffLine& line : DiffLines(before, after)) {
      AddContent(line.kind, ExactLine(line.text));
    }
  }

  void AddEdits(json::Value edits) {
    size_t number = 0;
    for (const json::Value edit : edits.items()) {
      Add(Kind::kField, absl::StrCat("edit ", ++number, " of ", edits.size()));
      for (const json::Member& member : edit.members()) {
        if (member.key == "old_string" || member.key == "new_string") continue;
        AddField(member.key, member.value);
      }
      AddDiff(edit);
    }
  }

  void AddRest() {
    for (const json::Member& member : input_.members()) {
      if (!taken_.contains(member.key)) AddField(member.key, member.value);
    }
  }

  void AddField(absl::string_view key, json::Value value) {
    const std::string name = ExactLine(key);
    const bool one_line = value.IsString() && value.StringOr("").find('\n') ==
                                                  absl::string_view::npos;
    if (one_line) {
      return Add(Kind::kField,
                 absl::StrCat(name, ": ", ExactLine(value.StringOr(""))));
    }
    std::vector<std::string> lines = ExactJson(value);
    if (lines.size() == 1) {
      return Add(Kind::kField, absl::StrCat(name, ": ", lines[0]));
    }
    Add(Kind::kField, absl::StrCat(name, ":"));
    for (std::string& line : lines) Add(Kind::kText, std::move(line));
  }

  const json::Value input_;
  ApprovalText& out_;
  std::set<absl::string_view> taken_;
};

absl::string_view MarkOf(Kind kind) {
  switch (kind) {
    case Kind::kSame:
      return "  ";
    case Kind::kRemoved:
      return "- ";
    case Kind::kAdded:
      return "+ ";
    default:
      return "";
  }
}

}  // namespace

std::vector<DiffLine> DiffLines(absl::string_view before,
                                absl::string_view after) {
  const Lines old_lines = Split(before), new_lines = Split(after);
  const size_t least = std::min(old_lines.size(), new_lines.size());
  size_t head = 0;
  while (head < least && old_lines[head] == new_lines[head]) ++head;
  size_t tail = 0;
  while (tail < least - head && old_lines[old_lines.size() - 1 - tail] ==
                                    new_lines[new_lines.size() - 1 - tail]) {
    ++tail;
  }
  std::vector<DiffLine> out;
  AddAll({old_lines, 0, head}, Kind::kSame, &out);
  AddDifference({old_lines, head, old_lines.size() - tail},
                {new_lines, head, new_lines.size() - tail}, &out);
  AddAll({old_lines, old_lines.size() - tail, old_lines.size()}, Kind::kSame,
         &out);
  return out;
}

ApprovalText DescribeApproval(absl::string_view tool_name,
                              absl::string_view input_json) {
  ApprovalText text = {.tool = ExactLine(tool_name)};
  if (input_json.empty()) return text;
  json::Parser parser;
  const absl::StatusOr<json::Value> input = parser.Parse(input_json);
  // If a key is there twice, only JSON shows both.
  if (input.ok() && input->IsObject() && !HasDuplicateKeys(*input) &&
      Describer(*input, &text).Describe()) {
    return text;
  }
  text.summary = ExactLine(input_json);
  for (std::string& line :
       input.ok() ? ExactJson(*input) : ExactLines(input_json)) {
    text.lines.push_back({.kind = Kind::kText, .text = std::move(line)});
  }
  text.content_lines = text.lines.size();
  text.content_bytes = input_json.size();
  return text;
}

namespace {

Kind KindOfDiffLine(absl::string_view line) {
  if (absl::StartsWith(line, "+++") || absl::StartsWith(line, "---")) {
    return Kind::kField;
  }
  if (absl::StartsWith(line, "+")) return Kind::kAdded;
  return absl::StartsWith(line, "-") ? Kind::kRemoved : Kind::kSame;
}

// A diff's lines have their marks already, which RowsOf() adds.
void AddUnifiedDiff(absl::string_view diff, ApprovalText* text) {
  text->content_bytes += diff.size();
  absl::ConsumeSuffix(&diff, "\n");
  for (absl::string_view line : absl::StrSplit(diff, '\n')) {
    const Kind kind = KindOfDiffLine(line);
    const bool marked = kind != Kind::kField && !line.empty() &&
                        (kind != Kind::kSame || line[0] == ' ');
    if (marked) line.remove_prefix(1);
    text->lines.push_back(
        {.kind = kind == Kind::kSame && !marked ? Kind::kField : kind,
         .text = ExactLine(line)});
    ++text->content_lines;
  }
}

bool HasCommand(absl::string_view input_json, absl::string_view command) {
  json::Parser parser;
  const absl::StatusOr<json::Value> input = parser.Parse(input_json);
  return input.ok() && input->Get("command").StringOr("") == command;
}

}  // namespace

absl::string_view KindText(Approval::Kind kind) {
  switch (kind) {
    case Approval::Kind::kTool:
      return "";
    case Approval::Kind::kCommandLine:
      return "command";
    case Approval::Kind::kEdit:
      return "edit";
    case Approval::Kind::kPermission:
      return "permission";
    case Approval::Kind::kPlan:
      return "plan";
    case Approval::Kind::kBudget:
      return "budget";
  }
  return "";
}

ApprovalText DescribeApproval(const Approval& approval) {
  ApprovalText text = DescribeApproval(approval.tool_name, approval.input_json);
  if (!approval.command.empty() &&
      !HasCommand(approval.input_json, approval.command)) {
    std::vector<ApprovalText::Line> lines;
    for (std::string& line : ExactLines(approval.command)) {
      lines.push_back({.kind = Kind::kText, .text = std::move(line)});
    }
    text.content_lines += lines.size();
    text.content_bytes += approval.command.size();
    text.lines.insert(text.lines.begin(), lines.begin(), lines.end());
    text.summary = ExactLine(approval.command);
  }
  if (!approval.diff.empty()) {
    AddUnifiedDiff(approval.diff, &text);
    if (text.summary.empty()) text.summary = ExactLine(approval.diff);
  }
  const auto add_field = [&](absl::string_view name, absl::string_view value) {
    if (value.empty()) return;
    text.lines.push_back({.kind = Kind::kField,
                          .text = absl::StrCat(name, ": ", ExactLine(value))});
  };
  add_field("folder", approval.cwd);
  add_field("choices", absl::StrJoin(approval.choices, ", "));
  add_field("asked because", approval.explanation);
  return text;
}

std::string SizeText(const ApprovalText& text) {
  return absl::StrCat(LinesText(static_cast<int64_t>(text.content_lines)), ", ",
                      text.content_bytes,
                      text.content_bytes == 1 ? " byte" : " bytes");
}

std::vector<ApprovalRow> RowsOf(const ApprovalText& text, size_t columns) {
  // Leaves a column free, because some terminals wrap a full row.
  const size_t room =
      columns == 0 ? 0
                   : std::max(columns, kFewestColumns + kGutterColumns + 1) -
                         kGutterColumns - 1;
  std::vector<ApprovalRow> rows;
  for (const ApprovalText::Line& line : text.lines) {
    absl::string_view gutter = line.kind == Kind::kField ? "  " : "  │ ";
    for (const std::string& part :
         WrapToWidth(absl::StrCat(MarkOf(line.kind), line.text), room)) {
      rows.push_back({.kind = line.kind, .text = absl::StrCat(gutter, part)});
      gutter = "  ┆ ";
    }
  }
  return rows;
}

}  // namespace troika::cli
