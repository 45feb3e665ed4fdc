#include "server/decision_log.h"

#include <optional>

#include "base/json.h"
#include "base/status_macros.h"
#include "dto/message_fields.h"
#include "dto/proto_fields.h"
#include "relay/log_reader.h"
#include "server/secrets.h"
#include "task/decisions.h"
#include "task/follower.h"
#include "task/replay.h"

namespace troika {
namespace {

constexpr int64_t kAtOnce = int64_t{4} << 20;

std::string KindOf(const Decision& decision) {
  switch (decision.about) {
    case Decision::About::kQuestion:
      return "question";
    case Decision::About::kDenial:
      return "denial";
    case Decision::About::kApproval:
      break;
  }
  return std::string(NameOf(decision.kind));
}

void Fill(const Decision& from, v1::Decision* to) {
  const auto text = [](absl::string_view bytes) {
    return json::ToValidUtf8(bytes);
  };
  const Settled& answer = from.answer;
  to->set_event_id(EventIdText(from.event));
  to->set_id(text(answer.id));
  to->set_kind(KindOf(from));
  to->set_tool_name(text(from.tool_name));
  to->set_subject(text(from.subject));
  if (from.asked) *to->mutable_asked_at() = ToProto(*from.asked);
  if (from.decided) *to->mutable_decided_at() = ToProto(*from.decided);
  to->set_choice(text(answer.choice));
  to->set_text(text(answer.text));
  to->set_by(text(answer.by));
  to->set_via(text(answer.via));
  to->set_user(text(answer.user));
  to->set_client(text(answer.client));
  for (const DecidingRule& rule : answer.rules) {
    FieldsToProto(rule, to->add_rules());
  }
  to->set_explanation(text(from.explanation));
  to->set_always(text(answer.always));
  to->set_delivery(static_cast<v1::Approval::Delivery>(answer.delivery));
  to->set_parent_tool_use_id(text(from.parent_tool_use_id));
}

}  // namespace

absl::StatusOr<v1::ListDecisionsResponse> DecisionsOf(const Home& home,
                                                      const std::string& task) {
  ASSIGN_OR_RETURN(const TaskFolder folder, home.OpenTask(task));
  ASSIGN_OR_RETURN(relay::LogReader reader, OpenLog(folder));
  Replay replay;
  Decisions decisions;
  const auto add = [&](Message&& message) { decisions.Add(message); };
  ReplaySink sink(&replay, add);
  int64_t read = 0;
  do {
    ASSIGN_OR_RETURN(read, reader.Read(sink, kAtOnce));
  } while (read > 0);
  if (LogIsFree(folder)) reader.Finish(sink);
  v1::ListDecisionsResponse response;
  for (const Decision& decision : decisions.decisions()) {
    Fill(decision, response.add_decisions());
  }
  response.set_left_out(decisions.left_out());
  RedactTexts(Redactor(TaskSecrets(folder.id, ReadEnvironment(folder),
                                   replay.request())),
              &response);
  return response;
}

}  // namespace troika
