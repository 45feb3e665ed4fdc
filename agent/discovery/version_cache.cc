#include "agent/discovery/version_cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/cli_files.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "base/replace_file.h"

namespace troika {

template <>
inline constexpr auto kFields<FileIdentity> =
    std::tuple{Field{"invoked", &FileIdentity::invoked},
               Field{"path", &FileIdentity::path},
               Field{"device", &FileIdentity::device},
               Field{"inode", &FileIdentity::inode},
               Field{"size", &FileIdentity::size},
               Field{"mtime_ns", &FileIdentity::mtime_ns},
               Field{"ctime_ns", &FileIdentity::ctime_ns}};

template <>
inline constexpr auto kFields<CliFacts> = std::tuple{
    Field{"version", &CliFacts::version}, Field{"help", &CliFacts::help},
    Field{"sandbox_error", &CliFacts::sandbox_error},
    Field{"sandbox_surroundings", &CliFacts::sandbox_surroundings},
    Field{"models", &CliFacts::models}};

namespace {

int64_t Nanoseconds(const struct timespec& time) {
  return time.tv_sec * int64_t{1000000000} + time.tv_nsec;
}

}  // namespace

absl::StatusOr<FileIdentity> IdentityOf(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  struct stat info;
  if (error || stat(real.c_str(), &info) != 0) {
    return absl::NotFoundError(absl::StrCat("look at ", path));
  }
  return FileIdentity{.invoked = path,
                      .path = real.native(),
                      .device = static_cast<int64_t>(info.st_dev),
                      .inode = static_cast<int64_t>(info.st_ino),
                      .size = info.st_size,
                      .mtime_ns = Nanoseconds(info.st_mtim),
                      .ctime_ns = Nanoseconds(info.st_ctim)};
}

bool HasOtherNames(const std::string& path) {
  struct stat name;
  struct stat file;
  if (lstat(path.c_str(), &name) != 0 || stat(path.c_str(), &file) != 0) {
    return false;
  }
  // Avoids listing the folder, because folders of programs are long.
  if (!S_ISLNK(name.st_mode) && name.st_nlink == 1) return false;
  const std::filesystem::path invoked(path);
  std::error_code error;
  for (std::filesystem::directory_iterator it(invoked.parent_path(), error);
       !error && it != std::filesystem::directory_iterator();
       it.increment(error)) {
    struct stat other;
    if (it->path().filename() != invoked.filename() &&
        stat(it->path().c_str(), &other) == 0 && other.st_dev == file.st_dev &&
        other.st_ino == file.st_ino) {
      return true;
    }
  }
  return false;
}

VersionCache::VersionCache(std::string path) : path_(std::move(path)) {
  if (!path_.empty()) Load();
}

std::optional<CliFacts> VersionCache::Find(const FileIdentity& identity) const {
  for (const Entry& entry : entries_) {
    if (entry.identity == identity) return entry.facts;
  }
  return std::nullopt;
}

void VersionCache::Add(const FileIdentity& identity, const CliFacts& facts) {
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [&](const Entry& entry) {
                                  return entry.identity.invoked ==
                                         identity.invoked;
                                }),
                 entries_.end());
  entries_.insert(entries_.begin(), {identity, facts});
  if (entries_.size() > kMaxEntries) entries_.resize(kMaxEntries);
  if (!path_.empty()) Save();
}

void VersionCache::Load() {
  const std::string text =
      ReadHead(path_, static_cast<int64_t>(json::kMaxBytes));
  json::Parser parser;
  const absl::StatusOr<json::Value> root = parser.Parse(text);
  if (!root.ok()) return;
  for (const json::Value item : root->Get("clis").items()) {
    Entry entry;
    json::FieldReader reader;
    reader.Read(item, &entry.identity);
    reader.Read(item, &entry.facts);
    if (entry.identity.path.empty() || entries_.size() == kMaxEntries) continue;
    entries_.push_back(std::move(entry));
  }
}

void VersionCache::Save() const {
  std::string items;
  for (const Entry& entry : entries_) {
    json::ObjectWriter item;
    json::WriteFields(entry.identity, &item);
    json::WriteFields(entry.facts, &item);
    absl::StrAppend(&items, items.empty() ? "" : ",", item.Take());
  }
  // A CLI is run again if its facts can't be kept.
  ReplaceFile(path_, absl::StrCat("{\"clis\":[", items, "]}\n")).IgnoreError();
}

}  // namespace troika
