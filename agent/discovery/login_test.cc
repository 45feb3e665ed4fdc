// Tests LooksLoggedIn of the backends, with files and variables.
#include <optional>
#include <string>

#include "agent/registry.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika {
namespace {

std::optional<bool> Ask(Harness harness, const TempFolder& home,
                        Environment::Map variables = {}) {
  variables["HOME"] = home.Path("");
  return BackendOf(harness).LooksLoggedIn(Environment(std::move(variables)));
}

TEST(LoginTest, WithoutAnythingNobodyIs) {
  const TempFolder home;
  for (const Harness harness :
       {Harness::kCodex, Harness::kClaude, Harness::kGemini}) {
    EXPECT_EQ(Ask(harness, home), false) << HarnessId(harness);
    EXPECT_FALSE(BackendOf(harness).login_hint.empty());
    EXPECT_FALSE(BackendOf(harness).models.empty());
  }
}

TEST(LoginTest, VariablesTell) {
  const TempFolder home;
  const struct {
    Harness harness;
    std::string variable;
  } kCases[] = {{Harness::kCodex, "CODEX_API_KEY"},
                {Harness::kCodex, "OPENAI_API_KEY"},
                {Harness::kClaude, "ANTHROPIC_API_KEY"},
                {Harness::kClaude, "CLAUDE_CODE_OAUTH_TOKEN"},
                {Harness::kClaude, "CLAUDE_CODE_USE_BEDROCK"},
                {Harness::kGemini, "GEMINI_API_KEY"},
                {Harness::kGemini, "GOOGLE_GENAI_USE_VERTEXAI"}};
  for (const auto& c : kCases) {
    EXPECT_EQ(Ask(c.harness, home, {{c.variable, "x"}}), true) << c.variable;
    EXPECT_EQ(Ask(c.harness, home, {{c.variable, ""}}), false) << c.variable;
  }
}

TEST(LoginTest, FilesTell) {
  const struct {
    Harness harness;
    std::string file;
    std::string text;
    std::optional<bool> logged_in;
  } kCases[] = {
      {Harness::kCodex, ".codex/auth.json", "{}", true},
      {Harness::kCodex, ".codex/config.toml", "model = \"m\"", false},
      {Harness::kCodex, ".codex/config.toml", "model_provider = \"mine\"", {}},
      {Harness::kClaude, ".claude/.credentials.json", "{}", true},
      {Harness::kClaude, ".claude.json", "{\"oauthAccount\":{}}", true},
      {Harness::kClaude, ".claude.json", "{\"projects\":{}}", false},
      {Harness::kClaude,
       ".claude/settings.json",
       "{\"apiKeyHelper\":\"h\"}",
       {}},
      {Harness::kGemini, ".gemini/oauth_creds.json", "{}", true},
      {Harness::kGemini, ".gemini/.env", "A=b", {}},
  };
  for (const auto& c : kCases) {
    const TempFolder home;
    home.Write(c.file, c.text);
    EXPECT_EQ(Ask(c.harness, home), c.logged_in) << c.file << " " << c.text;
  }
}

TEST(LoginTest, TheFoldersCanBeElsewhere) {
  const TempFolder home;
  home.Write("else/auth.json", "{}");
  home.Write("else/.credentials.json", "{}");
  const std::string folder = home.Path("else");
  EXPECT_EQ(Ask(Harness::kCodex, home, {{"CODEX_HOME", folder}}), true);
  EXPECT_EQ(Ask(Harness::kClaude, home, {{"CLAUDE_CONFIG_DIR", folder}}), true);
}

}  // namespace
}  // namespace troika
