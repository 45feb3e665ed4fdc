// Writes a flat JSON object, member by member.
//
//   json::ObjectWriter().String("command", "ls").Take()   // {"command":"ls"}
#ifndef TROIKA_BASE_JSON_WRITER_H_
#define TROIKA_BASE_JSON_WRITER_H_

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/json.h"

namespace troika::json {

class ObjectWriter {
 public:
  ObjectWriter& String(absl::string_view key, absl::string_view text) {
    Key(key);
    AppendQuoted(text, &out_);
    return *this;
  }
  // Leaves out a missing value.
  ObjectWriter& Value(absl::string_view key, json::Value value) {
    if (!value.exists()) return *this;
    Key(key);
    value.AppendJson(&out_);
    return *this;
  }
  // `text` must be JSON.
  ObjectWriter& Json(absl::string_view key, absl::string_view text) {
    Key(key);
    absl::StrAppend(&out_, text);
    return *this;
  }
  // Adds all members of an object.
  ObjectWriter& Members(json::Value object) {
    for (const Member& member : object.members()) {
      Value(member.key, member.value);
    }
    return *this;
  }

  // Returns the object and ends the writing.
  std::string Take() {
    out_.push_back('}');
    return std::move(out_);
  }

 private:
  void Key(absl::string_view key) {
    if (out_.size() > 1) out_.push_back(',');
    AppendQuoted(key, &out_);
    out_.push_back(':');
  }

  std::string out_ = "{";
};

}  // namespace troika::json

#endif  // TROIKA_BASE_JSON_WRITER_H_
