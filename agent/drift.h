// Counts the parts of a wire that our record types don't know, so that we
// notice additions of a newer CLI on the day they appear.
#ifndef TROIKA_AGENT_DRIFT_H_
#define TROIKA_AGENT_DRIFT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace troika {

class Drift {
 public:
  struct Entry {
    std::string what;  // "field item.completed item.foo", "type turn.paused", …
    int64_t count = 0;
    int64_t first_record = 0;
  };

  // Further entries are counted together in one.
  static constexpr size_t kMaxEntries = 1000;

  // Sets the record that the next reports belong to.
  void set_record(int64_t record) { record_ = record; }

  // `where` is a path into the line; `value` is the unknown type found there.
  void UnknownType(absl::string_view where, absl::string_view value);
  void UnknownField(absl::string_view where, absl::string_view name);
  // Reports a known field that holds a value of an unexpected type.
  void WrongType(absl::string_view where, absl::string_view name,
                 absl::string_view found);

  // Returns the entries, the most frequent first.
  std::vector<Entry> Entries() const;

 private:
  void Count(std::string what);

  int64_t record_ = 0;
  absl::flat_hash_map<std::string, Entry> entries_;
};

}  // namespace troika

#endif  // TROIKA_AGENT_DRIFT_H_
