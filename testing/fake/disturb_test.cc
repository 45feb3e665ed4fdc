// Tests signals, floods, garbage, wrappers and children.
#include <dirent.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "agent/registry.h"
#include "agent/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/fake/io.h"
#include "testing/fake/testing.h"

namespace troika::fake {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;
using ::testing::SizeIs;

constexpr Harness kHarnesses[] = {Harness::kCodex, Harness::kClaude,
                                  Harness::kGemini};

// Starts a fake and waits until its turn runs.
std::unique_ptr<RunningFake> StartTurn(FakeOptions options) {
  auto fake = std::make_unique<RunningFake>(options);
  fake->Write(PromptBytes(options.harness, "go"));
  if (options.harness != Harness::kClaude) fake->CloseStdin();
  EXPECT_FALSE(fake->WaitForLine("Ready").empty()) << fake->Finish().err;
  return fake;
}

TEST(DisturbTest, SigintEndsATurnAsTheCliDoes) {
  for (const Harness harness : kHarnesses) {
    SCOPED_TRACE(HarnessId(harness));
    auto fake =
        StartTurn({.harness = harness,
                   .script = "start-run make\nsay Ready and waiting.\nhang"});
    fake->Signal(SIGINT);
    const Ended ended = fake->Finish();
    EXPECT_THAT(ended.exit_code, Optional(harness == Harness::kGemini ? 0 : 1));
    // Only Claude reports it.
    EXPECT_EQ(absl::StrContains(ended.out, "error_during_execution"),
              harness == Harness::kClaude);
  }
}

TEST(DisturbTest, SigtermEndsItWithoutAWord) {
  for (const Harness harness : kHarnesses) {
    SCOPED_TRACE(HarnessId(harness));
    auto fake = StartTurn(
        {.harness = harness, .script = "say Ready and waiting.\nhang"});
    fake->Signal(SIGTERM);
    const Ended ended = fake->Finish();
    if (harness == Harness::kCodex) {
      EXPECT_THAT(ended.signal, Optional(SIGTERM));
    } else {
      EXPECT_THAT(ended.exit_code,
                  Optional(harness == Harness::kClaude ? 143 : 0));
    }
    EXPECT_THAT(ended.out, Not(HasSubstr("\"result\"")));
  }
}

TEST(DisturbTest, ScriptsSayWhatSignalsDo) {
  for (const Harness harness : kHarnesses) {
    SCOPED_TRACE(HarnessId(harness));
    auto fake =
        StartTurn({.harness = harness,
                   .script = "ignore INT\non TERM exit 9\n"
                             "on USR1\n  say Signalled by a signal.\nend\n"
                             "say Ready and waiting.\nhang"});
    fake->Signal(SIGINT);
    fake->Signal(SIGUSR1);
    EXPECT_THAT(fake->WaitForLine("Signal"), Not(IsEmpty()));
    fake->Signal(SIGTERM);
    EXPECT_THAT(fake->Finish().exit_code, Optional(9));
  }
}

TEST(DisturbTest, ReadyScriptsHangCrashAndIgnore) {
  {
    RunningFake fake({.script = ReadyScript("ignores_sigint")});
    fake.Write("go");
    fake.CloseStdin();
    EXPECT_THAT(fake.WaitForLine("command_execution"), Not(IsEmpty()));
    fake.Signal(SIGINT);
    fake.Signal(SIGTERM);
    EXPECT_THAT(fake.Finish().signal, Optional(SIGTERM));
  }
  {
    RunningFake fake({.script = ReadyScript("hangs")});
    fake.Write("go");
    fake.CloseStdin();
    EXPECT_THAT(fake.WaitForLine("command_execution"), Not(IsEmpty()));
    fake.Signal(SIGKILL);
    EXPECT_THAT(fake.Finish().signal, Optional(SIGKILL));
  }
  const Ended crashed = RunFake({.script = ReadyScript("crashes")});
  EXPECT_THAT(crashed.signal, Optional(SIGSEGV));
  EXPECT_THAT(crashed.err, HasSubstr("panicked"));
}

TEST(DisturbTest, FloodsFast) {
  const absl::Time start = absl::Now();
  const Ended ended = RunFake({.script = ReadyScript("floods")});
  const double seconds = absl::ToDoubleSeconds(absl::Now() - start);
  EXPECT_THAT(ended.exit_code, Optional(0));
  EXPECT_GT(ended.out.size(), 199'000'000u);
  EXPECT_EQ(ended.err.size(), 100'000u);
  EXPECT_TRUE(absl::StrContains(ended.out.substr(ended.out.size() - 500),
                                "That was all."));
  RecordProperty(
      "megabytes_per_second",
      absl::StrCat(static_cast<double>(ended.out.size()) / 1e6 / seconds));
}

TEST(DisturbTest, LinesAreAsLongAsAsked) {
  for (const Harness harness : kHarnesses) {
    const Ended ended =
        RunFake({.harness = harness, .script = "long-line 3000000\nok"});
    size_t longest = 0;
    for (const absl::string_view line : absl::StrSplit(ended.out, '\n')) {
      longest = std::max(longest, line.size() + 1);
    }
    EXPECT_EQ(longest, 3'000'000u) << HarnessId(harness);
  }
}

TEST(DisturbTest, GarbageIsTheSameEveryTimeAndStopsNoStream) {
  const std::string bytes = Garbage(4096);
  EXPECT_EQ(bytes, Garbage(4096));
  std::vector<bool> seen(256);
  for (const char c : bytes) seen[static_cast<unsigned char>(c)] = true;
  EXPECT_THAT(seen, ::testing::Each(true));
  for (const Harness harness : kHarnesses) {
    SCOPED_TRACE(HarnessId(harness));
    const Ended ended =
        RunFake({.harness = harness, .script = ReadyScript("garbage")});
    EXPECT_THAT(ended.out, HasSubstr(bytes));
    const std::unique_ptr<Protocol> protocol =
        BackendOf(harness).NewProtocol({});
    const std::vector<Message> messages = RunStream(*protocol, ended.out);
    EXPECT_THAT(BrokenRules(messages), IsEmpty());
    EXPECT_THAT(Payloads<ParseError>(messages), Not(IsEmpty()));
    ASSERT_THAT(Payloads<Result>(messages), SizeIs(1));
    EXPECT_THAT(Payloads<Result>(messages)[0].text, EndsWith("After."));
  }
}

TEST(DisturbTest, ClosesItsFiles) {
  const Ended ended = RunFake(
      {.script = "say Before.\nclose-stdin\nclose-stdout\nsay After.\nexit 4"});
  EXPECT_THAT(ended.exit_code, Optional(4));
  EXPECT_THAT(ended.out, HasSubstr("Before."));
  EXPECT_THAT(ended.out, Not(HasSubstr("After.")));
}

// Returns the processes in /proc whose first argument is `tag`.
std::vector<pid_t> Tagged(const std::string& tag) {
  std::vector<pid_t> found;
  DIR* const proc = opendir("/proc");
  while (const dirent* const entry = readdir(proc)) {
    pid_t pid = 0;
    if (!absl::SimpleAtoi(entry->d_name, &pid)) continue;
    const absl::StatusOr<std::string> line =
        ReadFile(absl::StrCat("/proc/", pid, "/cmdline"));
    if (line.ok() && absl::StartsWith(*line, tag + '\0')) found.push_back(pid);
  }
  closedir(proc);
  return found;
}

TEST(DisturbTest, LeavesChildrenThatCanBeFound) {
  const std::string tag = absl::StrCat("sleeper-of-", getpid());
  RunningFake fake({.script = ReadyScript("leaves_children"),
                    .env = {{"TROIKA_FAKE_TAG", tag}}});
  fake.Write("go");
  const Ended ended = fake.Finish();
  EXPECT_THAT(ended.exit_code, Optional(0));
  const std::vector<pid_t> left = Tagged(tag);
  EXPECT_THAT(left, SizeIs(4));
  int in_group = 0;
  int in_session = 0;
  for (const pid_t pid : left) {
    in_group += getpgid(pid) == fake.pid();
    in_session += getsid(pid) == getsid(0);
    kill(pid, SIGKILL);
  }
  EXPECT_EQ(in_group, 1);
  EXPECT_EQ(in_session, 1);
}

TEST(DisturbTest, TheWrapperPassesSignalsOnAndEndsAsItsChild) {
  EXPECT_THAT(RunFake({.script = "wrapper\nsay Hi.\nexit 7"}).exit_code,
              Optional(7));
  EXPECT_THAT(RunFake({.script = "wrapper\nkill-self KILL"}).signal,
              Optional(SIGKILL));
  for (const int signal : {SIGINT, SIGTERM}) {
    auto fake = StartTurn({.script = "wrapper\nsay Ready and waiting.\nhang"});
    fake->Signal(signal);
    const Ended ended = fake->Finish();
    if (signal == SIGINT) {
      EXPECT_THAT(ended.exit_code, Optional(1));
    } else {
      EXPECT_THAT(ended.signal, Optional(SIGTERM));
    }
  }
}

TEST(DisturbTest, GeminisWrapperKeepsSignalsToItself) {
  auto fake = StartTurn({.harness = Harness::kGemini,
                         .script = "wrapper\nsay Ready and waiting.\nhang"});
  fake->Signal(SIGTERM);
  fake->Signal(SIGINT);
  absl::SleepFor(absl::Milliseconds(50));
  EXPECT_EQ(kill(fake->pid(), 0), 0);
  kill(-fake->pid(), SIGTERM);
  EXPECT_THAT(fake->Finish().exit_code, Optional(0));
}

}  // namespace
}  // namespace troika::fake
