#include "agent/launch/builder.h"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace troika {
namespace {

// Linux's MAX_ARG_STRLEN, which counts the NUL at the end.
constexpr size_t kMaxArgBytes = 128 * 1024;

// Options that name files and folders.
constexpr absl::string_view kPathOptions[] = {"images", "output_schema",
                                              "extra_dirs", "base_instructions",
                                              "last_message_file"};

bool IsPath(absl::string_view option) {
  return std::find(std::begin(kPathOptions), std::end(kPathOptions), option) !=
         std::end(kPathOptions);
}

}  // namespace

LaunchBuilder::LaunchBuilder(const LaunchRules& rules,
                             const LaunchRequest& request, const Cli& cli)
    : rules_(rules),
      options_(request.options),
      fork_session_(request.fork_session),
      fork_at_turn_(!request.fork_point.empty()),
      cli_(cli),
      version_(ParseVersion(cli.version)) {
  launch_.argv.push_back(cli.path);
  CheckVersion();
  CheckValues(request);
}

void LaunchBuilder::CheckVersion() {
  if (version_ >= rules_.oldest) return;
  status_.Update(absl::FailedPreconditionError(absl::StrCat(
      "start ", NameAndVersion(rules_.name, cli_), ": it is older than ",
      VersionText(rules_.oldest),
      ", the first that works here; update it with ", rules_.install)));
}

void LaunchBuilder::CheckValue(absl::string_view option,
                               absl::string_view value) {
  if (value.find('\0') != absl::string_view::npos) {
    Fail(option, "holds a NUL byte, which no command line can carry");
  } else if (absl::StartsWith(value, "-")) {
    Fail(option,
         absl::StrCat("\"", value,
                      "\" begins with a dash and would be taken for a flag",
                      IsPath(option) ? absl::StrCat("; write it as ./", value)
                                     : "; give another one, or leave it out"));
  }
}

void LaunchBuilder::CheckValues(const LaunchRequest& request) {
  ForEachField<LaunchOptions>([&](const auto& field) {
    const auto& value = field.Of(options_);
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>) {
      CheckValue(field.name, value);
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      // The words of a command become arguments unchanged, dashes included.
      if (field.name == "acp_command") return;
      for (const std::string& item : value) {
        if (item.empty()) Fail(field.name, "one of them is empty");
        CheckValue(field.name, item);
      }
    }
  });
  for (const std::string& setting : options_.config) {
    if (ConfigKey(setting).empty()) {
      Fail("config", absl::StrCat("\"", setting, "\" is not key=value"));
    }
  }
  CheckValue("resume_session", request.resume_session);
  CheckValue("new_session", request.new_session);
}

void LaunchBuilder::Args(absl::Span<const absl::string_view> args) {
  for (const absl::string_view arg : args) Arg(arg);
}

void LaunchBuilder::Flag(absl::string_view option, absl::string_view flag,
                         absl::string_view value) {
  if (value.empty()) return;
  Require(option, flag);
  Args({flag, value});
}

void LaunchBuilder::Switch(absl::string_view option, absl::string_view flag) {
  Require(option, flag);
  Arg(flag);
}

void LaunchBuilder::AddToList(absl::string_view flag, absl::string_view value) {
  std::vector<std::string>& argv = launch_.argv;
  const auto it = std::find(argv.begin(), argv.end(), flag);
  if (it != argv.end() && it + 1 != argv.end()) {
    absl::StrAppend(&*(it + 1), ",", value);
  } else {
    Args({flag, value});
  }
}

std::string LaunchBuilder::TakeFlag(absl::string_view flag) {
  std::vector<std::string>& argv = launch_.argv;
  const auto it = std::find(argv.begin(), argv.end(), flag);
  if (it == argv.end() || it + 1 == argv.end()) return "";
  std::string value = std::move(*(it + 1));
  argv.erase(it, it + 2);
  return value;
}

