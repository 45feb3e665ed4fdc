#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/json.h"

namespace troika::json {
namespace {

// Calls every accessor of a scalar and compares the results with its type.
void CheckScalar(Value value) {
  CHECK(value.String().has_value() == (value.type() == Type::kString));
  CHECK(value.Bool().has_value() == (value.type() == Type::kBool));
  CHECK(value.Double().has_value() || !value.Int().has_value());
  CHECK(value.type() == Type::kNumber || !value.Double().has_value());
  CHECK(IsValidUtf8(value.StringOr("")));
  CHECK(value.size() == 0 && !value.Get("").exists() && !value.At(0).exists());
}

// Compares the values that two parsers made of the same text.
void CheckEqual(Value a, Value b) {
  CHECK(a.type() == b.type());
  CHECK(a.size() == b.size());
  if (a.IsArray()) {
    auto other = b.items().begin();
    for (const Value item : a.items()) {
      CheckEqual(item, *other);
      ++other;
    }
  } else if (a.IsObject()) {
    auto other = b.members().begin();
    for (const Member& member : a.members()) {
      CHECK(member.key == (*other).key);
      CheckEqual(member.value, (*other).value);
      ++other;
    }
  } else {
    CHECK(a.ToJson() == b.ToJson());
    CHECK(a.StringOr("") == b.StringOr(""));
  }
}

void CheckRereads(Value value) {
  Parser parser;
  const std::string text = value.ToJson();
  const auto again = parser.Parse(text);
  CHECK(again.ok());
  CheckEqual(value, *again);
}

void Walk(Value value) {
  CheckRereads(value);
  size_t count = 0;
  for (const Value item : value.items()) {
    Walk(item);
    ++count;
  }
  for (const Member& member : value.members()) {
    CHECK(IsValidUtf8(member.key));
    CHECK(value.Get(member.key).exists());
    Walk(member.value);
    ++count;
  }
  CHECK(count == value.size());
  if (!value.IsArray() && !value.IsObject()) CheckScalar(value);
}

void CheckQuoting(absl::string_view text) {
  const std::string valid = ToValidUtf8(text);
  CHECK(IsValidUtf8(valid));
  CHECK(IsValidUtf8(text) == (valid == text));
  std::string quoted;
  AppendQuoted(text, &quoted);
  Parser parser;
  const auto value = parser.Parse(quoted);
  CHECK(value.ok());
  CHECK(value->StringOr("") == valid);
}

}  // namespace
}  // namespace troika::json

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  troika::json::CheckQuoting(text);
  troika::json::Parser parser;
  const auto value = parser.Parse(text);
  if (value.ok()) troika::json::Walk(*value);
  return 0;
}
