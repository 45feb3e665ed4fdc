#include "agent/launch/launch.h"

#include <iterator>

namespace troika {
namespace {

// In the order of EditMode.
constexpr absl::string_view kEditModes[] = {"research", "auto_edit",
                                            "full_auto", "dangerous"};

using O = LaunchOptions;

constexpr LaunchField kFields[] = {
    {"model", &O::model},
    {"edit_mode", &O::edit_mode},
    {"approval_policy", &O::approval_policy},
    {"sandbox", &O::sandbox},
    {"dangerously_bypass", &O::dangerously_bypass},
    {"images", &O::images},
    {"config", &O::config},
    {"profile", &O::profile},
    {"output_schema", &O::output_schema},
    {"skip_git_check", &O::skip_git_check},
    {"extra_dirs", &O::extra_dirs},
    {"effort", &O::effort},
    {"verbosity", &O::verbosity},
    {"web_search", &O::web_search},
    {"ephemeral", &O::ephemeral},
    {"base_instructions", &O::base_instructions},
    {"plan_tool", &O::plan_tool},
    {"local_provider", &O::local_provider},
    {"last_message_file", &O::last_message_file},
};

bool IsSetValue(const std::string& value) { return !value.empty(); }
bool IsSetValue(const std::vector<std::string>& value) {
  return !value.empty();
}
bool IsSetValue(bool value) { return value; }
template <typename T>
bool IsSetValue(const std::optional<T>& value) {
  return value.has_value();
}

}  // namespace

absl::Span<const LaunchField> LaunchFields() { return kFields; }

bool IsSet(const LaunchOptions& options, const LaunchField& field) {
  return std::visit([&](auto member) { return IsSetValue(options.*member); },
                    field.member);
}

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
