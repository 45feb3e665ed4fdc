// Tests which browsers are let in.
#include "server/page_sessions.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "server/access.h"
#include "testing/clocks.h"

namespace troika {
namespace {

class PageSessionsTest : public testing::Test {
 protected:
  static http::Request Head(const std::string& method = "GET") {
    http::Request request = {.method = method, .path = "/api/v1/tasks"};
    request.headers = {{"host", "127.0.0.1:4747"}, {"user-agent", "Fire\nfox"}};
    return request;
  }
  // A request of the browser that has the session.
  static http::Request From(const PageSessions::NewSession& made,
                            const std::string& method = "GET") {
    http::Request request = Head(method);
    request.headers.emplace_back(
        "cookie", absl::StrCat("other=1; ", made.set_cookie.substr(
                                                0, made.set_cookie.find(';'))));
    request.headers.emplace_back("x-troika-key", made.key);
    return request;
  }
  static void Set(const std::string& name, const std::string& value,
                  http::Request* request) {
    for (auto& [key, old] : request->headers) {
      if (key == name) {
        old = value;
        return;
      }
    }
    request->headers.emplace_back(name, value);
  }
  PageSessions::NewSession LogIn() {
    return *sessions_.Exchange(sessions_.NewCode().text, Head());
  }

  const TempFolder folder_;
  const std::string path_ = folder_.path() + "/page_sessions";
  FakeClock clock_;
  PageSessions sessions_{path_, &clock_};
};

TEST_F(PageSessionsTest, ACodeIsGoodOnceAndForAMinute) {
  const PageSessions::Code code = sessions_.NewCode();
  EXPECT_GE(code.text.size(), 43u);
  EXPECT_EQ(sessions_.Exchange(code.text + "x", Head()).status().code(),
            absl::StatusCode::kUnauthenticated);
  EXPECT_TRUE(sessions_.Exchange(code.text, Head()).ok());
  EXPECT_EQ(sessions_.Exchange(code.text, Head()).status().code(),
            absl::StatusCode::kUnauthenticated);
  const PageSessions::Code late = sessions_.NewCode();
  clock_.Advance(absl::Seconds(61));
  EXPECT_FALSE(sessions_.Exchange(late.text, Head()).ok());
  EXPECT_FALSE(sessions_.Exchange("", Head()).ok());
}

TEST_F(PageSessionsTest, WrongCodesAreLimitedAndKeepNobodyOut) {
  for (int i = 0; i < PageSessions::kMaxWrong; ++i) {
    EXPECT_EQ(sessions_.Exchange("wrong", Head()).status().code(),
              absl::StatusCode::kUnauthenticated);
  }
  EXPECT_EQ(sessions_.Exchange("wrong", Head()).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(sessions_.Exchange(sessions_.NewCode().text, Head()).ok());
  clock_.Advance(absl::Minutes(1));
  EXPECT_EQ(sessions_.Exchange("wrong", Head()).status().code(),
            absl::StatusCode::kUnauthenticated);
}

TEST_F(PageSessionsTest, TheCookieIsForThisSiteAndNotForScripts) {
  const std::string cookie = LogIn().set_cookie;
  EXPECT_TRUE(absl::StartsWith(cookie, "troika_session_4747=")) << cookie;
  for (const char* part :
       {"; HttpOnly", "; SameSite=Strict", "; Path=/", "; Max-Age=2592000"}) {
    EXPECT_TRUE(absl::StrContains(cookie, part)) << cookie;
  }
  EXPECT_FALSE(absl::StrContains(cookie, "Domain"));
}

TEST_F(PageSessionsTest, NeedsBothTheCookieAndTheKey) {
  const auto made = LogIn();
  EXPECT_EQ(sessions_.Find(From(made)), made.session.id);
  http::Request no_key = From(made);
  Set("x-troika-key", "", &no_key);
  EXPECT_EQ(sessions_.Find(no_key), std::nullopt);
  http::Request no_cookie = From(made);
  Set("cookie", "other=1", &no_cookie);
  EXPECT_EQ(sessions_.Find(no_cookie), std::nullopt);
  http::Request mixed = From(made);
  Set("x-troika-key", LogIn().key, &mixed);
  EXPECT_EQ(sessions_.Find(mixed), std::nullopt);
}

TEST_F(PageSessionsTest, ARestartKeepsThemAndTheFileHasNoSecrets) {
  const auto made = LogIn();
  struct stat info = {};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  std::stringstream text;
  text << std::ifstream(path_).rdbuf();
  const size_t value = made.set_cookie.find('=') + 1;
  EXPECT_FALSE(absl::StrContains(
      text.str(),
      made.set_cookie.substr(value, made.set_cookie.find(';') - value)));
  EXPECT_FALSE(absl::StrContains(text.str(), made.key));
  PageSessions again(path_, &clock_);
  EXPECT_EQ(again.Find(From(made)), made.session.id);
  EXPECT_EQ(again.List()[0].browser, "Fire?fox");
  // Whoever else can write it could let themselves in.
  chmod(path_.c_str(), 0666);
  EXPECT_TRUE(PageSessions(path_, &clock_).List().empty());
}

TEST_F(PageSessionsTest, ADamagedFileIsNoSession) {
  std::ofstream(path_) << "x\n\n1 2 3\na b c d e f g\n";
  chmod(path_.c_str(), 0600);
  EXPECT_TRUE(PageSessions(path_, &clock_).List().empty());
}

TEST_F(PageSessionsTest, TheyExpireAndCanBeRevoked) {
  const auto first = LogIn();
  clock_.Advance(absl::Hours(1));
  const auto second = LogIn();
  ASSERT_EQ(sessions_.List().size(), 2u);
  EXPECT_EQ(sessions_.List()[0].id, second.session.id);
  EXPECT_EQ(sessions_.Revoke("nobody").code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(sessions_.Revoke(second.session.id).ok());
  EXPECT_EQ(sessions_.Find(From(second)), std::nullopt);
  EXPECT_EQ(PageSessions(path_, &clock_).List().size(), 1u);
  clock_.Advance(PageSessions::kSessionLife - absl::Hours(1));
  EXPECT_EQ(sessions_.Find(From(first)), std::nullopt);
  EXPECT_TRUE(sessions_.List().empty());
  const auto third = LogIn();
  const PageSessions::Code code = sessions_.NewCode();
  ASSERT_TRUE(sessions_.RevokeAll().ok());
  EXPECT_EQ(sessions_.Find(From(third)), std::nullopt);
  EXPECT_FALSE(sessions_.Exchange(code.text, Head()).ok());
}

TEST_F(PageSessionsTest, TheOldestMakeRoom) {
  const auto first = LogIn();
  for (size_t i = 0; i < PageSessions::kMaxSessions; ++i) LogIn();
  EXPECT_EQ(sessions_.List().size(), PageSessions::kMaxSessions);
  EXPECT_EQ(sessions_.Find(From(first)), std::nullopt);
}

// The same requests as the server admits them.
class PageAccessTest : public PageSessionsTest {
 protected:
  absl::StatusCode Check(const http::Request& request,
                         Access::Need need = Access::Need::kToken) {
    return access_.Check(request, need).code();
  }

  Token token_ = *Token::Open(folder_.path() + "/token");
  Access access_{&token_, &sessions_, {}};
};

TEST_F(PageAccessTest, ReadsNeedASessionOfThisOrigin) {
  const auto made = LogIn();
  EXPECT_EQ(Check(From(made)), absl::StatusCode::kOk);
  for (const char* site : {"same-origin", "none"}) {
    http::Request request = From(made);
    Set("sec-fetch-site", site, &request);
    EXPECT_EQ(Check(request), absl::StatusCode::kOk) << site;
  }
  for (const char* site : {"same-site", "cross-site", "?"}) {
    http::Request request = From(made);
    Set("sec-fetch-site", site, &request);
    EXPECT_EQ(Check(request), absl::StatusCode::kPermissionDenied) << site;
  }
  http::Request request = From(made);
  Set("host", "evil.example:4747", &request);
  EXPECT_EQ(Check(request), absl::StatusCode::kPermissionDenied);
  http::Request no_key = From(made);
  Set("x-troika-key", "", &no_key);
  EXPECT_EQ(Check(no_key), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(Check(Head()), absl::StatusCode::kUnauthenticated);
}

TEST_F(PageAccessTest, ChangesNeedOurOrigin) {
  const auto made = LogIn();
  for (const char* method : {"POST", "DELETE", "PUT"}) {
    http::Request request = From(made, method);
    EXPECT_EQ(Check(request), absl::StatusCode::kPermissionDenied) << method;
    // Another port of this host may be an agent's.
    for (const char* origin : {"http://127.0.0.1:3000", "http://localhost:4747",
                               "https://127.0.0.1", "null"}) {
      Set("origin", origin, &request);
      EXPECT_EQ(Check(request), absl::StatusCode::kPermissionDenied) << origin;
    }
    Set("origin", "http://127.0.0.1:4747", &request);
    EXPECT_EQ(Check(request), absl::StatusCode::kOk) << method;
  }
}

TEST_F(PageAccessTest, AWrongTokenIsNotSavedByACookie) {
  http::Request request = From(LogIn());
  Set("authorization", "Bearer wrong", &request);
  EXPECT_EQ(Check(request), absl::StatusCode::kUnauthenticated);
}

}  // namespace
}  // namespace troika
