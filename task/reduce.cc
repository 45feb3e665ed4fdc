#include "task/reduce.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "agent/tool_subject.h"
#include "base/utf8.h"
#include "task/budget.h"
#include "task/inputs.h"
#include "task/next_status.h"
#include "task/pending.h"
#include "task/tool_times.h"

namespace troika {
namespace {

// More than this are not counted.
constexpr size_t kMaxSubagents = 1000;
constexpr size_t kMaxOpenTools = 1000;

Ending EndingOf(const Lifecycle& event) {
  // Troika gives up by itself only if something is wrong.
  const bool failure = event.kind == Lifecycle::Kind::kDeadline ||
                       event.by == "troika" || event.by == "deadline";
  const bool ends_process = event.kind != Lifecycle::Kind::kInterruptAsked;
  const bool by_budget = event.by == kByBudget;
  if (failure && !event.text.empty()) {
    return {.kind = Ending::Kind::kFailure,
            .text = event.text,
            .ends_process = ends_process};
  }
  std::string text = absl::StrCat(failure ? "stopped" : "interrupted", " by ",
                                  event.by.empty() ? "user" : event.by);
  if (!event.text.empty()) absl::StrAppend(&text, ": ", event.text);
  return {.kind = failure ? Ending::Kind::kFailure : Ending::Kind::kInterrupt,
          .text = std::move(text),
          .ends_process = ends_process,
          .by_budget = by_budget};
}

// Updates what a message tells besides the status, and says what it means to
// that.
class Reducer {
 public:
  Reducer(const Message& message, TaskState* state)
      : message_(message), state_(*state) {}

