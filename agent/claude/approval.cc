#include "agent/claude/approval.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/tool_names.h"
#include "base/json_writer.h"

namespace troika::claude {
namespace {

constexpr absl::string_view kDenied = "The user does not allow this.";

std::string ReasonOf(const PermissionRequest& request) {
  if (!request.decision_reason.empty()) {
    return std::string(request.decision_reason);
  }
  if (!request.blocked_path.empty()) {
    return absl::StrCat("path ", request.blocked_path);
  }
  return std::string(request.description);
}

Approval::Kind KindOf(const ToolName& tool) {
  // An MCP server may name its tools like the built-in ones.
  if (!tool.server.empty()) return Approval::Kind::kTool;
  if (tool.name == "Bash") return Approval::Kind::kCommandLine;
  if (tool.name == "ExitPlanMode") return Approval::Kind::kPlan;
  const bool edits = tool.name == "Edit" || tool.name == "Write" ||
                     tool.name == "NotebookEdit";
  return edits ? Approval::Kind::kEdit : Approval::Kind::kTool;
}

// Whether the input tells exactly what would run: an option that is not known
// here could change it.
bool IsPlainCommand(json::Value input) {
  constexpr absl::string_view kKnown[] = {"command", "description", "timeout",
                                          "run_in_background"};
  std::vector<absl::string_view> seen;
  for (const json::Member& member : input.members()) {
    const bool known = std::find(std::begin(kKnown), std::end(kKnown),
                                 member.key) != std::end(kKnown);
    const bool again =
        std::find(seen.begin(), seen.end(), member.key) != seen.end();
    if (!known || again) return false;
    seen.push_back(member.key);
  }
  return input.Get("command").IsString();
}

// The file that an edit changes, if it is told once.
std::vector<std::string> PathsOf(json::Value input) {
  std::vector<std::string> paths;
  for (const json::Member& member : input.members()) {
    if (member.key != "file_path" && member.key != "notebook_path") continue;
    paths.emplace_back(member.value.StringOr(""));
  }
  if (paths.size() != 1 || paths[0].empty()) return {};
  return paths;
}

std::string ForSession(json::Value suggestion) {
  json::ObjectWriter out;
  for (const json::Member& member : suggestion.members()) {
    if (member.key != "destination") out.Value(member.key, member.value);
  }
  return out.String("destination", "session").Take();
}

}  // namespace

std::string SessionPermissions(const PermissionRequest& request) {
  std::vector<std::string> narrow, modes;
  for (const json::Value suggestion : request.suggestions.items()) {
    if (!suggestion.IsObject()) continue;
    const bool mode = suggestion.Get("type").StringOr("") == "setMode";
    (mode ? modes : narrow).push_back(ForSession(suggestion));
  }
  const std::vector<std::string>& granted = narrow.empty() ? modes : narrow;
  if (granted.empty()) return "";
  return absl::StrCat("[", absl::StrJoin(granted, ","), "]");
}

Approval ApprovalOf(const PermissionRequest& request) {
  Approval approval;
  const ToolName tool = NormalizeToolName(Harness::kClaude, request.tool_name);
  approval.tool_name = std::string(tool.name);
  approval.server = std::string(tool.server);
  approval.input_json = request.input.ToJson();
  approval.reason = ReasonOf(request);
  approval.kind = KindOf(tool);
  if (approval.kind == Approval::Kind::kCommandLine) {
    approval.command = std::string(request.input.Get("command").StringOr(""));
    approval.exact = IsPlainCommand(request.input);
  } else if (approval.kind == Approval::Kind::kEdit) {
    approval.paths = PathsOf(request.input);
  } else {
    approval.exact = approval.kind == Approval::Kind::kTool;
  }
  approval.choices.emplace_back(kApprove);
  if (!SessionPermissions(request).empty()) {
    approval.choices.emplace_back(kApproveForSession);
  }
  approval.choices.emplace_back(kDeny);
  approval.choices.emplace_back(kCancel);
  return approval;
}

std::optional<std::string> EncodeAnswer(
    const ApprovalAnswer& answer, const std::string& input_json,
    const std::string& session_permissions) {
  const absl::string_view choice = troika::ChoiceOf(answer);
  json::ObjectWriter response;
  if (choice == kApprove || choice == kApproveForSession) {
    if (choice == kApproveForSession && session_permissions.empty()) {
      return std::nullopt;
    }
    response.String("behavior", "allow")
        .Json("updatedInput",
              answer.input_json.empty() ? input_json : answer.input_json);
    if (choice == kApproveForSession) {
      response.Json("updatedPermissions", session_permissions);
    }
    return response.Take();
  }
  if (choice != kDeny && choice != kCancel) return std::nullopt;
  const absl::string_view message =
      answer.reason.empty() ? kDenied : absl::string_view(answer.reason);
  if (choice == kDeny) return EncodeDenial(message);
  return response.String("behavior", "deny")
      .String("message", message)
      .Json("interrupt", "true")
      .Take();
}

std::string EncodeDenial(absl::string_view message) {
  return json::ObjectWriter()
      .String("behavior", "deny")
      .String("message", message)
      .Take();
}

absl::string_view ChoiceOf(const PermissionAnswer& answer) {
  if (answer.behavior == "allow") {
    return answer.updated_permissions.size() > 0 ? kApproveForSession
                                                 : kApprove;
  }
  return answer.interrupt.value_or(false) ? kCancel : kDeny;
}

}  // namespace troika::claude
