// Formats the notes that a relay writes by itself, as JSON: docs/tasks.md. It
// needs no JSON library, so that a relay carries none.
#ifndef TROIKA_RELAY_NOTE_TEXT_H_
#define TROIKA_RELAY_NOTE_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::relay {

class NoteText {
 public:
  explicit NoteText(absl::string_view note);

  NoteText& Int(absl::string_view name, int64_t value);
  // Replaces invalid UTF-8 by U+FFFD. Leaves out an empty value.
  NoteText& String(absl::string_view name, absl::string_view value);
  NoteText& Strings(absl::string_view name,
                    const std::vector<std::string>& values);
  std::string Take();

 private:
  void Name(absl::string_view name);

  std::string text_;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_NOTE_TEXT_H_
