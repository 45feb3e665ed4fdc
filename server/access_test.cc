// Tests which callers are let in, and as whom.
#include "server/access.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "testing/clocks.h"

namespace troika {
namespace {

class TokenTest : public testing::Test {
 protected:
  std::string Read() const {
    std::ifstream file(path_);
    std::string text;
    file >> text;
    return text;
  }
  void Write(const std::string& text, mode_t mode = 0600) const {
    unlink(path_.c_str());
    std::ofstream(path_) << text;
    chmod(path_.c_str(), mode);
  }

  const TempFolder folder_;
  const std::string path_ = folder_.path() + "/token";
};

TEST_F(TokenTest, IsMadeOnceAndIsTheOwnersAlone) {
  auto token = Token::Open(path_);
  ASSERT_TRUE(token.ok()) << token.status();
  struct stat info = {};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const std::string value = Read();
  EXPECT_GE(value.size(), 40u);
  EXPECT_TRUE(token->Matches(value));
  auto again = Token::Open(path_);
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->Matches(value));
}

TEST_F(TokenTest, OnlyTheWholeTokenMatches) {
  Write("0123456789abcdef\n");
  auto token = Token::Open(path_);
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_TRUE(token->Matches("0123456789abcdef"));
  for (const char* wrong :
       {"", "0", "0123456789abcde", "0123456789abcdefX",
        "0123456789abcdef0123456789abcdef", "0123456789abcdeF"}) {
    EXPECT_FALSE(token->Matches(wrong)) << wrong;
  }
}

TEST_F(TokenTest, AReplacedOneCountsAtOnce) {
  Write("0123456789abcdef");
  auto token = Token::Open(path_);
  ASSERT_TRUE(token.ok());
  Write("fedcba9876543210");
  EXPECT_FALSE(token->Matches("0123456789abcdef"));
  EXPECT_TRUE(token->Matches("fedcba9876543210"));
  unlink(path_.c_str());
  EXPECT_FALSE(token->Matches("fedcba9876543210"));
  EXPECT_FALSE(token->Matches(""));
}

TEST_F(TokenTest, RefusesWhatOthersCanRead) {
  Write("0123456789abcdef", 0644);
  EXPECT_EQ(Token::Open(path_).status().code(),
            absl::StatusCode::kFailedPrecondition);
  Write("short");
  EXPECT_EQ(Token::Open(path_).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(TokenTest, TheModeOfAReplacedOneCountsToo) {
  Write("0123456789abcdef");
  auto token = Token::Open(path_);
  ASSERT_TRUE(token.ok());
  Write("0123456789abcdef", 0644);
  EXPECT_FALSE(token->Matches("0123456789abcdef"));
  EXPECT_TRUE(absl::StrContains(token->problem().message(), "chmod 600"))
      << token->problem();
  // The clock of the file system has steps.
  const absl::Time deadline = absl::Now() + absl::Seconds(10);
  do {
    chmod(path_.c_str(), 0600);
  } while (!token->Matches("0123456789abcdef") && absl::Now() < deadline);
  EXPECT_TRUE(token->problem().ok()) << token->problem();
}

TEST(AccessTest, HostsAreComparedWithoutTheirPort) {
  EXPECT_EQ(HostWithoutPort("LocalHost:80"), "localhost");
  EXPECT_EQ(HostWithoutPort("[::1]:80"), "::1");
  EXPECT_EQ(HostWithoutPort("::1"), "::1");
  EXPECT_EQ(HostWithoutPort("127.0.0.1"), "127.0.0.1");
}

TEST(AccessTest, OwnPagesHaveOurHostAndPort) {
  EXPECT_TRUE(IsOwnPage("http://localhost:1", "LOCALHOST:1"));
  EXPECT_TRUE(IsOwnPage("http://[::1]:4747", "[::1]:4747"));
  EXPECT_TRUE(IsOwnPage("http://box", "box:80"));
  EXPECT_TRUE(IsOwnPage("https://box", "box"));
  EXPECT_TRUE(IsOwnPage("https://box:443", "box"));
  EXPECT_FALSE(IsOwnPage("http://localhost:1", "127.0.0.1:1"));
  EXPECT_FALSE(IsOwnPage("http://localhost", "localhost:4747"));
  EXPECT_FALSE(IsOwnPage("https://box", "box:80"));
  EXPECT_FALSE(IsOwnPage("http://[::1]:1", "[::1]:2"));
  EXPECT_FALSE(IsOwnPage("null", "null"));
  EXPECT_FALSE(IsOwnPage("file://box", "box"));
}

TEST(AccessTest, WhoMayComeIn) {
  const TempFolder folder;
  auto token = Token::Open(folder.path() + "/token");
  ASSERT_TRUE(token.ok());
  std::string value;
  std::ifstream(folder.path() + "/token") >> value;
  const std::string good = "Bearer " + value;
  struct Case {
    const char* what;
    http::Headers headers;
    absl::StatusCode code;
  };
  using Code = absl::StatusCode;
  const Case kCases[] = {
      {"good",
       {{"host", "localhost:4747"}, {"authorization", good}},
       Code::kOk},
      {"lower case",
       {{"host", "127.0.0.1"}, {"authorization", "bearer " + value}},
       Code::kOk},
      {"own page",
       {{"host", "localhost:4747"},
        {"origin", "http://localhost:4747"},
        {"authorization", good}},
       Code::kOk},
      {"own page behind another port",
       {{"host", "localhost:4747"},
        {"origin", "http://localhost:3000"},
        {"authorization", good}},
       Code::kPermissionDenied},
      {"no token", {{"host", "localhost"}}, Code::kUnauthenticated},
      {"wrong token",
       {{"host", "localhost"}, {"authorization", good + "x"}},
       Code::kUnauthenticated},
      {"other scheme",
       {{"host", "localhost"}, {"authorization", "Basic " + value}},
       Code::kUnauthenticated},
      {"rebound name",
       {{"host", "evil.example"}, {"authorization", good}},
       Code::kPermissionDenied},
      {"name that only begins so",
       {{"host", "localhost.evil.example"}, {"authorization", good}},
       Code::kPermissionDenied},
      {"no host", {{"authorization", good}}, Code::kPermissionDenied},
      {"another page",
       {{"host", "localhost"},
        {"origin", "https://evil.example"},
        {"authorization", good}},
       Code::kPermissionDenied},
      {"a page without an origin",
       {{"host", "localhost"}, {"origin", "null"}, {"authorization", good}},
       Code::kPermissionDenied},
      {"another address",
       {{"host", "10.0.0.1"}, {"authorization", good}},
       Code::kPermissionDenied},
  };
  FakeClock clock;
  PageSessions sessions(folder.path() + "/page_sessions", &clock);
  Access access(&*token, &sessions, {});
  for (const Case& c : kCases) {
    http::Request request;
    request.peer.kind = http::Peer::Kind::kTcp;
    request.headers = c.headers;
    EXPECT_EQ(access.Check(request, Access::Need::kToken).code(), c.code)
        << c.what;
  }
  http::Request request;
  request.headers = {{"host", "10.0.0.1"}, {"authorization", good}};
  Access remote(&*token, &sessions, {.reach = AccessOptions::Reach::kAnywhere});
  EXPECT_TRUE(remote.Check(request, Access::Need::kToken).ok());
  request.headers[0].second = "evil.example";
  EXPECT_FALSE(remote.Check(request, Access::Need::kToken).ok());
}

TEST(AccessTest, AUnixSocketIsItsOwners) {
  const TempFolder folder;
  auto token = Token::Open(folder.path() + "/token");
  ASSERT_TRUE(token.ok());
  FakeClock clock;
  PageSessions sessions(folder.path() + "/page_sessions", &clock);
  Access access(&*token, &sessions, {});
  http::Request request;
  request.peer = {.kind = http::Peer::Kind::kUnix, .uid = geteuid()};
  EXPECT_TRUE(access.Check(request, Access::Need::kToken).ok());
  request.peer.uid = geteuid() + 1;
  EXPECT_EQ(access.Check(request, Access::Need::kToken).code(),
            absl::StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace troika
