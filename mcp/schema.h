// The arguments of tools: their JSON schemas, and values that were checked
// against them.
//
//   const std::vector<Field> fields = {
//       {.name = "prompt", .description = "…", .need = Field::Need::kRequired},
//       {.name = "limit", .type = Field::Type::kInteger, .description = "…",
//        .default_json = "50", .min = 1, .max = 1000}};
//   ASSIGN_OR_RETURN(Arguments args, Arguments::Read(fields, params));
//   args.Int("limit");  // 50 if the client did not say.
#ifndef TROIKA_MCP_SCHEMA_H_
#define TROIKA_MCP_SCHEMA_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/json.h"

namespace troika::mcp {

struct Field {
  enum class Type { kString, kInteger, kBoolean, kStrings, kObject };
  enum class Need { kOptional, kRequired };

  std::string name;
  Type type = Type::kString;
  std::string description;
  Need need = Need::kOptional;
  std::string default_json = {};         // Empty if there is no default.
  std::vector<std::string> values = {};  // Of an enumeration.
  // Bounds of an integer, or of the number of strings.
  int64_t min = 0;
  int64_t max = 0;
  size_t max_bytes = size_t{1} << 20;  // Of a string, or of all strings.
};

// The schema of an object with these fields and no others.
std::string InputSchema(absl::Span<const Field> fields);

class Arguments {
 public:
  // InvalidArgument names the field and says what it must be. Strings that are
  // given must not be empty. A null is as good as a field that is not there.
  static absl::StatusOr<Arguments> Read(absl::Span<const Field> fields,
                                        json::Value arguments);

  // Whether the client gave it.
  bool Has(absl::string_view name) const { return given_.contains(name); }
  // The value or the default, or else an empty one. The field must be of that
  // type.
  std::string String(absl::string_view name) const;
  int64_t Int(absl::string_view name) const;
  bool Bool(absl::string_view name) const;
  std::vector<std::string> Strings(absl::string_view name) const;
  // The JSON of an object.
  std::string Object(absl::string_view name) const { return String(name); }

 private:
  using Value =
      std::variant<std::string, int64_t, bool, std::vector<std::string>>;

  static absl::StatusOr<Value> ReadValue(const Field& field, json::Value value);
  template <typename T>
  T Get(absl::string_view name) const;

  std::map<std::string, Value, std::less<>> given_;
  std::map<std::string, Value, std::less<>> defaults_;
};

}  // namespace troika::mcp

#endif  // TROIKA_MCP_SCHEMA_H_
