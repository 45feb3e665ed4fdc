#include "cli/timeline/approval_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "cli/timeline/exact_text.h"
#include "cli/timeline/terminal_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string Rows(absl::string_view tool, absl::string_view input,
                 size_t columns = 0) {
  std::string text;
  for (const ApprovalRow& row :
       RowsOf(DescribeApproval(tool, input), columns)) {
    absl::StrAppend(&text, row.text, "\n");
  }
  return text;
}

std::string RowsText(const ApprovalText& text) {
  std::string rows;
  for (const ApprovalRow& row : RowsOf(text, 0)) {
    absl::StrAppend(&rows, row.text, "\n");
  }
  return rows;
}

std::string Json(absl::string_view text) {
  std::string quoted;
  json::AppendQuoted(text, &quoted);
  return quoted;
}

TEST(ExactLineTest, MakesEveryControlCharacterVisible) {
  EXPECT_EQ(ExactLine("\x1b[31mred\x1b[0m"), "␛[31mred␛[0m");
  EXPECT_EQ(ExactLine("safe\rrm -rf /"), "safe␍rm -rf /");
  EXPECT_EQ(ExactLine("ab\b\bxy\x7f\a"), "ab␈␈xy␡␇");
  EXPECT_EQ(ExactLine(absl::string_view("a\0b", 3)), "a␀b");
  EXPECT_EQ(ExactLine("a\tb"), "a␉b");
  EXPECT_EQ(ExactLine("a\nb"), "a␊b");
  EXPECT_EQ(ExactLine("\xc2\x9b"
                      "2J"),
            "<U+009B>2J");
  EXPECT_EQ(ExactLine("a  "), "a␠␠");
  EXPECT_EQ(ExactLine("  a b"), "  a b");
  EXPECT_EQ(ExactLine("\xff\xe2\x80"), "<0xFF><0xE2><0x80>");
  EXPECT_EQ(ExactLine("␛"), "<U+241B>") << "a picture is not what it shows";
}

TEST(ExactLineTest, MakesInvisibleAndReorderingCharactersVisible) {
  for (const char32_t code :
       {0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068,
        0x2069, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0xfeff, 0x2028,
        0x2060, 0x3164, 0xa0,   0xad,   0xfe0f, 0x3000, 0xe000}) {
    std::string text = "a";
    if (code < 0x800) {
      text += {static_cast<char>(0xc0 | (code >> 6)),
               static_cast<char>(0x80 | (code & 0x3f))};
    } else {
      text += {static_cast<char>(0xe0 | (code >> 12)),
               static_cast<char>(0x80 | ((code >> 6) & 0x3f)),
               static_cast<char>(0x80 | (code & 0x3f))};
    }
    EXPECT_THAT(ExactLine(text), HasSubstr("a<U+"));
  }
  EXPECT_EQ(ExactLine("\xf3\xa0\x81\xa1"), "<U+E0061>") << "a tag";
}

TEST(ExactLineTest, TellsLettersOfOtherScriptsApart) {
  EXPECT_EQ(ExactLine("curl p\xd0\xb0ypal.com"), "curl p<U+0430>ypal.com");
  EXPECT_EQ(ExactLine("echo Привет é 漢字 🙂 naïve"),
            "echo Привет é 漢字 🙂 naïve");
  EXPECT_EQ(ExactLine("a\xe2\x88\x95"
                      "b"),
            "a<U+2215>b");
  EXPECT_EQ(ExactLine("e\xcc\x81"), "e\xcc\x81");
  EXPECT_THAT(ExactLine("e\xcc\x81\xcc\x81\xcc\x81\xcc\x81"),
              HasSubstr("<U+0301>"));
}

TEST(ExactLineTest, LeavesNothingToTheTerminal) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const char pair[] = {static_cast<char>(a), static_cast<char>(b)};
      const std::string exact = ExactLine({pair, 2});
      ASSERT_EQ(Sanitized(exact), exact) << a << " " << b;
      ASSERT_EQ(exact.find_first_of("\n\t"), std::string::npos);
    }
  }
}