void LaunchBuilder::Env(absl::string_view name, absl::string_view value) {
  launch_.env.emplace_back(name, value);
}

void LaunchBuilder::Refuse(absl::Span<const Refusal> refusals) {
  ForEachField<LaunchOptions>([&](const auto& field) {
    if (IsDefault(field.Of(options_))) return;
    for (const Refusal& refusal : refusals) {
      if (refusal.option != field.name) continue;
      Fail(field.name,
           absl::StrCat(rules_.name, " can't do this; ", refusal.instead));
    }
  });
}

void LaunchBuilder::Require(absl::string_view option, absl::string_view flag) {
  if (Has(flag)) return;
  Fail(option, absl::StrCat(NameAndVersion(rules_.name, cli_), " has no ", flag,
                            "; leave it out, or update with ", rules_.install));
}

void LaunchBuilder::FailVersion(absl::string_view option,
                                absl::string_view what) {
  Fail(option, CantDo(rules_.name, cli_, what, rules_.install));
}

void LaunchBuilder::Fail(absl::string_view option, absl::string_view why) {
  status_.Update(absl::InvalidArgumentError(absl::StrCat(option, ": ", why)));
}

const EditModeRow* LaunchBuilder::CheckPermissions(
    absl::Span<const absl::string_view> native) {
  std::vector<absl::string_view> given(native.begin(), native.end());
  const bool dangerous = options_.edit_mode == EditMode::kDangerous;
  // EditMode::kNative says nothing itself, so other settings may.
  const bool says_mode =
      options_.edit_mode && options_.edit_mode != EditMode::kNative;
  if (says_mode) given.push_back("edit_mode");
  if (options_.dangerously_bypass && !dangerous) {
    given.push_back("dangerously_bypass");
  }
  if (given.size() > 1) {
    Fail(given[0], absl::StrCat("is set beside ", given[1],
                                ", and both say what the agent may do; leave "
                                "one of them out"));
  }
  if (!native.empty()) return nullptr;
  const EditMode mode = options_.dangerously_bypass
                            ? EditMode::kDangerous
                            : options_.edit_mode.value_or(EditMode::kResearch);
  const EditModeRow* const row =
      FindEditMode(rules_.edit_modes, mode, version_);
  if (row == nullptr) {
    FailVersion(absl::StrCat("edit_mode ", EditModeId(mode)),
                "ask before it acts");
  }
  return row;
}

void LaunchBuilder::Permissions(absl::Span<const absl::string_view> native) {
  const EditModeRow* const row = CheckPermissions(native);
  if (row == nullptr) return;
  const std::string option = absl::StrCat("edit_mode ", EditModeId(row->mode));
  for (const absl::string_view arg :
       absl::StrSplit(row->args, ' ', absl::SkipEmpty())) {
    if (absl::StartsWith(arg, "-")) Require(option, arg);
    Arg(arg);
  }
  if (!row->notice.empty()) launch_.notices.emplace_back(row->notice);
}

absl::StatusOr<Launch> LaunchBuilder::Finish(Launch::Stdin stdin_mode,
                                             Wire wire) && {
  for (const std::string& arg : launch_.argv) {
    if (arg.size() < kMaxArgBytes) continue;
    Fail("options", absl::StrCat("the one that begins \"", arg.substr(0, 40),
                                 "\" is longer than a command line takes"));
  }
  if (fork_session_ && !forks_session_) {
    FailVersion("fork_session", kForkSession);
  }
  if (fork_at_turn_ && !forks_at_turn_) FailVersion("fork_turn", kForkAtTurn);
  if (!status_.ok()) return status_;
  launch_.stdin_mode = stdin_mode;
  launch_.wire = wire;
  return std::move(launch_);
}

absl::string_view ConfigKey(absl::string_view setting) {
  const size_t equals = setting.find('=');
  return equals == absl::string_view::npos ? "" : setting.substr(0, equals);
}

}  // namespace troika
