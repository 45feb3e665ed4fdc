#include "agent/launch/abilities.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troika {
namespace {

constexpr AbilityName kNames[] = {
    {Ability::kReadOutside, "read-outside", "read files outside its folder"},
    {Ability::kEdit, "edit", "edit files in its folder"},
    {Ability::kEditOutside, "edit-outside", "edit files outside its folder"},
    {Ability::kRunSandboxed, "run-sandboxed", "run commands in a sandbox"},
    {Ability::kRunUnsandboxed, "run-unsandboxed",
     "run commands without a sandbox"},
    {Ability::kNetwork, "network", "reach the network"},
    {Ability::kIgnoreRules, "ignore-rules",
     "do what the CLI's own settings deny"},
};

}  // namespace

absl::Span<const AbilityName> AbilityNames() { return kNames; }

std::string AbilityIds(Abilities abilities) {
  std::vector<absl::string_view> ids;
  for (const AbilityName& name : kNames) {
    if (abilities.Has(name.ability)) ids.push_back(name.id);
  }
  return ids.empty() ? "–" : absl::StrJoin(ids, ", ");
}

std::string AbilitiesText(Abilities abilities) {
  std::vector<absl::string_view> texts;
  for (const AbilityName& name : kNames) {
    if (abilities.Has(name.ability)) texts.push_back(name.text);
  }
  if (texts.empty()) return "do nothing";
  const std::string last(texts.back());
  texts.pop_back();
  if (texts.empty()) return last;
  return absl::StrCat(absl::StrJoin(texts, ", "), " and ", last);
}

}  // namespace troika
