#include "server/hook_attempt.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kBody[] =
    "{\"event\":\"done\",\"text\":\"line\\nline\",\"task\":{\"id\":\"t1\","
    "\"title\":\"a b\",\"state\":\"idle\"}}";

// Notes the command that was to be run.
class NotingRunner : public CommandRunner {
 public:
  absl::StatusOr<std::string> Run(const Command& command) override {
    this->command = command;
    return reply;
  }

  Command command;
  absl::StatusOr<std::string> reply = std::string();
};

HookAttempt AttemptOf(Hook hook) {
  return {.name = "n",
          .hook = std::move(hook),
          .id = "t1-5.0-done",
          .body = kBody,
          .now = absl::FromUnixSeconds(1700000000)};
}

TEST(HookAttemptTest, ACommandGetsTheEventOnStdinAndInItsEnvironment) {
  NotingRunner runner;
  const Environment env({{"PATH", "/usr/bin:/bin"}, {"KEEP", "1"}});
  const HookOutcome outcome = TryHook(
      AttemptOf({.command = {"sh", "-c", "x"}, .timeout = absl::Seconds(7)}),
      env, runner);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_THAT(runner.command.argv[0], HasSubstr("/sh"));
  EXPECT_EQ(runner.command.input, absl::StrCat(kBody, "\n"));
  EXPECT_EQ(runner.command.deadline, absl::Seconds(7));
  EXPECT_EQ(runner.command.env.Get("KEEP"), "1");
  EXPECT_EQ(runner.command.env.Get("TROIKA_EVENT"), "done");
  EXPECT_EQ(runner.command.env.Get("TROIKA_EVENT_ID"), "t1-5.0-done");
  EXPECT_EQ(runner.command.env.Get("TROIKA_TASK"), "t1");
  EXPECT_EQ(runner.command.env.Get("TROIKA_TEXT"), "line line");
}

TEST(HookAttemptTest, ProgramsAreFoundOnThePathOrByTheirWholePath) {
  NotingRunner runner;
  const Environment env({{"PATH", "/bin"}});
  EXPECT_THAT(
      std::string(TryHook(AttemptOf({.command = {"no-such"}}), env, runner)
                      .status.message()),
      HasSubstr("not on the server's PATH"));
  EXPECT_THAT(
      std::string(TryHook(AttemptOf({.command = {"bin/x"}}), env, runner)
                      .status.message()),
      HasSubstr("give the whole path"));
}

TEST(HookAttemptTest, ErrorsAreShortAndWithoutSecrets) {
  NotingRunner runner;
  runner.reply = absl::FailedPreconditionError(
      absl::StrCat("run /bin/x Authorization: Bearer abcdefgh12345678\xff",
                   std::string(5000, 'x')));
  const std::string error(
      TryHook(AttemptOf({.command = {"/bin/x"}}), Environment(), runner)
          .status.message());
  EXPECT_LE(error.size(), 1000u);
  EXPECT_THAT(error, Not(HasSubstr("abcdefgh12345678")));
}

class WebhookTest : public testing::Test {
 protected:
  WebhookTest() { folder_.WriteProgram("troika", ""); }
  HookOutcome Post(Hook hook, std::string reply) {
    runner_.reply = std::move(reply);
    hook.url = "https://example.com/x";
    return TryHook(AttemptOf(hook),
                   Environment({{"TROIKA_BIN", folder_.Path("troika")}}),
                   runner_);
  }

  TempFolder folder_;
  NotingRunner runner_;
};

TEST_F(WebhookTest, IsHandedToTroikaWithoutTheSecret) {
  const HookOutcome outcome =
      Post({.secret = "hush-hush"}, "{\"status\":204}\n");
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(runner_.command.argv[1], "post-hook");
  EXPECT_THAT(runner_.command.input, Not(HasSubstr("hush-hush")));
  json::Parser parser;
  const auto request = parser.Parse(runner_.command.input);
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->Get("body").StringOr(""), kBody);
  EXPECT_EQ(request->Get("timeoutMs").ToJson(), "30000");
  const std::string headers = request->Get("headers").ToJson();
  EXPECT_THAT(headers, HasSubstr("webhook-id: t1-5.0-done"));
  EXPECT_THAT(headers, HasSubstr("webhook-timestamp: 1700000000"));
  EXPECT_THAT(headers, HasSubstr(WebhookSignature("hush-hush", "t1-5.0-done",
                                                  1700000000, kBody)));
  Post({}, "{\"status\":204}\n");
  EXPECT_THAT(runner_.command.input, Not(HasSubstr("webhook-signature")));
}

TEST_F(WebhookTest, TheSecretMayBeInAFile) {
  folder_.Write("secret", "hush-hush\n");
  Post({.secret_file = folder_.Path("secret")}, "{\"status\":200}");
  EXPECT_THAT(runner_.command.input,
              HasSubstr(WebhookSignature("hush-hush", "t1-5.0-done", 1700000000,
                                         kBody)));
  EXPECT_FALSE(Post({.secret_file = folder_.Path("none")}, "").status.ok());
  folder_.Write("secret", "\n");
  EXPECT_FALSE(Post({.secret_file = folder_.Path("secret")}, "").status.ok());
}

TEST_F(WebhookTest, OnlyTwoHundredsAreSuccess) {
  EXPECT_EQ(Post({}, "{\"status\":500,\"error\":\"oops\"}").status.message(),
            "HTTP status 500: oops");
  EXPECT_THAT(std::string(Post({}, "{\"status\":302}").status.message()),
              HasSubstr("redirects are not followed"));
  EXPECT_EQ(Post({}, "{\"error\":\"refused\"}").status.message(), "refused");
  EXPECT_FALSE(Post({}, "nonsense").status.ok());
  EXPECT_EQ(Post({}, "{\"status\":503,\"retryAfterSeconds\":90}").retry_after,
            absl::Seconds(90));
  EXPECT_EQ(
      Post({}, "{\"status\":503,\"retryAfterSeconds\":86400}").retry_after,
      absl::Hours(1));
}

TEST_F(WebhookTest, TroikaMayBeMissing) {
  NotingRunner runner;
  const HookOutcome outcome =
      TryHook(AttemptOf({.url = "https://example.com"}),
              Environment({{"TROIKA_BIN", folder_.Path("none")}}), runner);
  EXPECT_THAT(std::string(outcome.status.message()),
              HasSubstr("put it beside troika-server, or set TROIKA_BIN"));
}

// The example of the Standard Webhooks libraries.
TEST(WebhookSignatureTest, IsThatOfStandardWebhooks) {
  EXPECT_EQ(WebhookSignature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                             "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
                             "{\"test\": 2432232314}"),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(HookBackoffTest, DoublesUpToHalfAnHourWithJitter) {
  EXPECT_EQ(HookBackoff(1, 0.5), absl::Seconds(1));
  EXPECT_EQ(HookBackoff(2, 0.5), absl::Seconds(2));
  EXPECT_EQ(HookBackoff(5, 0), absl::Seconds(12));
  EXPECT_EQ(HookBackoff(5, 1), absl::Seconds(20));
  EXPECT_EQ(HookBackoff(12, 0.5), absl::Minutes(30));
  EXPECT_EQ(HookBackoff(1000000, 0.5), absl::Minutes(30));
}

}  // namespace
}  // namespace troika
