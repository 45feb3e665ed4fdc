#include "dto/task.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/harness.h"
#include "agent/message.h"
#include "base/json.h"
#include "base/utf8.h"
#include "dto/proto_fields.h"
#include "dto/request.h"
#include "task/budget.h"

namespace troika {

// The numbers are those of v1::Answered.
template <>
inline constexpr auto kFields<Settled> =
    std::tuple{Field{1, "id", &Settled::id},
               Field{2, "choice", &Settled::choice},
               Field{3, "text", &Settled::text},
               Field{4, "by", &Settled::by},
               Field{5, "via", &Settled::via},
               Field{6, "delivery", &Settled::delivery},
               Field{60, "user", &Settled::user},
               Field{61, "client", &Settled::client},
               Field{62, "rules", &Settled::rules},
               Field{63, "always", &Settled::always}};

namespace {

using ::google::protobuf::RepeatedPtrField;

std::string Utf8(absl::string_view text) { return json::ToValidUtf8(text); }

// The .proto has one before all others: state_unspecified.
v1::Task::State ToState(TaskStatus status) {
  return static_cast<v1::Task::State>(static_cast<int>(status) + 1);
}

TaskStatus FromState(v1::Task::State state) {
  const bool known = state > v1::Task::state_unspecified &&
                     state <= ToState(TaskStatus::kCancelled);
  return known ? static_cast<TaskStatus>(static_cast<int>(state) - 1)
               : TaskStatus::kQueued;
}

void SetAsked(const TaskState& state,
              const notes::Request* /*nullable*/ request, v1::Task* task) {
  const LaunchOptions options = request ? request->options : LaunchOptions();
  EditMode mode = options.edit_mode.value_or(EditMode::kResearch);
  if (!options.sandbox.empty() || !options.approval_policy.empty()) {
    mode = EditMode::kNative;
  }
  if (options.dangerously_bypass) mode = EditMode::kDangerous;
  task->set_edit_mode(ToEditMode(state.edit_mode.value_or(mode)));
  if (!task->model().empty()) return;
  task->set_model(
      Utf8(state.asked_model.empty() ? options.model : state.asked_model));
}

constexpr size_t kMaxPrompt = size_t{64} << 10;
constexpr size_t kMaxShownAction = 200;
constexpr size_t kMaxPending = size_t{32} << 10;
// What all that waits for an answer shows together.
constexpr size_t kMaxAllPending = size_t{1} << 20;

// The first line of what the agent did last.
std::string LastAction(const TaskState& state,
                       const Redactor* /*nullable*/ redactor) {
  std::string action =
      BeginningOf(state.last_action, kMaxShownAction, redactor);
  action.resize(std::min(action.find_first_of("\r\n"), action.size()));
  return action;
}

// Copies what waits for an answer, with as much of its texts as may be shown.
class PendingTexts {
 public:
  explicit PendingTexts(const Redactor* /*nullable*/ redactor)
      : redactor_(redactor) {}

  Approval Cut(const Approval& from) {
    Approval to = {.id = from.id,
                   .state = from.state,
                   .tool_use_id = Cut(from.tool_use_id),
                   .tool_name = Cut(from.tool_name),
                   .reason = Cut(from.reason),
                   .kind = from.kind,
                   .command = Cut(from.command),
                   .cwd = Cut(from.cwd),
                   .diff = Cut(from.diff),
                   .choices = from.choices,
                   .choice = from.choice,
                   .by = from.by,
                   .via = from.via,
                   .delivery = from.delivery,
                   .user = from.user,
                   .client = from.client,
                   .rules = from.rules,
                   .explanation = Cut(from.explanation),
                   .server = Cut(from.server),
                   .exact = from.exact,
                   .always = Cut(from.always)};
    for (const std::string& path : from.paths) {
      if (HasRoom()) to.paths.push_back(Cut(path));
    }
    for (const std::string& rule : from.proposed_rules) {
      // A part of a rule is none.
      if (rule.size() <= std::min(left_, kMaxPending)) {
        to.proposed_rules.push_back(Cut(rule));
      } else {
        was_cut_ = true;
      }
    }
    to.input_json = Cut(from.input_json);
    // A part of a JSON value is shown as a string.
    if (to.input_json.size() != from.input_json.size()) {
      std::string quoted;
      json::AppendQuoted(to.input_json, &quoted);
      to.input_json = std::move(quoted);
    }
    return to;
  }

  Receipt Cut(const Receipt& from) {
    Receipt to = from;
    to.text = Cut(from.text);
    to.reason = Cut(from.reason);
    return to;
  }

