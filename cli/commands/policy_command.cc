#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/commands/policy_folders.h"
#include "cli/timeline/terminal_text.h"
#include "client/address.h"
#include "policy/decide.h"
#include "policy/rules.h"

namespace troika::cli {
namespace {

using policy::Rules;
using policy::Verdict;

struct CheckLine {
  std::vector<std::string> rules;  // Files; empty for the user's own.
  bool resolve_host_executables = false;
  bool help = false;
  std::vector<std::string> command;
};

// Flags end where the command begins.
absl::StatusOr<CheckLine> ReadCheckLine(Args args) {
  CheckLine line;
  size_t i = 0;
  for (; i < args.size() && args[i].size() > 1 && args[i][0] == '-'; ++i) {
    absl::string_view flag = args[i];
    if (flag == "--") {
      ++i;
      break;
    }
    if (flag == "--resolve-host-executables") {
      line.resolve_host_executables = true;
    } else if (flag == "--help" || flag == "-h") {
      line.help = true;
    } else if (absl::ConsumePrefix(&flag, "--rules=")) {
      line.rules.emplace_back(flag);
    } else if (flag == "--rules" || flag == "-r") {
      if (++i == args.size()) {
        return absl::InvalidArgumentError("--rules needs a file");
      }
      line.rules.push_back(args[i]);
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "unknown flag ", flag,
          "; flags of the command that is checked stand after its name"));
    }
  }
  line.command.assign(args.begin() + static_cast<ptrdiff_t>(i), args.end());
  if (line.command.empty() && !line.help) {
    return absl::InvalidArgumentError("a command to check is needed");
  }
  return line;
}

absl::StatusOr<policy::FileText> ReadRulesFile(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, ReadFileUpTo(path, policy::kMaxFileBytes));
  return policy::FileText{.file = path, .text = std::move(text)};
}

std::string RuleJson(const policy::MatchedRule& rule) {
  std::string prefix;
  for (const std::string& word : rule.matched_prefix) {
    absl::StrAppend(&prefix, prefix.empty() ? "[" : ",");
    json::AppendQuoted(word, &prefix);
  }
  json::ObjectWriter writer;
  writer.Json("matchedPrefix", absl::StrCat(prefix, "]"))
      .String("decision", DecisionName(rule.decision));
  if (!rule.resolved_program.empty()) {
    writer.String("resolvedProgram", rule.resolved_program);
  }
  if (!rule.justification.empty()) {
    writer.String("justification", rule.justification);
  }
  return json::ObjectWriter().Json("prefixRuleMatch", writer.Take()).Take();
}

// Returns what `codex execpolicy check` prints, without an end-of-line.
std::string CheckJson(const std::vector<policy::MatchedRule>& matched,
                      std::optional<policy::Decision> decision) {
  const std::string rules = absl::StrJoin(
      matched, ",", [](std::string* out, const policy::MatchedRule& rule) {
        absl::StrAppend(out, RuleJson(rule));
      });
  json::ObjectWriter writer;
  writer.Json("matchedRules", absl::StrCat("[", rules, "]"));
  if (decision.has_value()) writer.String("decision", DecisionName(*decision));
  return writer.Take();
}

// As `codex execpolicy check` does: the words are one command.
absl::StatusOr<std::string> CheckByFiles(const CheckLine& line) {
  std::vector<policy::FileText> files;
  for (const std::string& path : line.rules) {
    ASSIGN_OR_RETURN(files.emplace_back(), ReadRulesFile(path));
  }
  ASSIGN_OR_RETURN(const Rules rules,
                   Rules::ParseInOrder(files, policy::Dialect::kTroika));
  const std::vector<policy::MatchedRule> matched = MatchPrefixRules(
      rules, line.command,
      line.resolve_host_executables ? policy::HostExecutables::kResolve
                                    : policy::HostExecutables::kIgnore);
  std::optional<policy::Decision> decision;
  for (const policy::MatchedRule& rule : matched) {
    decision = std::max(decision.value_or(rule.decision), rule.decision);
  }
  return CheckJson(matched, decision);
}

