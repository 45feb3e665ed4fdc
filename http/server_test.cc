#include "http/server.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "http/listen.h"
#include "http/server_testing.h"

namespace troika::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kHost[] = "Host: test\r\n";

TEST(ServerTest, AnswersOneRequestAfterTheOther) {
  TestServer server;
  TestClient client = server.Connect();
  client.Send(
      "POST /echo?q HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_EQ(client.Read(),
            "HTTP/1.1 200 OK\r\n"
            "Content-Type: application/json\r\n"
            "Content-Length: 15\r\n"
            "X-Content-Type-Options: nosniff\r\n"
            "Cache-Control: no-store\r\n\r\n"
            "POST /echo q hi");
  EXPECT_EQ(client.Get("/echo"), "200 GET /echo  ");
  EXPECT_EQ(client.Get("/big?3000000").size(), 3000004u);
  EXPECT_EQ(client.Get("/empty"), "204 ");
  client.SendGet("/inject");
  EXPECT_THAT(client.Read(), HasSubstr("X-Name: a  Evil: b\r\n"));
}

TEST(ServerTest, KeepsTheOrderOfPipelinedRequests) {
  TestServer server;
  TestClient client = server.Connect();
  const std::string get = " HTTP/1.1\r\nHost: t\r\n\r\n";
  client.Send(absl::StrCat("GET /a", get, "GET /b", get, "GET /later", get,
                           "GET /c", get, "GET /d", get, "GET /la"));
  EXPECT_EQ(client.ReadShort(), "200 GET /a  ");
  EXPECT_EQ(client.ReadShort(), "200 GET /b  ");
  ASSERT_TRUE(server.Await([&] { return server.kept.size() == 1; }));
  client.Send(absl::StrCat("ter", get));
  server.OnLoop([&] { server.kept[0]->Reply({.body = "late"}); });
  EXPECT_EQ(client.ReadShort(), "200 late");
  EXPECT_EQ(client.ReadShort(), "200 GET /c  ");
  EXPECT_EQ(client.ReadShort(), "200 GET /d  ");
  EXPECT_TRUE(server.Await([&] { return server.kept.size() == 2; }));
}

TEST(ServerTest, NoHandlerIsCalledWithinAReply) {
  TestServer server;
  TestClient client = server.Connect();
  const std::string get = "GET /later HTTP/1.1\r\nHost: t\r\n\r\n";
  client.Send(absl::StrCat(get, get, get));
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(server.Await([&] { return server.kept.size() == i + 1; }));
    client.Send("GET /a HTTP/1.1\r\nHost: t\r\n\r\n");
    server.OnLoop([&] {
      if (i == 1) {
        server.kept[i].reset();  // The destructor replies, too.
      } else {
        server.kept[i]->Reply({.body = "late"});
      }
      EXPECT_EQ(server.kept.size(), i + 1);
    });
    EXPECT_EQ(client.ReadShort().substr(0, 3), i == 1 ? "500" : "200");
  }
  // Later requests were not read before those that waited.
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.ReadShort(), "200 GET /a  ");
}

TEST(ServerTest, TakesRequestsByteByByte) {
  TestServer server;
  TestClient client = server.Connect();
  const std::string request =
      "POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n0\r\n\r\n";
  for (int i = 0; i < 2; ++i) {
    for (const char c : request) client.Send(absl::string_view(&c, 1));
    EXPECT_EQ(client.ReadShort(), "200 POST /x  abc");
  }
}

TEST(ServerTest, ClosesWhereTheClientAsksForIt) {
  TestServer server;
  TestClient client = server.Connect();
  client.Send("GET /a HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\nGET /b");
  EXPECT_THAT(client.ReadUntilClosed(), HasSubstr("Connection: close\r\n\r\n"));
  TestClient old = server.Connect();
  old.Send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(old.Read(), HasSubstr("Connection: keep-alive\r\n"));
  old.Send("GET /a HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.ReadUntilClosed(), HasSubstr("Connection: close\r\n"));
  TestClient half = server.Connect();
  half.SendGet("/a");
  half.HalfClose();
  EXPECT_THAT(half.ReadUntilClosed(), HasSubstr("GET /a"));
}

TEST(ServerTest, SlowHeadIsCutWhileOthersAreServed) {
  TestServer server({.head_deadline = absl::Milliseconds(200)});
  TestClient other = server.Connect();
  EXPECT_EQ(other.Get("/a"), "200 GET /a  ");
  TestClient silent = server.Connect();
  TestClient slow = server.Connect();
  slow.Send("GET / HTTP/1.1\r\n");
  const absl::Time start = absl::Now();
  pollfd answer = {.fd = slow.fd(), .events = POLLIN};
  while (poll(&answer, 1, 0) == 0 && absl::Now() < start + absl::Seconds(10)) {
    slow.Send("A");  // The client is never silent.
    EXPECT_EQ(other.Get("/a"), "200 GET /a  ");
  }
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(150));
  EXPECT_EQ(slow.ReadShort(), "408 error: the request's head took too long");
  EXPECT_EQ(silent.ReadUntilClosed(), "");
  EXPECT_EQ(other.Get("/a"), "200 GET /a  ");
}

