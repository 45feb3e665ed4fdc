#include "agent/acp/unified_diff.h"

#include "gtest/gtest.h"

namespace troika::acp {
namespace {

TEST(UnifiedDiffTest, Table) {
  const struct {
    absl::string_view before;
    absl::string_view after;
    absl::string_view want;
  } kCases[] = {
      {"a\n", "a\n", ""},
      {"", "x\n", "--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+x\n"},
      {"x\n", "", "--- f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"},
      {"x\n", "y\n", "--- f\n+++ f\n@@ -1 +1 @@\n-x\n+y\n"},
      {"x", "x\n",
       "--- f\n+++ f\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"},
      {"1\n2\n3\n4\n5\nx\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
       "--- f\n+++ f\n@@ -3,7 +3,6 @@\n 3\n 4\n 5\n-x\n 6\n 7\n 8\n"},
      {"a\nb\n", "a\nb\nc\n", "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n b\n+c\n"},
      // The same lines at both ends are counted once.
      {"a\na\n", "a\n", "--- f\n+++ f\n@@ -1,2 +1 @@\n a\n-a\n"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(UnifiedDiff("f", c.before, c.after), c.want)
        << c.before << "|" << c.after;
  }
}

}  // namespace
}  // namespace troika::acp
