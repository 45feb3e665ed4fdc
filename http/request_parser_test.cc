#include "http/request_parser.h"

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "http/testing.h"
#include "http/uri.h"

namespace troika::http {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;
using ::testing::Pair;

constexpr RequestParser::Limits kSmall = {.max_head_bytes = 256,
                                          .max_target_bytes = 32,
                                          .max_headers = 4,
                                          .max_body_bytes = 16};

struct Case {
  std::string name;
  std::string bytes;
  std::string want;  // Beginning of the transcript.
};

std::string Post(absl::string_view headers, absl::string_view body) {
  return absl::StrCat("POST / HTTP/1.1\r\nHost: h\r\n", headers, "\r\n", body);
}

std::string Chunked(absl::string_view body) {
  return Post("Transfer-Encoding: chunked\r\n", body);
}

std::vector<Case> GoodCases() {
  return {
      {"get", "GET /a%20b?c=d HTTP/1.1\r\nHost: h\r\nX-Y:\t z \r\n\r\n",
       "GET /a%20b ?c=d\nhost: h\nx-y: z\nidle"},
      {"query has marks", "GET /?a?b=/ HTTP/1.1\r\nHost:\r\n\r\n",
       "GET / ?a?b=/\nhost: \nidle"},
      {"value in UTF-8", "GET / HTTP/1.1\r\nHost: \xc3\xa4\r\n\r\n",
       "GET /\nhost: \xc3\xa4\nidle"},
      {"http 1.0", "GET / HTTP/1.0\r\n\r\n", "last: GET /\nidle"},
      {"http 1.0 kept", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
       "GET /\nconnection: Keep-Alive\nidle"},
      {"close", "GET / HTTP/1.1\r\nHost: h\r\nConnection: a, Close\r\n\r\n",
       "last: GET /\nhost: h\nconnection: a, Close\nidle"},
      {"absolute target", "GET HTTP://x:1/p?q HTTP/1.1\r\nHost: h\r\n\r\n",
       "GET /p ?q\nhost: x:1\nidle"},
      {"absolute target without path", "GET http://x?q HTTP/1.0\r\n\r\n",
       "last: GET / ?q\nhost: x\nidle"},
      {"options of all", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
       "OPTIONS *\nhost: h\nidle"},
      {"empty line before", "\r\nGET / HTTP/1.0\r\n\r\n\r\n",
       "last: GET /\nidle"},
      {"length", Post("Content-Length: 3\r\n", "abcGET"),
       "POST /\nhost: h\ncontent-length: 3\n[abc]\nhead"},
      {"same length twice",
       Post("Content-Length: 1\r\nContent-Length: 1\r\n", "a"),
       "POST /\nhost: h\ncontent-length: 1\ncontent-length: 1\n[a]\nidle"},
      {"body missing", Post("Content-Length: 3\r\n", "ab"), "body"},
      {"waits to continue",
       Post("Expect: 100-Continue\r\nContent-Length: 3\r\n", ""), "continue?"},
      {"nothing to continue", Post("Expect: 100-continue\r\n", ""),
       "POST /\nhost: h\nexpect: 100-continue\nidle"},
      {"did not wait",
       Post("Expect: 100-continue\r\nContent-Length: 3\r\n", "a"), "body"},
      {"chunks", Chunked("3\r\nabc\r\n00A ;x=\"y\"\r\n0123456789\r\n0\r\n\r\n"),
       "POST /\nhost: h\ntransfer-encoding: chunked\n[abc0123456789]\nidle"},
      {"trailers are dropped", Chunked("0\r\nHost: evil\r\n\r\n"),
       "POST /\nhost: h\ntransfer-encoding: chunked\nidle"},
      {"head not complete", "GET / HTTP/1.1\r\nHost: h\r\n", "head"},
  };
}

std::vector<Case> BadCases() {
  const std::string get = "GET / HTTP/1.1\r\nHost: h\r\n";
  const std::string x32(32, 'x');
  return {
      {"tls", "\x16\x03\x01", "400 "},
      {"only spaces", " GET / HTTP/1.1\r\n", "400 "},
      {"empty lines", "\r\n\r\n\r\n", "400 "},
      {"two spaces", "GET  / HTTP/1.1\r\n", "400 "},
      {"no version", "GET /\r\n", "400 "},
      {"space at the end", "GET / HTTP/1.1 \r\n", "400 "},
      {"lower case version", "GET / http/1.1\r\n", "400 "},
      {"version 2", "GET / HTTP/2.0\r\n", "505 "},
      {"method is no token", "G(T / HTTP/1.1\r\n", "400 "},
      {"no slash", "GET x HTTP/1.1\r\n", "400 "},
      {"connect", "CONNECT h:1 HTTP/1.1\r\n", "400 "},
      {"star of get", "GET * HTTP/1.1\r\n", "400 "},
      {"fragment", "GET /#x HTTP/1.1\r\n", "400 "},
      {"raw byte in target", "GET /\xc3 HTTP/1.1\r\n", "400 "},
      {"lf", "GET / HTTP/1.1\n", "400 a line ends in LF"},
      {"cr", get + "A: b\rc\r\n", "400 a line of the head holds"},
      {"nul", get + std::string("A: \0\r\n", 6), "400 a line of the head"},
      {"folded", get + " folded: x\r\n", "400 a header is"},
      {"space before colon", get + "A : b\r\n", "400 a header is"},
      {"no colon", get + "A\r\n", "400 a header is"},
      {"no name", get + ": b\r\n", "400 a header is"},
      {"no host", "GET / HTTP/1.1\r\n\r\n", "400 a Host"},
      {"two hosts", get + "Host: h\r\n\r\n", "400 more than one Host"},
      {"long target", "GET /" + x32 + " HTTP/1.1\r\n", "414 "},
      {"endless target", "GET /" + x32 + x32 + x32, "414 "},
      {"long head", get + "A: " + std::string(256, 'x'), "431 "},
      {"many headers", get + "A: b\r\nA: b\r\nA: b\r\nA: b\r\n", "431 more"},
      {"length with sign", Post("Content-Length: +1\r\n", ""), "400 Content"},
      {"length in hex", Post("Content-Length: 0x1\r\n", ""), "400 Content"},
      {"empty length", Post("Content-Length:\r\n", ""), "400 Content"},
      {"list of lengths", Post("Content-Length: 1, 1\r\n", ""), "400 Content"},
      {"lengths differ", Post("Content-Length: 1\r\nContent-Length: 2\r\n", ""),
       "400 two"},
      {"long body", Post("Content-Length: 17\r\n", ""), "413 "},
      {"length over 64 bits",
       Post("Content-Length: 99999999999999999999\r\n", ""), "413 "},
      {"length and chunks",
       Post("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", ""),
       "400 both"},
      {"other coding", Post("Transfer-Encoding: gzip, chunked\r\n", ""),
       "501 "},
      {"two codings",
       Post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", ""),
       "501 "},
      {"chunks in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
       "400 HTTP/1.0"},
      {"other expectation", Post("Expect: money\r\n", ""), "417 "},
      {"chunk without size", Chunked("\r\n"), "400 a chunk's size"},
      {"chunk with sign", Chunked("-1\r\n"), "400 a chunk's size"},
      {"chunk longer than it says", Chunked("2\r\nabc\r\n"),
       "400 a chunk is longer"},
      {"chunk shorter than it says", Chunked("2\r\na\r\n0\r\n"),
       "400 a line ends"},
      {"chunk without cr", Chunked("2\r\nab\n"), "400 a line ends"},
      {"chunks over the limit", Chunked("a\r\n0123456789\r\n7\r\n"), "413 "},
      {"chunk over 64 bits", Chunked("10000000000000001\r\n"), "413 "},
      {"endless chunk line", Chunked("1;" + std::string(300, 'x')), "400 the"},
      {"endless trailer", Chunked("0\r\nA: " + std::string(300, 'x')), "431 "},
  };
}

TEST(RequestParserTest, ReadsGoodRequests) {
  for (const Case& c : GoodCases()) {
    EXPECT_EQ(Transcript(kSmall, {c.bytes}), c.want) << c.name;
  }
}

TEST(RequestParserTest, RefusesBadOnes) {
  for (const Case& c : BadCases()) {
    EXPECT_THAT(Transcript(kSmall, {c.bytes}), ::testing::StartsWith(c.want))
        << c.name;
  }
}

TEST(RequestParserTest, HowBytesAreCutMakesNoDifference) {
  std::vector<Case> cases = GoodCases();
  for (Case& c : BadCases()) cases.push_back(std::move(c));
  std::string all;
  for (const Case& c : GoodCases()) {
    if (absl::EndsWith(c.want, "idle")) all += c.bytes;
  }
  cases.push_back({"pipelined", all, ""});
  std::mt19937 random(1);
  for (const Case& c : cases) {
    const absl::string_view bytes = c.bytes;
    const std::string whole = Transcript(kSmall, {bytes});
    std::vector<absl::string_view> pieces;
    for (size_t i = 0; i < bytes.size(); ++i) {
      pieces.push_back(bytes.substr(i, 1));
    }
    EXPECT_EQ(Transcript(kSmall, pieces), whole) << c.name;
    for (int round = 0; round < 20; ++round) {
      pieces.clear();
      for (size_t at = 0; at < bytes.size(); at += pieces.back().size()) {
        pieces.push_back(bytes.substr(at, 1 + random() % 40));
      }
      EXPECT_EQ(Transcript(kSmall, pieces), whole) << c.name;
    }
  }
}

TEST(RequestParserTest, StopsAtTheEndOfAHeadAndOfARequest) {
  RequestParser parser(kSmall, {.kind = Peer::Kind::kUnix, .pid = 7});
  const std::string head = Post("Content-Length: 2\r\n", "");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(parser.Feed(absl::StrCat(head, "ab", head)), head.size());
    EXPECT_EQ(parser.state(), RequestParser::State::kBody);
    EXPECT_EQ(parser.head().Header("content-length"), "2");
    EXPECT_EQ(parser.head().peer.pid, 7);
    EXPECT_EQ(parser.body_bytes(), 0u);
    EXPECT_EQ(parser.Feed(absl::StrCat("ab", head)), 2u);
    EXPECT_EQ(parser.Feed(head), 0u);
    const Request request = parser.Take();
    EXPECT_EQ(request.body, "ab");
    EXPECT_EQ(request.peer.pid, 7);
    EXPECT_EQ(parser.state(), RequestParser::State::kIdle);
  }
}

