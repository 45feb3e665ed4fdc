// Edits the line that the user types, with libedit's Emacs commands and its
// history. It draws nothing: see screen.h.
#ifndef TROIKA_CLI_ATTACH_LINE_EDITOR_H_
#define TROIKA_CLI_ATTACH_LINE_EDITOR_H_

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct editline;

namespace troika::cli {

// A line may have newlines. All texts are UTF-8. Not thread-safe.
class LineEditor {
 public:
  // Longer lines are not edited: Insert() takes nothing more.
  static constexpr size_t kMaxCharacters = size_t{256} << 10;

  // libedit gets a terminal of its own, whose mode it sets; the user's is the
  // caller's. An error says that there is none left.
  static absl::StatusOr<std::unique_ptr<LineEditor>> Open();
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  std::string text() const;
  bool empty() const;
  // Position of the cursor in text(), in bytes.
  size_t cursor() const;

  // Begins a new line with this text, and the cursor at its end.
  void Set(absl::string_view text);
  // Inserts at the cursor. False if the line would be too long.
  bool Insert(absl::string_view text);
  // Carries out the command that has these Emacs keys (Key::Kind::kEdit).
  void Press(absl::string_view keys);

  // Adds a line that the user can get back with Up.
  void Remember(absl::string_view line);

 private:
  struct Libedit;
  explicit LineEditor(std::unique_ptr<Libedit> libedit);

  static int NextKey(editline* edit, wchar_t* key);

  std::unique_ptr<Libedit> libedit_;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_LINE_EDITOR_H_
