#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "base/fd.h"
#include "cli/commands/turn.h"
#include "cli/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/request.h"

namespace troika::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Stdin = PromptInput::Stdin;
using Need = PromptInput::Need;

struct Read {
  absl::StatusOr<std::optional<std::string>> prompt = absl::UnknownError("");
  std::string err;
};

// Reads the prompt with `stdin_bytes` as a regular file.
Read ReadWith(absl::string_view stdin_bytes, const PromptInput& input) {
  Read read;
  read.err = RunWithInput(stdin_bytes, [&](const Io& io) {
               read.prompt = ReadPrompt(input, io);
               return 0;
             }).err;
  return read;
}

Read ReadFrom(int fd, const PromptInput& input) {
  Read read;
  read.err = RunWithInput("", [&](Io io) {
               io.in = fd;
               read.prompt = ReadPrompt(input, io);
               return 0;
             }).err;
  return read;
}

std::string Message(const Read& read) {
  return std::string(read.prompt.status().message());
}

TEST(PromptInputTest, StdinFollowsTheArgumentUnchanged) {
  const PromptInput given = {.argument = "explain"};
  EXPECT_EQ(**ReadWith("a\n\n b \n\n", given).prompt,
            "explain\n\na\n\n b \n\n");
  EXPECT_EQ(**ReadWith("", given).prompt, "explain");
  EXPECT_EQ(**ReadWith("\r\n\t", given).prompt, "explain\n\n\r\n\t");
  EXPECT_THAT(ReadWith("a", given).err, IsEmpty());
  EXPECT_EQ(
      **ReadWith("a", {.argument = "x", .use_stdin = Stdin::kSkip}).prompt,
      "x");
  EXPECT_EQ(**ReadWith("a", {.argument = ""}).prompt, "a");
}

TEST(PromptInputTest, StdinAloneIsThePrompt) {
  EXPECT_EQ(**ReadWith("a\n", {.argument = "-"}).prompt, "a\n");
  EXPECT_EQ(**ReadWith("a\n", {}).prompt, "a\n");
  EXPECT_EQ(**ReadWith("a\n", {.need = Need::kNoPrompt}).prompt, "a\n");
  EXPECT_FALSE(ReadWith("", {.need = Need::kNoPrompt}).prompt->has_value());
  EXPECT_FALSE(
      ReadWith("a", {.use_stdin = Stdin::kSkip, .need = Need::kNoPrompt})
          .prompt->has_value());
  EXPECT_THAT(Message(ReadWith("a", {.use_stdin = Stdin::kSkip})),
              HasSubstr("a prompt is needed"));
  EXPECT_THAT(
      Message(ReadWith("a", {.argument = "-", .use_stdin = Stdin::kSkip})),
      HasSubstr("--no-stdin"));
}

TEST(PromptInputTest, PipesAndSocketsAreReadAndDevicesAreNot) {
  const PromptInput given = {.argument = "x"};
  int pipe_fds[2], pair[2];
  ASSERT_EQ(pipe(pipe_fds), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  for (int* fds : {pipe_fds, pair}) {
    const UniqueFd in(fds[0]);
    ASSERT_EQ(write(fds[1], "a", 1), 1);
    close(fds[1]);
    EXPECT_EQ(**ReadFrom(in.get(), given).prompt, "x\n\na");
  }
  // It never ends, and is not asked.
  const UniqueFd zero(open("/dev/zero", O_RDONLY));
  EXPECT_EQ(**ReadFrom(zero.get(), given).prompt, "x");
  const UniqueFd terminal(posix_openpt(O_RDWR | O_NOCTTY));
  ASSERT_TRUE(terminal.ok());
  EXPECT_EQ(**ReadFrom(terminal.get(), given).prompt, "x");
  EXPECT_THAT(Message(ReadFrom(terminal.get(), {})),
              HasSubstr("a prompt is needed"));
  EXPECT_EQ(**ReadFrom(-1, given).prompt, "x") << "stdin is closed";
}

TEST(PromptInputTest, SaysWhatItWaitsFor) {
  int in[2], err[2];
  ASSERT_EQ(pipe(in), 0);
  ASSERT_EQ(pipe(err), 0);
  const UniqueFd in_read(in[0]), err_read(err[0]), err_write(err[1]);
  // Writes only once the message has come.
  std::string said;
  std::thread parent([&] {
    char buffer[200];
    const ssize_t n = read(err_read.get(), buffer, sizeof(buffer));
    said.assign(buffer, n > 0 ? n : 0);
    EXPECT_EQ(write(in[1], "late", 4), 4);
    close(in[1]);
  });
  const auto prompt =
      ReadPrompt({.argument = "x", .patience = absl::Milliseconds(1)},
                 {.in = in_read.get(), .out = -1, .err = err_write.get()});
  parent.join();
  EXPECT_EQ(**prompt, "x\n\nlate");
  EXPECT_EQ(said,
            "troika: waiting for standard input, which follows the prompt; "
            "--no-stdin skips it\n");
}

TEST(PromptInputTest, RefusesWhatNoPromptCanHold) {
  const PromptInput given = {.argument = "x"};
  const std::string most(kMaxPromptBytes - 3, 'a');
  EXPECT_EQ((*ReadWith(most, given).prompt)->size(), kMaxPromptBytes);
  EXPECT_THAT(Message(ReadWith(most + "a", given)),
              HasSubstr("limit of 8 MiB"));
  EXPECT_THAT(Message(ReadWith(most + "aaaa", {})), HasSubstr("8 MiB"));
  EXPECT_THAT(Message(ReadWith(absl::string_view("ab\0c", 4), given)),
              HasSubstr("byte 2 is NUL"));
}

TEST(PromptInputTest, SaysThatBytesWereReplaced) {
  const Read read = ReadWith("caf\xe9", {.argument = "x"});
  EXPECT_EQ(**read.prompt, "x\n\ncaf\xEF\xBF\xBD");
  EXPECT_THAT(read.err, HasSubstr("not all UTF-8"));
}

}  // namespace
}  // namespace troika::cli
