#include "base/json_writer.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace troika::json {

void ObjectWriter::Key(absl::string_view key) {
  if (out_.size() > 1) out_.push_back(',');
  AppendQuoted(key, &out_);
  out_.push_back(':');
}

ObjectWriter& ObjectWriter::String(absl::string_view key,
                                   absl::string_view text) {
  Key(key);
  AppendQuoted(text, &out_);
  return *this;
}

ObjectWriter& ObjectWriter::Value(absl::string_view key, json::Value value) {
  if (!value.exists()) return *this;
  Key(key);
  value.AppendJson(&out_);
  return *this;
}

ObjectWriter& ObjectWriter::Json(absl::string_view key,
                                 absl::string_view text) {
  Key(key);
  absl::StrAppend(&out_, text);
  return *this;
}

ObjectWriter& ObjectWriter::Members(json::Value object) {
  for (const Member& member : object.members()) {
    Value(member.key, member.value);
  }
  return *this;
}

std::string ObjectWriter::Take() {
  out_.push_back('}');
  return std::move(out_);
}

}  // namespace troika::json
