#include "policy/shell_line.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace troika::policy {
namespace {

// Returns the commands as "<a> <b>; <c>"; a word that is not literal is in
// parentheses. A problem follows them after " !".
std::string Commands(absl::string_view text) {
  const ShellLine line(text);
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    absl::StrAppend(&out, i == 0 ? "" : "; ");
    bool first = true;
    for (const CommandWord& word : line.command(i)) {
      absl::StrAppend(&out, first ? "" : " ", word.literal ? "<" : "(",
                      word.text, word.literal ? ">" : ")");
      first = false;
    }
  }
  if (!line.problem().empty()) absl::StrAppend(&out, " !", line.problem());
  return out;
}

TEST(ShellLineTest, Understood) {
  const struct {
    absl::string_view line, commands;
  } kCases[] = {
      {"ls", "<ls>"},
      {"  git\tstatus -s ", "<git> <status> <-s>"},
      {"a && b || c; d | e\nf", "<a>; <b>; <c>; <d>; <e>; <f>"},
      {"a;", "<a>"},
      {"\n\na\n\n", "<a>"},
      {"a &&\n\n b |\n c", "<a>; <b>; <c>"},
      {"a ; \n b", "<a>; <b>"},
      {"a&&b||c;d|e", "<a>; <b>; <c>; <d>; <e>"},
      {"echo 'a b' \"c d\" e'f'\"g\"h", "<echo> <a b> <c d> <efgh>"},
      {"echo ''", "<echo> <>"},
      {"echo \"\"", "<echo> <>"},
      {"echo '$(x) `y` > & ; | \\ !'", "<echo> <$(x) `y` > & ; | \\ !>"},
      {R"(echo "a\"b\\c\$d\`e\n!'")", R"(<echo> <a"b\c$d`e\n!'>)"},
      {R"(echo a\ b \* \; \' 'it'\''s')", "<echo> <a b> <*> <;> <'> <it's>"},
      {"'git' stat\"us\"", "<git> <status>"},
      {"a --x=y a=b x:y,z+1@2%3", "<a> <--x=y> <a=b> <x:y,z+1@2%3>"},
      {"ls *.txt a?", "<ls> (*.txt) (a?)"},
      {"git diff HEAD~1 HEAD^", "<git> <diff> (HEAD~1) (HEAD^)"},
      {"ls '*'.txt \"?\"", "<ls> <*.txt> <?>"},
      {"echo 'é ü'", "<echo> <é ü>"},
      {"cd sub && make", "<cd> <sub>; <make>"},
      {"cd sub && /bin/x", "<cd> <sub>; </bin/x>"},
      {"./x && cd sub", "<./x>; <cd> <sub>"},
      {"test -f a && cat a", "<test> <-f> <a>; <cat> <a>"},
      {"test 'a[$(x)]' = b", "<test> <a[$(x)]> <=> <b>"},
      {"printf '%s %%\\n' 'a[1]'", "<printf> <%s %%\\n> <a[1]>"},
      {"a || exit 1", "<a>; <exit> <1>"},
      {": && true", "<:>; <true>"},
      {"1 2", "<1> <2>"},
  };
  for (const auto& [line, commands] : kCases) {
    EXPECT_EQ(Commands(line), commands) << line;
  }
}