absl::StatusOr<Rules> UserRules() {
  ASSIGN_OR_RETURN(const client::ServerAddress address,
                   client::FindServerAddress(ProcessEnvironment()));
  if (!address.is_local()) {
    return absl::FailedPreconditionError(
        "the rules of a server on another machine can't be read: "
        "give the files with --rules");
  }
  std::vector<std::string> paths;
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::path(address.home) / "policy";
  for (std::filesystem::directory_iterator entry(folder, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".rules") {
      paths.push_back(entry->path().string());
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return absl::InternalError(
        absl::StrCat("list ", folder.string(), ": ", error.message()));
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Rules> parts;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(const policy::FileText file, ReadRulesFile(path));
    ASSIGN_OR_RETURN(parts.emplace_back(),
                     Rules::Parse(file, policy::Dialect::kTroika));
  }
  return Rules::Combine(parts);
}

// As the server decides on a command. One word with blanks is a shell line.
absl::StatusOr<std::string> CheckByUserRules(const CheckLine& line,
                                             const Io& io) {
  ASSIGN_OR_RETURN(const Rules rules, UserRules());
  const std::vector<std::string>& words = line.command;
  policy::CommandRequest request;
  if (words.size() == 1 &&
      words[0].find_first_of(" \t\n;|&<>") != words[0].npos) {
    request.line = words[0];
  } else {
    request.argv = words;
  }
  const Verdict verdict = DecideCommand(rules, request);
  for (const policy::MatchedRule& rule : verdict.matched) {
    Note(io, SanitizedLine(absl::StrCat(rule.source.file, ":", rule.source.line,
                                        ": ", rule.source.text)));
  }
  if (!verdict.explanation.empty()) {
    Note(io, SanitizedLine(
                 absl::StrCat("a person is asked: ", verdict.explanation)));
  }
  return CheckJson(verdict.matched, verdict.decision);
}

int RunCheck(Args args, const Io& io) {
  const absl::StatusOr<CheckLine> line = ReadCheckLine(args);
  if (!line.ok()) {
    return UsageError(io, kPolicyCommand, line.status().message());
  }
  if (line->help) return Print(io, kPolicyCommand.help);
  const absl::StatusOr<std::string> json =
      line->rules.empty() ? CheckByUserRules(*line, io) : CheckByFiles(*line);
  if (!json.ok()) return Fail(io, Sanitized(json.status().message()));
  return Print(io, absl::StrCat(*json, "\n"));
}

int Run(Args args, const Io& io) {
  static constexpr struct {
    absl::string_view name;
    int (*run)(Args args, const Io& io);
  } kActions[] = {{"check", RunCheck},
                  {"list", RunPolicyList},
                  {"trust", RunPolicyTrust},
                  {"untrust", RunPolicyUntrust}};

  const std::string name = args.empty() ? "" : args[0];
  if (name == "--help" || name == "-h") return Print(io, kPolicyCommand.help);
  std::vector<absl::string_view> names;
  for (const auto& action : kActions) {
    if (action.name == name) return action.run(args.subspan(1), io);
    names.push_back(action.name);
  }
  if (name.empty()) {
    return UsageError(
        io, kPolicyCommand,
        absl::StrCat("say what to do: ", absl::StrJoin(names, ", ")));
  }
  return UsageError(io, kPolicyCommand,
                    absl::StrCat("there is no `troika policy ", name,
                                 "`; there are: ", absl::StrJoin(names, ", ")));
}

}  // namespace

constinit const Command kPolicyCommand = {
    .name = "policy",
    .summary = "show and trust rules, and say what they decide",
    .help = kPolicyHelp,
    .run = Run,
    .reads_help = true};

}  // namespace troika::cli
