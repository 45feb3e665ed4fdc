#include "files/inlined_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/blocking.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "files/gitignore.h"
#include "files/glob.h"

namespace troika {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxIgnoreFile = size_t{1} << 20;
constexpr char kIgnoreName[] = ".gitignore";
constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

struct Entry {
  std::string name;
  mode_t mode = 0;
  size_t size = 0;
};

std::string Under(absl::string_view folder, absl::string_view name) {
  return folder.empty() ? std::string(name) : absl::StrCat(folder, "/", name);
}

// Walks a folder and reads the files that match.
class Walk {
 public:
  Walk(absl::Span<const std::string> patterns, const InlineLimits& limits)
      : patterns_(patterns), limits_(limits) {}

  // Adds rules of folders above the top, as if they were in the top's.
  void AddRulesAbove(const fs::path& top);
  void Visit(int folder, const std::string& path, int depth);
  InlinedFiles Take() { return std::move(found_); }

 private:
  bool Matches(absl::string_view path) const {
    return std::any_of(
        patterns_.begin(), patterns_.end(), [&](const std::string& pattern) {
          return MatchesGlob(pattern, path, DotFiles::kOnlyByName);
        });
  }
  // The entries by name. Ends early, and says so, if there are too many.
  std::vector<Entry> EntriesOf(int folder, const std::string& path);
  void VisitFile(int folder, const std::string& path, const Entry& entry);
  void LeaveOut(const std::string& path, std::string reason);

