// Finds the patterns that a command's first words match.
#ifndef TROIKA_POLICY_PREFIX_INDEX_H_
#define TROIKA_POLICY_PREFIX_INDEX_H_

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace troika::policy {

// A word of a command.
struct CommandWord {
  absl::string_view text;  // Borrowed.
  // False if the shell may make other words of it, as of `*.txt`.
  bool literal = true;
};

// The alternatives for each of the first words.
using Pattern = std::vector<std::vector<std::string>>;

// A tree whose paths are patterns. A place of a pattern is one node however
// many alternatives it has, so that the tree is no larger than the patterns.
class PrefixIndex {
 public:
  // Adds a pattern with at least one word. `restricts` says whether it is a
  // restricting one.
  void Add(const Pattern& pattern, int rule, bool restricts);

  struct Matches {
    // The rules whose patterns match, in no order; a rule whose first place has
    // the same alternative twice is there twice.
    absl::InlinedVector<int, 8> rules;
    // Some restricting pattern matches up to a word that is not literal, so
    // that it could match what the shell makes of it.
    bool may_restrict = false;
  };
  // Returns false only if no restricting pattern begins with this word. Needs
  // no hash, as nearly all words are of that kind.
  bool MayBeginRestricting(absl::string_view program) const {
    return restricting_[Slot(program)];
  }
  // `program` stands for the first of `words`.
  Matches Find(absl::string_view program,
               absl::Span<const CommandWord> words) const;

 private:
  struct Node {
    absl::flat_hash_map<std::string, absl::InlinedVector<int, 1>> next;
    absl::InlinedVector<int, 1> rules;
    bool restricts_below = false;  // A node under this one has such a rule.
  };

  static constexpr size_t kSlots = 256 * 32;
  static size_t Slot(absl::string_view word) {
    const size_t first = word.empty() ? 0 : static_cast<uint8_t>(word[0]);
    return first * 32 + std::min<size_t>(word.size(), 31);
  }

  int Child(int node, const std::vector<std::string>& alternatives);

  std::vector<Node> nodes_ = std::vector<Node>(1);
  // The slots of words that restricting patterns begin with.
  std::bitset<kSlots> restricting_;
  // By node and alternatives, as one text.
  absl::flat_hash_map<std::string, int> children_;
};

}  // namespace troika::policy

#endif  // TROIKA_POLICY_PREFIX_INDEX_H_