TEST(ServerTest, SlowBodyAndIdleConnectionsAreCut) {
  TestServer server({.body_deadline = absl::Milliseconds(100),
                     .keep_alive = absl::Milliseconds(100)});
  TestClient slow = server.Connect();
  slow.Send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nabc");
  EXPECT_EQ(slow.ReadShort(), "408 error: the request's body took too long");
  EXPECT_TRUE(slow.Closed());
  TestClient idle = server.Connect();
  EXPECT_EQ(idle.Get("/a"), "200 GET /a  ");
  EXPECT_EQ(idle.ReadUntilClosed(), "");
}

TEST(ServerTest, RefusesWhatIsTooLong) {
  TestServer server({.max_head_bytes = 1000,
                     .max_target_bytes = 100,
                     .max_body_bytes = size_t{4} << 20});
  const std::string much(1 << 20, 'x');  // The client continues to send.
  const struct {
    std::string request;
    absl::string_view want;
  } cases[] = {
      {absl::StrCat("GET /", much), "414 error: the target is over 100 bytes"},
      {absl::StrCat("GET / HTTP/1.1\r\nA: ", much),
       "431 error: the headers are over 1000 bytes"},
      {absl::StrCat("POST / HTTP/1.1\r\n", kHost,
                    "Content-Length: 5000000\r\n\r\n", much, much),
       "413 error: the body is over 4194304 bytes"},
      {absl::StrCat("POST / HTTP/1.1\r\n", kHost,
                    "Transfer-Encoding: chunked\r\n\r\n500000\r\n", much),
       "413 error: the body is over 4194304 bytes"},
      {absl::StrCat("\x16\x03\x01", much),
       "400 error: this is no HTTP request: it begins with no method"},
  };
  for (const auto& c : cases) {
    TestClient client = server.Connect();
    client.Send(c.request);
    client.HalfClose();
    EXPECT_EQ(client.ReadShort(), c.want);
    EXPECT_TRUE(client.Closed());
  }
  EXPECT_TRUE(server.Await([&] { return server.server().connections() == 0; }));
}

TEST(ServerTest, LingersForALimitedTime) {
  TestServer server({.linger = absl::Milliseconds(50)});
  TestClient client = server.Connect();
  client.Send("nonsense\r\n");
  EXPECT_THAT(client.ReadShort(), StartsWith("400 "));
  // The client does not close.
  EXPECT_TRUE(server.Await([&] { return server.server().connections() == 0; }));
}

TEST(ServerTest, RefusesTooManyBodiesAtOnce) {
  TestServer server({.max_bodies_bytes = 1000});
  const std::string head =
      "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 800\r\n\r\n";
  TestClient first = server.Connect();
  TestClient second = server.Connect();
  EXPECT_EQ(first.Get("/a"), "200 GET /a  ");
  first.Send(absl::StrCat(head, std::string(700, 'x')));
  EXPECT_EQ(server.Connect().Get("/a"), "200 GET /a  ");
  second.Send(absl::StrCat(head, std::string(700, 'x')));
  EXPECT_THAT(second.ReadShort(), StartsWith("503 "));
  first.Send(std::string(100, 'x'));
  EXPECT_THAT(first.ReadShort(), StartsWith("200 "));
}

TEST(ServerTest, WaitsWithAcceptingAtTheLimit) {
  TestServer server({.max_tcp_connections = 2});
  TestClient first = server.Connect();
  TestClient second = server.Connect();
  EXPECT_EQ(first.Get("/a"), "200 GET /a  ");
  EXPECT_EQ(second.Get("/a"), "200 GET /a  ");
  TestClient third = server.Connect();  // Waits in the kernel's queue.
  third.SendGet("/third");
  EXPECT_EQ(first.Get("/a"), "200 GET /a  ");
  server.OnLoop([&] { EXPECT_EQ(server.server().connections(), 2u); });
  second.Leave();
  EXPECT_EQ(third.ReadShort(), "200 GET /third  ");
}