TEST(LineDiffTest, HasEveryLine) {
  const auto diff = [](absl::string_view before, absl::string_view after) {
    const auto mark = [](std::string* out, const DiffLine& line) {
      const int kind = static_cast<int>(line.kind) -
                       static_cast<int>(ApprovalText::Kind::kSame);
      absl::StrAppend(out, absl::string_view(" -+").substr(kind, 1), line.text);
    };
    return absl::StrJoin(DiffLines(before, after), "|", mark);
  };
  EXPECT_EQ(diff("a\nb\nc", "a\nx\nc"), " a|-b|+x| c");
  EXPECT_EQ(diff("a\nb\nc\nd", "b\nd\ne"), "-a| b|-c| d|+e");
  EXPECT_EQ(diff("", "a\nb"), "+a|+b");
  EXPECT_EQ(diff("a", ""), "-a");
  EXPECT_EQ(diff("a\n", "a"), " a|-") << "a newline is seen";
  EXPECT_EQ(diff("", ""), "");
  // Finding the difference would cost too much.
  std::string before, after;
  for (int i = 0; i < 5000; ++i) {
    absl::StrAppend(&before, "x", i, "\n");
    absl::StrAppend(&after, "y", i, "\n");
  }
  EXPECT_EQ(DiffLines(before, after).size(), 10001u);
}

TEST(ApprovalTextTest, ShowsAWholeScriptWithItsLines) {
  const std::string hidden(300, ' ');
  const std::string script =
      absl::StrCat("set -e\n\techo hi", hidden, "&& touch /tmp/x\n\nls");
  const std::string input = absl::StrCat(R"({"description":"List","command":)",
                                         Json(script), R"(,"timeout":5})");
  const ApprovalText text = DescribeApproval("Bash", input);
  EXPECT_EQ(text.tool, "Bash");
  EXPECT_EQ(text.content_lines, 4u);
  EXPECT_EQ(text.content_bytes, script.size());
  EXPECT_EQ(SizeText(text), absl::StrCat("4 lines, ", script.size(), " bytes"));
  EXPECT_EQ(Rows("Bash", input),
            absl::StrCat("  │ set -e\n  │ ␉echo hi", hidden,
                         "&& touch /tmp/x\n  │ \n  │ ls\n"
                         "  description: List\n  timeout: 5\n"));
  EXPECT_THAT(Rows("Bash", input, 40), HasSubstr("touch"));
}

TEST(ApprovalTextTest, WrapsAndCutsNothing) {
  const std::string command = absl::StrCat(std::string(100, 'x'), "漢字 end");
  const std::string input = absl::StrCat(R"({"command":)", Json(command), "}");
  std::string joined;
  const std::vector<ApprovalRow> rows =
      RowsOf(DescribeApproval("Bash", input), 30);
  for (const ApprovalRow& row : rows) {
    EXPECT_LT(DisplayWidth(row.text), 30u);
    joined += row.text.substr(absl::string_view("  │ ").size());
  }
  EXPECT_EQ(joined, command);
  EXPECT_EQ(rows[0].text.substr(0, 6), "  │ ");
  EXPECT_EQ(rows[1].text.substr(0, 6), "  ┆ ") << "no line of its own";
  EXPECT_FALSE(RowsOf(DescribeApproval("Bash", input), 1).empty());
}

TEST(ApprovalTextTest, ShowsAnEditAsADiff) {
  EXPECT_EQ(
      Rows("Edit", R"({"file_path":"/w/a.cc","old_string":"int a;\nint b;\n",)"
                   R"("new_string":"int a;\nint c;\n","replace_all":true})"),
      "  file_path: /w/a.cc\n"
      "  │   int a;\n  │ - int b;\n  │ + int c;\n  │   \n"
      "  replace_all: true\n");
  EXPECT_EQ(Rows("Edit",
                 R"({"file_path":"/w/a","edits":[)"
                 R"({"old_string":"a","new_string":"b"},)"
                 R"({"old_string":"c","new_string":"","replace_all":true}]})"),
            "  file_path: /w/a\n  edit 1 of 2\n  │ - a\n  │ + b\n"
            "  edit 2 of 2\n  replace_all: true\n  │ - c\n");
}

