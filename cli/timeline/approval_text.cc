#include "cli/timeline/approval_text.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/exact_text.h"
#include "cli/timeline/line_diff.h"
#include "cli/timeline/pretty_json.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

using Kind = ApprovalText::Kind;

constexpr size_t kFewestColumns = 20;
constexpr size_t kGutterColumns = 4;

constexpr absl::string_view kPathKeys[] = {"file_path", "absolute_path",
                                           "notebook_path", "path"};

bool HasTwice(json::Value object) {
  std::set<absl::string_view> keys;
  for (const json::Member& member : object.members()) {
    if (!keys.insert(member.key).second) return true;
  }
  return false;
}

bool IsEdit(json::Value value) {
  return value.Get("old_string").IsString() &&
         value.Get("new_string").IsString() && !HasTwice(value);
}

bool AreEdits(json::Value value) {
  if (!value.IsArray() || value.size() == 0) return false;
  const json::ArrayRange items = value.items();
  for (const json::Value item : items) {
    if (!IsEdit(item)) return false;
  }
  return true;
}

Kind KindOf(DiffLine::Kind kind) {
  switch (kind) {
    case DiffLine::Kind::kSame:
      return Kind::kSame;
    case DiffLine::Kind::kRemoved:
      return Kind::kRemoved;
    case DiffLine::Kind::kAdded:
      return Kind::kAdded;
  }
  return Kind::kSame;
}

// Makes an ApprovalText of the members of an input. Each of its methods shows
// some members; AddRest() shows all that are left.
class Describer {
 public:
  Describer(json::Value input, ApprovalText* out) : input_(input), out_(*out) {}

  // Whether the input is of a form that we know. Else nothing is shown.
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
      AddContent(KindOf(line.kind), ExactLine(line.text));
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
    std::vector<std::string> lines = PrettyJson(value);
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

ApprovalText DescribeApproval(absl::string_view tool_name,
                              absl::string_view input_json) {
  ApprovalText text = {.tool = ExactLine(tool_name)};
  if (input_json.empty()) return text;
  json::Parser parser;
  const absl::StatusOr<json::Value> input = parser.Parse(input_json);
  // Where a name is there twice, only JSON shows what there is.
  if (input.ok() && input->IsObject() && !HasTwice(*input) &&
      Describer(*input, &text).Describe()) {
    return text;
  }
  text.summary = ExactLine(input_json);
  for (std::string& line :
       input.ok() ? PrettyJson(*input) : ExactLines(input_json)) {
    text.lines.push_back({.kind = Kind::kText, .text = std::move(line)});
  }
  text.content_lines = text.lines.size();
  text.content_bytes = input_json.size();
  return text;
}

std::string SizeText(const ApprovalText& text) {
  return absl::StrCat(LinesText(static_cast<int64_t>(text.content_lines)), ", ",
                      text.content_bytes,
                      text.content_bytes == 1 ? " byte" : " bytes");
}

std::vector<ApprovalRow> RowsOf(const ApprovalText& text, size_t columns) {
  // A column is left free: some terminals wrap a row that is full.
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
