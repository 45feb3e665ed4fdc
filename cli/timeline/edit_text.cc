#include "cli/timeline/edit_text.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

using Kind = ApprovalText::Kind;

// Unchanged lines that are shown around changed ones.
constexpr size_t kAround = 2;
constexpr size_t kMostNames = 5;

bool Edits(absl::string_view tool) {
  return tool == "Edit" || tool == "Write" || tool == "NotebookEdit" ||
         tool == "MultiEdit";
}

std::string ShortPath(absl::string_view path, absl::string_view cwd) {
  absl::string_view rest = path;
  const bool under = !cwd.empty() && absl::ConsumePrefix(&rest, cwd) &&
                     absl::ConsumePrefix(&rest, "/") && !rest.empty();
  return std::string(under ? rest : path);
}

void Add(Kind kind, absl::string_view text, FileEdit* edit) {
  if (kind == Kind::kAdded) ++edit->added;
  if (kind == Kind::kRemoved) ++edit->removed;
  edit->lines.push_back({.kind = kind, .text = std::string(text)});
}

// Adds the changed lines, and the unchanged ones next to them.
void AddDiff(absl::string_view before, absl::string_view after,
             FileEdit* edit) {
  // A newline at the end of both is no line.
  if (absl::EndsWith(before, "\n") && absl::EndsWith(after, "\n")) {
    before.remove_suffix(1);
    after.remove_suffix(1);
  }
  const std::vector<DiffLine> lines = DiffLines(before, after);
  std::vector<bool> shown(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].kind == Kind::kSame) continue;
    const size_t end = std::min(lines.size(), i + kAround + 1);
    for (size_t j = i - std::min(i, kAround); j < end; ++j) shown[j] = true;
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    if (shown[i]) Add(lines[i].kind, lines[i].text, edit);
  }
  edit->counted = true;
}

void AddContent(absl::string_view content, Kind kind, FileEdit* edit) {
  absl::ConsumeSuffix(&content, "\n");
  edit->counted = true;
  if (content.empty()) return;
  for (const absl::string_view line : absl::StrSplit(content, '\n')) {
    Add(kind, line, edit);
  }
}

// Adds a line of a diff by its mark. One without is an empty line whose space
// was cut off.
void AddMarked(absl::string_view line, FileEdit* edit) {
  const char mark = line.empty() ? ' ' : line[0];
  Add(mark == '+'   ? Kind::kAdded
      : mark == '-' ? Kind::kRemoved
                    : Kind::kSame,
      line.empty() ? line : line.substr(1), edit);
}

// A hunk's lines; what is between hunks is left out.
void AddHunks(absl::string_view diff, FileEdit* edit) {
  absl::ConsumeSuffix(&diff, "\n");
  for (const absl::string_view line : absl::StrSplit(diff, '\n')) {
    if (line.empty() || line[0] == '@' || line[0] == '\\') continue;
    AddMarked(line, edit);
  }
  edit->counted = true;
}

// Counts the lines of a hunk, because a removed "-- x" looks like the header of
// a file, and an added "++ x", too.
class Hunk {
 public:
  Hunk() = default;
  // `header` is "@@ -1,2 +3,4 @@"; a count that is left out is 1. If it has no
  // numbers, the hunk goes on for as long as its lines have marks.
  explicit Hunk(absl::string_view header) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(header, absl::MaxSplits(' ', 3));
    counted_ = words.size() > 2 && ReadCount(words[1], '-', &removed_) &&
               ReadCount(words[2], '+', &added_);
    open_ = true;
  }

  // Returns whether the line belongs to the hunk.
  bool Take(absl::string_view line) {
    const char mark = line.empty() ? ' ' : line[0];
    if (!open_ || (mark != '+' && mark != '-' && mark != ' ')) return false;
    // The counts are wrong if more comes than they say.
    if ((mark != '+' && removed_ == 0) || (mark != '-' && added_ == 0)) {
      counted_ = false;
    }
    if (!counted_) {
      open_ =
          !absl::StartsWith(line, "--- ") && !absl::StartsWith(line, "+++ ");
      return open_ && !line.empty();
    }
    if (mark != '+') --removed_;
    if (mark != '-') --added_;
    open_ = removed_ > 0 || added_ > 0;
    return true;
  }

 private:
  static bool ReadCount(absl::string_view range, char mark, int64_t* count) {
    const std::vector<absl::string_view> numbers = absl::StrSplit(range, ',');
    *count = 1;
    return !range.empty() && range[0] == mark &&
           (numbers.size() == 1 ||
            (absl::SimpleAtoi(numbers[1], count) && *count >= 0));
  }

  bool open_ = false;
  bool counted_ = false;
  // Lines that are still to come: of the file before, and of the file after.
  int64_t removed_ = 0;
  int64_t added_ = 0;
};

