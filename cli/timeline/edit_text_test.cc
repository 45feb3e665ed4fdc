#include "cli/timeline/edit_text.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using testing::ElementsAre;

// The files with their counts.
std::vector<std::string> Read(absl::string_view diff) {
  std::vector<std::string> texts;
  for (const FileEdit& edit : ReadUnifiedDiff(diff)) {
    texts.push_back(edit.path + " " + CountsText(edit));
  }
  return texts;
}

TEST(UnifiedDiffTest, TellsLinesFromHeaders) {
  EXPECT_THAT(Read("diff --git a/q.sql b/q.sql\n"
                   "--- a/q.sql\n"
                   "+++ b/q.sql\n"
                   "@@ -1,3 +1,3 @@ SELECT\n"
                   " SELECT 1;\n"
                   "--- old comment\n"
                   "+++ new comment\n"
                   " SELECT 2;\n"
                   "@@ -9 +9,0 @@\n"
                   "--- gone\n"
                   "\\ No newline at end of file\n"
                   "diff --git a/b b/b\n"
                   "new file mode 100644\n"
                   "--- /dev/null\n"
                   "+++ b/b\n"
                   "@@ -0,0 +1,2 @@\n"
                   "+++ x\n"
                   "+y\n"
                   "--- a/c\n"
                   "+++ /dev/null\n"
                   "@@ -1 +0,0 @@\n"
                   "-z\n"),
              ElementsAre("q.sql +1 −2", "b +2 −0", "c +0 −1"));
}

TEST(UnifiedDiffTest, ReadsEmptyLinesWithoutMarks) {
  const std::vector<FileEdit> edits =
      ReadUnifiedDiff("--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n");
  ASSERT_EQ(edits.size(), 1);
  EXPECT_EQ(edits[0].lines.size(), 4);
}

TEST(UnifiedDiffTest, ReadsHunksWithoutNumbers) {
  EXPECT_THAT(
      Read("--- a/a\n+++ b/a\n@@\n-b\n+c\n--- a/d\n+++ b/d\n+e\n\n+f\n"),
      ElementsAre("a +1 −1", "d +2 −0"));
}

TEST(UnifiedDiffTest, SurvivesWrongNumbers) {
  EXPECT_THAT(Read("--- a/a\n+++ b/a\n@@ -1,-5 +1,99999999999999999999 @@\n-b\n"
                   "@@ -1,2 +1,0 @@\n+x\n-y\n"),
              ElementsAre("a +1 −2"));
  EXPECT_THAT(Read("@@ -1 +1 @@\n-a\n+b\n"), ElementsAre());
}

}  // namespace
}  // namespace troika::cli
