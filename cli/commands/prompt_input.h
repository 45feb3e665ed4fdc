// Reads the prompt of run, send and resume from the command line, standard
// input, or both.
#ifndef TROIKA_CLI_COMMANDS_PROMPT_INPUT_H_
#define TROIKA_CLI_COMMANDS_PROMPT_INPUT_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/io.h"

namespace troika::cli {

struct PromptInput {
  enum class Stdin { kRead, kSkip };
  enum class Need {
    kPrompt,    // The command needs a prompt.
    kNoPrompt,  // The prompt may be missing.
  };
  std::optional<std::string> argument;  // "-" stands for standard input alone.
  Stdin use_stdin = Stdin::kRead;       // kSkip: --no-stdin.
  Need need = Need::kPrompt;
  // After this time without input, io.err says what we wait for.
  absl::Duration patience = absl::Seconds(2);
};

// Returns the argument, a blank line and standard input, as far as they are
// there; nothing if there is no prompt and none is needed. If there is an
// argument, standard input is read only from a pipe, a socket or a regular
// file. Bytes that are not UTF-8 become U+FFFD, and io.err says so.
//
// InvalidArgument if a prompt is needed and missing, if standard input has a
// NUL, or if the prompt is too long.
absl::StatusOr<std::optional<std::string>> ReadPrompt(const PromptInput& input,
                                                      const Io& io);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_PROMPT_INPUT_H_
