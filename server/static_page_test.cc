// Tests how the embedded page is served.
#include "server/static_page.h"

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "server/routes.h"

namespace troika {
namespace {

constexpr PageFile kFiles[] = {
    {"/index.html", "text/html; charset=utf-8", "aaaa", "<p>long</p>", "GZ"},
    {"/assets/app-1234.js", "text/javascript", "bbbb", "x", ""},
    {"/icon.svg", "image/svg+xml", "cccc", "<svg/>", "SV"},
};

std::string PathOf(absl::string_view path) {
  const PageFile* const file = FindPageFile(kFiles, path);
  return file == nullptr ? "" : std::string(file->path);
}

std::map<std::string, std::string> HeadersOf(const http::Response& response) {
  return {response.headers.begin(), response.headers.end()};
}

TEST(StaticPageTest, ViewsAreTheIndexAndNothingElseIs) {
  for (const char* path : {"/", "/new", "/usage", "/settings", "/compare",
                           "/tasks/mwj1zptszq24", "/index.html"}) {
    EXPECT_EQ(PathOf(path), "/index.html") << path;
  }
  EXPECT_EQ(PathOf("/icon.svg"), "/icon.svg");
  for (const char* path :
       {"", "/tasks", "/tasks/a/b", "/new/x", "/other", "/assets", "/assets/",
        "/assets/../index.html", "/%2e%2e/index.html", "//", "/index.html/",
        "/api/v1/tasks", "/assets/app-1234.js%00"}) {
    EXPECT_EQ(PathOf(path), "") << path;
  }
}

TEST(StaticPageTest, VisitsOfUnknownPathsGetThePageAsNotFound) {
  const auto visit = [](const std::string& path, const std::string& accept) {
    http::Request request;
    request.path = path;
    request.headers = {{"accept", accept}, {"if-none-match", "*"}};
    const PageMatch match = MatchPage(kFiles, request);
    return match.file == nullptr ? 0 : PageResponse(match, request).status;
  };
  EXPECT_EQ(visit("/new", "text/html"), 304);
  EXPECT_EQ(visit("/no/such/page", "text/html,*/*;q=0.8"), 404);
  EXPECT_EQ(visit("/no/such/page", "*/*"), 0);
  for (const char* path : {"/api/v1/nothing", "/assets/old-1234.js"}) {
    EXPECT_EQ(visit(path, "text/html"), 0) << path;
  }
}

TEST(StaticPageTest, NoPathOfTheApiIsAFile) {
  for (const Route& route : Routes()) {
    EXPECT_EQ(FindPageFile(PageFiles(), route.path), nullptr) << route.path;
  }
}

TEST(StaticPageTest, IsCompressedIfTheClientAcceptsThat) {
  const auto body = [](const std::string& encodings) {
    http::Request request;
    request.headers = {{"accept-encoding", encodings}};
    return PageResponse({.file = &kFiles[0]}, request).body;
  };
  EXPECT_EQ(body("gzip"), "GZ");
  EXPECT_EQ(body("br, GZIP;q=0.5, *"), "GZ");
  for (const char* none : {"", "br", "gzip;q=0", "gzip;q=0.0", "xgzip"}) {
    EXPECT_EQ(body(none), "<p>long</p>") << none;
  }
  http::Request request;
  request.headers = {{"accept-encoding", "gzip"}};
  EXPECT_EQ(HeadersOf(PageResponse({.file = &kFiles[0]},
                                   request))["Content-Encoding"],
            "gzip");
  EXPECT_EQ(PageResponse({.file = &kFiles[1]}, request).body, "x");
}

TEST(StaticPageTest, IsSentAgainOnlyIfItHasChanged) {
  http::Request request;
  auto headers = HeadersOf(PageResponse({.file = &kFiles[0]}, request));
  EXPECT_EQ(headers["ETag"], "\"aaaa\"");
  EXPECT_EQ(headers["Cache-Control"], "no-cache");
  for (const char* tags : {"\"aaaa\"", "W/\"aaaa\"", "\"x\", \"aaaa\"", "*"}) {
    request.headers = {{"if-none-match", tags}};
    const http::Response response = PageResponse({.file = &kFiles[0]}, request);
    EXPECT_EQ(response.status, 304) << tags;
    EXPECT_EQ(response.body, "");
  }
  request.headers = {{"if-none-match", "\"aaaa\""},
                     {"accept-encoding", "gzip"}};
  EXPECT_EQ(PageResponse({.file = &kFiles[0]}, request).status, 200);
  headers = HeadersOf(PageResponse({.file = &kFiles[1]}, request));
  EXPECT_TRUE(absl::StrContains(headers["Cache-Control"], "immutable"));
}

TEST(StaticPageTest, RunsNoScriptButItsOwnFiles) {
  auto headers = HeadersOf(PageResponse({.file = &kFiles[0]}, {}));
  const std::string policy = headers["Content-Security-Policy"];
  EXPECT_TRUE(absl::StrContains(policy, "default-src 'none'"));
  EXPECT_TRUE(absl::StrContains(policy, "script-src 'self';"));
  EXPECT_TRUE(absl::StrContains(policy, "connect-src 'self';"));
  EXPECT_TRUE(absl::StrContains(policy, "frame-ancestors 'none'"));
  for (const char* loose : {"unsafe", "http:", "https:", "*"}) {
    EXPECT_FALSE(absl::StrContains(policy, loose)) << loose;
  }
  EXPECT_EQ(headers["Referrer-Policy"], "no-referrer");
  EXPECT_EQ(headers["X-Frame-Options"], "DENY");
}

}  // namespace
}  // namespace troika
