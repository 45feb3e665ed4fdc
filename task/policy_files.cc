#include "task/policy_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/blocking.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "base/mutex.h"
#include "base/read_file.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "base/write_whole.h"
#include "policy/rules.h"

namespace troika {
namespace {

struct TrustedList {
  std::vector<TrustedFolder> folders;
};

}  // namespace

template <>
constexpr auto kFields<TrustedFolder> = std::tuple{
    Field{"folder", &TrustedFolder::folder}, Field{"at", &TrustedFolder::at},
    Field{"files", &TrustedFolder::files}};
template <>
constexpr auto kFields<TrustedList> =
    std::tuple{Field{"folders", &TrustedList::folders}};

namespace {

namespace fs = std::filesystem;

constexpr char kUserRules[] = "user.rules";
constexpr char kTrustedName[] = "trusted.json";
constexpr size_t kMaxTrustedBytes = size_t{64} << 20;

// Guards the files that this process changes.
Mutex& FilesMutex() {
  static auto* const kMutex = new Mutex;
  return *kMutex;
}

std::string PathIn(const std::string& folder, absl::string_view name) {
  return absl::StrCat(folder, "/", name);
}

absl::Status Failed(absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat(what, " ", path));
}

// Opens the user's folder of rules, and makes it if it is missing.
absl::StatusOr<UniqueFd> OpenUserFolder(const Home& home) {
  const std::string path = home.policy_path();
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return Failed("make", path);
  }
  UniqueFd folder(
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.ok()) return Failed("open", path);
  return folder;
}

// Replaces a file in the user's folder, so that it survives a loss of power.
absl::Status ReplaceIn(const UniqueFd& folder, const std::string& name,
                       absl::string_view bytes) {
  const std::string temporary = absl::StrCat(".", name, ".new");
  (void)unlinkat(folder.get(), temporary.c_str(), 0);
  const UniqueFd file(
      openat(folder.get(), temporary.c_str(),
             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.ok()) return Failed("make", temporary);
  RETURN_IF_ERROR(WriteWhole(file.get(), bytes, name));
  if (fsync(file.get()) != 0) return Failed("sync", temporary);
  if (renameat(folder.get(), temporary.c_str(), folder.get(), name.c_str()) !=
      0) {
    return Failed("replace", name);
  }
  if (fsync(folder.get()) != 0) return Failed("sync the folder of", name);
  return absl::OkStatus();
}

absl::Status WriteTrusted(const Home& home, const TrustedList& list) {
  ASSIGN_OR_RETURN(const UniqueFd folder, OpenUserFolder(home));
  return ReplaceIn(folder, kTrustedName, json::ToJson(list) + "\n");
}

// The content of user.rules, which is not followed if it is a link.
absl::StatusOr<std::string> ReadUserRules(const UniqueFd& folder,
                                          const std::string& path) {
  struct stat info = {};
  if (fstatat(folder.get(), kUserRules, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return "";
    return Failed("look at", path);
  }
  if (!S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, " is a link or no file, which is not changed: put a file there"));
  }
  return ReadFileUpTo(folder.get(), kUserRules, policy::kMaxFileBytes);
}

}  // namespace

std::string ProjectPolicyFolder(const std::string& cwd) {
  AssertMayBlock("looking for a git repository");
  std::error_code error;
  for (fs::path dir = cwd; !dir.empty(); dir = dir.parent_path()) {
    if (fs::exists(dir / ".git", error)) return (dir / ".troika").string();
    if (dir == dir.parent_path()) break;
  }
  return PathIn(cwd, ".troika");
}

notes::RulesFile ReadPolicyFile(const std::string& path,
                                absl::string_view origin) {
  AssertMayBlock("reading a file of rules");
  notes::RulesFile file = {.file = path, .origin = std::string(origin)};
  auto text = ReadFileUpTo(path, policy::kMaxFileBytes);
  if (!text.ok()) {
    file.error = std::string(text.status().message());
  } else if (!json::IsValidUtf8(*text)) {
    file.error = absl::StrCat(path, " is not UTF-8: convert it");
  } else {
    file.text = *std::move(text);
  }
  return file;
}

RulesFiles ReadPolicyFolder(const std::string& folder,
                            absl::string_view origin) {
  AssertMayBlock("reading a folder of rules");
  const auto failed = [&](std::string error) {
    return RulesFiles{{.file = folder,
                       .origin = std::string(origin),
                       .error = std::move(error)}};
  };
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(folder.c_str()),
                                                closedir);
  if (dir == nullptr) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return failed(std::string(Failed("read", folder).message()));
  }
  std::vector<std::string> names;
  while (const dirent* const entry = readdir(dir.get())) {
    const absl::string_view name = entry->d_name;
    if (absl::EndsWith(name, ".rules") && !absl::StartsWith(name, ".")) {
      names.emplace_back(name);
    }
  }
  if (names.size() > kMaxPolicyFiles) {
    return failed(absl::StrCat(folder, " has more than ", kMaxPolicyFiles,
                               " files with rules: join them"));
  }
  std::sort(names.begin(), names.end());
  RulesFiles files;
  size_t bytes = 0;
  for (const std::string& name : names) {
    files.push_back(ReadPolicyFile(PathIn(folder, name), origin));
    bytes += files.back().text.size();
  }
  if (bytes > kMaxPolicyBytes) {
    return failed(absl::StrCat("the rules in ", folder, " are over ",
                               kMaxPolicyBytes, " bytes: shorten them"));
  }
  return files;
}

