// Describes what an agent can do without asking a person, in terms that all
// harnesses' edit modes and permission settings share.
//
//   constexpr Abilities kReader = {Ability::kReadOutside};
//   kReader.Includes({});            // true
//   AbilitiesText(kReader);          // "read files outside its folder"
#ifndef TROIKA_AGENT_LAUNCH_ABILITIES_H_
#define TROIKA_AGENT_LAUNCH_ABILITIES_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace troika {

enum class Ability : uint8_t {
  kReadOutside,     // Reads files outside its folder.
  kEdit,            // Edits files in its folder.
  kEditOutside,     // Edits files anywhere.
  kRunSandboxed,    // Runs commands in a sandbox where they can write.
  kRunUnsandboxed,  // Runs commands that can do all that the user can.
  kNetwork,         // Reaches the network by a command or a tool.
  kIgnoreRules,     // Does what the CLI's own settings deny.
};

class Abilities {
 public:
  constexpr Abilities() = default;
  constexpr Abilities(std::initializer_list<Ability> abilities) {
    for (const Ability ability : abilities) bits_ |= Bit(ability);
  }

  constexpr bool Has(Ability ability) const {
    return (bits_ & Bit(ability)) != 0;
  }
  constexpr bool Includes(Abilities other) const {
    return (other.bits_ & ~bits_) == 0;
  }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr Abilities operator|(Abilities other) const {
    return Abilities(bits_ | other.bits_);
  }
  constexpr Abilities operator&(Abilities other) const {
    return Abilities(bits_ & other.bits_);
  }
  // Returns the abilities that `other` lacks.
  constexpr Abilities operator-(Abilities other) const {
    return Abilities(bits_ & ~other.bits_);
  }
  constexpr bool operator==(const Abilities&) const = default;

 private:
  static constexpr unsigned Bit(Ability ability) {
    return 1u << static_cast<unsigned>(ability);
  }
  constexpr explicit Abilities(unsigned bits) : bits_(bits) {}

  unsigned bits_ = 0;
};

// Abilities of a command that runs without a sandbox.
inline constexpr Abilities kUnsandboxed = {
    Ability::kReadOutside,  Ability::kEdit,           Ability::kEditOutside,
    Ability::kRunSandboxed, Ability::kRunUnsandboxed, Ability::kNetwork};
inline constexpr Abilities kEverything =
    kUnsandboxed | Abilities{Ability::kIgnoreRules};

struct AbilityName {
  Ability ability;
  absl::string_view id;    // As in docs/permissions.md: "edit-outside".
  absl::string_view text;  // After "it can": "edit files outside its folder".
};

// Returns all abilities in the order of the enum.
absl::Span<const AbilityName> AbilityNames();

// Returns a list like "edit, run-sandboxed", or "–" if there are none.
std::string AbilityIds(Abilities abilities);
// Returns "edit files in its folder and run commands in a sandbox".
std::string AbilitiesText(Abilities abilities);

}  // namespace troika

#endif  // TROIKA_AGENT_LAUNCH_ABILITIES_H_
