#include "server/hook_body.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "dto/message_fields.h"
#include "dto/proto_fields.h"
#include "server/secrets.h"

namespace troika {
namespace {

constexpr size_t kMaxTitle = 300;
constexpr size_t kMaxFolder = 4096;

}  // namespace

std::string HookEventId(const std::string& task, const HookEvent& event) {
  return absl::StrCat(task, "-", EventIdText(event.id), "-",
                      NameOf(event.kind));
}

v1::HookEvent DescribeHookEvent(const std::string& task, const HookEvent& event,
                                const TaskState& state,
                                const Redactor& redactor) {
  const auto text = [&](absl::string_view bytes, size_t max) {
    return json::ToValidUtf8(BeginningOf(bytes, max, &redactor));
  };
  // Words of the request are shown although the secrets are not known.
  const auto word = [&](absl::string_view bytes, size_t max) {
    static const auto* const kByShape =
        new Redactor(std::vector<std::string>());
    const Redactor& known = redactor.problem().empty() ? redactor : *kByShape;
    std::string shown = BeginningOf(bytes, max, &known);
    known.RedactPlain(&shown);
    return json::ToValidUtf8(shown);
  };
  v1::HookEvent told;
  v1::HookTask& about = *told.mutable_task();
  if (IsQuestion(event)) {
    v1::HookAsked& asked = *told.mutable_asked();
    asked.set_id(text(event.asked, kMaxTitle));
    asked.set_kind(event.approval ? std::string(NameOf(*event.approval))
                                  : "question");
    asked.set_tool_name(text(event.tool_name, kMaxTitle));
  }
  told.set_text(text(event.text, kMaxHookText));
  RedactTexts(redactor, &told);
  // These are ours.
  told.set_id(HookEventId(task, event));
  told.set_event(std::string(NameOf(event.kind)));
  *told.mutable_time() = ToProto(event.time);
  about.set_id(task);
  about.set_title(word(state.title, kMaxTitle));
  if (state.harness) about.set_harness(std::string(HarnessId(*state.harness)));
  about.set_cwd(word(state.cwd, kMaxFolder));
  about.set_parent_id(state.parent);
  about.set_state(std::string(NameOf(event.status)));
  if (event.outcome) about.set_outcome(std::string(NameOf(*event.outcome)));
  about.set_turn(event.turn);
  told.set_tokens(event.usage.input + event.usage.cached +
                  event.usage.cache_write + event.usage.output);
  told.set_cost_usd(event.cost.usd);
  told.set_cost_source(std::string(NameOf(event.cost.source)));
  return told;
}

}  // namespace troika