TEST(ServerTest, GoesOnWhenThereAreDescriptorsAgain) {
  TestServer server;
  TestClient client = server.Connect();
  EXPECT_EQ(client.Get("/a"), "200 GET /a  ");
  TestClient other(server.TcpSocket());
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  // All descriptors below other's are taken.
  const rlimit low = {static_cast<rlim_t>(other.fd() + 1), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  server.ConnectTo(other.fd());
  other.SendGet("/b");
  EXPECT_EQ(client.Get("/a"), "200 GET /a  ");
  EXPECT_EQ(client.Get("/a"), "200 GET /a  ");
  server.OnLoop([&] { EXPECT_EQ(server.server().connections(), 1u); });
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(other.ReadShort(), "200 GET /b  ");
}

TEST(ServerTest, AnswersHeadWithoutBody) {
  TestServer server;
  TestClient client = server.Connect();
  client.Send("HEAD /echo HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"),
              HasSubstr("Content-Length: 11\r\n"));
  EXPECT_EQ(client.Get("/a"), "200 GET /a  ");
  client.Send("HEAD /stream HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_THAT(client.ReadUntilClosed(),
              AllOf(HasSubstr("text/event-stream"), Not(HasSubstr("hello"))));
  server.OnLoop([&] { EXPECT_EQ(server.server().streams(), 0); });
}

TEST(ServerTest, LetsTheClientContinue) {
  TestServer server;
  TestClient client = server.Connect();
  for (int i = 0; i < 2; ++i) {
    client.Send(
        "POST /x HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\n"
        "Content-Length: 2\r\n\r\n");
    EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.Send("ab");
    EXPECT_EQ(client.ReadShort(), "200 POST /x  ab");
  }
}

TEST(ServerTest, ExchangeWithoutAnswerIs500) {
  TestServer server;
  TestClient client = server.Connect();
  EXPECT_EQ(client.Get("/drop"),
            "500 error: the server has no answer to this request");
  EXPECT_EQ(client.Get("/a"), "200 GET /a  ");
}

TEST(ServerTest, AnswersToWhoHasLeftGoNowhere) {
  TestServer server;
  for (int i = 0; i < 3; ++i) {
    TestClient client = server.Connect();
    client.SendGet("/later");
  }
  ASSERT_TRUE(server.Await([&] { return server.kept.size() == 3; }));
  server.OnLoop([&] {
    server.kept[0]->Reply({.body = std::string(1 << 20, 'x')});
    server.kept[1]->Stream({}, [](Waker) { return nullptr; });
    server.kept.clear();
  });
  EXPECT_TRUE(server.Await([&] { return server.server().connections() == 0; }));
}

TEST(ServerTest, ReplyThatIsNotReadIsGivenUp) {
  TestServer server({.reply_stall = absl::Milliseconds(50)});
  TestClient client = server.ConnectUnix();
  client.SendGet("/big?20000000");
  ASSERT_TRUE(server.Await([&] { return server.server().connections() == 1; }));
  EXPECT_TRUE(server.Await([&] { return server.server().connections() == 0; }));
}

TEST(ServerTest, ExchangesMayOutliveTheServer) {
  TestServer server;
  TestClient clients[] = {server.Connect(), server.Connect(), server.Connect()};
  clients[0].SendGet("/later");
  clients[1].SendGet("/later");
  clients[2].SendGet("/stream");
  clients[2].ReadUntil("hello\n");
  ASSERT_TRUE(server.Await([&] { return server.kept.size() == 2; }));
  server.Destroy();
  server.OnLoop([&] {
    server.kept[0]->Reply({});
    server.kept.clear();
    EXPECT_TRUE(server.channels[0]->destroyed);
    EXPECT_TRUE(server.channels[0]->waker.gone());
    server.channels[0]->waker.Wake();
  });
  for (TestClient& client : clients) EXPECT_TRUE(client.Closed());
}

TEST(ListenTest, UnixSocketIsForTheOwnerAndKnowsThePeer) {
  TestServer server;
  EXPECT_EQ(server.ConnectUnix().Get("/a"),
            absl::StrCat("200 GET /a   uid=", getuid(), " pid=", getpid()));
}

TEST(ListenTest, TcpSaysWhyNot) {
  auto first = ListenTcp("127.0.0.1", 0);
  ASSERT_TRUE(first.ok()) << first.status();
  const int port = BoundPort(first->get());
  EXPECT_EQ(ListenTcp("127.0.0.1", port).status().message(),
            absl::StrCat("listen on 127.0.0.1 port ", port,
                         ": another program has this port; stop it or choose "
                         "another"));
  EXPECT_THAT(std::string(ListenTcp("localhost", 0).status().message()),
              HasSubstr("give an address such as 127.0.0.1"));
}

}  // namespace
}  // namespace troika::http
