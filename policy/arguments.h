// The arguments of one call in a rules file.
#ifndef TROIKA_POLICY_ARGUMENTS_H_
#define TROIKA_POLICY_ARGUMENTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "policy/rules_data.h"
#include "policy/syntax.h"

namespace troika::policy {

// The parameters of a function, in the order in which they can be given without
// their names; the first `needed` ones must be given.
struct Signature {
  std::vector<absl::string_view> parameters;
  size_t needed = 1;
};

// Both arguments of the constructor are borrowed. Errors name the place.
class Arguments {
 public:
  Arguments(const FileText& file, const Call& call)
      : file_(file), call_(call) {}

  // Finds the arguments by the function's parameters; to be called first.
  absl::Status Bind(const Signature& signature);

  const Call& call() const { return call_; }
  const Value* /*nullable*/ Get(absl::string_view parameter) const;

  // Returns the parameter's text, which is empty if it is not given.
  absl::StatusOr<std::string> Text(absl::string_view parameter) const;

  // Returns the items of a list of strings, which must be given. With
  // kListOrString, a string is a list of itself.
  enum class Form { kList, kListOrString };
  absl::StatusOr<std::vector<std::string>> Strings(absl::string_view parameter,
                                                   Form form) const;
  absl::StatusOr<std::vector<std::string>> ItemsOf(
      const Value& list, absl::string_view parameter) const;

  // Reads what all rules have.
  absl::Status ReadHead(RuleHead* rule) const;

  absl::Status Error(Position position, absl::string_view message) const {
    return ErrorAt(file_.file, position, message);
  }

 private:
  const FileText& file_;
  const Call& call_;
  std::vector<absl::string_view> parameters_;
  std::vector<const Value*> values_;  // By parameter; null if not given.
};

}  // namespace troika::policy

#endif  // TROIKA_POLICY_ARGUMENTS_H_