  Question Cut(const Question& from) {
    Question to = {.id = from.id,
                   .state = from.state,
                   .tool_use_id = Cut(from.tool_use_id),
                   .by = from.by,
                   .via = from.via,
                   .delivery = from.delivery,
                   .user = from.user,
                   .client = from.client};
    for (const Question::Item& item : from.items) {
      if (!HasRoom()) break;
      Question::Item& cut = to.items.emplace_back();
      cut.header = Cut(item.header);
      cut.text = Cut(item.text);
      cut.multi_select = item.multi_select;
      cut.secret = item.secret;
      for (const std::string& option : item.options) {
        if (HasRoom()) cut.options.push_back(Cut(option));
      }
      for (const std::string& description : item.descriptions) {
        if (cut.descriptions.size() == cut.options.size()) break;
        cut.descriptions.push_back(Cut(description));
      }
      for (const std::string& answer : item.answers) {
        if (HasRoom()) cut.answers.push_back(Cut(answer));
      }
    }
    return to;
  }

  Settled Cut(const Settled& from) {
    Settled to = from;
    to.text = Cut(from.text);
    return to;
  }

  // Returns whether something was left out since the last call.
  bool TakeWasCut() { return std::exchange(was_cut_, false); }

 private:
  bool HasRoom() {
    if (left_ == 0) was_cut_ = true;
    return left_ > 0;
  }

  std::string Cut(absl::string_view text) {
    const size_t max = std::min(left_, kMaxPending);
    if (text.size() > max) was_cut_ = true;
    std::string cut = BeginningOf(text, max, redactor_);
    left_ -= std::min(left_, cut.size() + 1);
    return cut;
  }

