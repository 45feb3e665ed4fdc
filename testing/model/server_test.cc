#include "testing/model/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "base/event_loop.h"
#include "base/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "http/server_testing.h"
#include "testing/model/script.h"

namespace troika::model {
namespace {

using http::TestClient;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Runs a server in its own thread.
class ModelServerTest : public testing::Test {
 protected:
  void Start(absl::string_view text) {
    absl::StatusOr<Script> script = ParseScript(text, {});
    CHECK(script.ok());
    ModelServer::Options options;
    options.player = {.script = *std::move(script), .name = "s"};
    options.log = [this](absl::string_view line) {
      const MutexLock lock(&mutex_);
      absl::StrAppend(&log_, line);
      logged_.SignalAll();
    };
    auto server = ModelServer::Start(&loop_, std::move(options));
    CHECK(server.ok());
    server_ = *std::move(server);
    thread_ = std::thread([this] { loop_.Run(); });
  }
  void TearDown() override {
    loop_.Stop();
    thread_.join();
  }

  TestClient Connect() {
    int port = 0;
    const absl::string_view url = server_->url();
    CHECK(absl::SimpleAtoi(url.substr(url.rfind(':') + 1), &port));
    UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval patience = {.tv_sec = 10, .tv_usec = 0};
    setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
                  sizeof(address)) == 0);
    return TestClient(std::move(fd));
  }
  TestClient Ask(absl::string_view path, absl::string_view body) {
    TestClient client = Connect();
    client.Send(absl::StrCat("POST ", path,
                             " HTTP/1.1\r\nHost: x\r\nX-Api-Key: secret\r\n"
                             "X-App: cli\r\nContent-Length: ",
                             body.size(), "\r\n\r\n", body));
    return client;
  }
  // Waits until the log contains the text.
  void AwaitLog(absl::string_view text) {
    const MutexLock lock(&mutex_);
    while (!absl::StrContains(log_, text)) logged_.Wait(&mutex_);
  }
  std::string Log() {
    const MutexLock lock(&mutex_);
    return log_;
  }
  std::vector<std::string> Verdict() {
    std::promise<std::vector<std::string>> verdict;
    loop_.Post([&] { verdict.set_value(server_->Verdict()); });
    return verdict.get_future().get();
  }

 private:
  Mutex mutex_;
  CondVar logged_;
  std::string log_ ABSL_GUARDED_BY(mutex_);
  EventLoop loop_;
  std::unique_ptr<ModelServer> server_;
  std::thread thread_;
};

constexpr char kGemini[] = "/v1beta/models/g:streamGenerateContent?alt=sse";
constexpr char kGeminiBody[] =
    "{\"tools\":[{\"functionDeclarations\":[{\"name\":\"x\"}]}],\n\"contents\":"
    "[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}]}";

TEST_F(ModelServerTest, StreamsAnAnswerAndLogsTheRequest) {
  Start(
      "answer\n expect prompt hi\n chunks 1\n say Hello.\n pace 1\n say You.");
  const std::string stream = Ask(kGemini, kGeminiBody).ReadUntilClosed();
  EXPECT_THAT(stream, HasSubstr("Content-Type: text/event-stream"));
  EXPECT_THAT(stream, HasSubstr("\"text\":\"Hello.\""));
  EXPECT_THAT(stream, HasSubstr("\"text\":\"You.\""));
  EXPECT_TRUE(absl::EndsWith(stream, "\r\n0\r\n\r\n"));
  EXPECT_THAT(Verdict(), IsEmpty());
  const std::string log = Log();
  EXPECT_TRUE(absl::StartsWith(
      log,
      "{\"method\":\"POST\",\"path\":\"/v1beta/models/"
      "g:streamGenerateContent?alt=sse\",\"wire\":\"gemini\",\"kind\":"
      "\"main\",\"answer\":1,\"headers\":{"))
      << log;
  EXPECT_THAT(log, HasSubstr("\"x-app\":\"cli\""));
  EXPECT_THAT(log, Not(HasSubstr("secret")));
  EXPECT_THAT(log, HasSubstr(",\"body\":{\"tools\":"));
  EXPECT_EQ(log.find('\n'), log.size() - 1);
}

TEST_F(ModelServerTest, TakesPromptsOfMegabytes) {
  Start("answer\n expect prompt-bytes 5000000\n chunks 1\n say Long.");
  const std::string body = absl::StrCat(
      R"({"stream":true,"tools":[{"name":"Bash"}],"messages":[{"role":"user",)",
      R"("content":")", std::string(5000000, 'x'), R"("}]})");
  EXPECT_THAT(Ask("/v1/messages", body).ReadUntilClosed(), HasSubstr("Long."));
  EXPECT_THAT(Verdict(), IsEmpty());
}

