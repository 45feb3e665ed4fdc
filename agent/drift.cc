#include "agent/drift.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

namespace troika {
namespace {

// Names come from untrusted input.
absl::string_view Cut(absl::string_view name) { return name.substr(0, 200); }

}  // namespace

void Drift::UnknownType(absl::string_view where, absl::string_view value) {
  Count(absl::StrCat("type  ", where, " = ", Cut(value)));
}

void Drift::UnknownField(absl::string_view where, absl::string_view name) {
  Count(absl::StrCat("field ", where, ".", Cut(name)));
}

void Drift::WrongType(absl::string_view where, absl::string_view name,
                      absl::string_view found) {
  Count(absl::StrCat("field ", where, ".", Cut(name), " is a ", found));
}

void Drift::Count(std::string what) {
  if (entries_.size() >= kMaxEntries && !entries_.contains(what)) {
    what = "others";
  }
  Entry& entry = entries_[what];
  if (entry.count++ == 0) {
    entry.what = std::move(what);
    entry.first_record = record_;
  }
}

std::vector<Drift::Entry> Drift::Entries() const {
  std::vector<Entry> entries;
  for (const auto& [key, entry] : entries_) entries.push_back(entry);
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::tie(b.count, a.what) < std::tie(a.count, b.what);
  });
  return entries;
}

}  // namespace troika
