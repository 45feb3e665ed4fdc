// Timeline of how turns and processes begin and end.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/timeline.h"
#include "task/inputs.h"

namespace troika::cli {
namespace {

constexpr size_t kErrorLines = 10;

std::string ByWhom(absl::string_view what, const Lifecycle& event) {
  std::string text(what);
  if (!event.by.empty()) absl::StrAppend(&text, " by ", event.by);
  if (!event.text.empty()) absl::StrAppend(&text, ": ", event.text);
  return text;
}

// Returns how long the turn took, by the agent or else by the log.
std::optional<absl::Duration> Took(const Result& result, const Message& message,
                                   const TaskState& state) {
  if (result.duration || !message.time || !state.turn_started) {
    return result.duration;
  }
  return *message.time - *state.turn_started;
}

// Returns the time, tokens and cost that are known.
std::string Spent(const Result& result,
                  const std::optional<absl::Duration>& took) {
  const Usage& usage = result.usage;
  std::string tokens = TokensText(usage.turn.value_or(usage.total));
  if (!tokens.empty() && !usage.turn) tokens += " in all";
  std::vector<std::string> parts = {took ? DurationText(*took) : "", tokens,
                                    CostText(usage.turn_cost)};
  std::erase(parts, "");
  return absl::StrJoin(parts, " · ");
}

}  // namespace

void Timeline::On(const Result& result, const Context& context) {
  // The answer came only with the result.
  if (depth_ == 0 && !result.is_error && result.text != last_.text &&
      !absl::StripAsciiWhitespace(result.text).empty()) {
    Begin(Kind::kBlock);
    Stream(absl::StripAsciiWhitespace(result.text));
  }
  last_.text.clear();
  Begin(Kind::kBlock);
  const std::string spent =
      Spent(result, Took(result, context.message, context.state));
  const std::string tail = spent.empty() ? "" : absl::StrCat(" · ", spent);
  if (!result.is_error && result.denial_count > 0) {
    Paragraph(Style::kYellow, "▲ ",
              absl::StrCat("done, but ", DenialsText(result), tail));
    return Hint(result);
  }
  if (!result.is_error) {
    Line(Style::kGreen, absl::StrCat("✔ done", tail));
    return Hint(result);
  }
  const Ending& ending = context.state.ending;
  if (ending.kind == Ending::Kind::kInterrupt) {
    return Paragraph(Style::kYellow, "■ ", absl::StrCat(ending.text, tail));
  }
  last_.error = result.error;
  Lines(Style::kRed, "✘ failed: ",
        result.error.empty() ? "the agent gives no reason" : result.error,
        kErrorLines);
  Hint(result);
  if (!spent.empty()) Line(Style::kDim, absl::StrCat("  ", spent));
}

void Timeline::Hint(const Result& result) {
  if (result.hint.empty()) return;
  Paragraph(Style::kYellow, "  hint: ", result.hint);
}

std::string Timeline::WaitingTurn(const TaskState& state) {
  if (state.process_alive || state.turns_waiting == 0) return "";
  depth_ = 0;
  Begin(Kind::kBlock);
  // The title is that of the first turn.
  if (state.turns == 1) Lines(Style::kCyan, "❯ ", state.title, 1);
  Line(Style::kDim, absl::StrCat("turn ", state.turns,
                                 " waits: no agent was started for it yet"));
  return std::exchange(out_, "");
}

// An input is shown when the agent gets it; here only what else becomes of it.
void Timeline::On(const Receipt& receipt, const Context& context) {
  const TaskInput* const input = FindInput(context.state, receipt.id);
  const std::string& text = input == nullptr || !receipt.text.empty()
                                ? receipt.text
                                : input->receipt.text;
  switch (receipt.state) {
    case Receipt::State::kDelivered:
      return;
    case Receipt::State::kQueued:
      if (receipt.turn > 0) return;
      Begin(Kind::kLine);
      return Lines(Style::kDim, absl::StrCat(receipt.id, " waits: "), text, 1);
    case Receipt::State::kFailed:
    case Receipt::State::kWithdrawn:
      Begin(Kind::kLine);
      return Paragraph(
          Style::kYellow, "",
          absl::StrCat(receipt.id, " was not delivered: ", receipt.reason));
  }
}

void Timeline::On(const Lifecycle& event, const Context& context) {
  using Event = Lifecycle::Kind;
  const std::string& text = event.text;
  const auto note = [&](Style style, absl::string_view line) {
    Begin(Kind::kLine);
    Paragraph(style, "", line);
  };
  // Does not repeat the error of the turn's result.
  const bool told =
      !event.text.empty() && absl::StrContains(last_.error, event.text);
  switch (event.kind) {
    case Event::kCreated:
    case Event::kTurnAsked:
    case Event::kInputClosed:
    case Event::kTurnWaits:
      return;
    case Event::kSpawned:
      last_.error.clear();
      return note(Style::kDim, absl::StrCat(text, " started"));
    case Event::kInterruptAsked:
      return note(Style::kYellow, ByWhom("interrupt asked", event));
    case Event::kStopAsked:
      return note(Style::kYellow, ByWhom("stop asked", event));
    case Event::kCancelled:
      return note(Style::kYellow, ByWhom("cancelled", event));
    case Event::kSignalled:
      return note(
          Style::kDim,
          ByWhom(absl::StrCat("signal ", event.signal.value_or(0), " sent"),
                 event));
    case Event::kLeftover:
      return note(Style::kYellow, text);
    case Event::kDeadline:
    case Event::kTrouble:
      return note(Style::kRed, text);
    case Event::kStartFailed:
    case Event::kLost:
      if (!told) note(Style::kRed, text);
      return;
    case Event::kExited: {
      const int code = event.exit_code.value_or(-1);
      // CLIs exit with a code of their own after a turn that failed.
      const bool plain =
          event.text == absl::StrCat("exited with code ", code) &&
          (code == 0 || !last_.error.empty());
      const bool asked = context.state.ending.kind != Ending::Kind::kNone;
      if (!plain && !asked && !told) {
        note(Style::kYellow,
             absl::StrCat("the agent ", event.signal ? "was " : "", text));
      }
      return;
    }
  }
}

}  // namespace troika::cli
