#include "cli/timeline/exact_text.h"

#include <algorithm>
#include <cstdint>
#include <utility>

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

std::string Quoted(absl::string_view text) {
  std::string quoted;
  json::AppendQuoted(text, &quoted);
  return quoted;
}

class JsonPrinter {
 public:
  // `head` comes before the value on its first line, `tail` after it on its
  // last one.
  void Print(json::Value value, size_t indent, std::string head,
             absl::string_view tail) {
    if (value.IsObject()) {
      return PrintMembers(value, indent, std::move(head), tail);
    }
    if (value.IsArray()) {
      return PrintItems(value, indent, std::move(head), tail);
    }
    if (value.IsString()) {
      return PrintString(value.StringOr(""), indent, std::move(head), tail);
    }
    Add(indent, absl::StrCat(head, value.ToJson(), tail));
  }

  std::vector<std::string> Take() { return std::move(lines_); }

 private:
  void PrintMembers(json::Value object, size_t indent, std::string head,
                    absl::string_view tail) {
    if (object.size() == 0) return Add(indent, absl::StrCat(head, "{}", tail));
    Add(indent, absl::StrCat(head, "{"));
    size_t left = object.size();
    for (const json::Member& member : object.members()) {
      Print(member.value, indent + 1, absl::StrCat(Quoted(member.key), ": "),
            --left > 0 ? "," : "");
    }
    Add(indent, absl::StrCat("}", tail));
  }

  void PrintItems(json::Value array, size_t indent, std::string head,
                  absl::string_view tail) {
    if (array.size() == 0) return Add(indent, absl::StrCat(head, "[]", tail));
    Add(indent, absl::StrCat(head, "["));
    size_t left = array.size();
    for (const json::Value item : array.items()) {
      Print(item, indent + 1, "", --left > 0 ? "," : "");
    }
    Add(indent, absl::StrCat("]", tail));
  }

  void PrintString(absl::string_view text, size_t indent, std::string head,
                   absl::string_view tail) {
    const std::vector<absl::string_view> parts = absl::StrSplit(text, '\n');
    std::string line = absl::StrCat(head, "\"");
    for (size_t i = 0; i < parts.size(); ++i) {
      const std::string quoted = Quoted(parts[i]);
      absl::StrAppend(&line, quoted.substr(1, quoted.size() - 2));
      if (i + 1 == parts.size()) break;
      line += "\\n";
      // Only the closing quote follows the last newline.
      if (i + 2 == parts.size() && parts[i + 1].empty()) continue;
      Add(indent, std::exchange(line, "  "));
    }
    Add(indent, absl::StrCat(line, "\"", tail));
  }

  void Add(size_t indent, absl::string_view line) {
    lines_.push_back(
        absl::StrCat(std::string(2 * indent, ' '), ExactLine(line)));
  }

  std::vector<std::string> lines_;
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

std::vector<std::string> ExactJson(json::Value value) {
  JsonPrinter printer;
  printer.Print(value, 0, "", "");
  return printer.Take();
}

}  // namespace troika::cli