  const absl::Span<const std::string> patterns_;
  const InlineLimits& limits_;
  // Paths for the rules begin with this: the top's own path in the repository.
  std::string prefix_;
  IgnoreRules rules_;
  size_t entries_ = 0;
  size_t bytes_ = 0;
  InlinedFiles found_;
};

void Walk::LeaveOut(const std::string& path, std::string reason) {
  ++found_.left_out_count;
  if (found_.left_out.size() == InlinedFiles::kMaxShown) return;
  found_.left_out.push_back({.path = path, .reason = std::move(reason)});
}

void Walk::AddRulesAbove(const fs::path& top) {
  std::error_code ignored;
  fs::path root = top;
  while (!fs::exists(root / ".git", ignored)) {
    if (root == root.parent_path()) return;  // It is in no repository.
    root = root.parent_path();
  }
  if (const auto text =
          ReadFileUpTo((root / ".git/info/exclude").string(), kMaxIgnoreFile);
      text.ok()) {
    rules_.Add("", *text);
  }
  std::string path;
  for (const fs::path& name : top.lexically_relative(root)) {
    if (name == ".") break;
    if (const auto text =
            ReadFileUpTo((root / path / kIgnoreName).string(), kMaxIgnoreFile);
        text.ok()) {
      rules_.Add(path, *text);
    }
    path = Under(path, name.string());
  }
  prefix_ = path;
}

std::vector<Entry> Walk::EntriesOf(int folder, const std::string& path) {
  std::vector<Entry> entries;
  const int copy = openat(folder, ".", kOpenFolder);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(
      copy < 0 ? nullptr : fdopendir(copy), closedir);
  if (listing == nullptr) {
    if (copy >= 0) close(copy);
    LeaveOut(Under(path, ""), "can't be read");
    return entries;
  }
  while (const dirent* const one = readdir(listing.get())) {
    const std::string name = one->d_name;
    if (name == "." || name == ".." || name == ".git") continue;
    if (++entries_ > limits_.entries) {
      found_.incomplete = absl::StrCat("the search ended after ",
                                       limits_.entries, " files and folders");
      break;
    }
    struct stat info = {};
    if (fstatat(folder, one->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    entries.push_back({.name = name,
                       .mode = info.st_mode,
                       .size = static_cast<size_t>(info.st_size)});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

void Walk::VisitFile(int folder, const std::string& path, const Entry& entry) {
  if (!Matches(path)) return;
  if (S_ISLNK(entry.mode)) return LeaveOut(path, "a link");
  if (!S_ISREG(entry.mode)) return LeaveOut(path, "no regular file");
  if (entry.size > limits_.file_bytes) {
    return LeaveOut(path, absl::StrCat("over ", limits_.file_bytes, " bytes"));
  }
  if (found_.files.size() >= limits_.files) {
    return LeaveOut(path, absl::StrCat("over ", limits_.files, " files"));
  }
  if (bytes_ + entry.size > limits_.total_bytes) {
    return LeaveOut(
        path, absl::StrCat("over ", limits_.total_bytes, " bytes in all"));
  }
  // Links are refused here, too, if one has taken the file's place meanwhile.
  const UniqueFd file(openat(folder, entry.name.c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info = {};
  if (!file.ok() || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return LeaveOut(path, "can't be read");
  }
  std::string text(limits_.file_bytes + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t count =
        read(file.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return LeaveOut(path, "can't be read");
    if (count == 0) break;
    size += static_cast<size_t>(count);
  }
  if (size > limits_.file_bytes) {
    return LeaveOut(path, absl::StrCat("over ", limits_.file_bytes, " bytes"));
  }
  text.resize(size);
  if (absl::StrContains(text, '\0')) return LeaveOut(path, "binary");
  if (!json::IsValidUtf8(text)) return LeaveOut(path, "not UTF-8");
  bytes_ += size;
  found_.files.push_back({.path = path, .text = std::move(text)});
}

void Walk::Visit(int folder, const std::string& path, int depth) {
  if (depth > limits_.depth) return LeaveOut(path, "nested too deeply");
  const std::vector<Entry> entries = EntriesOf(folder, path);
  for (const Entry& entry : entries) {
    if (entry.name != kIgnoreName || !S_ISREG(entry.mode)) continue;
    const auto text = ReadFileUpTo(folder, kIgnoreName, kMaxIgnoreFile);
    if (text.ok()) {
      rules_.Add(path.empty() ? prefix_ : Under(prefix_, path), *text);
    }
  }
  for (const Entry& entry : entries) {
    const std::string inner = Under(path, entry.name);
    const bool is_folder = S_ISDIR(entry.mode);
    if (rules_.Ignores(Under(prefix_, inner), is_folder
                                                  ? IgnoreRules::Kind::kFolder
                                                  : IgnoreRules::Kind::kFile)) {
      continue;
    }
    if (!is_folder) {
      VisitFile(folder, inner, entry);
      continue;
    }
    const UniqueFd opened(openat(folder, entry.name.c_str(), kOpenFolder));
    if (opened.ok()) Visit(opened.get(), inner, depth + 1);
    if (!found_.incomplete.empty()) return;
  }
}

}  // namespace

absl::Status CheckGlobs(absl::Span<const std::string> patterns,
                        const InlineLimits& limits) {
  if (patterns.size() > limits.patterns) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there are more than ", limits.patterns, " patterns: combine some"));
  }
  for (const std::string& pattern : patterns) {
    if (pattern.empty() || pattern.size() > limits.pattern_bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("a pattern has ", pattern.size(),
                       " bytes: it must have 1 to ", limits.pattern_bytes));
    }
    if (pattern[0] == '/' || absl::StrContains(pattern, '\0')) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", pattern,
                       "\" is no path within the folder: leave out the "
                       "folder itself"));
    }
    for (const absl::string_view part : absl::StrSplit(pattern, '/')) {
      if (part == "..") {
        return absl::InvalidArgumentError(absl::StrCat(
            "\"", pattern, "\" leads out of the folder: name files in it"));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<InlinedFiles> InlineFiles(const std::string& folder,
                                         absl::Span<const std::string> patterns,
                                         const InlineLimits& limits) {
  AssertMayBlock("reading files for a prompt");
  RETURN_IF_ERROR(CheckGlobs(patterns, limits));
  std::vector<std::string> normal;
  for (const std::string& pattern : patterns) {
    normal.push_back(absl::StartsWith(pattern, "./") ? pattern.substr(2)
                                                     : pattern);
  }
  const UniqueFd top(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top.ok()) {
    return absl::ErrnoToStatus(errno, absl::StrCat("open ", folder));
  }
  Walk walk(normal, limits);
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (!error) walk.AddRulesAbove(real);
  walk.Visit(top.get(), "", 0);
  InlinedFiles found = walk.Take();
  std::sort(found.files.begin(), found.files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return found;
}

std::string InlinedText(const InlinedFiles& files) {
  std::string text;
  for (const InlinedFiles::File& file : files.files) {
    // A fence that is longer than every one in the file.
    std::string fence = "```";
    while (absl::StrContains(file.text, fence)) fence += '`';
    absl::StrAppend(&text, "\n\nFile ", file.path, ":\n", fence, "\n",
                    file.text, absl::EndsWith(file.text, "\n") ? "" : "\n",
                    fence);
  }
  if (files.left_out_count > 0) {
    absl::StrAppend(&text, "\n\nFiles that match and were left out:");
    for (const InlinedFiles::LeftOut& one : files.left_out) {
      absl::StrAppend(&text, "\n- ", one.path, " (", one.reason, ")");
    }
    const int more =
        files.left_out_count - static_cast<int>(files.left_out.size());
    if (more > 0) absl::StrAppend(&text, "\n- … and ", more, " more");
  }
  if (!files.incomplete.empty()) {
    absl::StrAppend(&text, "\n\nThere may be more files: ", files.incomplete,
                    ".");
  }
  return text;
}

}  // namespace troika
