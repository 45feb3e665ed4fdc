// Splits what a terminal sends into keys.
#ifndef TROIKA_CLI_ATTACH_KEYS_H_
#define TROIKA_CLI_ATTACH_KEYS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

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
    // These mean something to the dashboard only.
    kEscape,
    kPageUp,
    kPageDown,
    kSuspend,  // Ctrl-Z.
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
  // What is longer becomes a key as soon as it is; the rest is dropped.
  static constexpr size_t kMaxPaste = size_t{256} << 10;
  // The bytes of one key come together. Whatever comes later than this after
  // Escape is another key.
  static constexpr absl::Duration kEscapePatience = absl::Milliseconds(100);
  // A paste that stands still for this long has lost its end.
  static constexpr absl::Duration kPastePatience = absl::Seconds(3);

  std::vector<Key> Feed(absl::string_view bytes);

  // How long to wait for more bytes before Expire(); InfiniteDuration if what
  // came so far is complete.
  absl::Duration patience() const;
  // Takes what came so far as complete, because nothing followed in time: an
  // Escape stands alone, and a paste ends here.
  std::vector<Key> Expire();

 private:
  // Takes one key from the start of rest_. False if it is incomplete.
  bool TakeKey(std::vector<Key>* keys);
  bool TakePaste(std::vector<Key>* keys);
  void EndPaste(std::vector<Key>* keys);
  bool TakeEscape(std::vector<Key>* keys);
  bool TakeSequence(std::vector<Key>* keys);
  bool TakeText(std::vector<Key>* keys);

  std::string rest_;  // Bytes of an incomplete key.
  bool pasting_ = false;
  std::string pasted_;
  bool paste_cut_ = false;  // Its key was made; the rest is dropped.
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_KEYS_H_
