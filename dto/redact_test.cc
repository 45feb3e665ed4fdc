#include "dto/redact.h"

#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
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
       {"OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "aws_secret_access_key",
        "PGPASSWORD",
        "DB_PASSWD",
        "apiKey",
        "auth-token",
        "NPM_CONFIG__AUTH",
        "API_KEY_2",
        "TLS_KEY_B64",
        "mcp_servers.x.http_headers.Authorization",
        "AUTHTOKEN",
        "GOOGLE_CREDENTIALS",
        "CLIENT_SECRET",
        "sessionToken",
        "APIKEY",
        "SECRET_KEY_BASE",
        "MYSQL_PWD",
        "SSHPASS",
        "GH_PAT",
        "API_KEY_PROD",
        "NPM_TOKEN",
        "BEARER",
        "PASSPHRASE",
        "COOKIE",
        "SESSION_KEY",
        "PRIVATE_KEY",
        "SIGNING_KEY",
        "APIKEYPROD",
        "TS_AUTHKEY",
        "DBPASS",
        "VAULT_SECRET_ID",
        "DOCKER_AUTH_CONFIG",
        "GoogleAPIKey",
        "SECRETS",
        "JWT",
        "KEY_PROD",
        "STRIPE_SECRET_LIVE",
        "PASSWORD_HASH"}) {
    EXPECT_TRUE(LooksSecretName(name)) << name;
  }
  for (const absl::string_view name : {"SSH_AUTH_SOCK",
                                       "KEYBOARD",
                                       "XKB_KEYBOARD_LAYOUT",
                                       "PWD",
                                       "OLDPWD",
                                       "MAX_TOKENS",
                                       "AWS_ACCESS_KEY_ID",
                                       "bearer_token_env_var",
                                       "env_key",
                                       "model_providers.x.env_key",
                                       "MONKEY",
                                       "PATH",
                                       "",
                                       "__",
                                       "42",
                                       "TOKENIZERS_PARALLELISM",
                                       "AUTHOR",
                                       "apiKeyHelper",
                                       "GPG_TTY",
                                       "XDG_SESSION_ID",
                                       "DISPLAY",
                                       "TLS_KEY_FILE",
                                       "SSH_ASKPASS",
                                       "GNOME_KEYRING_CONTROL",
                                       "PASSWORD_STORE_DIR",
                                       "GIT_AUTHOR_NAME",
                                       "COMPASS_HOME",
                                       "TOKEN_URL",
                                       "DATABASE_URL",
                                       "SSH_PUBLIC_KEY",
                                       "DBUS_SESSION_BUS_ADDRESS",
                                       "XAUTHORITY",
                                       "KEY_REPEAT",
                                       "BYPASS"}) {
    EXPECT_FALSE(LooksSecretName(name)) << name;
  }
  EXPECT_TRUE(LooksPasswordName("MYSQL_PWD"));
  EXPECT_TRUE(LooksPasswordName("SSHPASS"));
  EXPECT_FALSE(LooksPasswordName("API_KEY"));
}

TEST(RedactTest, PasswordsMayBeShorterThanOtherSecrets) {
  EXPECT_THAT(SecretsOf(Environment({{"MYSQL_PWD", "s3cr3t"},
                                     {"PGPASSWORD", "12345"},
                                     {"OTHER_PASS", "123456"},
                                     {"API_KEY", "s3cr3t7"}}),
                        {}),
              UnorderedElementsAre("s3cr3t"));
}

TEST(RedactTest, HarmlessValuesAreNoSecrets) {
  EXPECT_THAT(SecretsOf(Environment({{"A_TOKEN", "disabled"},
                                     {"B_SECRET", "********"},
                                     {"C_KEY", "/etc/ssl/private.pem"},
                                     {"D_KEY", "https://example.test/key"},
                                     {"E_PASSWORD", "true"}}),
                        {}),
              IsEmpty());
}

