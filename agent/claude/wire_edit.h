// Edits JSON texts in tests.
#ifndef TROIKA_AGENT_CLAUDE_WIRE_EDIT_H_
#define TROIKA_AGENT_CLAUDE_WIRE_EDIT_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"

namespace troika::claude {

// edit(nth, value, text) may change the text that is written for the nth value
// in document order. Only the first elements of a long array are offered.
using WireEdit = absl::FunctionRef<void(int, json::Value, std::string*)>;

inline std::string EditWire(json::Value value, WireEdit edit, int* count) {
  const int nth = (*count)++;
  std::string text;
  if (value.IsObject()) {
    for (const json::Member& member : value.members()) {
      absl::StrAppend(&text, text.empty() ? "{" : ",");
      json::AppendQuoted(member.key, &text);
      absl::StrAppend(&text, ":", EditWire(member.value, edit, count));
    }
    absl::StrAppend(&text, text.empty() ? "{}" : "}");
  } else if (value.IsArray()) {
    constexpr int kOffered = 3;
    int index = 0;
    for (const json::Value item : value.items()) {
      absl::StrAppend(
          &text, text.empty() ? "[" : ",",
          index++ < kOffered ? EditWire(item, edit, count) : item.ToJson());
    }
    absl::StrAppend(&text, text.empty() ? "[]" : "]");
  } else {
    text = value.ToJson();
  }
  edit(nth, value, &text);
  return text;
}

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_WIRE_EDIT_H_