// One of Codex's changes. Its diff is a whole file if that is new or deleted.
FileEdit ReadChange(json::Value change, absl::string_view cwd) {
  FileEdit edit = {.path = ShortPath(change.Get("path").StringOr("?"), cwd)};
  const json::Value kind = change.Get("kind");
  const absl::string_view type =
      kind.IsString() ? kind.StringOr("") : kind.Get("type").StringOr("");
  const absl::string_view diff = change.Get("diff").StringOr("");
  if (!change.Get("diff").IsString()) return edit;
  if (absl::StartsWith(diff, "@@") || absl::StrContains(diff, "\n@@")) {
    AddHunks(diff, &edit);
  } else if (type == "add" || type == "delete") {
    AddContent(diff, type == "add" ? Kind::kAdded : Kind::kRemoved, &edit);
  }
  return edit;
}

FileEdit ReadInput(json::Value input, absl::string_view cwd) {
  FileEdit edit;
  for (const absl::string_view key :
       {"file_path", "absolute_path", "notebook_path", "path"}) {
    const absl::string_view path = input.Get(key).StringOr("");
    if (edit.path.empty()) edit.path = ShortPath(path, cwd);
  }
  const auto add_one = [&](json::Value one) {
    if (!one.Get("new_string").IsString()) return;
    AddDiff(one.Get("old_string").StringOr(""),
            one.Get("new_string").StringOr(""), &edit);
  };
  add_one(input);
  for (const json::Value one : input.Get("edits").items()) add_one(one);
  for (const absl::string_view key : {"content", "new_source"}) {
    if (!input.Get(key).IsString()) continue;
    AddContent(input.Get(key).StringOr(""), Kind::kAdded, &edit);
  }
  return edit;
}

}  // namespace

std::vector<FileEdit> EditsOf(const ToolUse& use, absl::string_view cwd) {
  if (!Edits(use.name) || !use.server.empty()) return {};
  json::Parser parser;
  const absl::StatusOr<json::Value> input = parser.Parse(use.input_json);
  if (!input.ok()) return {};
  std::vector<FileEdit> edits;
  if (input->Get("changes").IsArray()) {
    for (const json::Value change : input->Get("changes").items()) {
      edits.push_back(ReadChange(change, cwd));
    }
    return edits;
  }
  edits.push_back(ReadInput(*input, cwd));
  if (edits[0].path.empty()) edits.clear();
  return edits;
}

std::vector<FileEdit> ReadUnifiedDiff(absl::string_view diff) {
  std::vector<FileEdit> files;
  std::string before;
  Hunk hunk;
  for (const absl::string_view line : absl::StrSplit(diff, '\n')) {
    absl::string_view path = line;
    if (hunk.Take(line)) {
      if (!files.empty()) AddMarked(line, &files.back());
    } else if (absl::ConsumePrefix(&path, "--- ")) {
      absl::ConsumePrefix(&path, "a/");
      before = std::string(path);
    } else if (absl::ConsumePrefix(&path, "+++ ")) {
      absl::ConsumePrefix(&path, "b/");
      files.push_back({.path = path == "/dev/null" ? before : std::string(path),
                       .counted = true});
      hunk = Hunk("");
    } else if (absl::StartsWith(line, "@@")) {
      hunk = Hunk(line);
    }
  }
  return files;
}

std::string CountsText(const FileEdit& edit) {
  if (!edit.counted) return "";
  return absl::StrCat("+", edit.added, " −", edit.removed);
}

std::string FilesText(const std::vector<FileEdit>& files) {
  if (files.empty()) return "";
  FileEdit all = {.counted = true};
  std::vector<std::string> names;
  for (const FileEdit& file : files) {
    all.added += file.added;
    all.removed += file.removed;
    all.counted = all.counted && file.counted;
    if (names.size() < kMostNames) names.push_back(SanitizedLine(file.path));
  }
  const size_t more = files.size() - names.size();
  const std::string counts = CountsText(all);
  return absl::StrCat(files.size(), files.size() == 1 ? " file" : " files",
                      " changed", counts.empty() ? "" : ", ", counts, ": ",
                      absl::StrJoin(names, ", "),
                      more > 0 ? absl::StrCat(" and ", more, " more") : "");
}

}  // namespace troika::cli