  Step operator()(const Init& init) {
    const auto set = [](const std::string& from, std::string* to) {
      if (!from.empty()) *to = from;
    };
    if (!init.session_id.empty() && init.session_id != state_.session_id) {
      state_.session_began = message_.time;
    }
    set(init.session_id, &state_.session_id);
    set(init.model, &state_.model);
    set(init.version, &state_.version);
    set(init.permission_mode, &state_.permission_mode);
    return Spoke();
  }
  Step operator()(const Text& text) {
    SetLastAction(text.text);
    return Spoke();
  }
  Step operator()(const Thinking&) { return Spoke(); }
  Step operator()(const ToolUse& tool) {
    const std::string subject = ToolSubject(tool, state_.cwd);
    SetLastAction(
        absl::StrCat(tool.name, subject.empty() ? "" : ": ", subject));
    if (state_.open_tools.size() < kMaxOpenTools) {
      state_.open_tools[tool.id] = {.name = tool.name};
      CountToolTimes(&state_);
    }
    return Spoke();
  }
  Step operator()(const TextDelta&) { return Spoke(); }
  Step operator()(const ThinkingDelta&) { return Spoke(); }
  Step operator()(const ToolOutputDelta&) { return Step::kWorked; }
  Step operator()(const ToolResult& result) {
    state_.open_tools.erase(result.tool_use_id);
    return Step::kWorked;
  }
  Step operator()(const Todo&) { return Step::kWorked; }
  Step operator()(const Subagent& subagent) {
    if (subagent.phase == Subagent::Phase::kEnded) {
      state_.subagents.erase(subagent.id);
    } else if (subagent.phase == Subagent::Phase::kStarted &&
               state_.subagents.size() < kMaxSubagents) {
      state_.subagents.insert(subagent.id);
    }
    return Step::kWorked;
  }
  Step operator()(const Diff&) { return Step::kWorked; }
  Step operator()(const Usage& usage) {
    TakeUsage(usage);
    return Step::kWorked;
  }
  Step operator()(const UserInput&) { return Step::kNothing; }
  Step operator()(const Receipt& receipt) {
    TakeReceipt(receipt, &state_);
    return Step::kNothing;
  }
  Step operator()(const Raw&) { return Step::kNothing; }
  Step operator()(const ParseError&) { return Step::kNothing; }
  Step operator()(const RateLimit& limit) {
    state_.rate_limit = limit.status;
    state_.rate_limit_resets = limit.resets_at;
    return Step::kNothing;
  }
  Step operator()(const Notice& notice) {
    if (notice.kind == Notice::Kind::kBackgroundTask) CountCommand(notice.text);
    if (notice.kind != Notice::Kind::kTurnStarted) return Step::kNothing;
    // Nobody asked us for the turns of a session that was imported.
    if (!state_.imported_from.empty()) ++state_.turns;
    return Spoke();
  }
  Step operator()(const Approval& approval) {
    TakeRequest(message_, approval, &state_);
    CountToolTimes(&state_);
    if (approval.kind != Approval::Kind::kBudget) return Waits();
    return AsksForBudget(state_) ? Step::kBudgetWaits
                                 : OnBudgetAnswered(approval);
  }
  Step operator()(const Question& question) {
    TakeRequest(message_, question, &state_);
    CountToolTimes(&state_);
    return Waits();
  }
  Step operator()(const Result& result) {
    if (state_.withdrawn_results > 0 && !state_.process_alive) {
      --state_.withdrawn_results;
      return Step::kNothing;
    }
    TakeUsage(result.usage);
    state_.result = result;
    AddForkPoint(result);
    state_.turn_open = false;
    state_.open_tools.clear();
    if (state_.process_alive) {
      DropPendingOfTurn(&state_);
    } else {
      DropPending(&state_);
    }
    if (!result.is_error && state_.ending.kind == Ending::Kind::kInterrupt) {
      state_.ending = {};  // It came too late.
    }
    // A task that was cancelled has had no turn.
    if (state_.status != TaskStatus::kCancelled) {
      state_.outcome = OutcomeOf(result);
      if (state_.outcome == TurnOutcome::kInterrupted &&
          state_.ending.by_budget) {
        state_.budget.goes_on = true;
      }
      if (!state_.document.turn_ended) {
        state_.document.turn_ended = message_.time;
      }
    }
    if (state_.ending.kind == Ending::Kind::kNone) state_.error = result.error;
    if (state_.ending.kind != Ending::Kind::kInterrupt) {
      state_.hint = result.hint;
    }
    // What runs in the background may still wait for an answer.
    if (state_.process_alive) return Waits();
    state_.turns_waiting = std::max(0, state_.turns_waiting - 1);
    return EndStep();
  }
  Step operator()(const Lifecycle& event) {
    switch (event.kind) {
      case Lifecycle::Kind::kCreated:
        state_.created = message_.time;
        return Step::kNothing;
      case Lifecycle::Kind::kTurnAsked:
        return OnTurnAsked(event);
      case Lifecycle::Kind::kSpawned:
        return OnSpawned(event);
      case Lifecycle::Kind::kInterruptAsked:
      case Lifecycle::Kind::kStopAsked:
      case Lifecycle::Kind::kDeadline:
        return OnEndAsked(EndingOf(event));
      case Lifecycle::Kind::kSignalled:
      case Lifecycle::Kind::kLeftover:
        return Step::kNothing;
      case Lifecycle::Kind::kInputClosed:
        state_.input_closed = true;
        return Step::kNothing;
      case Lifecycle::Kind::kTrouble:
        state_.trouble = event.text;
        return Step::kNothing;
      case Lifecycle::Kind::kStartFailed:
      case Lifecycle::Kind::kExited:
      case Lifecycle::Kind::kLost:
        return OnProcessEnded(event);
      case Lifecycle::Kind::kCancelled:
        return OnCancelled();
      case Lifecycle::Kind::kTurnWaits:
        ++state_.turns_waiting;
        return Step::kNothing;
    }
    return Step::kNothing;
  }

  // The task returns to its last end.
  bool returned() const { return returned_; }

