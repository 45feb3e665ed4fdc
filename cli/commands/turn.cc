#include "cli/commands/turn.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kStdinAlone = "-";
constexpr absl::string_view kBlankLine = "\n\n";

// Whether standard input was put there for us to read. Terminals and devices
// such as /dev/null were not, unless the user says so with "-".
bool HoldsData(int fd) {
  struct stat info = {};
  if (fstat(fd, &info) != 0) return false;
  return S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) ||
         S_ISREG(info.st_mode);
}

bool HasArgument(const PromptInput& input) {
  return input.argument && *input.argument != kStdinAlone;
}

// Whether to read standard input. InvalidArgument if the prompt is missing.
absl::StatusOr<bool> WantsStdin(const PromptInput& input, const Io& io) {
  const bool skip = input.use_stdin == PromptInput::Stdin::kSkip;
  if (HasArgument(input)) return !skip && HoldsData(io.in);
  if (input.argument) {
    if (!skip) return true;
    return absl::InvalidArgumentError(
        "the prompt - stands for standard input: don't use it with --no-stdin");
  }
  if (input.need == PromptInput::Need::kNoPrompt) {
    return !skip && HoldsData(io.in);
  }
  if (skip || isatty(io.in) != 0) {
    return absl::InvalidArgumentError("a prompt is needed: say what to do");
  }
  return true;
}

// Waits until something can be read, but at most for `patience`.
bool IsReady(int fd, absl::Duration patience) {
  pollfd wait = {.fd = fd, .events = POLLIN, .revents = 0};
  const int timeout = static_cast<int>(absl::ToInt64Milliseconds(patience));
  return poll(&wait, 1, timeout) != 0;
}

absl::Status TooLong() {
  return absl::InvalidArgumentError(absl::StrCat(
      "the prompt with standard input is over the limit of ",
      kMaxPromptBytes >> 20,
      " MiB: put the text into a file, and name the file in the prompt"));
}

absl::StatusOr<std::string> ReadStdin(const PromptInput& input, const Io& io) {
  std::string bytes;
  char chunk[65536];
  bool told = false;
  while (true) {
    if (!told && !IsReady(io.in, input.patience)) {
      told = true;
      Note(io, HasArgument(input)
                   ? "waiting for standard input, which follows the prompt; "
                     "--no-stdin skips it"
                   : "waiting for the prompt on standard input");
    }
    ASSIGN_OR_RETURN(const size_t n, ReadSome(io.in, absl::MakeSpan(chunk)));
    if (n == 0) return bytes;
    bytes.append(chunk, n);
    if (bytes.size() > kMaxPromptBytes) return TooLong();
  }
}

// Makes text that a harness takes of the bytes.
absl::StatusOr<std::string> AsText(std::string bytes, const Io& io) {
  const size_t nul = bytes.find('\0');
  if (nul != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "standard input is not text: byte ", nul,
        " is NUL; put it into a file, and name the file in the prompt"));
  }
  if (json::IsValidUtf8(bytes)) return bytes;
  Note(io, "standard input is not all UTF-8: its other bytes become U+FFFD");
  return json::ToValidUtf8(bytes);
}

// How many turns there are with this one, whether or not the reply counts it
// already. A prompt may also join a turn that is open.
int TurnsWith(const GivenTurn& turn) {
  const int before =
      turn.show == FollowOptions::Show::kAll ? 0 : turn.before.turns();
  const bool rested = turn.before.state() >= v1::Task::idle ||
                      turn.show == FollowOptions::Show::kAll;
  return std::max(turn.after.turns(), before + (rested ? 1 : 0));
}

}  // namespace

