// Plays the requests of an agent to its user.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json_writer.h"
#include "testing/fake/player.h"

namespace troika::fake {
namespace {

std::string QuestionInput(const Instruction& it) {
  std::vector<std::string> options;
  for (const std::string& option : it.options) {
    options.push_back(json::ObjectWriter()
                          .String("label", option)
                          .String("description", "")
                          .Take());
  }
  const std::string question = json::ObjectWriter()
                                   .String("question", it.text)
                                   .String("header", "Question")
                                   .Json("options", JsonArray(options))
                                   .Json("multiSelect", "false")
                                   .Take();
  return json::ObjectWriter().Json("questions", JsonArray({question})).Take();
}

Asked AskedBy(const Instruction& it) {
  if (it.op == Op::kAsk) return {.tool = it.text, .input_json = it.rest};
  return {.tool = "AskUserQuestion", .input_json = QuestionInput(it)};
}

}  // namespace

// Other input, such as another prompt, stays in the inbox.
std::optional<AskAnswer> Player::TakeAnswer() {
  std::optional<AskAnswer> answer;
  std::vector<std::string> others;
  while (!answer && inbox_.has_line()) {
    std::string line = inbox_.TakeLine();
    answer = wire_->AnswerIn(line);
    if (!answer) others.push_back(std::move(line));
  }
  inbox_.PutBack(others);
  return answer;
}

Flow Player::Ask(const Instruction& it) {
  const Asked asked = AskedBy(it);
  const std::string lines = wire(it).Ask(asked);
  if (lines.empty()) return Flow::kGoOn;
  Print(lines);
  std::optional<AskAnswer> answer = TakeAnswer();
  while (!answer && !inbox_.at_end()) {
    const Woken woken = WaitFor(Watch::kStdin, absl::InfiniteDuration());
    const Flow flow = woken == Woken::kStdin ? inbox_.Read() : OnSignals();
    if (flow == Flow::kStop) {
      Print(wire_->CancelAsk());
      return Flow::kStop;
    }
    answer = TakeAnswer();
  }
  // Nobody can answer any more.
  if (!answer) answer = AskAnswer{.message = "The input was closed."};
  Print(wire_->EndAsk(*answer));
  if (answer->allowed) return Flow::kGoOn;
  Print(wire_->Say(
      absl::StrCat("I may not use ", asked.tool, ": ", answer->message)));
  Print(wire_->Succeed());
  Succeed();
  denied_ = true;
  return Flow::kGoOn;
}

}  // namespace troika::fake
