#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "dto/redact.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

std::string Plain(std::string text) {
  Redactor(std::vector<std::string>{}).RedactPlain(&text);
  return text;
}

std::string Json(std::string json) {
  Redactor(std::vector<std::string>{}).Redact(&json, 0);
  return json;
}

// Keys are put together here, so that no scanner takes this file for a leak.
std::vector<std::string> Keys() {
  const std::string random = "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3";
  std::vector<std::string> keys = {
      absl::StrCat("sk-", random.substr(0, 20)),
      absl::StrCat("sk-", std::string(40, 'a')),
      absl::StrCat("sk-ant-api03-", random, "-_", random),
      absl::StrCat("sk-proj-", random),
      absl::StrCat("github_pat_", random.substr(0, 22), "_", random),
      absl::StrCat("glpat-", random.substr(0, 20)),
      absl::StrCat("AIza", random.substr(0, 35)),
      absl::StrCat("npm_", random.substr(0, 36)),
      absl::StrCat("hf_", random.substr(0, 34)),
      absl::StrCat("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0In0.", random),
      absl::StrCat("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0",
                   ".eyJzdWIiOiIxMjM0In0."),
  };
  for (const char* kind : {"p", "o", "s", "u", "r"}) {
    keys.push_back(absl::StrCat("gh", kind, "_", random.substr(0, 36)));
    keys.push_back(absl::StrCat("gh", kind, "_", std::string(36, 'a')));
  }
  for (const char* kind : {"b", "p", "a", "s"}) {
    keys.push_back(absl::StrCat("xox", kind, "-123456789012-", random));
  }
  for (const char* kind : {"AKIA", "ASIA"}) {
    keys.push_back(absl::StrCat(kind, "IOSFODNN7EXAMPLE"));
  }
  return keys;
}

TEST(SecretShapesTest, FindsKeysAnywhere) {
  for (const std::string& key : Keys()) {
    for (const std::string before :
         {"", " ", "key=", "\"", "(", "a b c d e f g h ", "/", "\n", "%3D",
          "\x1b[32m", "\x1b[1;31m", "my-", "x_", "0123456789abcdef "}) {
      for (const std::string after : {"", " ", "\"", ",x", "\n", "\x1b[0m"}) {
        EXPECT_EQ(Plain(absl::StrCat(before, key, after)),
                  absl::StrCat(before, "[redacted]", after));
      }
      // As a string of JSON, and as JSON within one.
      std::string once = "{\"a\":", twice = "[";
      json::AppendQuoted(absl::StrCat(before, key), &once);
      once += "}";
      json::AppendQuoted(once, &twice);
      twice += "]";
      for (const std::string& json : {once, twice}) {
        const std::string redacted = Json(json);
        EXPECT_FALSE(absl::StrContains(redacted, key)) << redacted;
        EXPECT_TRUE(absl::StrContains(redacted, "[redacted]")) << redacted;
        json::Parser parser;
        EXPECT_TRUE(parser.Parse(redacted).ok()) << redacted;
      }
    }
  }
}

TEST(SecretShapesTest, LeavesOtherWordsAlone) {
  for (const std::string text : {"task-1234567890abcdef1234567890",
                                 "sk-learn-something-very-useful",
                                 "disk-0123456789abcdef0123",
                                 "npm_config_registry_and_more_words_here",
                                 "AKIAIOSFODNN7EXAMPLEANDMORE",
                                 "hf_transfer_enabled_for_all_models",
                                 "eyJhbGciOiJIUzI1NiJ9 is a header",
                                 "xoxb-short",
                                 "ghp_short",
                                 "0f8fad5b-d9cb-469f-a165-70867728950e",
                                 "-----BEGIN CERTIFICATE-----",
                                 "toolu_01A09q90qw90lq917835lq9",
                                 "user@example.test",
                                 "git@github.com:owner/name.git",
                                 "ssh://git@github.com/owner/name",
                                 "https://example.test/@user",
                                 "@@ -1,2 +3,4 @@",
                                 "Authorization: required",
                                 "the bearer of this letter",
                                 "authorization code flow",
                                 "http://localhost:8080/a@b"}) {
    EXPECT_EQ(Plain(text), text);
    std::string json;
    json::AppendQuoted(text, &json);
    EXPECT_EQ(Json(json), json);
  }
}

TEST(SecretShapesTest, FindsPasswordsInUrls) {
  const struct {
    std::string url, shown;
  } cases[] = {
      {"postgres://user:hunter2@host/db", "postgres://user:[redacted]@host/db"},
      {"redis://:hunter2@host", "redis://:[redacted]@host"},
      {"mongodb+srv://u:a@b@host/?x=y", "mongodb+srv://u:[redacted]@host/?x=y"},
      {"https://u:p%2Fw@h/ https://u:q@h/",
       "https://u:[redacted]@h/ https://u:[redacted]@h/"},
      {"https://0123456789abcdef0123@host/", "https://[redacted]@host/"},
      {"http://u:a\\u0026b@h", "http://u:[redacted]@h"},
      {"http:\\/\\/u:pw@h", "http:\\/\\/u:[redacted]@h"}};
  for (const auto& c : cases) {
    EXPECT_EQ(Plain(c.url), c.shown);
    EXPECT_EQ(Json(absl::StrCat("{\"a\":\"", c.url, "\"}")),
              absl::StrCat("{\"a\":\"", c.shown, "\"}"));
  }
  EXPECT_EQ(Plain("http://host:80\nme@example.test"),
            "http://host:80\nme@example.test");
  EXPECT_EQ(Json(R"("http://host:80\nme@example.test")"),
            R"("http://host:80\nme@example.test")");
}

TEST(SecretShapesTest, FindsAuthorization) {
  EXPECT_EQ(Plain("Authorization: Bearer abc.def"),
            "Authorization: Bearer [redacted]");
  EXPECT_EQ(Plain("authorization: bearer 0123456789"),
            "authorization: bearer [redacted]");
  EXPECT_EQ(Plain("Authorization: Basic dXNlcjpwYXNz"),
            "Authorization: Basic [redacted]");
  EXPECT_EQ(Json(R"({"Authorization":"token abcd"})"),
            R"({"Authorization":"token [redacted]"})");
  EXPECT_EQ(Json(R"(["-H \"Authorization: Bearer x1y2z3\" -v"])"),
            R"(["-H \"Authorization: Bearer [redacted]\" -v"])");
}

