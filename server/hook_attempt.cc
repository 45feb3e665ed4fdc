#include "server/hook_attempt.h"

#include <algorithm>
#include <cmath>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/discovery/discovery.h"
#include "base/find_program.h"
#include "base/hmac.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "config/webhook.h"
#include "dto/redact.h"

namespace troika {
namespace {

constexpr size_t kMaxSecret = size_t{4} << 10;
constexpr size_t kMaxError = 1000;
constexpr size_t kMaxErrorBegin = 200;
constexpr size_t kMaxGap = 8;  // Bytes of the mark between begin and end.
constexpr absl::Duration kMaxRetryAfter = absl::Hours(1);
constexpr absl::Duration kFirstDelay = absl::Seconds(1);
constexpr absl::Duration kMaxDelay = absl::Minutes(30);
// `troika post-hook` has its own deadline and is ended only if it hangs.
constexpr absl::Duration kGrace = absl::Seconds(5);

// A value for the environment: one line.
std::string Variable(absl::string_view text) {
  std::string value(text);
  for (char& c : value) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) c = ' ';
  }
  return value;
}

Environment WithEvent(const HookAttempt& attempt,
                      const Environment& environment) {
  Environment::Map variables = environment.variables();
  variables["TROIKA_HOOK"] = attempt.name;
  variables["TROIKA_EVENT_ID"] = attempt.id;
  json::Parser parser;
  const absl::StatusOr<json::Value> told = parser.Parse(attempt.body);
  if (!told.ok()) return Environment(std::move(variables));
  const auto set = [&](const char* name, const json::Value& value) {
    variables[name] = Variable(value.StringOr(""));
  };
  set("TROIKA_EVENT", told->Get("event"));
  set("TROIKA_TEXT", told->Get("text"));
  const json::Value task = told->Get("task");
  set("TROIKA_TASK", task.Get("id"));
  set("TROIKA_TITLE", task.Get("title"));
  set("TROIKA_HARNESS", task.Get("harness"));
  set("TROIKA_FOLDER", task.Get("cwd"));
  set("TROIKA_STATE", task.Get("state"));
  return Environment(std::move(variables));
}

absl::StatusOr<std::string> SecretOf(const Hook& hook) {
  if (hook.secret_file.empty()) return hook.secret;
  ASSIGN_OR_RETURN(const std::string text,
                   ReadFileUpTo(hook.secret_file, kMaxSecret));
  const absl::string_view secret = absl::StripTrailingAsciiWhitespace(text);
  if (secret.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the secret file ", hook.secret_file, " is empty"));
  }
  return std::string(secret);
}

absl::Status RunHookCommand(const HookAttempt& attempt,
                            const Environment& environment,
                            CommandRunner& runner) {
  Command command = {.argv = attempt.hook.command,
                     .env = WithEvent(attempt, environment),
                     .deadline = attempt.hook.timeout,
                     .stderr_mode = Command::Stderr::kInError,
                     .input = absl::StrCat(attempt.body, "\n"),
                     .input_end = Command::InputEnd::kEnds};
  std::string& program = command.argv[0];
  if (!absl::StrContains(program, "/")) {
    const std::string path = FindOnPath(program, environment);
    if (path.empty()) {
      return absl::NotFoundError(absl::StrCat(
          program, " is not on the server's PATH: give its whole path"));
    }
    program = path;
  } else if (program[0] != '/') {
    return absl::InvalidArgumentError(absl::StrCat(
        program, " is a relative path: give the whole path of the program"));
  }
  // Arguments may be secrets.
  command.name = program;
  return runner.Run(command).status();
}