TEST(UriTest, PercentDecode) {
  EXPECT_THAT(PercentDecode("a%20%2f%C3%a4+"),
              Optional<std::string>("a /\xc3\xa4+"));
  EXPECT_THAT(PercentDecode(""), Optional<std::string>(""));
  for (const char* bad : {"%", "%2", "a%zz", "%2g", "%00", "% 1"}) {
    EXPECT_EQ(PercentDecode(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(PercentDecode(absl::string_view("a\0b", 3)), std::nullopt);
}

TEST(UriTest, SplitPath) {
  EXPECT_THAT(SplitPath("/"), Optional(ElementsAre()));
  EXPECT_THAT(SplitPath("/tasks/t%201"), Optional(ElementsAre("tasks", "t 1")));
  EXPECT_THAT(SplitPath("/..."), Optional(ElementsAre("...")));
  EXPECT_THAT(SplitPath("/a%2fb/c"), Optional(ElementsAre("a/b", "c")));
  for (const char* bad : {"", "a", "*", "//", "/a/", "/a//b", "/.", "/a/..",
                          "/%2e%2E", "/a%00", "/%"}) {
    EXPECT_EQ(SplitPath(bad), std::nullopt) << bad;
  }
}

TEST(UriTest, ParseQuery) {
  EXPECT_THAT(ParseQuery(""), Optional(ElementsAre()));
  EXPECT_THAT(ParseQuery("a=1&a=x+y%2B&&b=c=d&e"),
              Optional(ElementsAre(Pair("a", "1"), Pair("a", "x y+"),
                                   Pair("b", "c=d"), Pair("e", ""))));
  EXPECT_EQ(ParseQuery("a=%"), std::nullopt);
  EXPECT_EQ(ParseQuery("%00=a"), std::nullopt);
}

}  // namespace
}  // namespace troika::http
