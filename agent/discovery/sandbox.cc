#include "agent/discovery/sandbox.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/discovery/cli_files.h"
#include "agent/launch/version.h"
#include "agent/sandbox_error.h"

namespace troika {
namespace {

constexpr int64_t kMaxProcBytes = 16 << 10;

// The whole text of these files counts; a missing file counts as empty.
constexpr const char* kFiles[] = {
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/user/max_mnt_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/self/attr/current",
};
constexpr const char* kNamespaces[] = {"/proc/self/ns/mnt",
                                       "/proc/self/ns/user"};
// Keys of lines in /proc/self/status.
constexpr absl::string_view kPrivileges[] = {
    "Uid:",        "CapEff:",  "CapBnd:",
    "NoNewPrivs:", "Seccomp:", "Seccomp_filters:"};

std::string IdentityOfFile(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return "";
  return absl::StrCat(info.st_dev, ":", info.st_ino, ":", info.st_mode, ":",
                      info.st_ctim.tv_sec);
}

std::string Privileges() {
  std::string found;
  const std::string status = ReadHead("/proc/self/status", kMaxProcBytes);
  for (const absl::string_view line : absl::StrSplit(status, '\n')) {
    for (const absl::string_view name : kPrivileges) {
      if (absl::StartsWith(line, name)) absl::StrAppend(&found, line, "\n");
    }
  }
  return found;
}

const SandboxProbe* /*nullable*/ ProbeOf(absl::Span<const SandboxProbe> probes,
                                         const Version& version) {
  const SandboxProbe* found = nullptr;
  for (const SandboxProbe& probe : probes) {
    if (probe.first <= version) found = &probe;
  }
  return found;
}

}  // namespace

std::string SandboxSurroundings(const Environment& env) {
  std::string text = Privileges();
  for (const char* path : kFiles) {
    absl::StrAppend(
        &text, absl::StripAsciiWhitespace(ReadHead(path, kMaxProcBytes)), "\n");
  }
  for (const char* path : kNamespaces) {
    std::error_code error;
    absl::StrAppend(&text, std::filesystem::read_symlink(path, error).native(),
                    "\n");
  }
  absl::StrAppend(&text, IdentityOfFile("/"), "\n");
  for (const absl::string_view folder : absl::StrSplit(env.Get("PATH"), ':')) {
    const std::string bwrap = IdentityOfFile(absl::StrCat(folder, "/bwrap"));
    if (bwrap.empty()) continue;
    absl::StrAppend(&text, bwrap);
    break;
  }
  return text;
}

std::string ProbeSandbox(const Cli& cli, absl::Span<const SandboxProbe> probes,
                         const Environment& env, absl::Duration deadline,
                         CommandRunner& runner) {
  const SandboxProbe* const probe = ProbeOf(probes, ParseVersion(cli.version));
  if (probe == nullptr) return "";
  Command command = {.argv = {cli.path},
                     .env = env,
                     .deadline = deadline,
                     .stderr_mode = Command::Stderr::kInError};
  for (const absl::string_view arg : probe->args) {
    command.argv.emplace_back(arg);
  }
  const absl::StatusOr<std::string> output = runner.Run(command);
  return output.ok() ? "" : FindSandboxError(output.status().message());
}

}  // namespace troika
