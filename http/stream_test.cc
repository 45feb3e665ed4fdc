#include <sys/resource.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "http/server.h"
#include "http/server_testing.h"

namespace troika::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(StreamTest, SendsWhatTheSourceGivesUntilItEnds) {
  TestServer server;
  TestClient client = server.Connect();
  client.SendGet("/stream");
  const std::string head = client.ReadUntil("\r\n\r\n");
  EXPECT_THAT(head, HasSubstr("Content-Type: text/event-stream\r\n"));
  EXPECT_THAT(head, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Content-Length")));
  EXPECT_EQ(client.ReadUntil("\n"), "hello\n");
  server.OnLoop([&] {
    EXPECT_EQ(server.server().streams(), 1);
    server.channels[0]->text = "more\n";
    server.channels[0]->waker.Wake();
    EXPECT_EQ(server.channels[0]->text, "");  // Wake() filled it at once.
  });
  EXPECT_EQ(client.ReadUntil("\n"), "more\n");
  server.OnLoop([&] {
    server.channels[0]->text = "last";
    server.channels[0]->end = true;
    server.channels[0]->waker.Wake();
    EXPECT_EQ(server.server().streams(), 0);
    EXPECT_TRUE(server.channels[0]->destroyed);
    server.channels[0]->waker.Wake();
  });
  EXPECT_EQ(client.ReadUntilClosed(), "last");
}

TEST(StreamTest, SourceMayWakeItselfWithinFill) {
  TestServer server;
  TestClient client = server.Connect();
  client.SendGet("/stream");
  client.ReadUntil("hello\n");
  server.OnLoop([&] {
    server.channels[0]->wake_within_fill = true;
    server.channels[0]->waker.Wake();
  });
  EXPECT_EQ(client.ReadUntil("within"), "woken within");
}

TEST(StreamTest, EndsWhenTheClientLeavesOrHalfCloses) {
  TestServer server;
  TestClient left = server.Connect();
  TestClient half = server.Connect();
  left.SendGet("/stream");
  left.ReadUntil("hello\n");
  half.SendGet("/stream");
  half.ReadUntil("hello\n");
  half.Send("what a stream's client has no business to send");
  server.OnLoop([&] { EXPECT_EQ(server.server().streams(), 2); });
  left.Leave();
  half.HalfClose();
  EXPECT_TRUE(server.Await([&] {
    return server.channels[0]->destroyed && server.channels[1]->destroyed;
  }));
  server.OnLoop([&] {
    EXPECT_EQ(server.server().streams(), 0);
    EXPECT_EQ(server.server().connections(), 0u);
    EXPECT_TRUE(server.channels[0]->waker.gone());
  });
  EXPECT_TRUE(half.Closed());
}

TEST(StreamTest, ThousandIdleStreamsAreAllWoken) {
  rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  ASSERT_GE(limit.rlim_cur, 2600u) << "raise `ulimit -n`";
  TestServer server;
  std::vector<TestClient> clients;
  for (int i = 0; i < 1000; ++i) {
    clients.push_back(server.ConnectUnix());
    clients.back().SendGet("/stream");
  }
  for (TestClient& client : clients) client.ReadUntil("hello\n");
  server.OnLoop([&] {
    EXPECT_EQ(server.server().streams(), 1000);
    for (const auto& channel : server.channels) {
      channel->text = "up\n";
      channel->waker.Wake();
    }
  });
  for (TestClient& client : clients) EXPECT_EQ(client.ReadUntil("\n"), "up\n");
  clients.clear();
  EXPECT_TRUE(server.Await([&] { return server.server().streams() == 0; }));
}

TEST(StreamTest, StalledClientIsNotAskedForAndLosesNothing) {
  TestServer server;
  TestClient client = server.ConnectUnix();
  TestClient other = server.Connect();
  client.SendGet("/flood");
  client.ReadUntil("\r\n\r\n");
  // Waits until the socket is full: then the loop asks for no more bytes.
  int64_t fills = -1;
  ASSERT_TRUE(server.Await([&] {
    const int64_t before = std::exchange(fills, server.channels[0]->fills);
    return fills > 0 && before == fills;
  }));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(other.Get("/a"), "200 GET /a  ");
  server.OnLoop([&] {
    EXPECT_EQ(server.channels[0]->fills, fills);
    EXPECT_LT(fills, 64);  // 4 MiB, almost all of which the kernel holds.
    server.channels[0]->waker.Wake();
    EXPECT_EQ(server.channels[0]->fills, fills);
    server.channels[0]->end = true;
  });
  const std::string rest = client.ReadUntilClosed();
  server.OnLoop([&] { fills = server.channels[0]->fills; });
  EXPECT_EQ(rest.size(), static_cast<size_t>(fills) << 16);
}

TEST(StreamTest, FloodLeavesTheOthersTheirTurn) {
  TestServer server;
  TestClient client = server.Connect();
  client.SendGet("/flood");
  client.ReadUntil("\r\n\r\n");
  TestClient other = server.Connect();
  for (int i = 0; i < 20; ++i) {
    client.ReadUntil("xxxxxxxx");
    EXPECT_EQ(other.Get("/a"), "200 GET /a  ");
  }
}

TEST(StreamTest, SilenceIsLongerThanAnyDeadline) {
  const absl::Duration soon = absl::Milliseconds(50);
  TestServer server({.head_deadline = soon,
                     .body_deadline = soon,
                     .keep_alive = soon,
                     .reply_stall = soon,
                     .stream_stall = soon});
  TestClient stream = server.ConnectUnix();
  stream.SendGet("/stream");
  stream.ReadUntil("hello\n");
  // Connections that were opened later are closed, one after the other.
  for (int i = 0; i < 4; ++i) {
    TestClient idle = server.Connect();
    EXPECT_EQ(idle.Get("/a"), "200 GET /a  ");
    EXPECT_EQ(idle.ReadUntilClosed(), "");
  }
  server.OnLoop([&] {
    ASSERT_EQ(server.server().streams(), 1);
    server.channels[0]->text = "up\n";
    server.channels[0]->waker.Wake();
  });
  EXPECT_EQ(stream.ReadUntil("\n"), "up\n");
}

TEST(StreamTest, StalledClientIsGivenUpInTheEnd) {
  TestServer server({.stream_stall = absl::Milliseconds(50)});
  TestClient client = server.ConnectUnix();
  client.SendGet("/flood");
  ASSERT_TRUE(server.Await([&] { return !server.channels.empty(); }));
  EXPECT_TRUE(server.Await([&] { return server.server().streams() == 0; }));
}

}  // namespace
}  // namespace troika::http
