// Writes a flat JSON object, member by member.
//
//   json::ObjectWriter().String("command", "ls").Take()   // {"command":"ls"}
#ifndef TROIKA_BASE_JSON_WRITER_H_
#define TROIKA_BASE_JSON_WRITER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "base/json.h"

namespace troika::json {

class ObjectWriter {
 public:
  ObjectWriter& String(absl::string_view key, absl::string_view text);
  // Leaves out a missing value.
  ObjectWriter& Value(absl::string_view key, json::Value value);
  // `text` must be JSON.
  ObjectWriter& Json(absl::string_view key, absl::string_view text);
  // Adds all members of an object.
  ObjectWriter& Members(json::Value object);

  // Returns the object and ends the writing.
  std::string Take();

 private:
  void Key(absl::string_view key);

  std::string out_ = "{";
};

}  // namespace troika::json

#endif  // TROIKA_BASE_JSON_WRITER_H_
