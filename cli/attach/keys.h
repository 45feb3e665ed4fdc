// Splits what a terminal sends into keys.
#ifndef TROIKA_CLI_ATTACH_KEYS_H_
#define TROIKA_CLI_ATTACH_KEYS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::cli {

struct Key {
  enum class Kind {
    kText,     // Characters to insert: `text`.
    kPaste,    // The same, pasted; it may have newlines.
    kEdit,     // A command of the editor, whose Emacs keys are `text`.
    kEnter,    // Takes the line.
    kNewline,  // Adds a line: Alt-Enter, Shift-Enter or Ctrl-J.
    kTab,
    kCtrlC,
    kCtrlD,
    kDetach,  // Ctrl-] or Ctrl-backslash.
    kRedraw,  // Ctrl-L.
  };
  Kind kind = Kind::kText;
  std::string text;  // Valid UTF-8, without control characters but for kEdit.
  bool cut = false;  // The paste was longer than kMaxPaste.

  bool operator==(const Key&) const = default;
};

// Turns bytes into keys; no I/O. Bytes may come cut anywhere. Keys without a
// meaning here are dropped.
class KeyDecoder {
 public:
  static constexpr size_t kMaxPaste = size_t{256} << 10;

  std::vector<Key> Feed(absl::string_view bytes);

 private:
  // Takes one key from the start of rest_. False if it is incomplete.
  bool TakeKey(std::vector<Key>* keys);
  bool TakePaste(std::vector<Key>* keys);
  bool TakeEscape(std::vector<Key>* keys);
  bool TakeSequence(std::vector<Key>* keys);
  bool TakeText(std::vector<Key>* keys);

  std::string rest_;  // Bytes of an incomplete key.
  bool pasting_ = false;
  std::string pasted_;
  bool paste_cut_ = false;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_KEYS_H_