absl::StatusOr<WebhookReply> PostByTroika(const HookAttempt& attempt,
                                          const Environment& environment,
                                          CommandRunner& runner) {
  ASSIGN_OR_RETURN(const std::string program,
                   FindTroika(environment.Get("TROIKA_BIN")));
  ASSIGN_OR_RETURN(const std::string secret, SecretOf(attempt.hook));
  const int64_t timestamp = absl::ToUnixSeconds(attempt.now);
  WebhookRequest request = {
      .url = attempt.hook.url,
      .headers = {"Content-Type: application/json",
                  absl::StrCat("webhook-id: ", attempt.id),
                  absl::StrCat("webhook-timestamp: ", timestamp)},
      .body = attempt.body,
      .timeout_ms =
          static_cast<int>(absl::ToInt64Milliseconds(attempt.hook.timeout))};
  if (!secret.empty()) {
    request.headers.push_back(absl::StrCat(
        "webhook-signature: ",
        WebhookSignature(secret, attempt.id, timestamp, attempt.body)));
  }
  ASSIGN_OR_RETURN(const std::string output,
                   runner.Run({.argv = {program, kPostHookCommand},
                               .env = environment,
                               .deadline = attempt.hook.timeout + kGrace,
                               .stderr_mode = Command::Stderr::kInError,
                               .input = json::ToJson(request),
                               .input_end = Command::InputEnd::kEnds}));
  json::Parser parser;
  const absl::StatusOr<json::Value> said = parser.Parse(output);
  if (!said.ok()) {
    return absl::InternalError(
        absl::StrCat(program, " replied what can't be read: ", output));
  }
  WebhookReply reply;
  json::FieldReader().Read(*said, &reply);
  return reply;
}

HookOutcome Post(const HookAttempt& attempt, const Environment& environment,
                 CommandRunner& runner) {
  const absl::StatusOr<WebhookReply> reply =
      PostByTroika(attempt, environment, runner);
  if (!reply.ok()) return {.status = reply.status()};
  if (reply->status >= 200 && reply->status < 300) return {};
  HookOutcome outcome = {
      .retry_after = std::min<absl::Duration>(
          absl::Seconds(reply->retry_after_seconds), kMaxRetryAfter)};
  if (reply->status == 0) {
    outcome.status = absl::UnavailableError(reply->error);
    return outcome;
  }
  const bool redirects = reply->status >= 300 && reply->status < 400;
  outcome.status = absl::UnavailableError(absl::StrCat(
      "HTTP status ", reply->status,
      redirects ? ", and redirects are not followed: write the right url" : "",
      reply->error.empty() ? "" : ": ", reply->error));
  return outcome;
}

// Short, in UTF-8, and without what looks like a secret.
absl::Status ForPeople(const absl::Status& status) {
  if (status.ok()) return status;
  std::string text = json::ToValidUtf8(status.message());
  Redactor(std::vector<std::string>()).RedactPlain(&text);
  if (text.size() > kMaxError) {
    // The reason is mostly at the end of what a command prints.
    size_t from = text.size() - (kMaxError - kMaxErrorBegin - kMaxGap);
    while ((static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
    text = absl::StrCat(CutAtCharacter(text, kMaxErrorBegin), " … ",
                        absl::string_view(text).substr(from));
  }
  return absl::Status(status.code(), text);
}

}  // namespace

HookOutcome TryHook(const HookAttempt& attempt, const Environment& environment,
                    CommandRunner& runner) {
  HookOutcome outcome;
  if (attempt.hook.url.empty()) {
    outcome.status = RunHookCommand(attempt, environment, runner);
  } else {
    outcome = Post(attempt, environment, runner);
  }
  outcome.status = ForPeople(outcome.status);
  return outcome;
}

std::string WebhookSignature(absl::string_view secret, absl::string_view id,
                             int64_t timestamp, absl::string_view body) {
  std::string key(secret);
  absl::string_view encoded = secret;
  if (absl::ConsumePrefix(&encoded, "whsec_")) {
    std::string decoded;
    if (absl::Base64Unescape(encoded, &decoded)) key = decoded;
  }
  return absl::StrCat(
      "v1,", absl::Base64Escape(
                 HmacSha256(key, absl::StrCat(id, ".", timestamp, ".", body))));
}

absl::Duration HookBackoff(int attempts, double random) {
  const double doubled = std::pow(2.0, std::clamp(attempts - 1, 0, 20));
  const absl::Duration delay = std::min(kFirstDelay * doubled, kMaxDelay);
  return delay * (0.75 + 0.5 * random);
}

}  // namespace troika