absl::StatusOr<std::optional<std::string>> ReadPrompt(const PromptInput& input,
                                                      const Io& io) {
  ASSIGN_OR_RETURN(const bool wants_stdin, WantsStdin(input, io));
  std::string text;
  if (wants_stdin) {
    ASSIGN_OR_RETURN(std::string bytes, ReadStdin(input, io));
    ASSIGN_OR_RETURN(text, AsText(std::move(bytes), io));
  }
  if (!HasArgument(input)) {
    const bool none =
        text.empty() && input.need == PromptInput::Need::kNoPrompt;
    if (none && !input.argument) return std::optional<std::string>();
    if (text.size() > kMaxPromptBytes) return TooLong();
    return std::optional<std::string>(std::move(text));
  }
  std::string prompt = *input.argument;
  if (prompt.empty()) {
    prompt = std::move(text);
  } else if (!text.empty()) {
    absl::StrAppend(&prompt, kBlankLine, text);
  }
  if (prompt.size() > kMaxPromptBytes) return TooLong();
  return std::optional<std::string>(std::move(prompt));
}

void TurnFlags::AddTo(Flags* flags) {
  view_.AddTo(flags);
  flags->Add("quiet", &quiet_);
  flags->Add("detach", &detach_);
  flags->Add("no-stdin", &no_stdin_);
  flags->Add("timeout", &timeouts_.turn);
  flags->Add("start-timeout", &timeouts_.start);
  flags->Add("idle-timeout", &timeouts_.idle);
  flags->Add("task-timeout", &timeouts_.task);
  flags->Add("approval-timeout", &timeouts_.approval);
  flags->Add("tool-timeout", &timeouts_.tool);
  budget_.AddTo(flags);
}

absl::StatusOr<TurnOptions> TurnFlags::Read(
    const std::vector<std::string>& words) const {
  TurnOptions options = {.timeouts = timeouts_};
  ASSIGN_OR_RETURN(options.budget, budget_.Read());
  if (words.size() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("more than one prompt: \"", words[1], "\" and \"",
                     words[2], "\"; put quotes around it"));
  }
  if (words.size() == 2) options.prompt.argument = words[1];
  if (no_stdin_) options.prompt.use_stdin = PromptInput::Stdin::kSkip;
  if (detach_) options.then = Then::kDetach;
  ASSIGN_OR_RETURN(options.view, view_.Options());
  if (!quiet_) return options;
  if (detach_ || options.view.output == ViewOptions::Output::kJson) {
    return absl::InvalidArgumentError(
        absl::StrCat("--quiet and ", detach_ ? "--detach" : "--json",
                     " exclude each other"));
  }
  options.view.output = ViewOptions::Output::kQuiet;
  return options;
}

absl::StatusOr<std::optional<EditMode>> ReadEditMode(const std::string& id) {
  if (id.empty()) return std::optional<EditMode>();
  const auto mode = EditModeFromId(absl::StrReplaceAll(id, {{"-", "_"}}));
  if (mode) return mode;
  const std::vector<std::string> ids = {"research",  "ask",       "auto_edit",
                                        "full_auto", "dangerous", "native"};
  const std::string nearest = Nearest(id, ids);
  return absl::InvalidArgumentError(absl::StrCat(
      "--edit-mode ", id, " is not one of ", absl::StrJoin(ids, ", "),
      nearest.empty() ? "" : absl::StrCat("; did you mean ", nearest, "?")));
}

absl::StatusOr<std::map<std::string, std::string>> ReadLabels(
    const std::vector<std::string>& labels) {
  std::map<std::string, std::string> read;
  for (const std::string& label : labels) {
    const size_t equals = label.find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--label ", label, " is not of the form key=value"));
    }
    read[label.substr(0, equals)] = label.substr(equals + 1);
  }
  return read;
}

int ShowTurn(Server& server, const GivenTurn& turn, const TurnOptions& options,
             const Io& io) {
  const ViewOptions& view = options.view;
  if (options.then == Then::kDetach) {
    return view.output == ViewOptions::Output::kJson
               ? PrintJson(io, turn.after)
               : Print(io, absl::StrCat(turn.after.id(), "\n"));
  }
  if (view.output == ViewOptions::Output::kText) {
    Note(io, absl::StrCat("task ", turn.after.id()));
  }
  return Follow(server, turn.before,
                {.view = view,
                 .show = turn.show,
                 .turns = TurnsWith(turn),
                 .input = turn.after.receipt().id(),
                 .prompt = turn.prompt},
                io);
}

}  // namespace troika::cli
