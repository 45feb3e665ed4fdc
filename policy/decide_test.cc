#include "policy/decide.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika::policy {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

Rules Parsed(absl::string_view text) {
  auto rules =
      Rules::Parse({.file = "f", .text = std::string(text)}, Dialect::kTroika);
  EXPECT_TRUE(rules.ok()) << rules.status();
  return rules.ok() ? *rules : Rules();
}

std::string Name(const Verdict& verdict) {
  if (!verdict.decision.has_value()) return "ask";
  return std::string(DecisionName(*verdict.decision));
}

std::string Line(const Rules& rules, absl::string_view line) {
  return Name(DecideCommand(rules, {.line = std::string(line)}));
}

constexpr absl::string_view kRules = R"(
prefix_rule(["git", ["status", "diff", "log"]])
prefix_rule(["git", "push"], "forbidden", justification = "Ask for a review.")
prefix_rule(["git", "commit"], "prompt")
prefix_rule(["ls"])
prefix_rule(["sudo"])
prefix_rule(["cd"])
prefix_rule(["npm", "test"])
prefix_rule(["/opt/x/tool"])
host_executable("ls", ["/bin/ls"])
prefix_rule(["curl"], "forbidden")
)";

TEST(DecideCommandTest, Lines) {
  const Rules rules = Parsed(kRules);
  const struct {
    absl::string_view line, decision;
  } kCases[] = {
      {"git status", "allow"},
      {"git status -s src", "allow"},
      {"git", "ask"},
      {"git stash", "ask"},
      {"git push", "forbidden"},
      {"git commit -m x", "prompt"},
      {"rm x", "ask"},
      // Compounds.
      {"git status && ls | git log; ls", "allow"},
      {"git status && git push", "forbidden"},
      {"git push; rm x", "forbidden"},
      {"git status && git commit", "prompt"},
      {"git commit && rm x", "prompt"},
      {"git commit && git push", "forbidden"},
      {"git status && rm x", "ask"},
      // What is not understood.
      {"git status > x", "ask"},
      {"git push && ls > x", "forbidden"},
      {"ls $(git push)", "ask"},
      {"git status; export PATH=x; ls", "ask"},
      {"git status &", "ask"},
      // Shells.
      {"bash -lc 'git status'", "allow"},
      {"/bin/bash -lc 'git status && ls'", "allow"},
      {"bash -lc 'git status; rm x'", "ask"},
      {"bash -lc 'git push'", "forbidden"},
      {"bash -lc \"bash -c 'git push'\"", "forbidden"},
      {"bash -lc 'ls $x'", "ask"},
      {"ls && bash -c 'ls'", "allow"},
      {"bash x.sh", "ask"},
      // Patterns that the shell expands.
      {"ls *.txt", "allow"},
      {"git diff HEAD~1", "allow"},
      {"git pu*", "ask"},
      {"git *", "ask"},
      {"ls -l *", "allow"},
      // Programs by their paths.
      {"/bin/ls", "allow"},
      {"/tmp/ls", "ask"},
      {"./ls", "ask"},
      {"/usr/bin/git status", "ask"},
      {"/usr/bin/git push", "forbidden"},
      {"./git push", "forbidden"},
      {"../x/git push -f", "forbidden"},
      {"/opt/x/tool a", "allow"},
      // Programs that run another one.
      {"sudo ls", "allow"},
      {"sudo git push", "forbidden"},
      {"sudo -u x /usr/bin/git push", "forbidden"},
      {"sudo git commit", "prompt"},
      {"sudo bash -c 'git push'", "forbidden"},
      {"sudo bash -c 'ls > x'", "ask"},
      {"sudo bash -c 'ls'", "allow"},
      {"sudo bash -c 'ls; timeout 5 git push'", "forbidden"},
      {"sudo bash -c \"ls && sh -c 'git push'\"", "forbidden"},
      {"sudo env nice bash -c 'git commit'", "prompt"},
      {"timeout 5 git status", "ask"},
      {"timeout 5 git push", "forbidden"},
      {"prlimit --nofile=9 git push", "forbidden"},
      {"fakeroot git push", "forbidden"},
      {"echo x | xargs -n 1 curl", "forbidden"},
      {"sudo *", "ask"},
      {"git log git push", "allow"},
      {"cd x && git status", "allow"},
      {"cd x && ./git status", "ask"},
  };
  for (const auto& [line, decision] : kCases) {
    EXPECT_EQ(Line(rules, line), decision) << line;
  }
}

