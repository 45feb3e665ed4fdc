// Names the harnesses and describes their capabilities.
#ifndef TROIKA_AGENT_HARNESS_H_
#define TROIKA_AGENT_HARNESS_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "base/fields.h"

namespace troika {

// kDemo is a demonstration without a model (agent/registry.cc). kAcp is any
// agent that speaks the Agent Client Protocol; LaunchOptions::acp_command says
// which one.
enum class Harness { kCodex, kClaude, kGemini, kDemo, kAcp };

template <>
inline constexpr auto kEnumNames<Harness> = EnumNames("codex", "claude",
                                                      "gemini", "demo", "acp");

inline absl::string_view HarnessId(Harness harness) { return NameOf(harness); }
inline std::optional<Harness> HarnessFromId(absl::string_view id) {
  return FromName<Harness>(id);
}

// Capabilities are data so that no caller has to compare harness names.
struct Capabilities {
  bool follow_up = false;  // Takes a second prompt in the same process.
  bool resume = false;
  bool fork = false;
  bool fork_at_turn = false;  // A fork can begin at an earlier turn.
  bool steer = false;         // Accepts a prompt while a turn runs.
  bool interrupt = false;     // A turn can be ended without ending the process.
  bool approvals = false;
  bool questions = false;
  bool images = false;
  bool models = false;  // The model can be chosen.
  bool compaction = false;
  bool set_model = false;  // The model can change while the process lives.
  // A denial carries its reason. Otherwise the reason follows as input.
  bool denial_reason = false;

  bool operator==(const Capabilities&) const = default;
};

// Returns the capabilities that remain if a process takes only one prompt.
inline Capabilities WithoutConversation(const Capabilities& all) {
  return {.resume = all.resume,
          .fork = all.fork,
          .fork_at_turn = all.fork_at_turn,
          .images = all.images,
          .models = all.models,
          .compaction = all.compaction};
}

}  // namespace troika

#endif  // TROIKA_AGENT_HARNESS_H_
