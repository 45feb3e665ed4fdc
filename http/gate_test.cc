// Tests the limits for clients that are not trusted, and that they do not
// affect the owner.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "http/server.h"
#include "http/server_testing.h"

namespace troika::http {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Trusts the Unix socket and the token, and admits anybody to /open.
Admission CheckToken(const Request& request) {
  EXPECT_EQ(request.body, "");
  if (request.peer.kind == Peer::Kind::kUnix ||
      request.Header("authorization") == "token") {
    return {};
  }
  if (request.path == "/open") return {.level = Admission::Level::kAnonymous};
  return {.level = Admission::Level::kRefused,
          .refusal = {.status = 401, .body = "no token"}};
}

std::string Post(absl::string_view headers, absl::string_view path = "/x") {
  return absl::StrCat("POST ", path, " HTTP/1.1\r\nHost: t\r\n", headers,
                      "\r\n");
}

constexpr char kToken[] = "Authorization: token\r\n";

TEST(GateTest, RefusesAtTheHeadAndReadsNoBody) {
  TestServer server({}, CheckToken);
  for (const absl::string_view framing :
       {"Content-Length: 20000000\r\n", "Transfer-Encoding: chunked\r\n",
        "Content-Length: 9\r\nExpect: 100-continue\r\n", ""}) {
    TestClient client = server.Connect();
    client.Send(Post(framing));
    EXPECT_EQ(client.ReadShort(), "401 no token") << framing;
    EXPECT_TRUE(client.Closed()) << framing;
  }
  // A client that continues to send still gets its answer.
  TestClient sends = server.Connect();
  sends.Send(absl::StrCat(Post("Content-Length: 4000000\r\n"),
                          std::string(1000000, 'x')));
  EXPECT_EQ(sends.ReadShort(), "401 no token");
}

TEST(GateTest, EveryRequestOfAConnectionIsChecked) {
  TestServer server({}, CheckToken);
  TestClient client = server.Connect();
  for (int i = 0; i < 2; ++i) {
    client.Send(absl::StrCat(
        Post(absl::StrCat(kToken, "Content-Length: 2\r\n")), "hi"));
    EXPECT_EQ(client.ReadShort(), "200 POST /x  hi");
  }
  EXPECT_EQ(client.Get("/open"), "200 GET /open  ");
  EXPECT_EQ(client.Get("/a"), "401 no token");
  EXPECT_TRUE(client.Closed());
}

TEST(GateTest, AnAnonymousRequestHasNoBodyAndEndsItsConnection) {
  TestServer server({}, CheckToken);
  TestClient client = server.Connect();
  client.SendGet("/open");
  EXPECT_THAT(client.ReadUntilClosed(), HasSubstr("Connection: close\r\n"));
  TestClient post = server.Connect();
  post.Send(Post("Content-Length: 9\r\n", "/open"));
  EXPECT_EQ(post.ReadShort(), "413 error: this path takes no body");
  EXPECT_TRUE(post.Closed());
}

TEST(GateTest, AnAnonymousClientHasLittleTime) {
  TestServer server({.anonymous_deadline = absl::Milliseconds(50)}, CheckToken);
  TestClient trusted = server.Connect();
  trusted.Send(Post(kToken));
  EXPECT_EQ(trusted.ReadShort(), "200 POST /x  ");
  TestClient silent = server.Connect();
  EXPECT_EQ(silent.ReadUntilClosed(), "");
  TestClient slow = server.Connect();
  slow.Send("GET /op");
  EXPECT_THAT(slow.ReadShort(), StartsWith("408 "));
  trusted.Send(Post(kToken));
  EXPECT_EQ(trusted.ReadShort(), "200 POST /x  ");
}

TEST(GateTest, TheOldestAnonymousClientMakesRoom) {
  TestServer server({.max_anonymous_connections = 3}, CheckToken);
  std::vector<TestClient> idle;
  for (int i = 0; i < 5; ++i) idle.push_back(server.ConnectAccepted());
  EXPECT_TRUE(idle[0].Closed());
  EXPECT_TRUE(idle[1].Closed());
  TestClient client = server.ConnectAccepted();
  client.Send(Post(kToken));
  EXPECT_EQ(client.ReadShort(), "200 POST /x  ");
  EXPECT_TRUE(idle[2].Closed());
  EXPECT_EQ(idle[4].Get("/open"), "200 GET /open  ");
  // A trusted connection is no longer counted as anonymous.
  for (int i = 0; i < 5; ++i) idle.push_back(server.ConnectAccepted());
  client.Send(Post(kToken));
  EXPECT_EQ(client.ReadShort(), "200 POST /x  ");
}

TEST(GateTest, TcpAndTheUnixSocketShareNoLimit) {
  TestServer server({.max_bodies_bytes = 1000,
                     .max_unix_connections = 2,
                     .max_tcp_connections = 2,
                     .max_anonymous_connections = 1},
                    CheckToken);
  const std::string part =
      absl::StrCat(Post(absl::StrCat(kToken, "Content-Length: 900\r\n")),
                   std::string(800, 'x'));
  std::vector<TestClient> tcp;
  for (int i = 0; i < 2; ++i) {
    tcp.push_back(server.Connect());
    tcp[i].Send(Post(kToken));
    EXPECT_EQ(tcp[i].ReadShort(), "200 POST /x  ");
  }
  tcp[0].Send(part);
  TestClient waits = server.Connect();  // Waits in the kernel's queue.
  waits.Send(Post(kToken));
  std::vector<TestClient> owner;
  for (int i = 0; i < 2; ++i) {
    owner.push_back(server.ConnectUnix());
    EXPECT_THAT(owner[i].Get("/a"), StartsWith("200 "));
  }
  owner[0].Send(part);
  owner[0].Send(std::string(100, 'x'));
  EXPECT_THAT(owner[0].ReadShort(), StartsWith("200 "));
  tcp[1].Send(part);
  EXPECT_THAT(tcp[1].ReadShort(), StartsWith("503 "));
  tcp[1].Leave();
  EXPECT_EQ(waits.ReadShort(), "200 POST /x  ");
}

TEST(GateTest, ABodyCountsUntilItsRequestIsAnswered) {
  TestServer server({.max_bodies_bytes = 1000}, CheckToken);
  const std::string body =
      absl::StrCat("Content-Length: 800\r\n\r\n", std::string(800, 'x'));
  TestClient first = server.ConnectUnix();
  first.Send(absl::StrCat("POST /later HTTP/1.1\r\nHost: t\r\n", body));
  ASSERT_TRUE(server.Await([&] { return server.kept.size() == 1; }));
  const std::string second =
      absl::StrCat("POST /x HTTP/1.1\r\nHost: t\r\n", body);
  TestClient refused = server.ConnectUnix();
  refused.Send(second);
  EXPECT_THAT(refused.ReadShort(), StartsWith("503 "));
  // The first client is gone, but its body is still held.
  first.Leave();
  ASSERT_TRUE(server.Await([&] { return server.server().connections() <= 1; }));
  TestClient again = server.ConnectUnix();
  again.Send(second);
  EXPECT_THAT(again.ReadShort(), StartsWith("503 "));
  server.OnLoop([&] { server.kept.clear(); });
  TestClient last = server.ConnectUnix();
  last.Send(second);
  EXPECT_THAT(last.ReadShort(), StartsWith("200 "));
}

TEST(DrainTest, AnswersWhatHasBegunAndClosesTheRest) {
  TestServer server;
  TestClient idle = server.Connect();
  EXPECT_EQ(idle.Get("/a"), "200 GET /a  ");
  TestClient stream = server.Connect();
  stream.SendGet("/stream");
  stream.ReadUntil("hello\n");
  TestClient later = server.Connect();
  later.SendGet("/later");
  ASSERT_TRUE(server.Await([&] { return server.kept.size() == 1; }));
  TestClient half = server.Connect();
  half.Send("GET /half HTTP/1.1\r\n");
  TestClient fresh = server.ConnectAccepted();
  bool drained = false;
  TestClient queued(server.TcpSocket());
  server.OnLoop([&] {
    // The loop does not run, so the connection is not accepted yet.
    server.ConnectTo(queued.fd());
    queued.SendGet("/queued");
    server.server().Drain([&] { drained = true; });
    EXPECT_FALSE(drained);
  });
  EXPECT_TRUE(idle.Closed());
  EXPECT_TRUE(stream.Closed());
  EXPECT_EQ(queued.ReadShort(), "200 GET /queued  ");
  half.Send("Host: t\r\n\r\n");
  EXPECT_EQ(half.ReadShort(), "200 GET /half  ");
  EXPECT_TRUE(half.Closed());
  EXPECT_EQ(fresh.Get("/fresh"), "200 GET /fresh  ");
  EXPECT_TRUE(fresh.Closed());
  server.OnLoop([&] {
    EXPECT_FALSE(drained);
    server.kept[0]->Reply({.body = "late"});
  });
  EXPECT_EQ(later.ReadShort(), "200 late");
  EXPECT_TRUE(server.Await([&] { return drained; }));
}

TEST(DrainTest, WithoutConnectionsItIsDoneAtOnce) {
  TestServer server;
  bool drained = false;
  server.OnLoop([&] { server.server().Drain([&] { drained = true; }); });
  EXPECT_TRUE(drained);
}

}  // namespace
}  // namespace troika::http
