#include "cli/timeline/exact_text.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/timeline/characters.h"

namespace troika::cli {
namespace {

// More than any script stacks on one letter.
constexpr int kMostMarks = 3;
constexpr char32_t kPictures = 0x2400;  // ␀ and its like, by their codes.
constexpr char32_t kLastPicture = 0x2426;
constexpr char32_t kPictureOfDelete = 0x2421;
constexpr absl::string_view kPictureOfSpace = "␠";

bool IsAsciiLetter(char32_t code) {
  return code < 0x80 && absl::ascii_isalpha(static_cast<unsigned char>(code));
}

bool IsInWord(char32_t code) {
  return code < 0x80 ? absl::ascii_isalnum(static_cast<unsigned char>(code)) ||
                           code == '_' || code == '-' || code == '.'
                     : LooksLikeLetter(code);
}

void AppendCode(char32_t code, std::string* out) {
  absl::StrAppendFormat(out, "<U+%04X>", static_cast<uint32_t>(code));
}

// The word that `text` begins with, and whether letters of several scripts are
// mixed in it.
struct Word {
  size_t bytes = 0;
  bool mixed = false;
};
Word FirstWord(absl::string_view text) {
  Word word;
  bool ascii = false, other = false;
  while (word.bytes < text.size()) {
    const Character c = FirstCharacter(text.substr(word.bytes));
    if (!c.valid || !IsInWord(c.code)) break;
    ascii = ascii || IsAsciiLetter(c.code);
    other = other || c.code >= 0x80;
    word.bytes += c.bytes;
  }
  word.mixed = ascii && other;
  return word;
}

class ExactWriter {
 public:
  std::string Write(absl::string_view text) {
    const size_t spaces = text.size() - text.find_last_not_of(' ') - 1;
    const absl::string_view inner = text.substr(0, text.size() - spaces);
    for (absl::string_view rest = inner; !rest.empty();) {
      if (in_word_ == 0) {
        const Word word = FirstWord(rest);
        in_word_ = word.bytes;
        mixed_ = word.mixed;
      }
      const Character c = FirstCharacter(rest);
      Append(c, rest.substr(0, c.bytes));
      rest.remove_prefix(c.bytes);
      in_word_ -= std::min(in_word_, c.bytes);
    }
    for (size_t i = 0; i < spaces; ++i) {
      absl::StrAppend(&out_, kPictureOfSpace);
    }
    return std::move(out_);
  }

 private:
  void Append(const Character& c, absl::string_view bytes) {
    const bool marks = IsCombining(c.code);
    marks_ = marks ? marks_ + 1 : 0;
    if (!c.valid) {
      absl::StrAppendFormat(&out_, "<0x%02X>",
                            static_cast<uint8_t>(bytes.front()));
    } else if (c.code < 0x20) {
      AppendUtf8(kPictures + c.code, &out_);
    } else if (c.code == 0x7f) {
      AppendUtf8(kPictureOfDelete, &out_);
    } else if (IsControl(c.code) || IsInvisible(c.code) || Reorders(c.code) ||
               LooksLikePunctuation(c.code) ||
               // A picture that the text itself has is no control character.
               (c.code >= kPictures && c.code <= kLastPicture) ||
               (mixed_ && in_word_ > 0 && c.code >= 0x80) ||
               (marks && (marks_ > kMostMarks || out_.empty()))) {
      AppendCode(c.code, &out_);
    } else {
      absl::StrAppend(&out_, bytes);
    }
  }

  std::string out_;
  size_t in_word_ = 0;  // Bytes that are left of the word.
  bool mixed_ = false;
  int marks_ = 0;  // In a row.
};

}  // namespace

std::string ExactLine(absl::string_view text) {
  return ExactWriter().Write(text);
}

std::vector<std::string> ExactLines(absl::string_view text) {
  std::vector<std::string> lines;
  if (text.empty()) return lines;
  if (text.back() == '\n') text.remove_suffix(1);
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    lines.push_back(ExactLine(line));
  }
  return lines;
}

}  // namespace troika::cli