TEST(DecideCommandTest, ShellsBehindLaunchers) {
  const Rules rules = Parsed(R"(
prefix_rule([["find", "xargs", "timeout", "nohup"]])
prefix_rule(["git", "push"], "forbidden")
prefix_rule(["curl"], "forbidden")
)");
  const struct {
    absl::string_view line, decision;
  } kCases[] = {
      // Not understood.
      {"find . -exec sh -c 'git push' \\;", "ask"},
      {"find . -exec ksh -c 'git push' x", "ask"},
      {"xargs sh -c 'curl x' _", "ask"},
      {"xargs sh", "ask"},
      {"timeout 5 bash -ec 'git push'", "ask"},
      {"timeout 5 sh -c 'git push' x", "ask"},
      {"timeout 5 sh x.sh", "ask"},
      {"timeout 5 /opt/x/bash -c 'git push'", "ask"},
      {"timeout 5 ksh93 -c 'git push'", "ask"},
      {"nohup bash -x -c 'curl http://x'", "ask"},
      {"nohup fish -c 'git push'", "ask"},
      {"nohup ash -c 'git push'", "ask"},
      {"nohup timeout 5 zsh -fc 'git push'", "ask"},
      {"timeout 5 sh -c \"bash -ec 'git push'\"", "ask"},
      {"timeout 5 sh -c \"nohup bash -ec 'git push'\"", "ask"},
      {"bash -lc \"timeout 5 bash -ec 'git push'\"", "ask"},
      // Understood.
      {"timeout 5 sh -c 'git push'", "forbidden"},
      {"timeout 5 bash -l -c 'curl x'", "forbidden"},
      {"xargs sh x.sh && git push", "forbidden"},
      {"timeout 5 bash -c ls", "allow"},
      {"find . -name x.sh", "allow"},
      {"nohup make bash_test", "allow"},
  };
  for (const auto& [line, decision] : kCases) {
    EXPECT_EQ(Line(rules, line), decision) << line;
  }
  EXPECT_EQ(
      DecideCommand(rules, {.line = "timeout 5 bash -ec 'git push'"})
          .explanation,
      "a shell is started in a way that is not understood: bash -ec git push");
}

TEST(DecideCommandTest, Argv) {
  const Rules rules = Parsed(kRules);
  const auto decide = [&](std::vector<std::string> argv) {
    return Name(DecideCommand(rules, {.argv = std::move(argv)}));
  };
  EXPECT_EQ(decide({"git", "status", "*", "$(x)", ">"}), "allow");
  EXPECT_EQ(decide({"bash", "-lc", "git status && git push"}), "forbidden");
  EXPECT_EQ(decide({"bash", "-lc", "git status && ls"}), "allow");
  EXPECT_EQ(decide({"git push"}), "ask");
  EXPECT_EQ(decide({""}), "ask");
  EXPECT_EQ(Name(DecideCommand(rules, {})), "ask");
}

