#include "task/denials.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/utf8.h"

namespace troika {
namespace {

constexpr size_t kMaxText = 200;
// A stream that never ends its turn must not fill the memory.
constexpr size_t kMaxRemembered = 10000;

}  // namespace

void Denials::Add(const Message& message) {
  if (const auto* use = std::get_if<ToolUse>(&message.payload)) {
    if (running_.size() < kMaxRemembered) running_[use->id] = use->name;
  } else if (const auto* result = std::get_if<ToolResult>(&message.payload)) {
    const auto name = running_.extract(result->tool_use_id);
    if (!result->denied) return;
    Add({.tool_use_id = result->tool_use_id,
         .tool_name = name ? std::move(name.mapped()) : "",
         .reason = result->output});
  } else if (const auto* approval = std::get_if<Approval>(&message.payload)) {
    if (approval->state != Approval::State::kDenied ||
        approval->kind == Approval::Kind::kBudget) {
      return;
    }
    Add({.tool_use_id = approval->tool_use_id,
         .tool_name = approval->tool_name,
         .reason = approval->reason,
         .by = approval->by});
  } else if (const auto* notice = std::get_if<Notice>(&message.payload)) {
    if (notice->kind != Notice::Kind::kPermissionDenied) return;
    const auto name = running_.find(notice->tool_use_id);
    Add({.tool_use_id = notice->tool_use_id,
         .tool_name = name == running_.end() ? "" : name->second,
         .reason = notice->text});
  }
}

void Denials::Add(Denial denial) {
  if (!denial.tool_use_id.empty()) {
    if (tool_use_ids_.size() == kMaxRemembered) tool_use_ids_.clear();
    if (!tool_use_ids_.insert(denial.tool_use_id).second) return;
  }
  ++count_;
  if (first_.size() == kMaxDenials) return;
  for (std::string* text :
       {&denial.tool_use_id, &denial.tool_name, &denial.reason, &denial.by}) {
    text->resize(CutAtCharacter(*text, kMaxText).size());
  }
  first_.push_back(std::move(denial));
}

void Denials::MoveTo(Result* result) {
  const int unlisted =
      result->denial_count - static_cast<int>(result->denials.size());
  for (Denial& denial : result->denials) Add(std::move(denial));
  result->denial_count = count_ + std::max(0, unlisted);
  result->denials = std::exchange(first_, {});
  count_ = 0;
}

}  // namespace troika
