#include "dto/redact.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::string Redacted(const std::vector<std::string>& secrets,
                     std::string json) {
  Redactor(secrets).Redact(&json, 0);
  return json;
}

TEST(RedactTest, ReplacesEverySecret) {
  const std::vector<std::string> secrets = {"sk-12345678", "hunter2hunter2"};
  EXPECT_EQ(Redacted(secrets, R"({"a":"sk-12345678","b":"hunter2hunter2"})"),
            R"({"a":"[redacted]","b":"[redacted]"})");
  EXPECT_EQ(Redacted(secrets, "sk-12345678sk-12345678"), "[redacted]");
  EXPECT_EQ(Redacted(secrets, "sk-12345678 sk-12345678"),
            "[redacted] [redacted]");
  EXPECT_EQ(Redacted(secrets, "sk-1234567"), "sk-1234567");
  EXPECT_EQ(Redacted(secrets, ""), "");
  EXPECT_EQ(Redacted({}, "sk-12345678"), "sk-12345678");
  EXPECT_EQ(Redacted({"short"}, "short"), "short");
}

TEST(RedactTest, LeavesAloneWhatStandsBefore) {
  const Redactor redactor({"sk-12345678"});
  std::string text = "sk-12345678 sk-12345678";
  redactor.Redact(&text, 12);
  EXPECT_EQ(text, "sk-12345678 [redacted]");
  redactor.Redact(&text, text.size());
  EXPECT_EQ(text, "sk-12345678 [redacted]");
}

TEST(RedactTest, SecretsMayBeginAlikeOrOverlap) {
  EXPECT_EQ(Redacted({"abcdefgh", "abcdefghijkl"}, "xabcdefghijkly"),
            "x[redacted]y");
  EXPECT_EQ(Redacted({"abcdefgh", "efghXXXXYYYY"}, "abcdefghXXXXYYYYz"),
            "[redacted]z");
  EXPECT_EQ(Redacted({"aaaaaaaa"}, std::string(1000, 'a')), "[redacted]");
}

// At every place of a text, and with others that nearly match.
TEST(RedactTest, FindsThemAnywhere) {
  std::vector<std::string> secrets;
  for (int i = 0; i < 20; ++i) {
    secrets.push_back(absl::StrCat("secret-", i * 7919, "-value"));
  }
  const Redactor redactor(secrets);
  for (const std::string& secret : secrets) {
    for (size_t at = 0; at < 40; ++at) {
      std::string text = absl::StrCat(std::string(at, 's'), secret, "secret-");
      redactor.Redact(&text, 0);
      ASSERT_EQ(text,
                absl::StrCat(std::string(at, 's'), "[redacted]", "secret-"));
    }
  }
}

TEST(RedactTest, FindsWhatIsEscaped) {
  const std::string secret = "pass\"word\\\n\x01";
  std::string once = "{\"a\":", twice;
  json::AppendQuoted(secret, &once);
  once += "}";
  EXPECT_EQ(Redacted({secret}, once), R"({"a":"[redacted]"})");
  json::AppendQuoted(once, &twice);
  EXPECT_EQ(Redacted({secret}, twice), R"("{\"a\":\"[redacted]\"}")");
  std::string plain = absl::StrCat("it is ", secret, ".");
  Redactor({secret}).RedactPlain(&plain);
  EXPECT_EQ(plain, "it is [redacted].");
}

TEST(RedactTest, JsonStaysJson) {
  const std::vector<std::string> secrets = {
      "nabcdefg", "e9abcdef",      "\"abcdefgh", "abcdefg\\",
      "12345678", "x\",\"y\":\"z", "1234.5678"};
  json::Parser parser;
  for (const std::string json :
       {R"({"a":"\nabcdefgh"})", R"({"a":"\u00e9abcdefg"})",
        R"({"a":"x\\","abcdefgh":1})", R"({"a":"abcdefg\\"})",
        R"({"a":"abcdefg\"x"})", R"({"a":123456789,"b":[-12345678,1234.5678]})",
        R"({"a":"x","y":"z"})", R"(["\\nabcdefg","\\\\u00e9abcdef"])"}) {
    const std::string redacted = Redacted(secrets, json);
    EXPECT_TRUE(parser.Parse(redacted).ok()) << json << "\n" << redacted;
  }
  EXPECT_EQ(Redacted(secrets, R"({"a":"\nabcdefgh"})"),
            R"({"a":"[redacted]h"})");
  EXPECT_EQ(Redacted(secrets, R"({"a":"x","y":"z"})"), R"({"a":"x","y":"z"})");
  EXPECT_EQ(Redacted(secrets, R"({"a":123456789})"), R"({"a":111111119})");
}

TEST(RedactTest, NamesOfSecrets) {
  for (const absl::string_view name :
       {"OPENAI_API_KEY", "GITHUB_TOKEN", "aws_secret_access_key", "PGPASSWORD",
        "DB_PASSWD", "apiKey", "auth-token", "NPM_CONFIG__AUTH", "API_KEY_2",
        "TLS_KEY_B64", "mcp_servers.x.http_headers.Authorization", "AUTHTOKEN",
        "GOOGLE_CREDENTIALS", "CLIENT_SECRET", "sessionToken", "APIKEY"}) {
    EXPECT_TRUE(LooksSecretName(name)) << name;
  }
  for (const absl::string_view name :
       {"SSH_AUTH_SOCK", "KEYBOARD", "XKB_KEYBOARD_LAYOUT", "PWD", "OLDPWD",
        "MAX_TOKENS", "AWS_ACCESS_KEY_ID", "bearer_token_env_var", "env_key",
        "model_providers.x.env_key", "MONKEY", "PATH", "", "__", "42",
        "TOKENIZERS_PARALLELISM", "AUTHOR", "apiKeyHelper"}) {
    EXPECT_FALSE(LooksSecretName(name)) << name;
  }
}

TEST(RedactTest, SecretsOfTheEnvironmentAndTheSettings) {
  const Environment environment(
      {{"OPENAI_API_KEY", "sk-environment\n"},
       {"SHORT_TOKEN", "abc"},
       {"HOME", "/home/somebody"},
       {"GOOGLE_APPLICATION_CREDENTIALS", "/home/u/My.json"},
       {"TLS_KEY", "/run/secrets/tls"},
       {"AWS_SECRET_ACCESS_KEY", "/Ab12/Cd34/Ef56"}});
  const LaunchOptions options{
      .config = {
          "model_providers.x.api_key=\"sk-\\\"setting\"",
          "token='single quoted'", "bare_token=bare-value",
          "model=\"not-a-secret\"", "no value",
          "mcp_servers.y.env={ A_TOKEN = \"in-a-table\", B = \"not-secret\" }",
          "mcp_servers.z={url=\"https://example.test/?a=b\",http_headers={"
          "\"X-Api-Key\"=\"in-a-header\",Authorization=\"Bearer bearer-value\"}"
          "}",
          "env_key=\"OPENAI_API_KEY\""}};
  EXPECT_THAT(SecretsOf(environment, options),
              UnorderedElementsAre("sk-environment", "/Ab12/Cd34/Ef56",
                                   "sk-\"setting", "single quoted",
                                   "bare-value", "in-a-table", "in-a-header",
                                   "Bearer bearer-value", "bearer-value"));
  EXPECT_THAT(SecretsOf(Environment(), {}), IsEmpty());
  for (const std::string config :
       {"a_key=\"", "a_key={", "a_key={b_key=", "a_key={b_key='x\\", "=",
        "={=", "a={=,=}}"}) {
    SecretsOf(Environment(), {.config = {config}});
  }
}

}  // namespace
}  // namespace troika