TEST(RedactTest, SecretsWithinOtherValues) {
  EXPECT_THAT(
      SecretsOf(
          Environment(
              {{"DATABASE_URL", "postgres://user:p%40ssword@host:5432/db"},
               {"HTTPS_PROXY", "http://u:proxy-pw@proxy:3128"},
               {"PG_DSN", "host=h user=u password=libpq-pw dbname=d"},
               {"ADO", "Server=s;User Id=u;Pwd=ado-pw1;Timeout=5"},
               {"GO_DSN", "user:mysql-pw@tcp(localhost:3306)/db"},
               {"ANY", "https://h.test/?user=u&api_token=query-token"},
               {"GOOGLE_CREDENTIALS",
                R"({"client_email":"a@b.test","private_key":"key-of-json"})"},
               {"PLAIN_URL", "https://user@host/path"}}),
          {}),
      UnorderedElementsAre("p%40ssword", "p@ssword", "proxy-pw", "libpq-pw",
                           "ado-pw1", "mysql-pw", "query-token",
                           "key-of-json"));
}

TEST(RedactTest, KeysOfSeveralLinesAreFoundByTheLine) {
  const std::string line1 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
  const std::string line2 = "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
  const auto secrets = SecretsOf(
      Environment({{"TLS_KEY", absl::StrCat("-----BEGIN PRIVATE KEY-----\n",
                                            line1, "\n", line2, "\n")}}),
      {});
  EXPECT_EQ(Redacted(secrets, absl::StrCat("\"2: ", line2, "\"")),
            "\"2: [redacted]\"");
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

// Encodings that a known secret may be printed in.
TEST(RedactTest, FindsEncodedSecrets) {
  const std::string secret = "p&ss/wörd<1>";
  const Redactor redactor({secret});
  for (const std::string& form :
       {std::string("p&ss/wörd<1>"),
        std::string("p\\u0026ss/wörd\\u003c1\\u003e"),
        std::string("p&ss\\/wörd<1>"), std::string("p&ss/w\\u00f6rd<1>"),
        std::string("p%26ss%2Fw%C3%B6rd%3C1%3E"),
        std::string("p%26ss%2fw%c3%b6rd%3c1%3e")}) {
    std::string json = absl::StrCat("{\"a\":\"x ", form, " y\"}");
    redactor.Redact(&json, 0);
    EXPECT_EQ(json, "{\"a\":\"x [redacted] y\"}") << form;
  }
  for (const std::string before : {"", "u", "user:", "ab"}) {
    std::string text = absl::Base64Escape(absl::StrCat(before, secret, "xyz"));
    redactor.RedactPlain(&text);
    EXPECT_THAT(text, HasSubstr("[redacted]"));
  }
}

TEST(RedactTest, JsonInPlainTextStaysJson) {
  std::string line = R"({"a":"x","y":"z","b":"x\",\"y\":\"z"})";
  Redactor({R"(x","y":"z)"}).RedactPlain(&line);
  EXPECT_EQ(line, R"({"a":"x","y":"z","b":"[redacted]"})");
}

TEST(RedactTest, TextsAreWithheldIfTheSecretsAreNotKnown) {
  const Redactor redactor(KnownSecrets{.problem = "its environment is lost"});
  std::string event =
      R"({"id":"7.0","time":"2026-11-17T02:00:00.5Z","taskId":"t1",)"
      R"("toolUse":{"id":"call_1","name":"hunter2","input":{"hunter2":[1]}},)"
      R"("result":{"text":"hunter2","isError":false,"state":"has space"}})"
      "\n";
  redactor.Redact(&event, 0);
  EXPECT_EQ(
      event,
      R"({"id":"7.0","time":"2026-11-17T02:00:00.5Z","taskId":"t1",)"
      R"("toolUse":{"id":"call_1","name":"[withheld]","input":"[withheld]"},)"
      R"("result":{"text":"[withheld]","isError":false,"state":"[withheld]"}})"
      "\n");
  std::string text = "hunter2";
  redactor.RedactPlain(&text);
  EXPECT_EQ(text, "[withheld: its environment is lost]");
}

}  // namespace
}  // namespace troika
