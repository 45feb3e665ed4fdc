// troika-server.
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

void TellFd(int fd, absl::string_view text) {
  if (fd < 0) return;
  (void)!write(fd, text.data(), text.size());
  close(fd);
}

int Fail(int ready_fd, const absl::Status& status, int code) {
  const std::string text = absl::StrCat("troika-server: ", status.message());
  fprintf(stderr, "%s\n", text.c_str());
  TellFd(ready_fd, text);
  return code;
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
  const absl::Status served =
      Serve(*options, ProcessEnvironment(), [&](absl::string_view where) {
        fprintf(stderr, "troika-server %s: serving %s\n",
                std::string(kVersion).c_str(), std::string(where).c_str());
        TellFd(options->ready_fd, "ok\n");
      });
  return served.ok() ? 0 : Fail(options->ready_fd, served, 1);
}

}  // namespace
}  // namespace troika

int main(int argc, char** argv) {
  return troika::Main(std::vector<std::string>(argv + 1, argv + argc));
}