TEST(DecideCommandTest, NamesTheRulesThatDecided) {
  const Rules rules = Parsed(kRules);
  const Verdict forbidden =
      DecideCommand(rules, {.line = "git status && /usr/bin/git push -f"});
  ASSERT_THAT(forbidden.matched, SizeIs(1));
  EXPECT_EQ(forbidden.matched[0].source.line, 3);
  EXPECT_THAT(forbidden.matched[0].matched_prefix,
              testing::ElementsAre("git", "push"));
  EXPECT_EQ(forbidden.matched[0].resolved_program, "/usr/bin/git");
  EXPECT_EQ(forbidden.Justification(), "Ask for a review.");
  EXPECT_EQ(forbidden.explanation, "");

  const Verdict allowed =
      DecideCommand(rules, {.line = "git status; ls; git log; ls"});
  ASSERT_THAT(allowed.matched, SizeIs(2));
  EXPECT_EQ(allowed.matched[0].source.line, 2);
  EXPECT_EQ(allowed.matched[1].source.line, 5);
  EXPECT_EQ(allowed.explanation, "");

  const Verdict unknown = DecideCommand(rules, {.line = "ls; rm -rf x"});
  EXPECT_THAT(unknown.matched, IsEmpty());
  EXPECT_EQ(unknown.explanation, "no rule speaks of rm -rf x");
  EXPECT_EQ(DecideCommand(rules, {.line = "ls >x"}).explanation,
            "it redirects input or output");
}

TEST(DecideCommandTest, TheStrictestOfAllFilesWins) {
  const Rules allow = Parsed("prefix_rule(['a'])");
  const Rules prompt = Parsed("prefix_rule(['a', 'b'], 'prompt')");
  const Rules forbid = Parsed("prefix_rule([['a', 'c']], 'forbidden')");
  EXPECT_EQ(Line(Rules::Combine({allow, prompt}), "a b"), "prompt");
  EXPECT_EQ(Line(Rules::Combine({prompt, allow}), "a b"), "prompt");
  EXPECT_EQ(Line(Rules::Combine({prompt, allow}), "a c"), "allow");
  EXPECT_EQ(Line(Rules::Combine({forbid, prompt, allow}), "a b"), "forbidden");
}

TEST(DecideCommandTest, ABrokenFileNeverAllows) {
  const Rules broken =
      Rules::ParseOrBroken({.file = "g", .text = "x"}, Dialect::kTroika);
  const Rules rules = Rules::Combine({Parsed(kRules), broken});
  const Verdict verdict = DecideCommand(rules, {.line = "git status"});
  EXPECT_EQ(Name(verdict), "prompt");
  EXPECT_THAT(verdict.matched, IsEmpty());
  EXPECT_THAT(verdict.explanation,
              StartsWith("a rules file is broken: g:1:2: "));
  EXPECT_EQ(Line(rules, "git push"), "forbidden");
  EXPECT_EQ(Line(rules, "rm"), "ask");
  EXPECT_EQ(
      Name(DecideEdit(Rules::Combine({Parsed("edit_rule(['**'])"), broken}),
                      {.paths = {"x"}, .cwd = "/"})),
      "prompt");
  EXPECT_EQ(Name(DecideTool(Rules::Combine({Parsed("tool_rule('s')"), broken}),
                            {.server = "s", .tool = "t"})),
            "prompt");
}

TEST(DecideCommandTest, AtMost64Rules) {
  std::string text;
  for (int i = 0; i < 200; ++i) absl::StrAppend(&text, "prefix_rule(['a'])\n");
  EXPECT_THAT(DecideCommand(Parsed(text), {.line = "a"}).matched, SizeIs(64));
}

TEST(DecideCommandTest, NestedShells) {
  const Rules rules = Parsed(kRules);
  std::string line = "ls";
  for (int depth = 1; depth <= 6; ++depth) {
    std::string quoted = "bash -c '";
    for (const char c : line) {
      absl::StrAppend(&quoted, c == '\'' ? "'\\''" : std::string(1, c));
    }
    line = quoted + "'";
    EXPECT_EQ(Line(rules, line), depth <= 4 ? "allow" : "ask") << line;
  }
}

