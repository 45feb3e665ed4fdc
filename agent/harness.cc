#include "agent/harness.h"

namespace troika {

absl::string_view HarnessId(Harness harness) {
  switch (harness) {
    case Harness::kCodex:
      return "codex";
    case Harness::kClaude:
      return "claude";
    case Harness::kGemini:
      return "gemini";
    case Harness::kDemo:
      return "demo";
  }
  return "";
}

std::optional<Harness> HarnessFromId(absl::string_view id) {
  for (const Harness h :
       {Harness::kCodex, Harness::kClaude, Harness::kGemini, Harness::kDemo}) {
    if (HarnessId(h) == id) return h;
  }
  return std::nullopt;
}

Capabilities WithoutConversation(Capabilities all) {
  all.follow_up = false;
  all.steer = false;
  all.interrupt = false;
  all.approvals = false;
  all.questions = false;
  return all;
}

}  // namespace troika
