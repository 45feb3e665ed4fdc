#include "base/find_program.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troika {
namespace {

std::string OwnFolder() {
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof(path));
  const std::string program(path, n > 0 ? static_cast<size_t>(n) : 0);
  return program.substr(0, program.rfind('/'));
}

bool IsProgram(const std::string& path) {
  struct stat info;
  return access(path.c_str(), X_OK) == 0 && stat(path.c_str(), &info) == 0 &&
         S_ISREG(info.st_mode);
}

absl::StatusOr<std::string> FirstProgram(absl::string_view name,
                                         const std::vector<std::string>& paths,
                                         absl::string_view remedy) {
  for (const std::string& path : paths) {
    if (IsProgram(path)) return path;
  }
  return absl::NotFoundError(absl::StrCat(
      "no ", name, " at ", absl::StrJoin(paths, ", "), ": ", remedy));
}

}  // namespace

absl::StatusOr<std::string> FindProgram(absl::string_view part,
                                        absl::string_view named) {
  const std::string name = absl::StrCat("troika-", part);
  std::vector<std::string> paths = {std::string(named)};
  if (named.empty()) {
    const std::string folder = OwnFolder();
    paths = {absl::StrCat(folder, "/", name),
             absl::StrCat(folder, "/../", part, "/", name),
             absl::StrCat(folder, "/../libexec/troika/", name)};
  }
  return FirstProgram(name, paths,
                      absl::StrCat("put it beside troika, or set TROIKA_",
                                   absl::AsciiStrToUpper(part), "_BIN"));
}

absl::StatusOr<std::string> FindTroika(absl::string_view named) {
  std::vector<std::string> paths = {std::string(named)};
  if (named.empty()) {
    const std::string folder = OwnFolder();
    paths = {absl::StrCat(folder, "/troika"),
             absl::StrCat(folder, "/../cli/troika"),
             absl::StrCat(folder, "/../../bin/troika")};
  }
  return FirstProgram("troika", paths,
                      "put it beside troika-server, or set TROIKA_BIN");
}

}  // namespace troika
