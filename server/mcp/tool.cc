#include "server/mcp/tool.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/mcp/argument_error.h"
#include "server/mcp/defaults.h"
#include "server/mcp/job_tools.h"
#include "server/mcp/one_shot_tool.h"
#include "server/mcp/service.h"
#include "server/mcp/session_tools.h"

namespace troika {
namespace {

constexpr absl::string_view kFamilies[] = {"sessions", "jobs", "one-shot"};

// Whether a part of a toolset names the tool.
bool Names(absl::string_view harness, absl::string_view family,
           const Tool& tool) {
  return (harness.empty() || tool.harness.empty() || tool.harness == harness) &&
         (family.empty() || kFamilies[static_cast<int>(tool.family)] == family);
}

bool IsFamily(absl::string_view name) {
  return std::find(std::begin(kFamilies), std::end(kFamilies), name) !=
         std::end(kFamilies);
}

bool IsHarness(absl::string_view name) {
  // Some tools are for all harnesses and name none.
  return !name.empty() &&
         std::any_of(AllTools().begin(), AllTools().end(),
                     [&](const Tool& tool) { return tool.harness == name; });
}

}  // namespace

LocalApi ToolCall::api() const {
  return LocalApi(&service_.api(), caller_.peer);
}

void ToolCall::Set(Parts parts) {
  args_ = parts.args;
  parts_ = std::move(parts);
}

std::string ToolCall::Key(absl::string_view part) const {
  return parts_.key.empty() ? "" : absl::StrCat(parts_.key, ".", part);
}

int64_t ToolCall::NumberFrom(absl::string_view variable, int64_t fallback,
                             int64_t max) const {
  int64_t number = 0;
  if (!absl::SimpleAtoi(caller_.environment.Get(variable), &number) ||
      number < 1) {
    return fallback;
  }
  return std::min(number, max);
}

absl::Duration ToolCall::TimeLeft() const {
  return std::max(absl::ZeroDuration(),
                  began_ + absl::Seconds(mcp::kMaxWaitSeconds) - absl::Now());
}

void ToolCall::Progress(absl::string_view text) {
  if (over() || parts_.progress_token.empty()) return;
  reply_->Send(mcp::ProgressLine(parts_.progress_token, ++progress_, text));
}

void ToolCall::Finish(const mcp::ToolResult& result) {
  FinishWith(mcp::CallResult(client(), result));
}

void ToolCall::FinishWith(absl::string_view result_json) {
  reply_->Finish(rpc::ResponseLine(id_, result_json));
}

void ToolCall::Fail(const absl::Status& error) {
  Finish(mcp::ToolResult::Error(NameArgument(error.message(), args_)));
}

void ToolCall::FailWith(const rpc::Error& error) {
  reply_->Finish(rpc::ErrorLine(id_, error));
}

void ToolCall::Cancel() { reply_->Close(); }

const std::vector<Tool>& AllTools() {
  static const auto* const kTools = [] {
    auto* const tools = new std::vector<Tool>();
    for (const absl::string_view harness : {"codex", "claude", "gemini"}) {
      AddSessionTools(harness, tools);
    }
    AddJobTools(tools);
    AddOneShotTool(tools);
    return tools;
  }();
  return *kTools;
}

absl::StatusOr<std::vector<const Tool*>> ReadToolset(absl::string_view text) {
  std::vector<const Tool*> tools;
  std::vector<std::pair<absl::string_view, absl::string_view>> parts;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    part = absl::StripAsciiWhitespace(part);
    if (part == "all") {
      parts.emplace_back("", "");
    } else if (IsFamily(part)) {
      parts.emplace_back("", part);
    } else {
      const std::pair<absl::string_view, absl::string_view> named =
          absl::StrSplit(part, absl::MaxSplits(':', 1));
      const bool has_family = absl::StrContains(part, ":");
      if (!IsHarness(named.first) || (has_family && !IsFamily(named.second))) {
        return absl::InvalidArgumentError(absl::StrCat(
            "toolset: \"", part,
            "\" is neither all, nor a harness (codex, claude, gemini), a "
            "family (sessions, jobs, one-shot) or HARNESS:FAMILY"));
      }
      parts.emplace_back(named.first, named.second);
    }
  }
  for (const Tool& tool : AllTools()) {
    if (std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
          return Names(part.first, part.second, tool);
        })) {
      tools.push_back(&tool);
    }
  }
  return tools;
}

std::vector<const Tool*> DefaultTools(
    const std::vector<std::string>& installed) {
  std::vector<const Tool*> tools;
  for (const Tool& tool : AllTools()) {
    const bool is_installed = std::find(installed.begin(), installed.end(),
                                        tool.harness) != installed.end();
    if (tool.harness.empty() || tool.harness == "codex" ||
        (tool.family == Tool::Family::kSessions && is_installed)) {
      tools.push_back(&tool);
    }
  }
  return tools;
}

}  // namespace troika
