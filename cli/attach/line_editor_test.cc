#include "cli/attach/line_editor.h"

#include "gtest/gtest.h"

namespace troika::cli {
namespace {

std::unique_ptr<LineEditor> Editor() {
  auto editor = LineEditor::Open();
  EXPECT_TRUE(editor.ok()) << editor.status();
  return *std::move(editor);
}

TEST(LineEditorTest, EditsWideCharactersAndLines) {
  const auto editor = Editor();
  EXPECT_TRUE(editor->empty());
  EXPECT_TRUE(editor->Insert("漢字 \U0001f600\nzwei"));
  EXPECT_EQ(editor->text(), "漢字 \U0001f600\nzwei");
  EXPECT_EQ(editor->cursor(), editor->text().size());
  editor->Press("\x01");
  EXPECT_EQ(editor->cursor(), 0u);
  editor->Press("\x06");
  EXPECT_EQ(editor->cursor(), 3u);
  editor->Press("\x04");
  EXPECT_EQ(editor->text(), "漢 \U0001f600\nzwei");
  editor->Press("\x05");
  editor->Press("\x17");
  EXPECT_EQ(editor->text(), "漢 \U0001f600\n");
  editor->Press("\x19");
  EXPECT_EQ(editor->text(), "漢 \U0001f600\nzwei");
  editor->Press("\x7f");
  EXPECT_EQ(editor->text(), "漢 \U0001f600\nzwe");
  editor->Press("\x15");
  EXPECT_TRUE(editor->empty());
  // Keys at the ends of the line do nothing.
  for (const char* key : {"\x02", "\x06", "\x7f", "\x04", "\x0b", "\x0e"}) {
    editor->Press(key);
  }
  EXPECT_TRUE(editor->empty());
}

TEST(LineEditorTest, HasAHistory) {
  const auto editor = Editor();
  editor->Remember("first");
  editor->Remember("second\nof two lines");
  editor->Insert("draft");
  editor->Press("\x10");
  EXPECT_EQ(editor->text(), "second\nof two lines");
  editor->Press("\x10");
  EXPECT_EQ(editor->text(), "first");
  editor->Press("\x0e");
  editor->Press("\x0e");
  EXPECT_EQ(editor->text(), "draft");
  // A new line begins at the end of the history again.
  editor->Press("\x10");
  editor->Press("\x10");
  editor->Set("");
  editor->Press("\x10");
  EXPECT_EQ(editor->text(), "second\nof two lines");
  editor->Set("fir");
  editor->Press("\x12");
  EXPECT_EQ(editor->text(), "first");
}

TEST(LineEditorTest, ALineIsNotLongerThanItsLimit) {
  const auto editor = Editor();
  EXPECT_TRUE(editor->Insert(std::string(LineEditor::kMaxCharacters, 'x')));
  EXPECT_FALSE(editor->Insert("y"));
  EXPECT_EQ(editor->text().size(), LineEditor::kMaxCharacters);
  editor->Press("\x7f");
  EXPECT_TRUE(editor->Insert("y"));
}

}  // namespace
}  // namespace troika::cli