std::string PolicyDigest(const RulesFiles& files) {
  std::string bytes;
  for (const notes::RulesFile& file : files) {
    absl::StrAppend(&bytes, file.file.size(), ":", file.file, ",",
                    file.text.size(), ":", file.text, ";", file.error.size(),
                    ":", file.error);
  }
  return Sha256(bytes);
}

absl::StatusOr<std::vector<TrustedFolder>> ReadTrusted(const Home& home) {
  const std::string path = PathIn(home.policy_path(), kTrustedName);
  const auto bytes = ReadFileUpTo(path, kMaxTrustedBytes);
  if (absl::IsNotFound(bytes.status())) return std::vector<TrustedFolder>();
  RETURN_IF_ERROR(bytes.status());
  json::Parser parser;
  const auto value = parser.Parse(*bytes);
  TrustedList list;
  json::FieldReader reader;
  if (value.ok()) reader.Read(*value, &list);
  if (!value.ok() || !reader.problem().empty()) {
    return absl::DataLossError(absl::StrCat(
        path,
        " can't be read, so no project's rules are trusted: remove it, "
        "and trust them again"));
  }
  return std::move(list.folders);
}

std::optional<TrustedFolder> FindTrusted(const Home& home,
                                         absl::string_view folder) {
  auto trusted = ReadTrusted(home);
  if (!trusted.ok()) return std::nullopt;
  for (TrustedFolder& one : *trusted) {
    if (one.folder == folder) return std::move(one);
  }
  return std::nullopt;
}

absl::Status TrustFolder(const Home& home, const std::string& folder,
                         absl::string_view digest, absl::Time now) {
  MutexLock lock(&FilesMutex());
  const bool of_user = folder == home.policy_path();
  RulesFiles files =
      ReadPolicyFolder(folder, of_user ? kUserPolicy : kProjectPolicy);
  if (files.empty()) {
    return absl::NotFoundError(absl::StrCat(
        folder, " has no files with rules, so there is nothing to trust"));
  }
  if (PolicyDigest(files) != digest) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the rules in ", folder,
        " have changed since they were shown: look at them again"));
  }
  for (const notes::RulesFile& file : files) {
    if (!file.error.empty()) return absl::FailedPreconditionError(file.error);
    RETURN_IF_ERROR(policy::Rules::Parse({.file = file.file, .text = file.text},
                                         policy::Dialect::kTroika)
                        .status());
  }
  ASSIGN_OR_RETURN(std::vector<TrustedFolder> folders, ReadTrusted(home));
  std::erase_if(folders,
                [&](const TrustedFolder& one) { return one.folder == folder; });
  folders.push_back({.folder = folder, .at = now, .files = std::move(files)});
  return WriteTrusted(home, {.folders = std::move(folders)});
}

absl::Status UntrustFolder(const Home& home, absl::string_view folder) {
  MutexLock lock(&FilesMutex());
  ASSIGN_OR_RETURN(std::vector<TrustedFolder> folders, ReadTrusted(home));
  const size_t erased = std::erase_if(
      folders, [&](const TrustedFolder& one) { return one.folder == folder; });
  if (erased == 0) {
    return absl::NotFoundError(
        absl::StrCat(folder,
                     " is not trusted: `troika policy list` shows "
                     "what is"));
  }
  return WriteTrusted(home, {.folders = std::move(folders)});
}

absl::Status AddUserRule(const Home& home, absl::string_view rule,
                         absl::string_view comment) {
  const std::string path = PathIn(home.policy_path(), kUserRules);
  RETURN_IF_ERROR(
      policy::Rules::Parse({.file = "the rule", .text = std::string(rule)},
                           policy::Dialect::kTroika)
          .status());
  MutexLock lock(&FilesMutex());
  ASSIGN_OR_RETURN(const UniqueFd folder, OpenUserFolder(home));
  ASSIGN_OR_RETURN(std::string text, ReadUserRules(folder, path));
  const absl::Status before = policy::Rules::Parse({.file = path, .text = text},
                                                   policy::Dialect::kTroika)
                                  .status();
  if (!before.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the rule is not added to a broken file; correct it: ",
                     before.message()));
  }
  const std::string line = absl::StrCat(rule, "\n");
  if (absl::StartsWith(text, line) ||
      absl::StrContains(text, absl::StrCat("\n", line))) {
    return absl::OkStatus();
  }
  if (!text.empty() && text.back() != '\n') text += '\n';
  absl::StrAppend(&text, "# ",
                  absl::StrReplaceAll(comment, {{"\n", " "}, {"\r", " "}}),
                  "\n", line);
  return ReplaceIn(folder, kUserRules, text);
}

}  // namespace troika
