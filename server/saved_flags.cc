#include "server/saved_flags.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <utility>

#include "absl/status/statusor.h"
#include "base/ancestry.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/read_file.h"

namespace troika {
namespace {

constexpr char kName[] = "serve.json";
constexpr char kDraft[] = "serve.json.new";
constexpr size_t kMaxBytes = size_t{64} << 10;

}  // namespace

absl::Status SaveFlags(int home_fd, absl::Span<const std::string> flags) {
  std::string list = "[";
  for (const std::string& flag : flags) {
    if (list.size() > 1) list += ',';
    json::AppendQuoted(flag, &list);
  }
  list += ']';
  const std::string text =
      json::ObjectWriter().String("boot", BootId()).Json("flags", list).Take();
  const UniqueFd file(
      openat(home_fd, kDraft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.ok() ||
      write(file.get(), text.data(), text.size()) !=
          static_cast<ssize_t>(text.size()) ||
      renameat(home_fd, kDraft, home_fd, kName) != 0) {
    return absl::ErrnoToStatus(errno, "write serve.json");
  }
  return absl::OkStatus();
}

std::optional<std::vector<std::string>> ReadSavedFlags(int home_fd) {
  const absl::StatusOr<std::string> text =
      ReadFileUpTo(home_fd, kName, kMaxBytes);
  if (!text.ok()) return std::nullopt;
  json::Parser parser;
  const absl::StatusOr<json::Value> saved = parser.Parse(*text);
  if (!saved.ok() || saved->Get("boot").StringOr("") != BootId()) {
    return std::nullopt;
  }
  std::vector<std::string> flags;
  for (const json::Value flag : saved->Get("flags").items()) {
    flags.emplace_back(flag.StringOr(""));
  }
  return flags;
}

void RemoveSavedFlags(int home_fd) { unlinkat(home_fd, kName, 0); }

}  // namespace troika