TEST(ApprovalTextTest, ShowsTheContentOfAWrite) {
  EXPECT_EQ(Rows("Write", R"({"file_path":"/w/a","content":"x\n\ny\n"})"),
            "  file_path: /w/a\n  │ x\n  │ \n  │ y\n");
  EXPECT_EQ(Rows("Write", R"({"file_path":"/w/a","content":""})"),
            "  file_path: /w/a\n  content: (empty)\n");
  EXPECT_EQ(
      Rows("NotebookEdit", R"({"notebook_path":"/w/n.ipynb","cell_id":"3",)"
                           R"("new_source":"a\nb","edit_mode":"replace"})"),
      "  notebook_path: /w/n.ipynb\n  │ a\n  │ b\n  cell_id: 3\n"
      "  edit_mode: replace\n");
}

TEST(ApprovalTextTest, ShowsOtherInputsAsJson) {
  EXPECT_EQ(Rows("db/query",
                 R"({"sql":"select *\nfrom t\n","n":12345678901234567890,)"
                 R"("deep":{"a":[1,"\u001b[2J\u202e"],"b":{}}})"),
            "  │ {\n"
            "  │   \"sql\": \"select *\\n\n"
            "  │     from t\\n\",\n"
            "  │   \"n\": 12345678901234567890,\n"
            "  │   \"deep\": {\n"
            "  │     \"a\": [\n"
            "  │       1,\n"
            "  │       \"\\u001b[2J<U+202E>\"\n"
            "  │     ],\n"
            "  │     \"b\": {}\n"
            "  │   }\n"
            "  │ }\n");
  EXPECT_EQ(Rows("X", "{broken \x1b"), "  │ {broken ␛\n");
  EXPECT_EQ(Rows("X", ""), "");
}

TEST(ApprovalTextTest, ANameThatIsThereTwiceHidesNothing) {
  const std::string rows =
      Rows("Bash", R"({"command":"ls","command":"rm -rf /"})");
  EXPECT_THAT(rows, HasSubstr("\"ls\""));
  EXPECT_THAT(rows, HasSubstr("\"rm -rf /\""));
}

TEST(ApprovalTextTest, ShowsWhatTheHarnessTellsBesidesTheInput) {
  const ApprovalText command =
      DescribeApproval(Approval{.tool_name = "Bash",
                                .kind = Approval::Kind::kCommandLine,
                                .command = "make\n\x1b[2J",
                                .cwd = "/src",
                                .choices = {"approve", "cancel"}});
  EXPECT_EQ(RowsText(command),
            "  │ make\n  │ ␛[2J\n  folder: /src\n  choices: approve, cancel\n");
  EXPECT_EQ(SizeText(command), "2 lines, 9 bytes");
  const ApprovalText edit = DescribeApproval(
      Approval{.tool_name = "Edit",
               .kind = Approval::Kind::kEdit,
               .diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n c\n"});
  EXPECT_EQ(RowsText(edit),
            "  --- a/x\n  +++ b/x\n  @@ -1 +1 @@\n  │ - a\n  │ + b\n"
            "  │   c\n");
  // The command is not shown twice.
  const ApprovalText once =
      DescribeApproval(Approval{.tool_name = "Bash",
                                .input_json = R"({"command":"ls"})",
                                .kind = Approval::Kind::kCommandLine,
                                .command = "ls"});
  EXPECT_EQ(RowsText(once), "  │ ls\n");
}

}  // namespace
}  // namespace troika::cli
