#include "base/nearest.h"

#include <algorithm>
#include <numeric>

namespace troika {
namespace {

// Longer words are not typing errors.
constexpr size_t kMaxWord = 40;

// Returns how many letters to add, drop or change to turn `a` into `b`.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Nearest(absl::string_view word,
                    const std::vector<std::string>& candidates) {
  std::string nearest;
  if (word.size() > kMaxWord) return nearest;
  // If more than half of a word differs, another word was meant.
  size_t best = word.size() / 2 + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace troika
