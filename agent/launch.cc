#include "agent/launch.h"

#include <iterator>

namespace troika {
namespace {

// In the order of EditMode.
constexpr absl::string_view kEditModes[] = {"research", "auto_edit",
                                            "full_auto", "dangerous"};

}  // namespace

absl::string_view EditModeId(EditMode mode) {
  return kEditModes[static_cast<int>(mode)];
}

std::optional<EditMode> EditModeFromId(absl::string_view id) {
  for (size_t i = 0; i < std::size(kEditModes); ++i) {
    if (kEditModes[i] == id) return static_cast<EditMode>(i);
  }
  return std::nullopt;
}

}  // namespace troika
