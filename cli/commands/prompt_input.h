// Where the prompt of run, send and resume comes from: the command line,
// standard input, or both.
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
    kPrompt,    // Without a prompt the command makes no sense.
    kNoPrompt,  // Nothing is a prompt, too.
  };
  std::optional<std::string> argument;  // "-" stands for standard input alone.
  Stdin use_stdin = Stdin::kRead;       // kSkip: --no-stdin.
  Need need = Need::kPrompt;
  // After this time without a byte, io.err says what we wait for.
  absl::Duration patience = absl::Seconds(2);
};

// The argument, a blank line, and standard input unchanged, as far as they are
// there. Besides an argument, standard input is read only if it is a pipe, a
// socket or a regular file. Bytes that are not UTF-8 become U+FFFD, and io.err
// says so. Nothing if there is no prompt and none is needed.
//
// InvalidArgument if there is no prompt but one is needed, if standard input
// holds a NUL, or if all is longer than a prompt may be.
absl::StatusOr<std::optional<std::string>> ReadPrompt(const PromptInput& input,
                                                      const Io& io);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_PROMPT_INPUT_H_
