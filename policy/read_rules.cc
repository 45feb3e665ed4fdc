#include "policy/read_rules.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "policy/arguments.h"
#include "policy/decide.h"
#include "policy/match.h"
#include "policy/shell_split.h"
#include "policy/syntax.h"

namespace troika::policy {
namespace {

absl::StatusOr<Pattern> ReadPattern(const Arguments& arguments) {
  const Value& value = *arguments.Get("pattern");
  if (!value.is_list) {
    return arguments.Error(value.position, "`pattern` must be a list");
  }
  Pattern pattern;
  for (const Value& place : value.items) {
    if (!place.is_list) {
      pattern.push_back({place.text});
      continue;
    }
    ASSIGN_OR_RETURN(std::vector<std::string> alternatives,
                     arguments.ItemsOf(place, "pattern"));
    if (alternatives.empty()) {
      return arguments.Error(place.position, "there are no alternatives");
    }
    pattern.push_back(std::move(alternatives));
  }
  if (pattern.empty()) {
    return arguments.Error(value.position, "`pattern` can't be empty");
  }
  return pattern;
}

struct Example {
  std::vector<std::string> words;
  Position position;
};

absl::StatusOr<std::vector<Example>> ReadExamples(const Arguments& arguments,
                                                  absl::string_view parameter) {
  std::vector<Example> examples;
  const Value* value = arguments.Get(parameter);
  if (value == nullptr) return examples;
  if (!value->is_list) {
    return arguments.Error(value->position,
                           absl::StrCat("`", parameter, "` must be a list"));
  }
  for (const Value& item : value->items) {
    Example example = {.position = item.position};
    if (item.is_list) {
      ASSIGN_OR_RETURN(example.words, arguments.ItemsOf(item, parameter));
    } else {
      auto words = SplitExample(item.text);
      if (!words.has_value()) {
        return arguments.Error(item.position,
                               "a quote of the example does not end");
      }
      example.words = *std::move(words);
    }
    if (example.words.empty()) {
      return arguments.Error(item.position, "the example is empty");
    }
    examples.push_back(std::move(example));
  }
  return examples;
}

// The examples of a rule. They are checked when the whole file was read.
struct ExamplesOfRule {
  std::shared_ptr<const PrefixRule> rule;
  std::vector<Example> match, not_match;
};

class Reader {
 public:
  Reader(const FileText& file, Dialect dialect, RuleLists* lists)
      : file_(file), dialect_(dialect), lists_(*lists) {}

