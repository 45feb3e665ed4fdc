#include "cli/timeline/pretty_json.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/timeline/exact_text.h"

namespace troika::cli {
namespace {

std::string Quoted(absl::string_view text) {
  std::string quoted;
  json::AppendQuoted(text, &quoted);
  return quoted;
}

class Printer {
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
      // What follows the last newline is only the end of the string.
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

std::vector<std::string> PrettyJson(json::Value value) {
  Printer printer;
  printer.Print(value, 0, "", "");
  return printer.Take();
}

}  // namespace troika::cli