TEST(DecideCommandTest, ReadyRulesOfTheDocs) {
  const std::string page = *ReadFile("docs/policy.md");
  std::string text;
  const size_t begin = page.find("## Ready rules");
  ASSERT_NE(begin, std::string::npos);
  for (absl::string_view line :
       absl::StrSplit(absl::string_view(page).substr(begin), '\n')) {
    if (absl::ConsumePrefix(&line, "    ")) absl::StrAppend(&text, line, "\n");
  }
  const Rules rules = Parsed(text);
  EXPECT_EQ(Line(rules, "git log -3 && cargo test | head -5"), "allow");
  EXPECT_EQ(Line(rules, "git push"), "forbidden");
  EXPECT_EQ(Line(rules, "echo x | xargs curl"), "forbidden");
  EXPECT_EQ(Line(rules, "npm install x"), "prompt");
  EXPECT_EQ(Line(rules, "git commit"), "ask");
  const auto edit = [&](std::string path) {
    return Name(DecideEdit(rules, {.paths = {path}, .cwd = "/p"}));
  };
  EXPECT_EQ(edit("docs/a.txt"), "allow");
  EXPECT_EQ(edit("docs/.env"), "forbidden");
  EXPECT_EQ(edit("src/a.cc"), "ask");
}

TEST(StricterTest, ForbiddenBeforeAskedBeforeAllowed) {
  const Verdict allow = {.decision = Decision::kAllow};
  const Verdict ask = {};
  const Verdict prompt = {.decision = Decision::kPrompt};
  const Verdict forbid = {.decision = Decision::kForbidden};
  const std::vector<Verdict> order = {allow, ask, prompt, forbid};
  for (size_t a = 0; a < order.size(); ++a) {
    for (size_t b = 0; b < order.size(); ++b) {
      EXPECT_EQ(Name(Stricter(order[a], order[b])),
                Name(order[std::max(a, b)]));
    }
  }
}

TEST(DecideEditTest, Paths) {
  const Rules rules = Parsed(R"(
edit_rule(["docs/**", "*.md", "src/**/*.cc", "a?c"])
edit_rule(["docs/secret/**", "**/.env"], "forbidden", justification = "No.")
edit_rule(["/etc/**"], "prompt")
edit_rule(["/tmp/*/x"])
)");
  const struct {
    absl::string_view path, decision;
  } kCases[] = {
      {"docs/a", "allow"},
      {"docs/b/c.d", "allow"},
      {"docs", "ask"},
      {"docsx", "ask"},
      {"x/docs/a", "ask"},
      {"./docs//a", "allow"},
      {"/home/u/p/docs/a", "allow"},
      {"/home/u/docs/a", "ask"},
      {"../p/docs/a", "allow"},
      {"../docs/a", "ask"},
      {"docs/../src/a", "ask"},
      {"docs/../docs/a", "ask"},
      {"docs/x/../secret/a", "forbidden"},
      {"docs/secret/a", "forbidden"},
      {"a.md", "allow"},
      {"x/a.md", "ask"},
      {"src/a.cc", "allow"},
      {"src/x/y/a.cc", "allow"},
      {"src/a.h", "ask"},
      {"abc", "allow"},
      {"aéc", "allow"},
      {"a/c", "ask"},
      {".env", "forbidden"},
      {"x/y/.env", "forbidden"},
      {"/etc/passwd", "prompt"},
      {"/tmp/a/x", "allow"},
      {"/tmp/a/b/x", "ask"},
      {"", "ask"},
      {"docs/\xFF", "ask"},
      {"docs/a\nb", "allow"},
      {"/", "ask"},
  };
  for (const auto& [path, decision] : kCases) {
    EXPECT_EQ(Name(DecideEdit(
                  rules, {.paths = {std::string(path)}, .cwd = "/home/u/p"})),
              decision)
        << path;
  }
  const auto decide = [&](std::vector<std::string> paths) {
    return Name(DecideEdit(rules, {.paths = paths, .cwd = "/home/u/p/"}));
  };
  EXPECT_EQ(decide({"docs/a", "a.md"}), "allow");
  EXPECT_EQ(decide({"docs/a", "x"}), "ask");
  EXPECT_EQ(decide({"docs/a", "/etc/x"}), "prompt");
  EXPECT_EQ(decide({"x", "/etc/x", ".env"}), "forbidden");
  EXPECT_EQ(decide({}), "ask");
}

