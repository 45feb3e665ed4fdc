#include <poll.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/clock.h"
#include "client/address.h"
#include "client/api.h"
#include "client/autostart.h"
#include "client/event_stream.h"
#include "client/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/clocks.h"
#include "testing/files.h"

namespace troika::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Answer = ScriptedServer::Answer;

Answer Binary(const google::protobuf::Message& message, int status = 200) {
  return {.response = {.status = status,
                       .content_type = "application/x-protobuf",
                       .body = message.SerializeAsString()}};
}

v1::Task TaskOf(const std::string& id) {
  v1::Task task;
  task.set_id(id);
  return task;
}

Answer Refuse(int status, const std::string& code, const std::string& message) {
  v1::Error error;
  error.set_code(code);
  error.set_message(message);
  return Binary(error, status);
}

Answer Events(const std::string& text) {
  return {.response = {.content_type = "text/event-stream"},
          .stream = text,
          .kind = Answer::Kind::kStream};
}

TEST(ServerAddressTest, TheEnvironmentSays) {
  const auto remote = FindServerAddress(Environment(
      {{"TROIKA_URL", "http://box:4747/"}, {"TROIKA_TOKEN", "secret"}}));
  ASSERT_TRUE(remote.ok());
  EXPECT_EQ(remote->url, "http://box:4747");
  EXPECT_EQ(remote->token, "secret");
  EXPECT_FALSE(remote->is_local());
  const TestHome home;
  const auto local =
      FindServerAddress(Environment({{"TROIKA_HOME", home.path()}}));
  ASSERT_TRUE(local.ok());
  EXPECT_EQ(local->Name(), home.path() + "/server.sock");
  EXPECT_EQ(local->token, "");
  for (const std::string bad :
       {"box:4747", "ftp://box", "http://", "http://a/b", "http://me@box"}) {
    EXPECT_THAT(
        std::string(FindServerAddress(Environment({{"TROIKA_URL", bad}}))
                        .status()
                        .message()),
        HasSubstr("write it as http://HOST:PORT"))
        << bad;
  }
}

TEST(QueryTest, HasWhatIsSet) {
  v1::ListTasksRequest request;
  EXPECT_EQ(QueryOf(request), "");
  request.add_states(v1::Task::running);
  request.add_states(v1::Task::awaiting_answer);
  request.add_harnesses("codex");
  request.set_cwd("/a b");
  (*request.mutable_labels())["team"] = "x&y";
  request.set_page_size(7);
  EXPECT_EQ(QueryOf(request),
            "?states=running&states=awaiting_answer&harnesses=codex"
            "&cwd=%2Fa%20b&labels=team%3Dx%26y&page_size=7");
  v1::UsageRequest usage;
  usage.mutable_since()->set_seconds(86400);
  EXPECT_EQ(QueryOf(usage), "?since=1970-01-02T00%3A00%3A00Z");
}

TEST(ApiTest, EveryMethodHasItsRoute) {
  const TestHome home;
  ScriptedServer server(
      home, [](const http::Request&) { return Binary(TaskOf("")); });
  ApiClient api(home.address());
  api.ProbeHarnesses({}).IgnoreError();
  api.CreateTask({}).IgnoreError();
  api.ListTasks({}).IgnoreError();
  api.GetTask("../t 1").IgnoreError();
  api.DeleteTask("t").IgnoreError();
  api.SendInput("t", {}).IgnoreError();
  api.Respond("t", {}).IgnoreError();
  api.Interrupt("t", {}).IgnoreError();
  api.Stop("t", {}).IgnoreError();
  api.Resume("t", {}).IgnoreError();
  api.GetEvent("t", "3.0").IgnoreError();
  api.GetLastEvents("t", 5).IgnoreError();
  api.GetUsage({}).IgnoreError();
  api.Get("/healthz", "*/*").IgnoreError();
  EXPECT_THAT(
      server.requests(),
      ElementsAre("POST /api/v1/harnesses/probe", "POST /api/v1/tasks",
                  "GET /api/v1/tasks", "GET /api/v1/tasks/..%2Ft%201",
                  "DELETE /api/v1/tasks/t", "POST /api/v1/tasks/t/input",
                  "POST /api/v1/tasks/t/respond",
                  "POST /api/v1/tasks/t/interrupt", "POST /api/v1/tasks/t/stop",
                  "POST /api/v1/tasks/t/resume",
                  "GET /api/v1/tasks/t/events/3.0",
                  "GET /api/v1/tasks/t/events?before=end&page_size=5",
                  "GET /api/v1/usage", "GET /healthz"));
}

