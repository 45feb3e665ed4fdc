#include "task/next_status.h"

#include <iterator>

namespace troika {
namespace {

// Short, so that a row of the table is a line.
constexpr TaskStatus kQu = TaskStatus::kQueued;
constexpr TaskStatus kSt = TaskStatus::kStarting;
constexpr TaskStatus kRu = TaskStatus::kRunning;
constexpr TaskStatus kAp = TaskStatus::kAwaitingApproval;
constexpr TaskStatus kAn = TaskStatus::kAwaitingAnswer;
constexpr TaskStatus kId = TaskStatus::kIdle;
constexpr TaskStatus kDo = TaskStatus::kDone;
constexpr TaskStatus kFa = TaskStatus::kFailed;
constexpr TaskStatus kIn = TaskStatus::kInterrupted;
constexpr TaskStatus kCa = TaskStatus::kCancelled;

// For each step, in the order of Step, the next status by the one before.
// clang-format off
constexpr TaskStatus kNext[][kTaskStatuses] = {
    {kQu, kSt, kRu, kAp, kAn, kId, kDo, kFa, kIn, kCa},  // kNothing
    {kQu, kSt, kRu, kAp, kAn, kQu, kQu, kQu, kQu, kCa},  // kTurnWaits
    {kRu, kSt, kRu, kAp, kAn, kRu, kRu, kRu, kRu, kRu},  // kTurnTaken
    {kSt, kSt, kSt, kSt, kSt, kSt, kSt, kSt, kSt, kSt},  // kSpawned
    {kRu, kRu, kRu, kAp, kAn, kRu, kDo, kFa, kIn, kCa},  // kSpoke
    {kRu, kRu, kRu, kAp, kAn, kId, kDo, kFa, kIn, kCa},  // kWorked
    {kAp, kAp, kAp, kAp, kAp, kAp, kDo, kFa, kIn, kCa},  // kApprovalWaits
    {kAn, kAn, kAn, kAn, kAn, kAn, kDo, kFa, kIn, kCa},  // kQuestionWaits
    {kQu, kSt, kRu, kRu, kRu, kId, kDo, kFa, kIn, kCa},  // kAllAnswered
    {kId, kId, kId, kId, kId, kId, kDo, kFa, kIn, kCa},  // kTurnEnded
    {kDo, kDo, kDo, kDo, kDo, kDo, kDo, kFa, kIn, kCa},  // kEndedWell
    {kFa, kFa, kFa, kFa, kFa, kFa, kDo, kFa, kIn, kCa},  // kEndedBadly
    {kIn, kIn, kIn, kIn, kIn, kIn, kDo, kFa, kIn, kCa},  // kEndedAsAsked
    {kQu, kQu, kQu, kQu, kQu, kQu, kDo, kFa, kIn, kCa},  // kEndedBeforeTurn
    {kCa, kCa, kRu, kAp, kAn, kId, kDo, kFa, kIn, kCa},  // kCancelled
    {kAp, kAp, kAp, kAp, kAp, kAp, kAp, kAp, kAp, kCa},  // kBudgetWaits
    {kQu, kSt, kRu, kQu, kAn, kId, kQu, kQu, kQu, kCa},  // kGoesOn
};
// clang-format on
static_assert(std::size(kNext) == kSteps);

}  // namespace

TaskStatus NextStatus(TaskStatus status, Step step) {
  return kNext[static_cast<int>(step)][static_cast<int>(status)];
}

}  // namespace troika
