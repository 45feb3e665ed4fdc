#include "testing/model/run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/event_loop.h"
#include "base/fd.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "testing/files.h"
#include "testing/model/script.h"
#include "testing/model/script_text.h"
#include "testing/model/server.h"

namespace troika::model {
namespace {

constexpr char kUsage[] =
    "usage: troika-model --script FILE [--set NAME=VALUE]... [--port N]\n"
    "                    [--log FILE] [--ready-fd N]\n";

struct Settings {
  std::string script;
  Values values;
  int port = 0;
  std::string log;
  std::optional<int> ready_fd;
};

absl::StatusOr<Settings> ReadSettings(const std::vector<std::string>& args) {
  Settings settings;
  std::vector<std::string> sets;
  std::optional<int> port;
  Flags flags;
  flags.Add("script", &settings.script);
  flags.Add("set", &sets);
  flags.Add("port", &port);
  flags.Add("log", &settings.log);
  flags.Add("ready-fd", &settings.ready_fd);
  RETURN_IF_ERROR(flags.ParseAll(args));
  if (settings.script.empty()) {
    return absl::InvalidArgumentError("--script is missing");
  }
  for (const std::string& set : sets) {
    const size_t at = set.find('=');
    if (at == std::string::npos || at == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--set ", set, ": write it as NAME=VALUE"));
    }
    settings.values[set.substr(0, at)] = set.substr(at + 1);
  }
  settings.port = port.value_or(0);
  if (settings.port > 65535) {
    return absl::InvalidArgumentError(
        absl::StrCat("--port ", settings.port, ": the highest is 65535"));
  }
  return settings;
}

absl::StatusOr<Script> ReadScript(const Settings& settings) {
  std::ifstream file(settings.script, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    return absl::ErrnoToStatus(errno, absl::StrCat("read ", settings.script));
  }
  absl::StatusOr<Script> script = ParseScript(text, settings.values);
  if (script.ok()) return script;
  return absl::InvalidArgumentError(
      absl::StrCat(settings.script, ":", script.status().message()));
}

void Complain(absl::string_view text) {
  // If stderr is closed, there is nowhere to report it.
  (void)WriteAll(STDERR_FILENO, absl::StrCat("troika-model: ", text, "\n"));
}

void Tell(int fd, absl::string_view name, absl::string_view bytes) {
  const absl::Status status = WriteAll(fd, bytes);
  if (!status.ok()) Complain(absl::StrCat(name, ": ", status.message()));
}

int Play(const Settings& settings, Script script, UniqueFd log) {
  EventLoop loop;
  const int log_fd = log.get();
  ModelServer::Options options;
  options.player.script = std::move(script);
  options.player.name = settings.script;
  const auto folder = settings.values.find("cwd");
  if (folder != settings.values.end()) options.player.folder = folder->second;
  options.port = settings.port;
  if (log_fd >= 0) {
    options.log = [log_fd](absl::string_view line) {
      Tell(log_fd, "--log", line);
    };
  }
  options.complain = Complain;
  const auto server = ModelServer::Start(&loop, std::move(options));
  if (!server.ok()) {
    Complain(server.status().message());
    return 2;
  }
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTERM);
  sigaddset(&stops, SIGINT);
  sigprocmask(SIG_BLOCK, &stops, nullptr);
  const UniqueFd signals(signalfd(-1, &stops, SFD_CLOEXEC | SFD_NONBLOCK));
  const auto watch =
      loop.WatchFd(signals.get(), POLLIN, [&](short) { loop.Stop(); });
  const std::string line = absl::StrCat((*server)->url(), "\n");
  Tell(STDOUT_FILENO, "stdout", line);
  if (settings.ready_fd) {
    const UniqueFd ready(*settings.ready_fd);
    Tell(ready.get(), "--ready-fd", line);
  }
  loop.Run();
  const std::vector<std::string> verdict = (*server)->Verdict();
  if (verdict.empty()) {
    Complain("all went as the script said");
    return 0;
  }
  Complain(absl::StrCat("not as the script said: ", verdict.size()));
  for (const std::string& failure : verdict) Complain(failure);
  return 1;
}

}  // namespace

int RunMain(const std::vector<std::string>& args) {
  signal(SIGPIPE, SIG_IGN);
  if (args.size() == 1 && (args[0] == "--help" || args[0] == "-h")) {
    std::cout << kUsage << "docs/model.md describes scripts.\n";
    return 0;
  }
  const absl::StatusOr<Settings> settings = ReadSettings(args);
  if (!settings.ok()) {
    Complain(absl::StrCat(settings.status().message(), "\n", kUsage));
    return 2;
  }
  absl::StatusOr<Script> script = ReadScript(*settings);
  if (!script.ok()) {
    Complain(script.status().message());
    return 2;
  }
  UniqueFd log;
  if (!settings->log.empty()) {
    log = UniqueFd(open(settings->log.c_str(),
                        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!log.ok()) {
      Complain(absl::ErrnoToStatus(errno, absl::StrCat("open ", settings->log))
                   .message());
      return 2;
    }
  }
  return Play(*settings, *std::move(script), std::move(log));
}

}  // namespace troika::model