TEST(ShellLineTest, NotUnderstood) {
  using namespace std::literals;
  for (const std::string& line : {
           ""s,
           " "s,
           "\n"s,
           ";"s,
           "&& a"s,
           "a &&"s,
           "a |"s,
           "a ||\n"s,
           "a ;; b"s,
           "a ; ; b"s,
           "a\n&& b"s,
           "a && && b"s,
           "a | | b"s,
           "a &"s,
           "a & b"s,
           "a |& b"s,
           "a &> b"s,
           "a ;& b"s,
           "a $x"s,
           "a \"$x\""s,
           "a $(b)"s,
           "a `b`"s,
           "a \"`b`\""s,
           "$x"s,
           "a $'b'"s,
           "a $\"b\""s,
           "a ${b}"s,
           "a $((1))"s,
           "a $"s,
           "a > b"s,
           "a >> b"s,
           "a < b"s,
           "a 2>&1"s,
           "a <<E\nE"s,
           "a <<< b"s,
           "a <(b)"s,
           "a >/dev/null"s,
           "(a)"s,
           "{ a; }"s,
           "a {b,c}"s,
           "a {}"s,
           "a() { b; }"s,
           "a (b)"s,
           "[ a ]"s,
           "[[ a ]]"s,
           "a [b]"s,
           "! a"s,
           "a !b"s,
           "a # b"s,
           "#a"s,
           "a#b"s,
           "X=1"s,
           "X=1 a"s,
           "X+=1 a"s,
           "'X'=1 a"s,
           "a ~"s,
           "~/a"s,
           "a ~/b"s,
           "a x=~/b"s,
           "a x:~b"s,
           "a =b"s,
           "=a"s,
           "-x"s,
           "a; +x"s,
           "%1"s,
           "- a"s,
           "''"s,
           "\"\" a"s,
           "*"s,
           "a* b"s,
           "g?t status"s,
           "^a^b"s,
           "a 'b"s,
           "a \"b"s,
           "a \\"s,
           "a \\\nb"s,
           "a \"b\\\nc\""s,
           "a \\b"s,
           "a 'b''c'"s,
           "a \r"s,
           "a\r\nb"s,
           "a \x01"s,
           "a '\x7F'"s,
           "a\x1B[0m"s,
           "a \0b"s,
           "a '\xFF'"s,
           "a \xC3\xA9"s,
           "a\xC2\xA0 b"s,
           "a\vb"s,
           "if a"s,
           "a; then"s,
           "for x"s,
           "while a"s,
           "case a"s,
           "time a"s,
           "function a"s,
           "coproc a"s,
           "select a"s,
           "do a"s,
           "'if' a"s,
           "eval a"s,
           "a; eval b"s,
           "source a"s,
           ". a"s,
           "exec a"s,
           "command a"s,
           "builtin a"s,
           "alias a=b"s,
           "export a=b"s,
           "export"s,
           "unset PATH"s,
           "read PATH"s,
           "a | read PATH"s,
           "set -- a"s,
           "trap a EXIT"s,
           "hash -p a b"s,
           "enable a"s,
           "shopt -s a"s,
           "declare a"s,
           "local a"s,
           "readonly a"s,
           "typeset a"s,
           "let a"s,
           "mapfile a"s,
           "getopts a b"s,
           "jobs -x a"s,
           "fc -s"s,
           "bind -x a"s,
           "complete -C a b"s,
           "pushd a"s,
           "popd"s,
           "return 1"s,
           "wait -p a"s,
           "noglob a"s,
           "print -P a"s,
           "autoload a"s,
           "zmodload a"s,
           "e'v'al a"s,
           "\\eval a"s,
           "'source' a"s,
           "test -v 'a[$(b)]'"s,
           "test a -eq b"s,
           "test -f *"s,
           "test '!' = a"s,
           "test a -a b"s,
           "printf -v PATH a"s,
           "printf -vPATH a"s,
           "printf %d 'a[$(b)]'"s,
           "printf '%*s' a"s,
           "printf %"s,
           "printf *"s,
           "exit 'a[$(b)]'"s,
           "exit 1 2"s,
           "cd a && ./b"s,
           "cd a; b/c"s,
           "cd a\n../b"s,
           "chdir a && ./b"s,
       }) {
    EXPECT_NE(ShellLine(line).problem(), "") << line;
  }
}

TEST(ShellLineTest, CommandsBeforeAProblemAreKept) {
  EXPECT_EQ(Commands("git push && a > b"),
            "<git> <push> !it redirects input or output");
  EXPECT_EQ(Commands("git push > b"), " !it redirects input or output");
  EXPECT_EQ(Commands("a; eval b; c"),
            "<a> !the shell's builtin eval can change or hide what runs");
}

TEST(ShellLineTest, LongLines) {
  EXPECT_EQ(ShellLine(std::string(2 << 20, 'a')).problem(),
            "it is longer than 1 MiB");
  std::string line = "a";
  for (int i = 0; i < 20000; ++i) line += ";a 'b c'";
  EXPECT_EQ(ShellLine(line).size(), 20001);
}

TEST(ShellLineTest, ShellText) {
  const auto text = [](absl::string_view line) {
    const ShellLine parsed(line);
    const CommandWord* word = ShellText(parsed.command(0));
    return word == nullptr ? "none" : std::string(word->text);
  };
  EXPECT_EQ(text("bash -lc 'a b'"), "a b");
  EXPECT_EQ(text("/bin/sh -c 'a'"), "a");
  EXPECT_EQ(text("/usr/bin/zsh -l -c a"), "a");
  for (const char* other :
       {"bash a", "bash -c", "bash -c a b", "bash -ic a", "bash -lic a",
        "/tmp/bash -c a", "./bash -c a", "fish -c a", "bash -c *",
        "bash -x -c a", "bash --rcfile a -c", "env bash -c a"}) {
    EXPECT_EQ(text(other), "none") << other;
  }
}

}  // namespace
}  // namespace troika::policy
