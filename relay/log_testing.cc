#include "relay/log_testing.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "relay/log_format.h"

namespace troika::relay {
namespace {

void WriteAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    CHECK(n > 0);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

absl::string_view EndName(LineEnd end) {
  if (end == LineEnd::kContinued) return "continued";
  return end == LineEnd::kNone ? "open" : "whole";
}

}  // namespace

std::string LogBytes(int dir_fd) {
  const UniqueFd fd(openat(dir_fd, kLogName, O_RDONLY | O_CLOEXEC));
  CHECK(fd.ok());
  std::string bytes;
  char chunk[65536];
  for (ssize_t n; (n = read(fd.get(), chunk, sizeof(chunk))) > 0;) {
    bytes.append(chunk, static_cast<size_t>(n));
  }
  return bytes;
}

void SetLogBytes(int dir_fd, absl::string_view bytes) {
  const UniqueFd fd(
      openat(dir_fd, kLogName, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  CHECK(fd.ok());
  WriteAll(fd.get(), bytes);
}

SizeLimit::SizeLimit(size_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &before_);
  rlimit limit = before_;
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

SizeLimit::~SizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

UniqueFd FileOf(absl::string_view bytes) {
  UniqueFd fd(memfd_create("log", MFD_CLOEXEC));
  CHECK(fd.ok());
  WriteAll(fd.get(), bytes);
  return fd;
}

std::string ReadResult::Listing() const {
  std::string text;
  // A damage is listed after the record that it names.
  size_t damage = 0;
  const auto add_damages = [&](int64_t after) {
    for (; damage < told.damages.size() &&
           told.damages[damage].after_record <= after;
         ++damage) {
      const Damage& d = told.damages[damage];
      absl::StrAppend(&text, "damage: ", d.bytes, " bytes at byte ", d.offset,
                      " [", absl::CEscape(d.snippet), "]\n");
    }
  };
  add_damages(0);
  for (const OwnedRecord& record : told.records) {
    absl::StrAppend(&text, record.number, " at ", record.micros, " ",
                    StreamName(record.stream), " ", EndName(record.end),
                    record.key.empty() ? "" : " key ", record.key, " [",
                    absl::CEscape(record.payload), "]\n");
    add_damages(record.number);
  }
  return absl::StrCat(text, "task ", task_id, ", ", status.ToString(), "\n");
}

ReadResult ReadBytes(absl::string_view bytes, size_t step) {
  ReadResult result;
  UniqueFd fd = FileOf("");
  const int file = fd.get();
  LogReader reader(std::move(fd));
  do {
    WriteAll(file, bytes.substr(0, step));
    bytes.remove_prefix(std::min(step, bytes.size()));
    result.status = reader.Read(result.told).status();
  } while (!bytes.empty() && result.status.ok());
  if (result.status.ok()) reader.Finish(result.told);
  result.task_id = reader.task_id();
  return result;
}

bool AllAccounted(absl::string_view bytes, const ReadResult& result) {
  if (!result.status.ok()) return true;
  int64_t sum = result.told.record_bytes;
  for (const Damage& damage : result.told.damages) {
    sum += damage.bytes;
    const absl::string_view there = bytes.substr(
        static_cast<size_t>(damage.offset), static_cast<size_t>(damage.bytes));
    if (there.size() != static_cast<size_t>(damage.bytes) ||
        there.substr(0, damage.snippet.size()) != damage.snippet) {
      return false;
    }
  }
  if (!result.task_id.empty()) {
    sum += static_cast<int64_t>(bytes.find('\n')) + 1;
  }
  return sum == static_cast<int64_t>(bytes.size());
}

std::string SmallLog() {
  const TempFolder folder;
  FakeClock clock;
  SetLogBytes(folder.fd(), HeaderLine("task1", 1));
  auto log = LogWriter::Open(folder.fd(), "task1", &clock);
  CHECK(log.ok());
  log->Append({.key = "req", .payload = "{\"note\":\"request\"}"});
  clock.Advance(absl::Microseconds(1500));
  log->Append({.stream = Stream::kStdin, .key = "t-1", .payload = "do it"});
  log->Append({.stream = Stream::kStdout,
               .end = LineEnd::kContinued,
               .payload = "{\"begun\":"});
  log->Append({.stream = Stream::kStderr, .payload = ""});
  clock.Advance(absl::Seconds(2));
  log->Append({.stream = Stream::kStdout, .payload = " 1}\r\xff \\x"});
  log->Append({.stream = Stream::kStderr,
               .end = LineEnd::kNone,
               .payload = absl::string_view("a\0b", 3)});
  log->Append({.payload = "{\"note\":\"exited\",\"code\":0}"});
  CHECK(log->Flush().ok());
  return LogBytes(folder.fd());
}

std::string BatchLog() {
  const TempFolder folder;
  FakeClock clock;
  auto log = LogWriter::Open(folder.fd(), "task1", &clock);
  CHECK(log.ok());
  log->Append({.key = "req", .payload = "{\"note\":\"request\"}"});
  clock.Advance(absl::Milliseconds(3));
  std::string record;
  AppendRecord({.number = 4, .stream = Stream::kStdout, .payload = "forged"},
               &record);
  log->AppendBatch(Stream::kStdout,
                   absl::StrCat("y\n", record, "\n\xff  z\r\n"), 4);
  log->Append({.stream = Stream::kStdin, .key = "t-1", .payload = "do it"});
  log->AppendBatch(Stream::kStderr, " spaced\n9 9 out*2\n", 2);
  log->Append({.stream = Stream::kStdout,
               .end = LineEnd::kContinued,
               .payload = "{\"begun\":"});
  clock.Advance(absl::Seconds(2));
  log->AppendBatch(Stream::kStdout, "1}\nlast\n", 2);
  CHECK(log->Flush().ok());
  return LogBytes(folder.fd());
}

std::vector<std::string> PartsOf(absl::string_view bytes) {
  std::vector<std::string> parts;
  while (!bytes.empty()) {
    const size_t line = bytes.find('\n') + 1;
    if (bytes[0] == kBatchLinePrefix) {
      absl::StrAppend(&parts.back(), bytes.substr(0, line));
    } else {
      parts.emplace_back(bytes.substr(0, line));
    }
    bytes.remove_prefix(line);
  }
  return parts;
}

}  // namespace troika::relay