 private:
  void SetLastAction(absl::string_view action) {
    action = absl::StripLeadingAsciiWhitespace(action);
    if (action.empty()) return;
    state_.last_action = std::string(CutAtCharacter(action, kMaxLastAction));
  }
  Step Spoke() {
    state_.turn_open = true;
    return Step::kSpoke;
  }
  Step Waits() const {
    if (!state_.approvals.empty()) return Step::kApprovalWaits;
    if (!state_.questions.empty()) return Step::kQuestionWaits;
    // Background work may ask between two turns.
    const bool between = state_.process_alive && !state_.turn_open;
    return between ? Step::kTurnEnded : Step::kAllAnswered;
  }
  // Commands in the background keep a process alive as subagents do. The text
  // is made by agent/claude/background_tasks.cc: "started: b1: make all".
  void CountCommand(absl::string_view text) {
    const std::vector<std::string> parts = absl::StrSplit(text, ": ");
    if (parts[0] == "started" && parts.size() > 1 &&
        state_.subagents.size() < kMaxSubagents) {
      state_.subagents.insert(absl::StrCat("command ", parts[1]));
    } else if (parts[0] == "notification") {
      for (const std::string& part : parts) {
        state_.subagents.erase(absl::StrCat("command ", part));
      }
    }
  }
  void AddForkPoint(const Result& result) {
    if (result.fork_point.empty()) return;
    std::map<int, std::string>& points = state_.fork_points;
    points[state_.turns - state_.turns_waiting] = result.fork_point;
    if (points.size() > kMaxForkPoints) points.erase(points.begin());
  }
  void TakeUsage(const Usage& usage) {
    state_.usage = usage.total;
    state_.cost_usd = usage.total_cost.usd;
    state_.cost_source = usage.total_cost.source;
    CountUse(usage, message_.time, &state_);
  }
  Step OnBudgetAnswered(const Approval& approval) {
    const bool allowed = approval.state == Approval::State::kAllowed;
    // A turn that is still being ended is then not continued.
    if (!allowed) state_.ending.by_budget = state_.budget.goes_on = false;
    const bool goes_on =
        allowed && (state_.budget.goes_on || NextInput(state_) != nullptr);
    if (!state_.approvals.empty() || !state_.questions.empty()) return Waits();
    if (state_.process_alive) return goes_on ? Step::kAllAnswered : Waits();
    if (goes_on || state_.turns_waiting > 0) return Step::kGoesOn;
    return ReturnToLastEnd();
  }
  void OpenTurn() {
    state_.error.clear();
    state_.hint.clear();
    state_.ending = {};
    state_.turn_open = true;
  }
  TurnOutcome OutcomeOf(const Result& result) const {
    if (state_.ending.kind == Ending::Kind::kFailure) {
      return TurnOutcome::kFailed;
    }
    if (result.is_error) {
      return state_.ending.kind == Ending::Kind::kInterrupt
                 ? TurnOutcome::kInterrupted
                 : TurnOutcome::kFailed;
    }
    return result.denial_count > 0 ? TurnOutcome::kDenied : TurnOutcome::kDone;
  }
  // The step by which the process ended, from the state alone.
  Step EndStep() const {
    switch (state_.ending.kind) {
      case Ending::Kind::kInterrupt:
        return Step::kEndedAsAsked;
      case Ending::Kind::kFailure:
        return Step::kEndedBadly;
      case Ending::Kind::kNone:
        break;
    }
    const bool good =
        !state_.turn_open && state_.result && !state_.result->is_error;
    return good ? Step::kEndedWell : Step::kEndedBadly;
  }
  Step OnTurnAsked(const Lifecycle& event) {
    ++state_.turns;
    state_.turn_started = message_.time;
    state_.awake.turn_started = state_.awake.now;
    state_.withdrawn_results = 0;
    const bool waits = event.generation == 0;
    if (waits) ++state_.turns_waiting;
    const bool another_runs = state_.process_alive && state_.turn_open;
    if (!another_runs) OpenTurn();
    return waits ? Step::kTurnWaits : Step::kTurnTaken;
  }
  Step OnSpawned(const Lifecycle& event) {
    state_.generation = event.generation;
    state_.process_alive = true;
    state_.input_closed = false;
    state_.exit_code.reset();
    state_.signal.reset();
    if (std::exchange(state_.turns_waiting, 0) > 0) OpenTurn();
    if (!state_.started) state_.started = message_.time;
    state_.turn_started = message_.time;
    state_.awake.turn_started = state_.awake.now;
    state_.awake.last_activity.reset();  // By another relay's clock.
    return Step::kSpawned;
  }
  Step OnEndAsked(Ending ending) {
    const bool before_start = !state_.process_alive && !HasEnded(state_.status);
    state_.turns_waiting = 0;
    // The first request decides: those that follow only speed it up.
    if ((state_.process_alive || before_start) &&
        state_.ending.kind == Ending::Kind::kNone) {
      state_.error = ending.text;
      state_.hint.clear();
      state_.ending = std::move(ending);
    }
    if (!before_start) return Step::kNothing;
    state_.turn_open = false;
    return EndStep();
  }
  Step OnProcessEnded(const Lifecycle& event) {
    const bool turn_waits = state_.process_alive && state_.turns_waiting > 0;
    const bool was_alive = std::exchange(state_.process_alive, false);
    state_.exit_code = event.exit_code;
    state_.signal = event.signal;
    DropPending(&state_);
    state_.open_tools.clear();
    state_.subagents.clear();
    if (turn_waits) {
      state_.last_end = EndBeforeTurn(event);
      return Step::kEndedBeforeTurn;
    }
    state_.turns_waiting = 0;
    if (!was_alive && HasEnded(state_.status)) return Step::kNothing;
    Step step = EndStep();
    if (event.kind != Lifecycle::Kind::kExited) {
      // Nobody knows how it ended, so not as it was asked to.
      step = Step::kEndedBadly;
      if (state_.ending.kind != Ending::Kind::kFailure) state_.error.clear();
    }
    if (step == Step::kEndedWell) return step;
    state_.turn_open = false;
    if (state_.error.empty()) state_.error = event.text;
    return step;
  }
  Step OnCancelled() {
    if (state_.process_alive) return Step::kNothing;
    const int waiting = std::exchange(state_.turns_waiting, 0);
    state_.turn_open = false;
    if (!state_.last_end) return Step::kCancelled;
    if (waiting == 0) return Step::kNothing;
    state_.withdrawn_results = waiting;
    state_.error = state_.last_end->error;
    state_.hint = state_.last_end->hint;
    state_.ending = state_.last_end->ending;
    return ReturnToLastEnd();
  }
  Step ReturnToLastEnd() {
    if (!state_.last_end) return Step::kEndedAsAsked;
    returned_ = true;
    switch (state_.last_end->status) {
      case TaskStatus::kDone:
        return Step::kEndedWell;
      case TaskStatus::kInterrupted:
        return Step::kEndedAsAsked;
      default:
        return Step::kEndedBadly;
    }
  }
  // The end of a process while a turn waits for the next one.
  LastEnd EndBeforeTurn(const Lifecycle& event) const {
    LastEnd end = {.ending = state_.ending, .ended = message_.time};
    if (state_.ending.kind != Ending::Kind::kNone) {
      end.status = state_.ending.kind == Ending::Kind::kInterrupt
                       ? TaskStatus::kInterrupted
                       : TaskStatus::kFailed;
      end.error = state_.ending.text;
    } else if (!state_.result || state_.result->is_error) {
      end.status = TaskStatus::kFailed;
      end.error = state_.result ? state_.result->error : event.text;
      if (state_.result) end.hint = state_.result->hint;
    }
    return end;
  }

