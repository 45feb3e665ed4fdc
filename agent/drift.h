// Counts what a wire sends that our record types don't know, so that a newer
// CLI's additions are seen the day they appear.
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

  // At most this many different entries are kept; others are counted together.
  static constexpr size_t kMaxEntries = 1000;

  // The record that the next reports come from.
  void set_record(int64_t record) { record_ = record; }

  // `where` is a path into the line; `value` is what was unknown there.
  void UnknownType(absl::string_view where, absl::string_view value);
  void UnknownField(absl::string_view where, absl::string_view name);
  // A known field that held another kind of value.
  void WrongType(absl::string_view where, absl::string_view name,
                 absl::string_view found);

  // Most frequent first.
  std::vector<Entry> Entries() const;

 private:
  void Count(std::string what);

  int64_t record_ = 0;
  absl::flat_hash_map<std::string, Entry> entries_;
};

}  // namespace troika

#endif  // TROIKA_AGENT_DRIFT_H_