TEST(ApiTest, CarriesMessagesBothWays) {
  const TestHome home;
  ScriptedServer server(home, [](const http::Request& request) {
    v1::CreateTaskRequest asked;
    EXPECT_EQ(request.Header("content-type"), "application/x-protobuf");
    EXPECT_EQ(request.Header("accept"), "application/x-protobuf");
    EXPECT_EQ(request.Header("authorization"), "Bearer t0k3n");
    EXPECT_TRUE(asked.ParseFromString(request.body));
    v1::Task task = TaskOf("t1");
    task.set_title(asked.prompt());
    return Binary(task, 201);
  });
  ServerAddress address = home.address();
  address.token = "t0k3n";
  ApiClient api(address);
  v1::CreateTaskRequest request;
  // Longer than what would be asked for with "100 Continue".
  request.set_prompt(std::string(3000000, 'p'));
  const absl::StatusOr<v1::Task> task = api.CreateTask(request);
  ASSERT_TRUE(task.ok()) << task.status();
  EXPECT_EQ(task->id(), "t1");
  EXPECT_EQ(task->title(), request.prompt());
}

TEST(ApiTest, ErrorsHaveTheServersWords) {
  const TestHome home;
  ScriptedServer server(home, [](const http::Request& request) {
    if (absl::EndsWith(request.path, "/none")) {
      return Refuse(404, "not_found", "no task none");
    }
    if (absl::EndsWith(request.path, "/json")) {
      return Answer{
          .response = {.status = 409,
                       .body = R"({"code":"already_exists","message":"m"})"}};
    }
    if (absl::EndsWith(request.path, "/proxy")) {
      return Answer{.response = {.status = 503, .body = "<html>busy"}};
    }
    return Answer{.response = {.body = "\xff\xff no message"}};
  });
  ApiClient api(home.address());
  EXPECT_EQ(api.GetTask("none").status(), absl::NotFoundError("no task none"));
  EXPECT_EQ(api.DeleteTask("json"), absl::AlreadyExistsError("m"));
  EXPECT_TRUE(absl::IsUnavailable(api.GetTask("proxy").status()));
  EXPECT_THAT(std::string(api.GetTask("other").status().message()),
              HasSubstr("it is not a Task"));
}

TEST(ApiTest, StartsAServerWhereNobodyListens) {
  const TestHome home;
  EXPECT_TRUE(
      absl::IsUnavailable(ApiClient(home.address()).GetTask("t").status()));
  std::unique_ptr<ScriptedServer> server;
  ApiClient api(home.address(), {.start = [&] {
                  server = std::make_unique<ScriptedServer>(
                      home,
                      [](const http::Request&) { return Binary(TaskOf("t")); });
                  return absl::OkStatus();
                }});
  EXPECT_EQ(api.GetTask("t")->id(), "t");
  // The one that it knows is gone: the next one is started, too.
  server.reset();
  EXPECT_EQ(api.GetTask("t")->id(), "t");
  ApiClient hopeless(TestHome().address(), {.start = [] {
                       return absl::UnavailableError("no program");
                     }});
  EXPECT_EQ(hopeless.GetTask("t").status().message(), "no program");
}

