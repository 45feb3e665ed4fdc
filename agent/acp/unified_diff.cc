#include "agent/acp/unified_diff.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace troika::acp {
namespace {

constexpr size_t kContext = 3;

using Lines = absl::Span<const absl::string_view>;

// Each line includes its newline; only the last one may have none.
std::vector<absl::string_view> SplitLines(absl::string_view text) {
  std::vector<absl::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t size = end == absl::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

void AppendLines(char mark, Lines lines, std::string* out) {
  for (const absl::string_view line : lines) {
    out->push_back(mark);
    absl::StrAppend(out, line);
    if (!absl::EndsWith(line, "\n")) {
      absl::StrAppend(out, "\n\\ No newline at end of file\n");
    }
  }
}

// A range of no lines is named by the line before it.
std::string Range(size_t begin, size_t count) {
  const size_t first = count == 0 ? begin : begin + 1;
  return count == 1 ? absl::StrCat(first) : absl::StrCat(first, ",", count);
}

}  // namespace

std::string UnifiedDiff(absl::string_view path, absl::string_view before,
                        absl::string_view after) {
  if (before == after) return "";
  const std::vector<absl::string_view> a = SplitLines(before);
  const std::vector<absl::string_view> b = SplitLines(after);
  const size_t shorter = std::min(a.size(), b.size());
  size_t head = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  size_t tail = 0;
  while (tail < shorter - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) {
    ++tail;
  }
  const size_t begin = head - std::min(head, kContext);
  const size_t context_after = std::min(tail, kContext);
  const size_t a_end = a.size() - tail;
  const size_t b_end = b.size() - tail;
  std::string diff =
      absl::StrCat("--- ", before.empty() ? "/dev/null" : path, "\n+++ ",
                   after.empty() ? "/dev/null" : path, "\n@@ -",
                   Range(begin, a_end + context_after - begin), " +",
                   Range(begin, b_end + context_after - begin), " @@\n");
  const Lines old_lines(a);
  const Lines new_lines(b);
  AppendLines(' ', old_lines.subspan(begin, head - begin), &diff);
  AppendLines('-', old_lines.subspan(head, a_end - head), &diff);
  AppendLines('+', new_lines.subspan(head, b_end - head), &diff);
  AppendLines(' ', old_lines.subspan(a_end, context_after), &diff);
  return diff;
}

}  // namespace troika::acp