  absl::Status Read() {
    ASSIGN_OR_RETURN(const std::vector<Call> calls, ParseCalls(file_));
    for (const Call& call : calls) {
      RETURN_IF_ERROR(ReadCall(Arguments(file_, call)));
    }
    for (const ExamplesOfRule& examples : examples_) {
      RETURN_IF_ERROR(CheckExamples(examples));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status ReadCall(Arguments arguments) {
    const std::string& function = arguments.call().function;
    if (function == "prefix_rule") return ReadPrefixRule(arguments);
    if (function == "host_executable") return ReadHostExecutable(arguments);
    if (function == "network_rule") return ReadNetworkRule(arguments);
    const bool ours = function == "edit_rule" || function == "tool_rule";
    if (ours && dialect_ == Dialect::kTroika) {
      return function == "edit_rule" ? ReadEditRule(arguments)
                                     : ReadToolRule(arguments);
    }
    return arguments.Error(
        arguments.call().position,
        absl::StrCat(
            "there is no function `", function,
            ours ? "` in Codex's rules: put it into a file of Troika" : "`"));
  }

  absl::Status ReadPrefixRule(Arguments& arguments) {
    RETURN_IF_ERROR(
        arguments.Bind({.parameters = {"pattern", "decision", "match",
                                       "not_match", "justification"}}));
    PrefixRule rule;
    RETURN_IF_ERROR(arguments.ReadHead(&rule));
    ASSIGN_OR_RETURN(rule.pattern, ReadPattern(arguments));
    ExamplesOfRule examples;
    ASSIGN_OR_RETURN(examples.match, ReadExamples(arguments, "match"));
    ASSIGN_OR_RETURN(examples.not_match, ReadExamples(arguments, "not_match"));
    examples.rule = std::make_shared<const PrefixRule>(std::move(rule));
    lists_.prefix_rules.push_back(examples.rule);
    examples_.push_back(std::move(examples));
    return absl::OkStatus();
  }

  // Codex checks them with the host executables of the whole file and of the
  // files before it.
  absl::Status CheckExamples(const ExamplesOfRule& examples) const {
    if (examples.match.empty() && examples.not_match.empty()) {
      return absl::OkStatus();
    }
    PrefixIndex index;
    index.Add(examples.rule->pattern, 0, examples.rule->restricts());
    const auto matches = [&](const Example& example) {
      return !MatchAsCodex(index, lists_.host_executables, example.words,
                           HostExecutables::kResolve)
                  .rules.empty();
    };
    for (const Example& example : examples.not_match) {
      if (!matches(example)) continue;
      return ErrorAt(file_.file, example.position,
                     absl::StrCat("the rule matches the example of not_match: ",
                                  absl::StrJoin(example.words, " ")));
    }
    for (const Example& example : examples.match) {
      if (matches(example)) continue;
      return ErrorAt(file_.file, example.position,
                     absl::StrCat("the rule does not match the example: ",
                                  absl::StrJoin(example.words, " ")));
    }
    return absl::OkStatus();
  }

  absl::Status ReadHostExecutable(Arguments& arguments) {
    RETURN_IF_ERROR(
        arguments.Bind({.parameters = {"name", "paths"}, .needed = 2}));
    ASSIGN_OR_RETURN(const std::string name, arguments.Text("name"));
    if (name.empty() || absl::StrContains(name, '/') || name == "." ||
        name == "..") {
      return arguments.Error(arguments.Get("name")->position,
                             "`name` must be the name of a program");
    }
    ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                     arguments.Strings("paths", Arguments::Form::kList));
    std::vector<std::string>& known = lists_.host_executables[name];
    known.clear();
    for (const std::string& path : paths) {
      const std::string clean = ToCleanPath(path, "").path;
      if (!absl::StartsWith(path, "/") ||
          !absl::EndsWith(clean, absl::StrCat("/", name))) {
        return arguments.Error(
            arguments.Get("paths")->position,
            absl::StrCat("a path must be absolute and end in /", name, ": ",
                         path));
      }
      known.push_back(clean);
    }
    return absl::OkStatus();
  }

  // No CLI asks for hosts, so that the rule is only checked.
  absl::Status ReadNetworkRule(Arguments& arguments) {
    RETURN_IF_ERROR(arguments.Bind(
        {.parameters = {"host", "protocol", "decision", "justification"},
         .needed = 3}));
    RuleHead rule;
    RETURN_IF_ERROR(arguments.ReadHead(&rule));
    ASSIGN_OR_RETURN(const std::string protocol, arguments.Text("protocol"));
    static constexpr absl::string_view kProtocols[] = {
        "http",         "https",      "https_connect",
        "http-connect", "socks5_tcp", "socks5_udp"};
    if (std::find(std::begin(kProtocols), std::end(kProtocols), protocol) ==
        std::end(kProtocols)) {
      return arguments.Error(
          arguments.Get("protocol")->position,
          "`protocol` must be http, https, socks5_tcp or socks5_udp");
    }
    ASSIGN_OR_RETURN(const std::string host, arguments.Text("host"));
    const std::string problem = NetworkHostProblem(host);
    if (problem.empty()) return absl::OkStatus();
    return arguments.Error(arguments.Get("host")->position, problem);
  }

  absl::Status ReadEditRule(Arguments& arguments) {
    RETURN_IF_ERROR(
        arguments.Bind({.parameters = {"paths", "decision", "justification"}}));
    EditRule rule;
    RETURN_IF_ERROR(arguments.ReadHead(&rule));
    ASSIGN_OR_RETURN(rule.paths,
                     arguments.Strings("paths", Arguments::Form::kList));
    const Value& paths = *arguments.Get("paths");
    if (rule.paths.empty()) {
      return arguments.Error(paths.position, "`paths` can't be empty");
    }
    for (size_t i = 0; i < rule.paths.size(); ++i) {
      const std::string problem = GlobProblem(rule.paths[i]);
      if (problem.empty()) continue;
      return arguments.Error(paths.items[i].position, problem);
    }
    lists_.edit_rules.push_back(
        std::make_shared<const EditRule>(std::move(rule)));
    return absl::OkStatus();
  }

  absl::Status ReadToolRule(Arguments& arguments) {
    RETURN_IF_ERROR(arguments.Bind(
        {.parameters = {"server", "tool", "decision", "justification"},
         .needed = 0}));
    ToolRule rule;
    RETURN_IF_ERROR(arguments.ReadHead(&rule));
    for (const auto& [parameter, names] :
         {std::pair("server", &rule.servers), std::pair("tool", &rule.tools)}) {
      const Value* value = arguments.Get(parameter);
      if (value == nullptr) continue;
      ASSIGN_OR_RETURN(
          *names, arguments.Strings(parameter, Arguments::Form::kListOrString));
      const bool named =
          !names->empty() &&
          std::none_of(names->begin(), names->end(), [](const auto& name) {
            return name.empty() || absl::StrContains(name, '*');
          });
      if (named) continue;
      return arguments.Error(
          value->position,
          absl::StrCat("`", parameter, "` must name something, without *",
                       parameter == absl::string_view("tool")
                           ? "; leave it out for all tools of a server"
                           : ""));
    }
    if (rule.servers.empty() && rule.tools.empty()) {
      return arguments.Error(arguments.call().position,
                             "tool_rule needs `server`, `tool` or both");
    }
    if (rule.servers.empty()) rule.servers = {""};
    lists_.tool_rules.push_back(
        std::make_shared<const ToolRule>(std::move(rule)));
    return absl::OkStatus();
  }

  const FileText& file_;
  const Dialect dialect_;
  RuleLists& lists_;
  std::vector<ExamplesOfRule> examples_;
};

}  // namespace

absl::Status ReadRules(const FileText& file, Dialect dialect,
                       RuleLists* lists) {
  return Reader(file, dialect, lists).Read();
}

}  // namespace troika::policy
