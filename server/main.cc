// troika-server.
//
// With --ready-fd it says there how its start went (client/autostart.cc):
// "note TEXT\n" for what the user should know, then "ok\n"; or, if it does not
// serve, "exists TEXT" (another server does), "refused TEXT" (an agent may not
// start one), or just the reason.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/version.h"
#include "server/options.h"
#include "server/server.h"

namespace troika {
namespace {

void WriteAndClose(int fd, absl::string_view text) {
  if (fd < 0) return;
  (void)!write(fd, text.data(), text.size());
  close(fd);
}

int Fail(int ready_fd, const absl::Status& status, int code) {
  const std::string text(status.message());
  fprintf(stderr, "troika-server: %s\n", text.c_str());
  absl::string_view kind;
  if (absl::IsAlreadyExists(status)) kind = "exists ";
  if (absl::IsPermissionDenied(status)) kind = "refused ";
  WriteAndClose(ready_fd, absl::StrCat(kind, text));
  return code;
}

void OnReady(int ready_fd, const ServerReady& ready) {
  std::string said;
  if (!ready.notice.empty()) {
    fprintf(stderr, "troika-server: %s\n", ready.notice.c_str());
    said = absl::StrCat("note ", ready.notice, "\n");
  }
  fprintf(stderr, "troika-server %s: serving %s\n",
          std::string(kVersion).c_str(), ready.url.c_str());
  WriteAndClose(ready_fd, absl::StrCat(said, "ok\n"));
}

int Main(const std::vector<std::string>& args) {
  for (const std::string& arg : args) {
    if (arg == "--help" || arg == "-h") {
      return fputs(std::string(ServerHelp()).c_str(), stdout) < 0;
    }
    if (arg == "--version") {
      return printf("troika-server %s\n", std::string(kVersion).c_str()) < 0;
    }
  }
  const auto options = ReadServerOptions(args);
  if (!options.ok()) return Fail(-1, options.status(), 2);
  // Whoever reads it to its end must not wait for the processes that we start.
  if (options->ready_fd >= 0) fcntl(options->ready_fd, F_SETFD, FD_CLOEXEC);
  const absl::Status served = Serve(
      *options, ProcessEnvironment(),
      [&](const ServerReady& ready) { OnReady(options->ready_fd, ready); });
  return served.ok() ? 0 : Fail(options->ready_fd, served, 1);
}

}  // namespace
}  // namespace troika

int main(int argc, char** argv) {
  return troika::Main(std::vector<std::string>(argv + 1, argv + argc));
}