TEST(DecideEditTest, PathsThatACliCouldExpandOrTrimAreAsked) {
  const Rules rules = Parsed(R"(
edit_rule(["**"])
edit_rule(["**/.env"], "forbidden")
)");
  const auto decide = [&](absl::string_view path) {
    return DecideEdit(rules, {.paths = {std::string(path)}, .cwd = "/p"});
  };
  for (const char* path :
       {"~", "~/a", "~u/a", " a", "a ", "\ta", "a\n", "a\r", "\x01x", "a\x7f",
        " ~/a", " /etc/x", "/etc/x ", "\xC2\xA0/etc/x", "a\xE2\x80\xA8",
        "\xEF\xBB\xBFx", "a\xC2\x85"}) {
    EXPECT_EQ(Name(decide(path)), "ask") << path;
    EXPECT_THAT(decide(path).explanation, HasSubstr("expand or trim")) << path;
  }
  for (const char* path :
       {"a b", "a~", "a/~/b", "a\nb", "é", "a\xE2\x80\xA6"}) {
    EXPECT_EQ(Name(decide(path)), "allow") << path;
  }
  for (const char* path : {"~/.env", " x/.env"}) {
    EXPECT_EQ(Name(decide(path)), "forbidden") << path;
  }
}

TEST(DecideEditTest, TooManyPatternsAreAsked) {
  std::string text = "edit_rule(['**'])\nedit_rule([\n";
  for (int i = 0; i < 2000; ++i) {
    absl::StrAppend(&text, "'**/a", i, "*b*c/**',\n");
  }
  const Rules rules = Parsed(absl::StrCat(text, "], 'prompt')\n"));
  const Verdict verdict = DecideEdit(rules, {.paths = {"x"}, .cwd = "/"});
  EXPECT_EQ(Name(verdict), "ask");
  EXPECT_THAT(verdict.explanation, HasSubstr("too many"));
}

TEST(ChangesPolicyTest, Folders) {
  const auto changes = [](std::string path) {
    return ChangesPolicy({.paths = {"x", path}, .cwd = "/home/u/p"},
                         "/home/u/.local/troika/policy/");
  };
  for (const char* path :
       {".troika/a.rules", ".troika", "sub/.troika/x", "/x/.TROIKA/y",
        "../.local/troika/policy/user.rules", "/home/u/.local/troika/policy",
        "/home/u/.local/x/../troika/policy/a", ".troika/../x",
        "../.config/troika/config.toml", "/etc/Troika/Config.TOML",
        "/home/u/.config/x/../troika/config.toml"}) {
    EXPECT_TRUE(changes(path)) << path;
  }
  for (const char* path :
       {"a", ".troikax/a", "troika/a", "config.toml", "/home/u/.local/troika",
        "/home/u/.codex/config.toml", "/home/u/.local/troika/policyx"}) {
    EXPECT_FALSE(changes(path)) << path;
  }
}

TEST(DecideToolTest, Names) {
  const Rules rules = Parsed(R"(
tool_rule(server = "github")
tool_rule(server = "github", tool = ["delete", "push"], decision = "forbidden")
tool_rule(tool = "WebFetch", decision = "prompt")
tool_rule("a", "b")
)");
  const auto decide = [&](std::string server, std::string tool) {
    return Name(DecideTool(rules, {.server = server, .tool = tool}));
  };
  EXPECT_EQ(decide("github", "read"), "allow");
  EXPECT_EQ(decide("github", "push"), "forbidden");
  EXPECT_EQ(decide("", "WebFetch"), "prompt");
  EXPECT_EQ(decide("x", "WebFetch"), "ask");
  EXPECT_EQ(decide("a", "b"), "allow");
  EXPECT_EQ(decide("a", "c"), "ask");
  EXPECT_EQ(decide("", "b"), "ask");
}

}  // namespace
}  // namespace troika::policy