TEST(SecretShapesTest, FindsPrivateKeys) {
  const std::string begin = "-----BEGIN RSA PRIVATE KEY-----";
  const std::string end = "-----END RSA PRIVATE KEY-----";
  const std::string body = "MIIEvQIBADANBg+/kq\nhkiG9w0BAQEF==\n";
  const std::string pem = absl::StrCat(begin, "\n", body, end);
  EXPECT_EQ(Plain(absl::StrCat("a\n", pem, "\nb")), "a\n[redacted]\nb");
  // Lines with numbers, as tools print them.
  EXPECT_EQ(Plain(absl::StrCat("1→", begin, "\n2→MIIE\n3→", end, "\n")),
            "1→[redacted]\n");
  // Cut off at either end.
  EXPECT_EQ(Plain(absl::StrCat("a\n", begin, "\n", body)), "a\n[redacted]");
  EXPECT_EQ(Plain(absl::StrCat("\"", body, end)),
            absl::StrCat("\"[redacted]", end));
  std::string once = "{\"a\":", twice;
  json::AppendQuoted(absl::StrCat(pem, "\n"), &once);
  once += ",\"b\":\"c\"}";
  EXPECT_EQ(Json(once), R"({"a":"[redacted]\n","b":"c"})");
  json::AppendQuoted(once, &twice);
  EXPECT_EQ(Json(twice), R"("{\"a\":\"[redacted]\\n\",\"b\":\"c\"}")");
  std::string cut = "{\"a\":";
  json::AppendQuoted(absl::StrCat(begin, "\n", body, "\"x"), &cut);
  cut += ",\"b\":\"c\"}";
  EXPECT_EQ(Json(cut), R"({"a":"[redacted]\"x","b":"c"})");
  EXPECT_EQ(Plain("-----BEGIN PUBLIC KEY-----\nMII\n"),
            "-----BEGIN PUBLIC KEY-----\nMII\n");
}

// Texts of pieces that are or look like secrets, in every order: what was JSON
// stays JSON, and no secret is left.
TEST(SecretShapesTest, RandomTextsStayJsonWithoutSecrets) {
  const std::vector<std::string> secrets = {"hunter2hunter2", "p\"w\\d\n12",
                                            "12345678", "nabcdefg", "äöüß/<&>"};
  std::vector<std::string> pieces = Keys();
  pieces.insert(pieces.end(), secrets.begin(), secrets.end());
  for (const char* piece : {"\\",
                            "\"",
                            "\n",
                            "://",
                            "u:",
                            "@",
                            "-----BEGIN PRIVATE KEY-----",
                            "-----END PRIVATE KEY-----",
                            "MIIE",
                            "Bearer ",
                            "Authorization: ",
                            " ",
                            "\x01",
                            "{",
                            "}",
                            "%",
                            "\x1b[3m",
                            "é",
                            "sk-",
                            "eyJ",
                            ".",
                            "/"}) {
    pieces.emplace_back(piece);
  }
  const Redactor redactor(secrets);
  std::mt19937 random(7);
  const auto pick = [&](size_t n) { return random() % n; };
  json::Parser parser;
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    for (size_t n = pick(12); n > 0; --n) text += pieces[pick(pieces.size())];
    std::string json = "{\"a\":";
    json::AppendQuoted(text, &json);
    if (pick(2) == 0) {
      std::string nested;
      json::AppendQuoted(json + "}", &nested);
      json = absl::StrCat("{\"n\":12345678,\"b\":", nested);
    }
    json += "}";
    std::string redacted = json;
    redactor.Redact(&redacted, 0);
    const auto parsed = parser.Parse(redacted);
    ASSERT_TRUE(parsed.ok()) << json << "\n" << redacted;
    const std::string value(
        parsed->members().begin() != parsed->members().end()
            ? (*parsed->members().begin()).value.StringOr("")
            : "");
    for (const std::string& secret : secrets) {
      ASSERT_FALSE(absl::StrContains(value, secret)) << json << "\n"
                                                     << redacted;
    }
    std::string plain = text;
    redactor.RedactPlain(&plain);
    for (const std::string& secret : secrets) {
      ASSERT_FALSE(absl::StrContains(plain, secret)) << text << "\n" << plain;
    }
  }
}

// A scan that began anew at each of these would take hours.
TEST(SecretShapesTest, TakesLinearTime) {
  for (const std::string piece :
       {"@", "a@", "sk-", "eyJ", "eyJ.eyJ", "-----",
        "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "Bearer ",
        "://", "u:p@", "\\", "a", "ghp_", "uthorization"}) {
    std::string text = "\"";
    while (text.size() < (1 << 17)) text += piece;
    Plain(text);
    Json(text);
  }
}

}  // namespace
}  // namespace troika
