#include "relay/testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/check.h"
#include "relay/log_format.h"
#include "relay/start.h"

namespace troika::relay {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(20);

bool Eventually(absl::Duration patience, const std::function<bool()>& is_so) {
  const absl::Time deadline = absl::Now() + patience;
  while (!is_so()) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(5));
  }
  return true;
}

template <typename F>
void ForEachProcess(F&& visit) {
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc", error)) {
    int pid = 0;
    if (absl::SimpleAtoi(entry.path().filename().string(), &pid)) visit(pid);
  }
}

}  // namespace

void CollectingSink::OnRecord(const LogRecord& record) {
  records.push_back({.number = record.number,
                     .micros = record.micros,
                     .stream = record.stream,
                     .end = record.end,
                     .key = std::string(record.key),
                     .payload = std::string(record.payload)});
  record_bytes += record.size;
}

CollectingSink ReadLog(int dir_fd) {
  CollectingSink sink;
  auto reader = LogReader::Open(dir_fd);
  if (!reader.ok()) return sink;
  reader->Read(sink).status().IgnoreError();
  reader->Finish(sink);
  return sink;
}

std::string Joined(const CollectingSink& log, Stream stream) {
  std::string text;
  for (const OwnedRecord& record : log.records) {
    if (record.stream != stream) continue;
    text += record.payload;
    if (record.end == LineEnd::kNewline) text += '\n';
  }
  return text;
}

std::vector<std::string> Notes(const CollectingSink& log,
                               absl::string_view name) {
  std::vector<std::string> notes;
  for (const OwnedRecord& record : log.records) {
    if (record.stream == Stream::kNote &&
        absl::StartsWith(record.payload,
                         absl::StrCat("{\"note\":\"", name, "\""))) {
      notes.push_back(record.payload);
    }
  }
  return notes;
}

TestRelay::TestRelay(absl::string_view script, RelaySpec spec,
                     absl::string_view folder)
    : folder_(folder) {
  if (spec.argv.empty()) spec.argv = {"/bin/sh", "-c", std::string(script)};
  if (spec.env.empty()) spec.env = {"PATH=/usr/bin:/bin"};
  if (spec.cwd.empty()) spec.cwd = folder_.path();
  if (spec.spawned_note.empty()) spec.spawned_note = "{\"note\":\"spawned\"}";
  auto log = LogWriter::Open(dir_fd(), "task1", &clock_);
  CHECK(log.ok());
  CHECK(log->Flush().ok());
  const auto program = FindRelayProgram();
  CHECK(program.ok());
  auto ready = StartRelay(*program, spec, *std::move(log), dir_fd());
  started_ = ready.ok() ? RelayStarted(*ready) : ready.status();
}

std::unique_ptr<Client> TestRelay::Connect(Role role) {
  auto client = Client::Connect(dir_fd(), role);
  if (!client.ok()) return nullptr;
  auto connected = std::make_unique<Client>(*std::move(client));
  while (!connected->role()) {
    pollfd fd = {.fd = connected->fd(), .events = connected->events()};
    if (poll(&fd, 1, 5000) <= 0 || !connected->OnPolled().ok()) return nullptr;
  }
  return connected;
}

Reply TestRelay::Ask(Client& client, const Command& command) {
  client.Send(command);
  const absl::Time deadline = absl::Now() + kPatience;
  while (absl::Now() < deadline) {
    auto news = client.OnPolled();
    if (!news.ok()) break;
    for (const Reply& answer : news->replies) {
      if (answer.key == command.key) return answer;
    }
    pollfd fd = {.fd = client.fd(), .events = client.events()};
    poll(&fd, 1, 100);
  }
  return {.code = ReplyCode::kEnded, .record = -1, .text = "no answer"};
}

bool TestRelay::WaitFor(std::function<bool(const CollectingSink&)> condition) {
  return Eventually(kPatience, [&] { return condition(Log()); });
}

bool WaitForLogEnd(int dir_fd) {
  return Eventually(kPatience, [&] {
    const UniqueFd log(openat(dir_fd, kLogName, O_RDONLY | O_CLOEXEC));
    return log.ok() && flock(log.get(), LOCK_EX | LOCK_NB) == 0;
  });
}

std::vector<int> ProcessesWith(absl::string_view token) {
  std::vector<int> found;
  ForEachProcess([&](int pid) {
    if (pid == getpid()) return;
    if (absl::StrContains(ReadWhole(absl::StrCat("/proc/", pid, "/cmdline")),
                          token)) {
      found.push_back(pid);
    }
  });
  return found;
}

bool NoProcessesWith(absl::string_view token) {
  return Eventually(absl::Seconds(10),
                    [&] { return ProcessesWith(token).empty(); });
}

int RelayProcess(const std::string& folder, absl::string_view name) {
  int found = 0;
  const std::string log = absl::StrCat(folder, "/", kLogName);
  ForEachProcess([&](int pid) {
    if (!absl::StartsWith(ReadWhole(absl::StrCat("/proc/", pid, "/comm")),
                          name)) {
      return;
    }
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(
             absl::StrCat("/proc/", pid, "/fd"), error)) {
      if (std::filesystem::read_symlink(entry.path(), error) == log) {
        found = pid;
      }
    }
  });
  return found;
}

}  // namespace troika::relay
