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
#include "cli/timeline/edit_text.h"
#include "cli/timeline/modes.h"
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

// Returns how long the turn took, by the log or else by the agent.
std::optional<absl::Duration> Took(const Result& result, const Message& message,
                                   const TaskState& state) {
  if (!message.time || !state.turn_started) return result.duration;
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
    if (options_.width > 0) {
      Markdown(result.text);
    } else {
      Stream(absl::StripAsciiWhitespace(result.text));
    }
  }
  last_.text.clear();
  const std::vector<FileEdit> changed = std::exchange(changed_, {});
  has_diff_ = false;
  // The timeline has shown the cancellation already.
  if (context.state.status == TaskStatus::kCancelled ||
      absl::StartsWith(result.error, "cancelled")) {
    return;
  }
  Begin(Kind::kBlock);
  const std::string spent =
      Spent(result, Took(result, context.message, context.state));
  const std::string tail = spent.empty() ? "" : absl::StrCat(" · ", spent);
  if (!result.is_error && result.denial_count > 0) {
    Paragraph(Style::kYellow, "▲ ",
              absl::StrCat("done, but ", DenialsText(result), tail));
  } else if (!result.is_error) {
    Paragraph(Style::kGreen, "✔ ", absl::StrCat("done", tail));
  }
  const std::string files = FilesText(changed);
  const auto show_more = [&] {
    if (!files.empty()) Paragraph(Style::kDim, "  ", files);
    const std::string flag = AllowingFlag(
        result, mode_ ? mode_ : context.state.edit_mode, context.state.task);
    if (!flag.empty()) Paragraph(Style::kYellow, "  ", flag);
  };
  if (!result.is_error) {
    show_more();
    return Hint(result);
  }
  const Ending& ending = context.state.ending;
  if (ending.kind == Ending::Kind::kInterrupt) {
    Paragraph(Style::kYellow, "■ ", absl::StrCat(ending.text, tail));
    return show_more();
  }
  last_.error = result.error;
  if (ending.kind == Ending::Kind::kFailure &&
      !absl::StrContains(result.error, ending.text)) {
    // An agent that knows no more than that it was ended adds nothing.
    const bool known = result.error.empty() || result.error == "interrupted";
    last_.error =
        absl::StrCat(ending.text, known ? "" : "\n", known ? "" : result.error);
  }
  Lines(Style::kRed, "✘ failed: ",
        last_.error.empty() ? "the agent gives no reason" : last_.error,
        kErrorLines);
  Hint(result);
  if (!spent.empty()) Paragraph(Style::kDim, "  ", spent);
  show_more();
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
      return ReadHeader(text);
    case Event::kInterruptAsked:
    case Event::kSignalled:
      return;
    case Event::kStopAsked:
      // The end of the turn says it.
      if (context.state.turn_open) return;
      return note(Style::kYellow, ByWhom("■ stopped", event));
    case Event::kCancelled:
      return note(Style::kYellow, ByWhom("■ cancelled", event));
    case Event::kLeftover:
      return note(Style::kYellow, text);
    case Event::kDeadline:
      // The end of the turn says it.
      if (context.state.turn_open) return;
      return note(Style::kRed, text);
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
