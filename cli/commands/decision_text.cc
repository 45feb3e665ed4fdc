#include "cli/commands/decision_text.h"

#include "absl/strings/str_cat.h"
#include "cli/commands/task_text.h"
#include "cli/timeline/terminal_text.h"
#include "dto/proto_fields.h"

namespace troika::cli {
namespace {

std::string When(const google::protobuf::Timestamp& time, absl::TimeZone zone) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S", ToTime(time), zone);
}

std::string WhoText(const v1::Decision& decision) {
  const std::string& by = decision.by();
  if (by == "cli") return "by the CLI itself: nobody was asked";
  if (by == "default") return "by Troika: it can't show this to anybody";
  if (by == "timeout") return "because nobody answered in time";
  if (by == "rule") return "by a rule";
  if (by.empty()) return "";
  std::string who =
      absl::StrCat("by ", decision.user().empty() ? "a user" : decision.user());
  if (!decision.via().empty()) absl::StrAppend(&who, ", ", decision.via());
  if (!decision.client().empty()) {
    absl::StrAppend(&who, " (", decision.client(), ")");
  }
  return who;
}

std::string DeliveryText(const v1::Decision& decision) {
  switch (decision.delivery()) {
    case v1::Approval::accepted:
      return "; the agent has not heard it yet";
    case v1::Approval::late:
      return "; too late: the agent never heard it";
    default:
      return "";
  }
}

void AddField(absl::string_view name, absl::string_view value,
              std::string* text) {
  if (value.empty()) return;
  absl::StrAppend(text, "    ", name, ": ", SanitizedLine(value), "\n");
}

}  // namespace

std::string OutcomeText(const v1::Decision& decision) {
  const std::string& choice = decision.choice();
  if (!decision.has_decided_at()) return "waits for an answer";
  if (choice == "approve") return "allowed";
  if (choice == "approve_for_session") return "allowed for the session";
  if (choice == "deny") return "denied";
  if (choice == "cancel") return "denied, and the turn ended";
  if (choice == "answer") return "answered";
  return choice.empty() ? "withdrawn" : choice;
}

std::string DecisionText(const v1::Decision& decision, absl::TimeZone zone) {
  std::string text =
      absl::StrCat(decision.event_id(), "  ", When(decision.asked_at(), zone),
                   "  ", SanitizedLine(decision.kind()));
  if (!decision.tool_name().empty()) {
    absl::StrAppend(&text, " ", SanitizedLine(decision.tool_name()));
  }
  if (!decision.parent_tool_use_id().empty()) {
    absl::StrAppend(&text, ", of a subagent");
  }
  if (!decision.subject().empty()) {
    absl::StrAppend(&text, ": ", SanitizedLine(decision.subject()));
  }
  text += '\n';
  AddField("a person was asked", decision.explanation(), &text);
  std::string outcome = OutcomeText(decision);
  const std::string who = SanitizedLine(WhoText(decision));
  if (!who.empty()) absl::StrAppend(&outcome, " ", who);
  if (decision.has_decided_at() && decision.kind() != "denial") {
    absl::StrAppend(&outcome, ", ", When(decision.decided_at(), zone));
  }
  absl::StrAppend(&text, "    ", outcome, DeliveryText(decision), "\n");
  for (const v1::DecidingRule& rule : decision.rules()) {
    AddField("rule",
             absl::StrCat(rule.file(), ":", rule.line(), ": ", rule.text()),
             &text);
  }
  AddField(decision.choice() == "answer" ? "answer" : "reason", decision.text(),
           &text);
  AddField("made a rule", decision.always(), &text);
  return text;
}

}  // namespace troika::cli