  const Redactor* const redactor_;
  size_t left_ = kMaxAllPending;
  bool was_cut_ = false;
};

template <typename T, typename Shown>
void AddPending(const std::map<std::string, Pending<T>>& all,
                PendingTexts* texts, RepeatedPtrField<Shown>* out) {
  std::vector<const Pending<T>*> oldest_first;
  for (const auto& [id, pending] : all) oldest_first.push_back(&pending);
  std::sort(oldest_first.begin(), oldest_first.end(),
            [](const auto* a, const auto* b) { return a->asked < b->asked; });
  for (const Pending<T>* pending : oldest_first) {
    Shown& shown = *out->Add();
    (void)texts->TakeWasCut();
    FieldsToProto(texts->Cut(pending->request), &shown);
    if (texts->TakeWasCut()) shown.set_cut(true);
    shown.set_event_id(EventIdText(pending->asked));
  }
}

void AddInputs(const TaskState& state, PendingTexts* texts, v1::Task* task) {
  for (const TaskInput& input : state.inputs) {
    FieldsToProto(texts->Cut(input.receipt), task->add_inputs());
  }
  task->set_queue_held(state.queue_held);
}

template <typename T, typename Shown>
void ReadPending(const RepeatedPtrField<Shown>& all,
                 std::map<std::string, Pending<T>>* out) {
  for (const Shown& shown : all) {
    Pending<T>& pending = (*out)[shown.id()];
    pending.asked = ParseEventId(shown.event_id()).value_or(EventId());
    FieldsFromProto(shown, &pending.request);
    pending.answered = pending.request.delivery == Delivery::kAccepted;
  }
}

void SetTimes(const TaskState& state, v1::Task* task) {
  const auto set = [&](const std::optional<absl::Time>& time,
                       google::protobuf::Timestamp* (v1::Task::*field)()) {
    if (time) *(task->*field)() = ToProto(*time);
  };
  set(state.created, &v1::Task::mutable_created_at);
  set(state.started, &v1::Task::mutable_started_at);
  set(state.ended, &v1::Task::mutable_ended_at);
  set(state.last_activity, &v1::Task::mutable_last_activity_at);
  if (state.worked > absl::ZeroDuration()) {
    *task->mutable_worked() = ToProto(state.worked);
  }
}

void SetBudget(const TaskState& state, v1::Task* task) {
  if (state.budget.limits == notes::Budget() && !AsksForBudget(state)) return;
  v1::BudgetStatus& budget = *task->mutable_budget();
  *budget.mutable_limits() = ToBudget(state.budget.limits);
  notes::Budget used;
  for (const notes::BudgetAmount& amount : AmountsOf(state)) {
    switch (amount.kind) {
      case notes::BudgetKind::kCost:
        used.cost_microusd = amount.used;
        break;
      case notes::BudgetKind::kTokens:
        used.tokens = amount.used;
        break;
      case notes::BudgetKind::kTurns:
        used.turns = amount.used;
        break;
      case notes::BudgetKind::kTime:
        used.time_ms = amount.used;
        break;
    }
  }
  *budget.mutable_used() = ToBudget(used);
  if (const auto within = TellsUsageWithinTurn(state)) {
    budget.set_within_turn(*within);
  }
  if (!AsksForBudget(state)) return;
  budget.set_process_alive(state.process_alive);
  budget.set_goes_on(state.budget.goes_on);
}

}  // namespace

v1::Task ToTask(const TaskState& state, const TaskFacts& facts) {
  v1::Task task;
  task.set_id(Utf8(state.task));
  task.set_state(ToState(state.status));
  if (state.harness) {
    task.set_harness(std::string(HarnessId(*state.harness)));
  } else if (facts.request != nullptr) {
    task.set_harness(Utf8(facts.request->harness));
  }
  task.set_title(Utf8(state.title));
  task.set_cwd(Utf8(state.cwd));
  task.set_model(Utf8(state.model));
  for (const auto& [key, value] : state.labels) {
    (*task.mutable_labels())[Utf8(key)] = Utf8(value);
  }
  task.set_session_id(Utf8(state.session_id));
  task.set_imported_from(Utf8(state.imported_from));
  task.set_version(Utf8(state.version));
  task.set_permission_mode(Utf8(state.permission_mode));
  task.set_stderr_tail(Utf8(state.stderr_tail));
  task.set_document_path(Utf8(state.document.path));
  task.set_document_error(Utf8(state.document.error));
  task.set_turns(state.turns);
  task.set_reason(Utf8(state.error.empty() ? state.ending.text : state.error));
  task.set_hint(Utf8(state.hint));
  if (state.exit_code) task.set_exit_code(*state.exit_code);
  if (state.signal) task.set_signal(*state.signal);
  if (state.outcome) {
    task.set_outcome(static_cast<v1::Outcome>(*state.outcome));
  }
  if (state.result) {
    FieldsToProto(*state.result, task.mutable_result());
    task.mutable_result()->clear_usage();
  }
  FieldsToProto(Usage{.total = state.usage,
                      .total_cost = {state.cost_usd, state.cost_source}},
                task.mutable_usage());
  SetTimes(state, &task);
  task.set_last_action(Utf8(LastAction(state, facts.redactor)));
  PendingTexts texts(facts.redactor);
  AddPending(state.approvals, &texts, task.mutable_approvals());
  AddPending(state.questions, &texts, task.mutable_questions());
  for (const Settled& settled : state.settled) {
    if (settled.choice.empty()) continue;
    FieldsToProto(texts.Cut(settled), task.add_answered());
  }
  AddInputs(state, &texts, &task);
  task.set_last_event_id(Utf8(facts.last_event_id));
  task.set_trouble(Utf8(facts.trouble));
  task.set_parent_id(Utf8(state.parent));
  task.set_fork_of(Utf8(state.fork.task));
  task.set_fork_turn(state.fork.turn);
  if (state.wire) {
    task.set_wire(static_cast<v1::LaunchOptions::Wire>(*state.wire));
  }
  if (facts.request != nullptr) {
    for (const notes::RulesFile& file : facts.request->policy) {
      v1::PolicyFile& shown = *task.add_policy();
      shown.set_file(Utf8(file.file));
      shown.set_origin(Utf8(file.origin));
      shown.set_error(Utf8(file.error));
    }
    task.set_require_policy(facts.request->require_policy);
    task.set_prompt(
        Utf8(BeginningOf(facts.request->prompt, kMaxPrompt, facts.redactor)));
  }
  if (state.timeouts != notes::Timeouts()) {
    *task.mutable_timeouts() = ToTimeouts(state.timeouts);
  }
  SetAsked(state, facts.request, &task);
  SetBudget(state, &task);
  return task;
}

TaskState IdentityOf(const v1::Task& task) {
  TaskState state;
  state.task = task.id();
  state.harness = HarnessFromId(task.harness());
  state.cwd = task.cwd();
  state.title = task.title();
  state.labels = {task.labels().begin(), task.labels().end()};
  state.edit_mode = EditModeFromId(v1::EditMode_Name(task.edit_mode()));
  return state;
}

TaskState ToTaskState(const v1::Task& task) {
  TaskState state = IdentityOf(task);
  state.status = FromState(task.state());
  state.session_id = task.session_id();
  state.imported_from = task.imported_from();
  state.model = task.model();
  state.version = task.version();
  state.turns = task.turns();
  state.process_alive =
      !HasEnded(state.status) && state.status != TaskStatus::kQueued;
  state.turn_open = state.process_alive && state.status != TaskStatus::kIdle;
  if (task.turns() == 1 && task.has_started_at()) {
    state.turn_started = FromProto(task.started_at());
  }
  if (task.has_outcome()) {
    state.outcome = static_cast<TurnOutcome>(task.outcome());
  }
  FieldsFromProto(task.usage().total(), &state.usage);
  for (const v1::Receipt& input : task.inputs()) {
    FieldsFromProto(input, &state.inputs.emplace_back().receipt);
  }
  state.queue_held = task.queue_held();
  ReadPending(task.approvals(), &state.approvals);
  ReadPending(task.questions(), &state.questions);
  if (AsksForBudget(state)) {
    state.process_alive = task.budget().process_alive();
    state.turn_open &= state.process_alive;
    state.budget.goes_on = task.budget().goes_on();
  }
  return state;
}

}  // namespace troika
