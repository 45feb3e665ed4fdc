// The harnesses by name, and what each can do.
#ifndef TROIKA_AGENT_HARNESS_H_
#define TROIKA_AGENT_HARNESS_H_

#include <optional>

#include "absl/strings/string_view.h"

namespace troika {

// kDemo asks no model: it shows what Troika does (agent/demo).
enum class Harness { kCodex, kClaude, kGemini, kDemo };

absl::string_view HarnessId(Harness harness);
std::optional<Harness> HarnessFromId(absl::string_view id);

// Data, so that nobody has to ask for a harness's name.
struct Capabilities {
  bool follow_up = false;  // Takes a second prompt in the same process.
  bool resume = false;
  bool fork = false;
  bool steer = false;      // Takes a prompt while it works on another.
  bool interrupt = false;  // A turn can be ended and the process goes on.
  bool approvals = false;
  bool questions = false;
  bool images = false;
  bool models = false;  // The model can be chosen.
  bool compaction = false;

  bool operator==(const Capabilities&) const = default;
};

// What is left of them in a process that takes one prompt and nothing more.
Capabilities WithoutConversation(Capabilities all);

}  // namespace troika

#endif  // TROIKA_AGENT_HARNESS_H_