  const Message& message_;
  TaskState& state_;
  bool returned_ = false;
};

bool IsEnd(Step step) {
  return step == Step::kEndedWell || step == Step::kEndedBadly ||
         step == Step::kEndedAsAsked;
}

}  // namespace

void StopWork(TaskState* state) {
  AwakeTimes& awake = state->awake;
  if (awake.working_since && awake.now) {
    state->worked +=
        std::max(*awake.now - *awake.working_since, absl::ZeroDuration());
  }
  awake.working_since.reset();
}

void Reduce(const Message& message, TaskState* state) {
  // What subagents ask waits for an answer like any other request.
  const bool asks = std::holds_alternative<Approval>(message.payload) ||
                    std::holds_alternative<Question>(message.payload);
  if (!message.parent_tool_use_id.empty() && !asks) return;
  Reducer reducer(message, state);
  Step step = std::visit(reducer, message.payload);
  const bool had_ended = HasEnded(state->status);
  if (AsksForBudget(*state) &&
      (IsEnd(step) || step == Step::kEndedBeforeTurn)) {
    // The task waits for an answer without a process, and returns to this end
    // if that is no.
    const TaskStatus end = NextStatus(state->status, step);
    if (HasEnded(end)) {
      state->last_end = {.status = end,
                         .error = state->error,
                         .hint = state->hint,
                         .ending = state->ending,
                         .ended = message.time};
    }
    step = Step::kBudgetWaits;
  }
  state->status = NextStatus(state->status, step);
  const bool has_ended = HasEnded(state->status);
  if (has_ended && !had_ended) {
    state->ended = reducer.returned() ? state->last_end->ended : message.time;
  }
  if (!has_ended) state->ended.reset();
  if (step == Step::kEndedBadly && state->status == TaskStatus::kFailed) {
    state->outcome = TurnOutcome::kFailed;
  }
  if (has_ended && state->status != TaskStatus::kCancelled) {
    state->last_end = {.status = state->status,
                       .error = state->error,
                       .hint = state->hint,
                       .ending = state->ending,
                       .ended = state->ended};
  }
  const bool works = state->status == TaskStatus::kStarting ||
                     state->status == TaskStatus::kRunning;
  if (!works) {
    StopWork(state);
  } else if (!state->awake.working_since) {
    state->awake.working_since = state->awake.now;
  }
}

}  // namespace troika
