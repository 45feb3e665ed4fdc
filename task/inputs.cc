#include "task/inputs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/utf8.h"
#include "task/budget.h"

namespace troika {
namespace {

// The number in the id of an input, or 0.
int NumberOfInput(absl::string_view id) {
  constexpr int kMax = 1'000'000'000;
  int number = 0;
  const bool read =
      absl::ConsumePrefix(&id, "in-") && absl::SimpleAtoi(id, &number);
  return read && number > 0 && number < kMax ? number : 0;
}

// What is kept of the text of an input that ended.
constexpr size_t kMaxEndedText = 200;

}  // namespace

std::string InputId(int number) { return absl::StrCat("in-", number); }

const TaskInput* FindInput(const TaskState& state, absl::string_view id) {
  for (const TaskInput& input : state.inputs) {
    if (input.receipt.id == id) return &input;
  }
  return nullptr;
}

const TaskInput* NextInput(const TaskState& state) {
  if (state.queue_held || state.status == TaskStatus::kCancelled ||
      AsksForBudget(state)) {
    return nullptr;
  }
  const TaskInput* first = nullptr;
  for (const TaskInput& input : state.inputs) {
    if (!input.waits()) continue;
    if (input.receipt.interrupts) return &input;
    if (first == nullptr) first = &input;
  }
  return first;
}

void TakeReceipt(const Receipt& receipt, TaskState* state) {
  std::vector<TaskInput>& all = state->inputs;
  auto it = std::find_if(all.begin(), all.end(), [&](const TaskInput& input) {
    return input.receipt.id == receipt.id;
  });
  if (it == all.end()) {
    // Ids may have gaps, and none is used twice.
    state->input_count =
        std::max(state->input_count + 1, NumberOfInput(receipt.id));
    it = all.insert(all.end(), {.receipt = receipt});
  } else {
    std::string text =
        receipt.text.empty() ? std::move(it->receipt.text) : receipt.text;
    it->receipt = receipt;
    it->receipt.text = std::move(text);
  }
  if (receipt.state == Receipt::State::kQueued) return;
  it->receipt.text.resize(
      CutAtCharacter(it->receipt.text, kMaxEndedText).size());
  const auto ended = [](const TaskInput& input) {
    return input.receipt.state != Receipt::State::kQueued;
  };
  if (std::count_if(all.begin(), all.end(), ended) > kMaxEndedInputs) {
    all.erase(std::find_if(all.begin(), all.end(), ended));
  }
}

}  // namespace troika
