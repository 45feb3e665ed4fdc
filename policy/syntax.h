// The calls of a rules file, with the values of their arguments.
#ifndef TROIKA_POLICY_SYNTAX_H_
#define TROIKA_POLICY_SYNTAX_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "policy/lexer.h"
#include "policy/rules.h"

namespace troika::policy {

// A string or a list.
struct Value {
  bool is_list = false;
  std::string text;
  std::vector<Value> items;
  Position position;
  // How much memory it takes, about, and how deep its lists are nested.
  size_t weight = 1;
  int depth = 0;
};

struct Argument {
  std::string name;  // Empty if it is given by its place.
  Position position;
  Value value;
};

struct Call {
  std::string function;
  Position position;
  std::string text;  // As RuleSource has it.
  std::vector<Argument> arguments;
};

// Returns the calls in their order. InvalidArgument "FILE:LINE:COLUMN: message"
// for everything that docs/policy.md does not list.
absl::StatusOr<std::vector<Call>> ParseCalls(const FileText& file);

}  // namespace troika::policy

#endif  // TROIKA_POLICY_SYNTAX_H_
