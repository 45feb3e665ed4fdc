#include "task/approval_rules.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "policy/propose.h"

namespace troika {
namespace {

constexpr size_t kMaxRules = 8;
// As many as a Verdict tells.
constexpr size_t kMaxMatched = 64;
// A longer command makes no rule that anybody would read.
constexpr size_t kMaxProposed = 4096;

policy::Verdict Ask(absl::string_view explanation) {
  policy::Verdict verdict;
  verdict.explanation = std::string(explanation);
  return verdict;
}

policy::EditRequest EditOf(const Approval& approval, absl::string_view cwd) {
  return {.paths = approval.paths, .cwd = std::string(cwd)};
}

policy::ToolRequest ToolOf(const Approval& approval) {
  return {.server = approval.server, .tool = approval.tool_name};
}

// Whether the programs that rules have allowed are the same in each folder.
bool IsSameInAnyFolder(const policy::Verdict& verdict) {
  // There may be more of them than are told.
  if (verdict.matched.size() >= kMaxMatched) return false;
  return std::all_of(verdict.matched.begin(), verdict.matched.end(),
                     [](const policy::MatchedRule& rule) {
                       if (rule.matched_prefix.empty()) return false;
                       const std::string& program = rule.matched_prefix[0];
                       return !absl::StrContains(program, '/') ||
                              program[0] == '/';
                     });
}

policy::Verdict DecideCommandLine(const policy::Rules& rules,
                                  const Approval& approval,
                                  absl::string_view cwd) {
  if (approval.command.empty()) {
    return Ask("the agent does not tell the command");
  }
  policy::Verdict verdict =
      policy::DecideCommand(rules, {.line = approval.command, .argv = {}});
  if (verdict.allowed() && !approval.exact) {
    return Ask("the agent does not tell exactly what would run");
  }
  const bool elsewhere = !approval.cwd.empty() && approval.cwd != cwd;
  if (verdict.allowed() && elsewhere && !IsSameInAnyFolder(verdict)) {
    return Ask("it runs a program by a relative path in another folder");
  }
  return verdict;
}

}  // namespace

policy::Rules ParseRules(const std::vector<notes::RulesFile>& files) {
  std::vector<policy::Rules> parts;
  for (const notes::RulesFile& file : files) {
    parts.push_back(
        file.error.empty()
            ? policy::Rules::ParseOrBroken(
                  {.file = file.file, .text = file.text},
                  policy::Dialect::kTroika)
            : policy::Rules::Broken(absl::InvalidArgumentError(file.error)));
  }
  return policy::Rules::Combine(parts);
}

bool AsksRules(Approval::Kind kind) {
  return kind == Approval::Kind::kCommandLine ||
         kind == Approval::Kind::kEdit || kind == Approval::Kind::kTool;
}

policy::Verdict DecideApproval(const policy::Rules& rules,
                               const Approval& approval,
                               absl::string_view cwd) {
  if (rules.empty()) return {};
  switch (approval.kind) {
    case Approval::Kind::kCommandLine:
      return DecideCommandLine(rules, approval, cwd);
    case Approval::Kind::kEdit:
      if (approval.paths.empty()) {
        return Ask("the agent does not tell all files that it would change");
      }
      return policy::DecideEdit(rules, EditOf(approval, cwd));
    case Approval::Kind::kTool: {
      policy::Verdict verdict = policy::DecideTool(rules, ToolOf(approval));
      if (!verdict.allowed() || approval.exact) return verdict;
      return Ask("the agent does not tell exactly which tool it would use");
    }
    default:
      return {};
  }
}

std::vector<std::string> ProposedRules(const Approval& approval,
                                       absl::string_view cwd) {
  switch (approval.kind) {
    case Approval::Kind::kCommandLine:
      if (!approval.exact || approval.command.empty() ||
          approval.command.size() > kMaxProposed) {
        return {};
      }
      return policy::ProposeRules(
          policy::CommandRequest{.line = approval.command, .argv = {}});
    case Approval::Kind::kEdit:
      if (approval.paths.empty()) return {};
      return policy::ProposeRules(EditOf(approval, cwd));
    case Approval::Kind::kTool:
      if (!approval.exact || approval.tool_name.empty()) return {};
      return policy::ProposeRules(ToolOf(approval));
    default:
      return {};
  }
}

std::vector<DecidingRule> DecidingRules(const policy::Verdict& verdict) {
  std::vector<DecidingRule> rules;
  for (const policy::MatchedRule& rule : verdict.matched) {
    if (rules.size() == kMaxRules) break;
    rules.push_back(
        {.file = rule.source.file,
         .line = rule.source.line,
         .text = rule.source.text,
         .decision = std::string(policy::DecisionName(rule.decision)),
         .justification = rule.justification});
  }
  return rules;
}

}  // namespace troika