TEST_F(ModelServerTest, DropCutsTheBody) {
  Start("answer\n chunks 1\n say Half.\n drop");
  const std::string stream = Ask(kGemini, kGeminiBody).ReadUntilClosed();
  EXPECT_THAT(stream, HasSubstr("Half."));
  EXPECT_THAT(stream, Not(HasSubstr("\r\n0\r\n")));
  EXPECT_THAT(stream, Not(HasSubstr("STOP")));
}

TEST_F(ModelServerTest, StallLastsUntilTheClientLeaves) {
  Start("answer\n chunks 1\n say Half.\n stall");
  TestClient client = Ask(kGemini, kGeminiBody);
  EXPECT_THAT(client.ReadUntil("Half."), HasSubstr("200 OK"));
  AwaitLog("{\"note\":\"stalled\",\"answer\":1}\n");
  EXPECT_THAT(Log(), Not(HasSubstr("client left")));
  client.Leave();
  AwaitLog("{\"note\":\"client left\",\"answer\":1}\n");
  EXPECT_THAT(Verdict(), IsEmpty());
}

TEST_F(ModelServerTest, AStalledClaudeHearsPings) {
  Start("answer\n stall");
  TestClient client =
      Ask("/v1/messages", R"({"stream":true,"tools":[{"name":"Bash"}]})");
  client.ReadUntil("event: ping");
  EXPECT_THAT(client.ReadUntil("event: ping"), Not(HasSubstr("no event")));
}

TEST_F(ModelServerTest, StatusAndItsDelay) {
  Start(
      "answer\n delay 20\n status 503 {\"no\":1}\n header X-Why: tired\n"
      "answer\n limit 7");
  const std::string reply = Ask(kGemini, kGeminiBody).Read();
  EXPECT_TRUE(absl::StartsWith(reply, "HTTP/1.1 503 ")) << reply;
  EXPECT_THAT(reply, HasSubstr("X-Why: tired\r\n"));
  EXPECT_TRUE(absl::EndsWith(reply, "{\"no\":1}")) << reply;
  const std::string limit = Ask(kGemini, kGeminiBody).Read();
  EXPECT_THAT(limit, HasSubstr("HTTP/1.1 429 "));
  EXPECT_THAT(limit, HasSubstr("Retry-After: 7\r\n"));
  EXPECT_THAT(limit, HasSubstr("\"retryDelay\":\"7s\"}]}}"));
}

TEST_F(ModelServerTest, UnknownPathsAreFailures) {
  Start("answer maybe\n say x");
  EXPECT_THAT(Connect().Get("/nope"), HasSubstr("400 {\"error\":"));
  EXPECT_THAT(Connect().Get("/"), HasSubstr("200 "));
  EXPECT_THAT(Verdict(),
              ElementsAre("nobody answers GET /nope; no wire has this path"));
}

// Returns the shell's exit code and output.
std::pair<int, std::string> RunShell(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  CHECK(pipe != nullptr);
  std::string output;
  char buffer[4096];
  size_t size;
  while ((size = fread(buffer, 1, sizeof(buffer), pipe)) > 0) {
    output.append(buffer, size);
  }
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

std::pair<int, std::string> RunProgram(absl::string_view args) {
  return RunShell(
      absl::StrCat("timeout 20 testing/model/troika-model ", args, " 2>&1"));
}

std::string WriteScript(const std::string& text) {
  const std::string path = absl::StrCat(testing::TempDir(), "/program.script");
  std::ofstream(path) << text;
  return path;
}

TEST(ModelProgramTest, BadArgumentsAndScriptsAreExitCodeTwo) {
  EXPECT_THAT(RunProgram(""),
              testing::Pair(2, HasSubstr("--script is missing")));
  EXPECT_THAT(RunProgram("--script nope"),
              testing::Pair(2, HasSubstr("read nope: No such file")));
  const std::string path = WriteScript("answer\n  sya Hi\n");
  EXPECT_THAT(
      RunProgram(absl::StrCat("--script ", path)),
      testing::Pair(2, HasSubstr(absl::StrCat(path, ":2: `sya` is no"))));
  EXPECT_THAT(RunProgram(absl::StrCat("--script ", path, " --set a")),
              testing::Pair(2, HasSubstr("write it as NAME=VALUE")));
}

TEST(ModelProgramTest, TheVerdictIsTheExitCode) {
  const auto play = [](const std::string& text) {
    const std::string path = WriteScript(text);
    return RunShell(absl::StrCat(
        "rm -f ", path, ".url; testing/model/troika-model --ready-fd 3 ",
        "--script ", path, " 2>&1 >/dev/null 3>", path, ".url & pid=$!; ",
        "until grep -q '^http://127.0.0.1:' ", path, ".url 2>/dev/null; ",
        "do kill -0 $pid || exit 9; done; kill $pid; wait $pid"));
  };
  EXPECT_THAT(play("answer maybe\n say x"),
              testing::Pair(0, HasSubstr("all went as the script said")));
  EXPECT_THAT(play("answer\n say x"),
              testing::Pair(1, HasSubstr("answer 1: nobody asked for it")));
}

}  // namespace
}  // namespace troika::model
