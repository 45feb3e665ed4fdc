#include "policy/rules.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/decide.h"

namespace troika::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

absl::StatusOr<Rules> Parse(absl::string_view text,
                            Dialect dialect = Dialect::kTroika) {
  return Rules::Parse({.file = "f.rules", .text = std::string(text)}, dialect);
}

// Returns the error, or "" if the file is accepted.
std::string ErrorOf(absl::string_view text) {
  return std::string(Parse(text).status().message());
}

// Returns the value of a string literal, or the error.
std::string ValueOf(absl::string_view literal) {
  const auto rules = Parse(
      absl::StrCat("prefix_rule(['a'], justification = 'x' +", literal, ")\n"));
  if (!rules.ok()) return std::string(rules.status().message());
  return MatchPrefixRules(*rules, {"a"}, HostExecutables::kIgnore)[0]
      .justification.substr(1);
}

// Returns the matched prefixes, joined.
std::vector<std::string> Matches(const Rules& rules,
                                 const std::vector<std::string>& words) {
  std::vector<std::string> texts;
  for (const MatchedRule& match :
       MatchPrefixRules(rules, words, HostExecutables::kIgnore)) {
    texts.push_back(absl::StrCat(DecisionName(match.decision), " ",
                                 absl::StrJoin(match.matched_prefix, " ")));
  }
  return texts;
}

TEST(RulesTest, AllMatchingRulesInTheirOrder) {
  const auto rules = Parse(R"(
prefix_rule(pattern = ["git", ["status", "diff"]], decision = "allow")
prefix_rule(["git"], "prompt")
prefix_rule(pattern = [["git", "hg"], "status"])  # allow is the default
prefix_rule(pattern = ["git", "push"], decision = "forbidden")
)");
  ASSERT_TRUE(rules.ok()) << rules.status();
  EXPECT_THAT(
      Matches(*rules, {"git", "status", "-s"}),
      ElementsAre("allow git status", "prompt git", "allow git status"));
  EXPECT_THAT(Matches(*rules, {"hg", "status"}),
              ElementsAre("allow hg status"));
  EXPECT_THAT(Matches(*rules, {"git"}), ElementsAre("prompt git"));
  EXPECT_THAT(Matches(*rules, {"hg"}), IsEmpty());
  EXPECT_THAT(Matches(*rules, {}), IsEmpty());
  EXPECT_TRUE(rules->CouldRestrict());
}

TEST(RulesTest, FirstAlternativesAreRulesOfTheirOwn) {
  const auto rules = Parse("prefix_rule([['a', 'a'], ['b', 'b']])");
  ASSERT_TRUE(rules.ok());
  EXPECT_THAT(Matches(*rules, {"a", "b"}),
              ElementsAre("allow a b", "allow a b"));
}

TEST(RulesTest, SourceNamesFileLineAndText) {
  const auto rules = Parse("\n# c\nprefix_rule(\n    pattern = ['a'],\n)\n");
  ASSERT_TRUE(rules.ok());
  EXPECT_EQ(MatchPrefixRules(*rules, {"a"}, HostExecutables::kIgnore)[0].source,
            (RuleSource{.file = "f.rules",
                        .line = 3,
                        .text = "prefix_rule( pattern = ['a'], )"}));
  const auto cut = Parse(absl::StrCat("prefix_rule(['a'], justification='",
                                      std::string(2000, 'x'), "')"));
  EXPECT_LE(MatchPrefixRules(*cut, {"a"}, HostExecutables::kIgnore)[0]
                .source.text.size(),
            500);
}

