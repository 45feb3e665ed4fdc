#include "cli/timeline/line_diff.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_split.h"

namespace troika::cli {
namespace {

using Kind = DiffLine::Kind;
using Lines = std::vector<absl::string_view>;

// Cells of the table of common lines.
constexpr size_t kMostCells = size_t{1} << 22;

Lines Split(absl::string_view text) {
  if (text.empty()) return {};
  return absl::StrSplit(text, '\n');
}

// Lines first..last of a text.
struct Part {
  const Lines& lines;
  size_t first = 0;
  size_t last = 0;

  size_t size() const { return last - first; }
  absl::string_view at(size_t i) const { return lines[first + i]; }
};

void AddAll(const Part& part, Kind kind, std::vector<DiffLine>* out) {
  for (size_t i = 0; i < part.size(); ++i) {
    out->push_back({.kind = kind, .text = part.at(i)});
  }
}

// By a longest common subsequence.
void AddDifference(const Part& before, const Part& after,
                   std::vector<DiffLine>* out) {
  const size_t rows = before.size(), columns = after.size();
  if (rows == 0 || columns == 0 || rows > kMostCells / columns) {
    AddAll(before, Kind::kRemoved, out);
    AddAll(after, Kind::kAdded, out);
    return;
  }
  // common[i][j]: how many lines the rests from i and from j have in common.
  std::vector<uint32_t> common((rows + 1) * (columns + 1));
  const auto cell = [&](size_t i, size_t j) -> uint32_t& {
    return common[i * (columns + 1) + j];
  };
  for (size_t i = rows; i-- > 0;) {
    for (size_t j = columns; j-- > 0;) {
      cell(i, j) = before.at(i) == after.at(j)
                       ? cell(i + 1, j + 1) + 1
                       : std::max(cell(i + 1, j), cell(i, j + 1));
    }
  }
  size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && before.at(i) == after.at(j)) {
      out->push_back({.kind = Kind::kSame, .text = before.at(i)});
      ++i;
      ++j;
    } else if (j == columns || (i < rows && cell(i + 1, j) >= cell(i, j + 1))) {
      out->push_back({.kind = Kind::kRemoved, .text = before.at(i++)});
    } else {
      out->push_back({.kind = Kind::kAdded, .text = after.at(j++)});
    }
  }
}

}  // namespace

std::vector<DiffLine> DiffLines(absl::string_view before,
                                absl::string_view after) {
  const Lines old_lines = Split(before), new_lines = Split(after);
  const size_t least = std::min(old_lines.size(), new_lines.size());
  size_t head = 0;
  while (head < least && old_lines[head] == new_lines[head]) ++head;
  size_t tail = 0;
  while (tail < least - head && old_lines[old_lines.size() - 1 - tail] ==
                                    new_lines[new_lines.size() - 1 - tail]) {
    ++tail;
  }
  std::vector<DiffLine> out;
  AddAll({old_lines, 0, head}, Kind::kSame, &out);
  AddDifference({old_lines, head, old_lines.size() - tail},
                {new_lines, head, new_lines.size() - tail}, &out);
  AddAll({old_lines, old_lines.size() - tail, old_lines.size()}, Kind::kSame,
         &out);
  return out;
}

}  // namespace troika::cli
