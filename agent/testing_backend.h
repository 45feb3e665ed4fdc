// Helpers for tests of backends.
#ifndef TROIKA_AGENT_TESTING_BACKEND_H_
#define TROIKA_AGENT_TESTING_BACKEND_H_

#include <sys/stat.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "agent/backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika {

// A request to a version of a CLI, and the expected arguments after the path or
// the expected error, each in full. Arguments with spaces are in brackets.
struct LaunchCase {
  absl::string_view version;
  LaunchRequest request;
  absl::string_view expected;
};

inline std::string Show(const absl::StatusOr<Launch>& launch) {
  if (!launch.ok()) return std::string(launch.status().message());
  const auto show = [](std::string* out, const std::string& arg) {
    const bool brackets = arg.empty() || absl::StrContains(arg, ' ');
    absl::StrAppend(out, brackets ? "[" : "", arg, brackets ? "]" : "");
  };
  return absl::StrJoin(launch->argv.begin() + 1, launch->argv.end(), " ", show);
}

inline void ExpectLaunch(const Backend& backend, absl::string_view version,
                         const LaunchRequest& request,
                         absl::string_view expected,
                         absl::string_view rest = "") {
  const absl::StatusOr<Launch> launch = backend.BuildLaunch(
      request, {.path = "/bin/cli", .version = std::string(version)});
  EXPECT_EQ(Show(launch), absl::StrCat(expected, rest)) << version;
  if (launch.ok()) {
    EXPECT_EQ(launch->argv[0], "/bin/cli");
  }
}

inline void ExpectLaunches(const Backend& backend,
                           absl::Span<const LaunchCase> cases) {
  for (const LaunchCase& c : cases) {
    ExpectLaunch(backend, c.version, c.request, c.expected);
  }
}

// A home folder in which a CLI keeps its sessions.
class SessionsTest : public testing::Test {
 protected:
  explicit SessionsTest(const Backend& backend) : backend_(backend) {}

  // Returns the id of the latest session in `cwd`, or "" if there is none.
  std::string Latest(absl::string_view cwd) {
    return LatestSession(*backend_.sessions, "", cwd, Home()).value_or("");
  }
  absl::Status LatestError(absl::string_view cwd, Environment::Map env) {
    return LatestSession(*backend_.sessions, backend_.display_name, cwd,
                         Environment(std::move(env)))
        .status();
  }

  Environment Home() const {
    return Environment(Environment::Map{{"HOME", folder_.Path("")}});
  }

  // Reads the file of that name, whatever it is.
  SessionReading ReadFile(absl::string_view name) {
    const std::string path = folder_.Path(name);
    struct stat info = {};
    stat(path.c_str(), &info);
    return backend_.sessions->Read({.path = path, .size = info.st_size});
  }

  const Backend& backend_;
  TempFolder folder_;
};

}  // namespace troika

#endif  // TROIKA_AGENT_TESTING_BACKEND_H_