// Until `events` has as many, or the stream ends; 20 seconds at most.
absl::Status Collect(EventStream& stream, size_t count,
                     std::vector<std::string>* events, Clock& clock) {
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  while (events->size() < count && !stream.ended() && absl::Now() < deadline) {
    const absl::Status advanced = stream.Advance([&](SseEvent&& event) {
      events->push_back(absl::StrCat(event.name, " ", event.data));
    });
    if (!advanced.ok()) return advanced;
    std::vector<pollfd> fds = stream.PollFds();
    const absl::Duration wait = stream.wake_at() - clock.Awake();
    poll(fds.data(), fds.size(), PollTimeout(std::min(wait, absl::Seconds(1))));
  }
  return absl::OkStatus();
}

TEST(EventStreamTest, GoesOnWhereItWas) {
  const TestHome home;
  ScriptedServer server(home, [](const http::Request& request) {
    EXPECT_EQ(request.Header("accept"), "text/event-stream");
    const absl::string_view last = request.Header("last-event-id");
    if (last == "0.5") return Events("id: 1.0\ndata: a\n\nid: 2.0\ndata: ha");
    if (last == "1.0") return Events("id: 2.0\ndata: b\n\n");
    if (last == "2.0") return Events("event: reset\ndata: {}\n\n");
    if (last.empty()) return Events("event: gone\ndata: {}\n\n");
    return Refuse(400, "invalid_argument", std::string(last));
  });
  SystemClock clock;
  EventStream stream(home.address(), TaskPath("t", "/events"),
                     {.clock = &clock, .after = "0.5"});
  std::vector<std::string> events;
  ASSERT_TRUE(Collect(stream, 9, &events, clock).ok());
  EXPECT_THAT(events,
              ElementsAre("message a", "message b", "reset {}", "gone {}"));
  EXPECT_TRUE(stream.ended());
}

TEST(EventStreamTest, DoesNotNoticeAnotherServer) {
  const TestHome home;
  const auto script = [](const http::Request& request) {
    return request.Header("last-event-id").empty()
               ? Events("id: 1.0\ndata: a\n\n")
               : Events("id: 2.0\ndata: b\n\nevent: gone\ndata\n\n");
  };
  auto server = std::make_unique<ScriptedServer>(home, script);
  SystemClock clock;
  int starts = 0;
  EventStream stream(home.address(), TaskPath("t", "/events"),
                     {.clock = &clock, .start = [&] {
                        ++starts;
                        server = std::make_unique<ScriptedServer>(home, script);
                        return absl::OkStatus();
                      }});
  std::vector<std::string> events;
  ASSERT_TRUE(Collect(stream, 1, &events, clock).ok());
  server.reset();
  ASSERT_TRUE(Collect(stream, 9, &events, clock).ok());
  EXPECT_THAT(events, ElementsAre("message a", "message b", "gone "));
  EXPECT_EQ(starts, 1);
}

TEST(EventStreamTest, ARefusalIsTheEnd) {
  const TestHome home;
  ScriptedServer server(home, [](const http::Request&) {
    return Answer{
        .response = {.status = 404,
                     .body = R"({"code":"not_found","message":"no t"})"}};
  });
  SystemClock clock;
  EventStream stream(home.address(), TaskPath("t", "/events"),
                     {.clock = &clock});
  std::vector<std::string> events;
  EXPECT_EQ(Collect(stream, 1, &events, clock), absl::NotFoundError("no t"));
  EXPECT_TRUE(stream.ended());
}

TEST(EventStreamTest, GivesUp) {
  const TestHome home;
  AdvancingClock clock;
  EventStream stream(home.address(), TaskPath("t", "/events"),
                     {.clock = &clock});
  absl::Status advanced;
  int tries = 0;
  for (; tries < 100 && advanced.ok(); ++tries) {
    advanced = stream.Advance([](SseEvent&&) {});
    clock.Advance(stream.wake_at() - clock.Awake() + absl::Milliseconds(1));
  }
  EXPECT_THAT(std::string(advanced.message()),
              HasSubstr("could not be reached for 30s"));
  EXPECT_GT(tries, 10);  // Some quickly, then one each 2 seconds.
  EXPECT_LT(tries, 50);
}