// Each was tried with codex 0.166.0.
TEST(RulesTest, Strings) {
  EXPECT_EQ(ValueOf(R"('a')"), "a");
  EXPECT_EQ(ValueOf(R"("a'b")"), "a'b");
  EXPECT_EQ(ValueOf("'''a\nb''c'''"), "a\nb''c");
  EXPECT_EQ(ValueOf("\"\"\"a\"b\"\"\""), "a\"b");
  EXPECT_EQ(ValueOf("''''a'''"), "'a");
  EXPECT_EQ(ValueOf("'''a\r\nb'''"), "a\nb");
  EXPECT_EQ(ValueOf(R"(r'a\n')"), R"(a\n)");
  EXPECT_EQ(ValueOf(R"(r"a\"b")"), R"(a"b)");
  EXPECT_EQ(ValueOf(R"(r'a\"b')"), R"(a"b)");
  EXPECT_EQ(ValueOf(R"(r'\\')"), R"(\\)");
  EXPECT_EQ(ValueOf(R"('\a\b\f\n\r\t\v\\\'\"')"), "\a\b\f\n\r\t\v\\'\"");
  EXPECT_EQ(ValueOf(R"('\1011\18\377\8')"), "A1\0018\u00FF\\8");
  EXPECT_EQ(ValueOf(R"('\x41\u0041\U0001F600\xff')"), "AA\U0001F600\u00FF");
  EXPECT_EQ(ValueOf(R"('\q\ \$\N{x}\/')"), R"(\q\ \$\N{x}\/)");
  EXPECT_EQ(ValueOf("'a\\\nb'"), "ab");
  EXPECT_EQ(ValueOf("'é\t'"), "é\t");
  EXPECT_EQ(ValueOf("'a' + ('b' + 'c')"), "abc");
  for (const char* bad : {R"('\x4')",    R"('\u004')",  R"('\U00110000')",
                          R"('\ud800')", "'a\nb'",      "'''a''''",
                          R"(r'\')",     "'a",          "'a' 'b'",
                          "f'a'",        "b'a'",        "R'a'",
                          "u'a'",        "'a' + ['b']", "1",
                          "None",        "('a',)",      "x",
                          "{}",          "'a'.lower()", "'a' * 2",
                          "'%s' % 'a'",  "'a'[0]",      "'a' if True else 'b'",
                          "str('a')",    "-'a'",        "[x for x in ['a']]",
                          "lambda: 'a'", "not 'a'"}) {
    EXPECT_THAT(ValueOf(bad), StartsWith("f.rules:")) << bad;
  }
}

TEST(RulesTest, AcceptedLayout) {
  for (const char* text :
       {"",
        "\n",
        "# only",
        "  # c\n\t# c\n \nprefix_rule(['a'])",
        "prefix_rule(['a']);prefix_rule(['b'])",
        "prefix_rule(['a']) ;\n",
        "prefix_rule(['a'],)",
        "prefix_rule ( [ 'a' , ] , )",
        "prefix_rule(\n['a',\n# c\n'b'\n,])",
        "prefix_rule( \\\n ['a'])",
        "\\\nprefix_rule(['a'])",
        "prefix_rule(['a']) \\\n",
        "prefix_rule(['a'])\r\nprefix_rule(['b'])\r\n",
        "'doc'\n",
        "x = 'a'\nx = x + 'b'\nprefix_rule([x])",
        "x = ['a'] + \\\n['b']\nprefix_rule(x)",
        "prefix_rule((['a']\n+['b']))",
        "match = 'a'\nprefix_rule([match], match = [match])",
        "prefix_rule(['a'], 'allow', ['a'], ['b'], 'why')",
        "prefix_rule(decision = 'allow', pattern = ['a'])",
        "host_executable('a', ['/x/a', '/y/../x/a'])",
        "host_executable(name = 'a', paths = [])",
        "network_rule('a.b:80', 'https', 'deny', 'why')",
        "network_rule(host='[::1]:80', protocol='http', decision='prompt')",
        "edit_rule(['a/**', '/b/*.c', '**/?.x'], 'forbidden', 'why')",
        "tool_rule('s', 't')",
        "tool_rule(server = ['s', 't'])",
        "tool_rule(tool = ['WebFetch'], decision = 'prompt')"}) {
    EXPECT_EQ(ErrorOf(text), "") << text;
  }
}

TEST(RulesTest, RefusedWithLineAndColumn) {
  const struct {
    const char* text;
    const char* error;
  } kCases[] = {
      {"  prefix_rule(['a'])", "1:1: the line is indented"},
      {"\tprefix_rule(['a'])", "1:1: tabs are not allowed"},
      {"prefix_rule(\t['a'])", "1:13: tabs are not allowed"},
      {"\n\nif True:\n  prefix_rule(['a'])", "3:1: `if` is not supported"},
      {"for x in ['a']: prefix_rule([x])", "1:1: `for` is not supported"},
      {"def f(): pass", "1:1: `def` is not supported"},
      {"load('x', 'y')", "1:1: `load` is not supported"},
      {"pass", "1:1: `pass` is not supported"},
      {"[prefix_rule(['a'])]", "1:1: expected a rule, found ["},
      {"x = prefix_rule(['a'])", "1:5: there is no variable `prefix_rule`"},
      {"x += ['a']", "1:3: expected `(` or `=`, found +"},
      {"x, y = 'a', 'b'", "1:2: expected `(` or `=`"},
      {"a = b = 'x'", "1:5: there is no variable `b`"},
      {"x = 'é'; y = 1", "1:14: numbers are not supported"},
      {"x = True", "1:5: `True` is not supported"},
      {"x: str = 'a'", "1:2: `:` is not supported"},
      {"x = {}", "1:5: `{` is not supported"},
      {"prefix_rule = 'a'", "1:1: `prefix_rule` can't be a variable"},
      {"prefix_rule(*[['a']])", "1:13: `*` is not supported"},
      {"prefix_rule(['a'])]", "1:19: expected the end of the line, found ]"},
      {"prefix_rule(['a']) prefix_rule(['a'])", "1:20: expected the end of"},
      {"prefix_rule(['a',,])", "1:18: expected a string or a list, found ,"},
      {"prefix_rule(['a'", "1:17: expected `,` or `]`, found the end of the"},
      {";prefix_rule(['a'])", "1:1: expected a rule, found ;"},
      {"prefix_rule(['a'])\rx", "1:19: there is a character"},
      {"\xEF\xBB\xBFprefix_rule(['a'])", "1:1: there is a character"},
      {"# \xFF", "1:1: the file is not UTF-8"},
      {"print('a')", "1:1: there is no function `print`"},
      {"prefix_rule()", "1:1: prefix_rule needs `pattern`"},
      {"prefix_rule([])", "1:13: `pattern` can't be empty"},
      {"prefix_rule('a')", "1:13: `pattern` must be a list"},
      {"prefix_rule(('a', 'b'))", "1:13: tuples are not supported"},
      {"prefix_rule([[]])", "1:14: there are no alternatives"},
      {"prefix_rule([[['a']]])", "1:15: `pattern` has a list"},
      {"prefix_rule(['a'], 'Allow')", "1:20: there is no decision \"Allow\""},
      {"prefix_rule(['a'], 'deny')", "1:20: there is no decision \"deny\""},
      {"prefix_rule(['a'], ['allow'])", "1:20: `decision` must be a string"},
      {"prefix_rule(['a'], justification=' ')",
       "1:34: `justification` can't be empty"},
      {"prefix_rule(['a'], foo='x')",
       "1:20: prefix_rule has no argument `foo`"},
      {"prefix_rule(['a'], pattern=['a'])", "1:20: `pattern` is given twice"},
      {"prefix_rule(decision='allow', ['a'])", "1:31: an argument without a"},
      {"prefix_rule(['a'],'allow',[],[],'j','k')",
       "1:37: prefix_rule takes at"},
      {"prefix_rule(['a'], match = 'a')", "1:28: `match` must be a list"},
      {"prefix_rule(['a'], match = [''])", "1:29: the example is empty"},
      {"prefix_rule(['a'], match = ['#a'])", "1:29: the example is empty"},
      {"prefix_rule(['a'], match = [[]])", "1:29: the example is empty"},
      {"prefix_rule(['a'], match = ['a \"b'])", "1:29: a quote of the example"},
      {"prefix_rule(['a'], match = ['a', 'b c'])",
       "1:34: the rule does not match the example: b c"},
      {"prefix_rule(['a'], not_match = ['b', 'a c'])",
       "1:38: the rule matches the example of not_match: a c"},
      {"prefix_rule(['a'], match = ['a;b'])", "1:29: the rule does not match"},
      {"prefix_rule(['a'], not_match = ['/x/a'])", "1:33: the rule matches"},
      {"prefix_rule(['a'], match=['/x/a'])\nhost_executable('a', ['/y/a'])",
       "1:27: the rule does not match"},
      {"host_executable('a')", "1:1: host_executable needs `paths`"},
      {"host_executable('a', ['y/a'])", "1:22: a path must be absolute"},
      {"host_executable('a', ['/y/b'])", "1:22: a path must be absolute"},
      {"host_executable('x/a', ['/x/a'])", "1:17: `name` must be the name"},
      {"network_rule('a', 'ftp', 'allow')", "1:19: `protocol` must be http"},
      {"network_rule('*.a', 'http', 'allow')", "1:14: host must be one host"},
      {"network_rule('a/b', 'http', 'allow')", "1:14: host must be a name"},
      {"network_rule('[::1', 'http', 'allow')", "1:14: host has no closing"},
      {"network_rule('a', 'http')", "1:1: network_rule needs `decision`"},
      {"edit_rule([])", "1:11: `paths` can't be empty"},
      {"edit_rule(['a/'])", "1:12: a path has no empty names"},
      {"edit_rule(['a', '../b'])", "1:17: a path can't have . and .."},
      {"edit_rule(['a**'])", "1:12: ** stands alone"},
      {"edit_rule(['[ab]'])", "1:12: a path has no special characters"},
      {"tool_rule()", "1:1: tool_rule needs"},
      {"tool_rule(server = '*')", "1:20: `server` must name something"},
      {"tool_rule('s', tool = '')", "1:23: `tool` must name something"},
  };
  for (const auto& [text, error] : kCases) {
    EXPECT_THAT(ErrorOf(text), StartsWith(absl::StrCat("f.rules:", error)))
        << text;
  }
}

TEST(RulesTest, OwnFunctionsAreNotCodexs) {
  EXPECT_THAT(
      Parse("edit_rule(['a'])", Dialect::kExecPolicy).status().message(),
      HasSubstr("1:1: there is no function `edit_rule` in Codex's"));
}

TEST(RulesTest, SizesAreBounded) {
  EXPECT_THAT(ErrorOf(std::string(2 << 20, '#')),
              HasSubstr("larger than 1 MiB"));
  EXPECT_THAT(ErrorOf(absl::StrCat("x = ", std::string(5000, '('))),
              HasSubstr("nested too deep"));
  EXPECT_THAT(
      ErrorOf(absl::StrCat("x = ", std::string(20, '['), std::string(20, ']'))),
      HasSubstr("nested too deep"));
  std::string doubling = "x = 'aaaaaaaaaaaaaaaa'\n";
  for (int i = 0; i < 60; ++i) absl::StrAppend(&doubling, "x = x + x\n");
  EXPECT_THAT(ErrorOf(doubling), HasSubstr("larger than 16 MiB"));
  std::string nesting = "x = []\n";
  for (int i = 0; i < 60; ++i) absl::StrAppend(&nesting, "x = [x]\n");
  EXPECT_THAT(ErrorOf(nesting), HasSubstr("nested too deep"));
}

// Alternatives at many places don't multiply.
TEST(RulesTest, ManyAlternatives) {
  std::string place = "[";
  for (int i = 0; i < 50; ++i) absl::StrAppend(&place, "'w", i, "',");
  absl::StrAppend(&place, "],");
  std::string text = "prefix_rule(['a',";
  for (int i = 0; i < 20; ++i) absl::StrAppend(&text, place);
  const auto rules = Parse(absl::StrCat(text, "])"));
  ASSERT_TRUE(rules.ok());
  std::vector<std::string> words(21, "w49");
  words[0] = "a";
  EXPECT_EQ(Matches(*rules, words).size(), 1);
  words[20] = "w50";
  EXPECT_THAT(Matches(*rules, words), IsEmpty());
}

TEST(RulesTest, HostExecutablesAsInCodex) {
  const auto rules = Parse(
      "prefix_rule(['a'])\nprefix_rule(['b'])\nprefix_rule(['/x/a', 'c'])\n"
      "host_executable('a', ['/y/a'])");
  ASSERT_TRUE(rules.ok());
  const auto resolved = [&](std::vector<std::string> words) {
    const auto matches =
        MatchPrefixRules(*rules, words, HostExecutables::kResolve);
    return matches.empty() ? "none"
                           : absl::StrCat(matches[0].resolved_program, " ",
                                          matches[0].matched_prefix[0]);
  };
  EXPECT_EQ(resolved({"/y/a"}), "/y/a a");
  EXPECT_EQ(resolved({"/y/../y//a"}), "/y/a a");
  EXPECT_EQ(resolved({"/x/a"}), "none");
  EXPECT_EQ(resolved({"/x/a", "c"}), " /x/a");
  EXPECT_EQ(resolved({"y/a"}), "none");
  EXPECT_EQ(resolved({"/any/b"}), "/any/b b");
  EXPECT_THAT(Matches(*rules, {"/any/b"}), IsEmpty());
}

TEST(RulesTest, LaterFilesReplaceHostExecutables) {
  const auto rules = Rules::ParseInOrder(
      {{.file = "1",
        .text = "prefix_rule(['a'])\nhost_executable('a',['/x/a'])"},
       {.file = "2", .text = "host_executable('a',['/y/a'])"}},
      Dialect::kExecPolicy);
  ASSERT_TRUE(rules.ok());
  EXPECT_EQ(
      MatchPrefixRules(*rules, {"/x/a"}, HostExecutables::kResolve).size(), 0);
  EXPECT_EQ(
      MatchPrefixRules(*rules, {"/y/a"}, HostExecutables::kResolve).size(), 1);
}

TEST(RulesTest, CombineKeepsAllAndTheBroken) {
  const auto allow = Parse("prefix_rule(['a'])");
  ASSERT_TRUE(allow.ok());
  EXPECT_FALSE(allow->CouldRestrict());
  EXPECT_TRUE(Rules().empty());
  const Rules broken =
      Rules::ParseOrBroken({.file = "g", .text = "x"}, Dialect::kTroika);
  EXPECT_THAT(broken.broken(), ElementsAre(StartsWith("g:1:2: expected")));
  const Rules both = Rules::Combine({*allow, broken});
  EXPECT_TRUE(both.CouldRestrict());
  EXPECT_FALSE(both.empty());
  EXPECT_THAT(Matches(both, {"a"}), ElementsAre("allow a"));
}

}  // namespace
}  // namespace troika::policy
