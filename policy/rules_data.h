// What Rules consist of. Only for the sources of this library.
#ifndef TROIKA_POLICY_RULES_DATA_H_
#define TROIKA_POLICY_RULES_DATA_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policy/path_globs.h"
#include "policy/prefix_index.h"
#include "policy/rules.h"

namespace troika::policy {

// What all kinds of rules have.
struct RuleHead {
  RuleSource source;
  Decision decision = Decision::kAllow;
  std::string justification;

  bool restricts() const { return decision != Decision::kAllow; }
};

struct PrefixRule : RuleHead {
  Pattern pattern;
};

struct EditRule : RuleHead {
  std::vector<std::string> paths;
};

struct ToolRule : RuleHead {
  std::vector<std::string> servers;  // {""} for the CLI's own tools.
  std::vector<std::string> tools;    // Empty for all tools of the servers.
};

// The paths of programs, by their names.
using HostExecutablePaths = std::map<std::string, std::vector<std::string>>;

// The rules of one file or of many, not yet indexed.
struct RuleLists {
  // The rules are shared by all Rules that were combined of them.
  std::vector<std::shared_ptr<const PrefixRule>> prefix_rules;
  std::vector<std::shared_ptr<const EditRule>> edit_rules;
  std::vector<std::shared_ptr<const ToolRule>> tool_rules;
  HostExecutablePaths host_executables;
  std::vector<std::string> broken;
};

struct Rules::Data {
  explicit Data(RuleLists all);

  RuleLists lists;
  PrefixIndex prefixes;  // Finds indexes of lists.prefix_rules.
  PathGlobs globs;       // Finds indexes of lists.edit_rules.
  bool could_restrict = false;
};

MatchedRule ToMatchedRule(const RuleHead& rule);

}  // namespace troika::policy

#endif  // TROIKA_POLICY_RULES_DATA_H_