// A program that stands in for troika-server.
Environment WithServer(const TestHome& home, const std::string& script) {
  const std::string path = home.path() + "/fake-server";
  std::ofstream(path) << "#!/bin/sh\n" << script;
  chmod(path.c_str(), 0700);
  return Environment({{"TROIKA_SERVER_BIN", path},
                      {"PATH", getenv("PATH")},
                      {"TROIKA_RELAY_BIN", "x/relay"}});
}

// The result of StartServer, and its notices.
struct Started {
  absl::Status status;
  std::vector<std::string> notices;
};

Started Start(const TestHome& home, const Environment& environment) {
  Started started;
  started.status = StartServer(
      home.address(), environment,
      [&](absl::string_view text) { started.notices.emplace_back(text); });
  return started;
}

TEST(AutostartTest, WaitsForTheServersWord) {
  const TestHome home;
  const Started started = Start(
      home, WithServer(home,
                       "echo \"$@ home=$TROIKA_HOME relay=$TROIKA_RELAY_BIN "
                       "cwd=$PWD\"\n"
                       "[ -t 0 ] || echo 'no terminal' >&2\n"
                       "echo ok >&3\n"));
  EXPECT_TRUE(started.status.ok()) << started.status;
  EXPECT_THAT(started.notices, ElementsAre());
  const std::string log = ReadWhole(home.path() + "/server.log");
  EXPECT_THAT(log, HasSubstr("--auto --ready-fd=3 home=" + home.path()));
  EXPECT_THAT(log, HasSubstr("relay=/"));
  EXPECT_THAT(log, HasSubstr("cwd=/\n"));
}

TEST(AutostartTest, PassesOnWhatTheUserShouldKnow) {
  const TestHome home;
  const Started started =
      Start(home, WithServer(home,
                             "echo note the last one was killed >&3\n"
                             "echo note so this is another >&3\n"
                             "echo ok >&3\n"));
  EXPECT_TRUE(started.status.ok()) << started.status;
  EXPECT_THAT(started.notices,
              ElementsAre("the last one was killed", "so this is another"));
}

TEST(AutostartTest, SaysWhyItDidNotStart) {
  const TestHome home;
  const struct {
    std::string script;
    absl::StatusCode code;
    std::string want;
  } cases[] = {
      {"exit 1\n", absl::StatusCode::kUnavailable, "it ended without a report"},
      {"echo no room >&3\n", absl::StatusCode::kUnavailable, ": no room; "},
      {"echo refused agents may not >&3\n", absl::StatusCode::kPermissionDenied,
       "agents may not"},
  };
  for (const auto& c : cases) {
    const Started started = Start(home, WithServer(home, c.script));
    EXPECT_EQ(started.status.code(), c.code) << c.script;
    EXPECT_THAT(std::string(started.status.message()), HasSubstr(c.want));
  }
  const Started none = Start(
      home, Environment(Environment::Map{{"TROIKA_SERVER_BIN", "/none/such"}}));
  EXPECT_THAT(std::string(none.status.message()),
              HasSubstr("no troika-server at /none/such"));
}

TEST(AutostartTest, AnotherServerIsAsGood) {
  const TestHome home;
  EXPECT_TRUE(
      Start(home, WithServer(home, "echo exists pid 7 serves here >&3\n"))
          .status.ok());
}

TEST(AutostartTest, OnlyWhereItIsWanted) {
  const TestHome home;
  const auto starts = [](const ServerAddress& address,
                         const Environment& environment) {
    return Starter(address, environment, [](absl::string_view) {}) != nullptr;
  };
  EXPECT_FALSE(starts({.url = "http://box"}, Environment()));
  EXPECT_FALSE(starts(home.address(), Environment(Environment::Map{
                                          {"TROIKA_NO_AUTOSTART", "1"}})));
  EXPECT_TRUE(starts(home.address(), Environment()));
}

}  // namespace
}  // namespace troika::client
