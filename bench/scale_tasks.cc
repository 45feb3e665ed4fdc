#include "bench/scale_tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "agent/harness.h"
#include "base/fd.h"
#include "base/status_macros.h"
#include "bench/generate.h"
#include "bench/text_source.h"
#include "relay/log_format.h"
#include "relay/record.h"
#include "task/notes.h"
#include "testing/files.h"

namespace troika::bench {
namespace {

constexpr Harness kHarnesses[] = {Harness::kCodex, Harness::kClaude,
                                  Harness::kGemini};
constexpr int kSessionsEach = 8;
constexpr int64_t kSessionBytes = 420'000;

// The lines of one generated session. A task prints the first line, as many of
// the following ones as fit its size, and the last line, which ends the turn.
struct Recorded {
  Harness harness = Harness::kCodex;
  std::vector<std::string> lines;
};

std::vector<Recorded> GenerateSessions(uint64_t seed) {
  std::vector<Recorded> sessions;
  for (const Harness harness : kHarnesses) {
    for (int i = 0; i < kSessionsEach; ++i) {
      const std::string stream =
          GenerateStream(harness, kSessionBytes, seed * kSessionsEach + i);
      sessions.push_back(
          {.harness = harness,
           .lines = absl::StrSplit(stream, '\n', absl::SkipEmpty())});
    }
  }
  return sessions;
}

// Uses the format of task/home.cc: milliseconds, then four arbitrary digits.
std::string TaskId(absl::Time created, uint64_t suffix) {
  const auto base36 = [](uint64_t value, size_t digits) {
    constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    std::string text(digits, '0');
    for (size_t i = digits; i-- > 0; value /= 36) text[i] = kDigits[value % 36];
    return text;
  };
  return base36(static_cast<uint64_t>(absl::ToUnixMillis(created)), 8) +
         base36(suffix, 4);
}

enum class Ending { kDone, kFailed, kInterrupted, kCancelled, kQueued };

Ending PickEnding(TextSource& text) {
  const int share = text.Between(1, 100);
  if (share <= 88) return Ending::kDone;
  if (share <= 94) return Ending::kFailed;
  return share <= 98 ? Ending::kInterrupted : Ending::kCancelled;
}

int PickOutputBytes(TextSource& text) {
  const int share = text.Between(1, 100);
  if (share <= 80) return text.Between(500, 4000);
  return share <= 97 ? text.Between(4000, 38'000)
                     : text.Between(38'000, 400'000);
}

// Composes the log of one task.
class LogText {
 public:
  LogText(absl::string_view id, absl::Time created)
      : text_(relay::HeaderLine(id)), micros_(absl::ToUnixMicros(created)) {}

  void Add(relay::Stream stream, absl::string_view key,
           absl::string_view payload) {
    relay::AppendRecord({.number = ++number_,
                         .micros = micros_,
                         .stream = stream,
                         .key = key,
                         .payload = payload},
                        &text_);
  }
  void AddNote(absl::string_view key, const notes::Note& note) {
    Add(relay::Stream::kNote, key, notes::ToJson(note));
  }
  void Pass(absl::Duration time) { micros_ += absl::ToInt64Microseconds(time); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int64_t micros_;
  int64_t number_ = 0;
};

void AddRequest(const std::string& id, Harness harness, const std::string& cwd,
                TextSource& text, LogText* log) {
  std::string prompt = absl::StrCat("Task ", id, ": ", text.Prose());
  // Some users paste files into a prompt.
  if (text.Percent(3)) absl::StrAppend(&prompt, "\n\n", text.Output());
  log->AddNote("request",
               notes::Request{.task = id,
                              .harness = std::string(HarnessId(harness)),
                              .prompt = prompt,
                              .cwd = cwd,
                              .title = prompt.substr(0, prompt.find(' ', 40)),
                              .options = {.edit_mode = EditMode::kAutoEdit},
                              .timeouts = {.start = absl::Minutes(2),
                                           .idle = absl::Hours(1),
                                           .turn = absl::Hours(6),
                                           .task = absl::Hours(24)}});
  log->AddNote("turn-1",
               notes::Turn{.turn = 1, .prompt = prompt, .by = "user"});
}

void AddOutput(const Recorded& session, Ending ending, TextSource& text,
               LogText* log) {
  const int bytes = PickOutputBytes(text);
  const absl::Duration step = absl::Milliseconds(text.Between(5, 900));
  int printed = 0;
  for (size_t i = 0; i + 1 < session.lines.size(); ++i) {
    const std::string& line = session.lines[i];
    printed += static_cast<int>(line.size());
    if (i > 0 && printed > bytes) break;
    log->Pass(step);
    log->Add(relay::Stream::kStdout, "", line);
  }
  if (ending != Ending::kDone) return;
  log->Pass(step);
  log->Add(relay::Stream::kStdout, "", session.lines.back());
}

void AddRun(const Recorded& session, Ending ending, const std::string& cwd,
            TextSource& text, LogText* log) {
  const std::string cli(HarnessId(session.harness));
  log->AddNote("spawn-1", notes::Spawned{.generation = 1,
                                         .turn = 1,
                                         .argv = {cli, "exec", "--json", "-"},
                                         .cwd = cwd,
                                         .version = "1.0.0",
                                         .stdin_mode = "prompt"});
  log->AddNote("close-1", notes::StdinClosed{});
  AddOutput(session, ending, text, log);
  if (ending == Ending::kInterrupted) {
    log->AddNote("interrupt-1", notes::Interrupt{.by = "user"});
    log->AddNote("", notes::Signalled{.signal = SIGINT, .by = "user"});
  }
  notes::Exited exited = {.code = ending == Ending::kDone ? 0 : 1,
                          .user_time = absl::Microseconds(210000),
                          .system_time = absl::Microseconds(40000),
                          .max_rss_kb = 61'000};
  if (ending == Ending::kFailed) {
    exited.stderr_tail = "stream error: connection reset by peer\n";
    log->Add(relay::Stream::kStderr, "",
             "stream error: connection reset by peer");
  }
  log->AddNote("", exited);
}

// Formats variables as task/home.cc stores them.
std::string EnvironmentBytes(const TaskMix& mix) {
  std::string bytes;
  for (const auto& variable :
       {absl::StrCat("HOME=", mix.cwd), std::string("LANG=C.UTF-8"),
        std::string("PATH=/usr/local/bin:/usr/bin:/bin"),
        mix.codex.empty() ? ""
                          : absl::StrCat("TROIKA_CODEX_BIN=", mix.codex)}) {
    if (!variable.empty()) absl::StrAppend(&bytes, variable, std::string(1, 0));
  }
  return bytes;
}

}  // namespace

absl::StatusOr<MadeTasks> MakeTasks(const std::string& home,
                                    const TaskMix& mix) {
  const std::string tasks = home + "/tasks";
  std::error_code error;
  std::filesystem::create_directories(tasks, error);
  if (error || chmod(home.c_str(), 0700) != 0) {
    return absl::InternalError(absl::StrCat("make ", tasks));
  }
  const std::vector<Recorded> sessions = GenerateSessions(mix.seed);
  const std::string environment = EnvironmentBytes(mix);
  TextSource text(mix.seed);
  MadeTasks made;
  for (int i = 0; i < mix.ended + mix.queued; ++i) {
    const bool queued = i >= mix.ended;
    const Ending ending = queued ? Ending::kQueued : PickEnding(text);
    // Queued tasks run with the one CLI that `mix` names.
    const Recorded& session =
        sessions[queued ? 0 : text.Between(0, sessions.size() - 1)];
    const absl::Time created = mix.newest + (i + 1 - mix.ended) * mix.spacing;
    const std::string id = TaskId(created, i);
    LogText log(id, created);
    AddRequest(id, session.harness, mix.cwd, text, &log);
    log.Pass(absl::Milliseconds(20));
    if (ending == Ending::kCancelled) {
      log.AddNote("", notes::Cancelled{.by = "user"});
    } else if (ending != Ending::kQueued) {
      AddRun(session, ending, mix.cwd, text, &log);
    }
    const std::string folder = absl::StrCat(tasks, "/", id);
    if (mkdir(folder.c_str(), 0700) != 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("make ", folder));
    }
    RETURN_IF_ERROR(WriteFile(folder + "/env", environment, 0600));
    RETURN_IF_ERROR(WriteFile(absl::StrCat(folder, "/", relay::kLogName),
                              log.text(), 0600));
    ++made.tasks;
    made.log_bytes += static_cast<int64_t>(log.text().size());
  }
  return made;
}

}  // namespace troika::bench
