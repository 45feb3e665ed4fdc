// A runner killed at each of its steps, and another one in its place: the log
// is that of a run that nobody disturbed.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "agent/launch/wire.h"
#include "agent/registry.h"
#include "dto/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "re2/re2.h"
#include "relay/testing.h"
#include "task/home.h"
#include "task/load_testing.h"
#include "task/runner_testing.h"
#include "task/state_testing.h"

namespace troika {
namespace {

constexpr int kMaxSteps = 400;

struct Wired {
  Harness harness;
  Wire wire;
};

// A wire that takes input while a turn runs gets some there.
bool Steers(const Wired& wired) { return wired.wire == Wire::kAppServer; }

// Distance of the steps at which a runner is killed: app_server has twice as
// many as the other wires.
int StrideOf(const Wired& wired) {
  return wired.wire == Wire::kAppServer ? 2 : 1;
}

constexpr char kScript[] =
    "== turn 1\nthink Let me see.\nsay One.\n$STEERrun ls => a b\n"
    "ask Bash {\"command\":\"make\"}\nquestion Which? | Red | Blue\n"
    "todo [x] a | [ ] b\nusage 100 20 30\nok\n"
    "== turn 2\nwrite f.txt hi\nsay Two.\nok\n";

struct Outcome {
  bool killed = false;
  int code = -1;
};

Outcome RunDriver(const std::string& home, const Wired& wired,
                  const std::string& script, int kill_at,
                  const std::string& what) {
  const std::string program =
      std::filesystem::absolute("task/kill_driver").string();
  std::vector<std::string> args = {program,
                                   home,
                                   std::string(HarnessId(wired.harness)),
                                   std::string(NameOf(wired.wire)),
                                   script,
                                   absl::StrCat(kill_at)};
  if (!what.empty()) args.push_back(what);
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  EXPECT_EQ(posix_spawn(&pid, program.c_str(), nullptr, nullptr, argv.data(),
                        environ),
            0);
  int status = 0;
  waitpid(pid, &status, 0);
  return {.killed = WIFSIGNALED(status),
          .code = WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

// What must be the same in all runs: numbers, streams, keys and bytes, and the
// ids and texts of all events.
struct Account {
  std::vector<std::string> records;
  std::vector<std::string> events;
};

std::string Scrubbed(std::string text, const std::string& home,
                     const std::string& id) {
  text = absl::StrReplaceAll(text, {{home, "HOME"}, {id, "ID"}});
  RE2::GlobalReplace(&text, "\"(utime_us|stime_us|max_rss_kb)\":[0-9]+",
                     "\"\\1\":0");
  // The environment names the run's own folder.
  RE2::GlobalReplace(&text, "\"env_digest\":\"[^\"]*\"", "\"env_digest\":\"\"");
  // The fakes choose a new session id in each run.
  RE2::GlobalReplace(&text, "[0-9a-f]{8}-[0-9a-f-]{27}", "UUID");
  RE2::GlobalReplace(&text, "\"timestamp\":\"[^\"]*\"", "\"timestamp\":\"\"");
  RE2::GlobalReplace(&text, "\"duration_(api_)?ms\":[0-9]+",
                     "\"duration_\\1ms\":0");
  return text;
}

// Nothing waits for Codex's list of models, so its lines may be anywhere.
bool IsAboutModels(const relay::OwnedRecord& record) {
  return absl::StartsWith(record.key, "models-") ||
         absl::StartsWith(record.payload, R"({"id":"models")");
}

Account AccountOf(const std::string& path) {
  const auto home =
      Home::Open(Environment({{"TROIKA_HOME", path + "/troika"}}));
  Account account;
  for (const std::string& id : home->TaskIds()) {
    const auto folder = home->FindTask(id);
    const relay::CollectingSink log = relay::ReadLog(folder->fd.get());
    EXPECT_THAT(log.damages, ::testing::IsEmpty());
    std::map<int64_t, size_t> numbers;  // Without those about models.
    for (const relay::OwnedRecord& record : log.records) {
      if (IsAboutModels(record)) continue;
      const size_t number = numbers.size() + 1;
      numbers[record.number] = number;
      account.records.push_back(
          Scrubbed(absl::StrCat(number, " ", static_cast<int>(record.stream),
                                " ", static_cast<int>(record.end), " ",
                                record.key, " ", record.payload),
                   path, id));
    }
    const auto loaded = Load(*folder, [&](Message&& message) {
      message.time.reset();
      message.id.record = static_cast<int64_t>(numbers[message.id.record]);
      if (auto* init = std::get_if<Init>(&message.payload)) {
        init->models.clear();
      }
      account.events.push_back(
          Scrubbed(absl::StrCat(message.id.record, ".", message.id.index, " ",
                                EventText(message)),
                   path, id));
    });
    EXPECT_TRUE(loaded.ok());
    EXPECT_EQ(loaded->status, TaskStatus::kDone) << StateText(*loaded);
  }
  return account;
}

// Whether an answer is in the log and has not been written to the agent.
bool AnswerIsOnItsWay(const std::string& path) {
  const auto home =
      Home::Open(Environment({{"TROIKA_HOME", path + "/troika"}}));
  int answers = 0;
  int written = 0;
  for (const std::string& id : home->TaskIds()) {
    const auto folder = home->FindTask(id);
    for (const auto& record : relay::ReadLog(folder->fd.get()).records) {
      if (!absl::StartsWith(record.key, "answer-")) continue;
      ++(record.stream == relay::Stream::kNote ? answers : written);
    }
  }
  return answers > written;
}

class KillMatrixTest : public ::testing::TestWithParam<Wired> {};

INSTANTIATE_TEST_SUITE_P(
    All, KillMatrixTest,
    ::testing::Values(Wired{Harness::kCodex, Wire::kExec},
                      Wired{Harness::kClaude, Wire::kStreamJson},
                      Wired{Harness::kGemini, Wire::kStreamJson},
                      Wired{Harness::kCodex, Wire::kAppServer},
                      Wired{Harness::kGemini, Wire::kAcp}),
    [](const auto& info) {
      return absl::StrCat(HarnessId(info.param.harness), "_",
                          NameOf(info.param.wire));
    });

TEST_P(KillMatrixTest, NothingIsLostOrDoubled) {
  const TempFolder scripts;
  const std::string script = scripts.path() + "/script";
  const bool steers = Steers(GetParam());
  const std::string what = steers ? "steer" : "";
  std::ofstream(script) << absl::StrReplaceAll(
      kScript, {{"$STEER", steers ? "expect to the left\n" : ""}});
  Account undisturbed;
  int kills = 0;
  int kills_before_delivery = 0;
  for (int kill_at = 0; kill_at < kMaxSteps; kill_at += StrideOf(GetParam())) {
    SCOPED_TRACE(absl::StrCat("killed at step ", kill_at));
    const TempFolder home;
    std::filesystem::create_directories(home.path() + "/work");
    const Outcome first =
        RunDriver(home.path(), GetParam(), script, kill_at, what);
    if (first.killed) {
      ++kills;
      kills_before_delivery += AnswerIsOnItsWay(home.path());
      ASSERT_EQ(RunDriver(home.path(), GetParam(), script, 0, what).code, 0);
    } else {
      ASSERT_EQ(first.code, 0);
    }
    const Account account = AccountOf(home.path());
    ASSERT_TRUE(relay::NoProcessesWith(home.path()));
    if (kill_at == 0) {
      undisturbed = account;
      ASSERT_THAT(account.records, ::testing::SizeIs(::testing::Gt(10)));
    }
    ASSERT_THAT(account.records,
                ::testing::ElementsAreArray(undisturbed.records));
    ASSERT_THAT(account.events,
                ::testing::ElementsAreArray(undisturbed.events));
    if (kill_at > 0 && !first.killed) break;
  }
  // It was killed at each step that it has.
  EXPECT_GT(kills, 20);
  EXPECT_LT(kills, kMaxSteps - 1);
  const bool asks = BackendOf(GetParam().harness)
                        .wire_capabilities({}, GetParam().wire)
                        .approvals;
  EXPECT_EQ(kills_before_delivery > 0, asks);
}

// The times at which inputs come differ from run to run, so only their ends are
// compared.
TEST_P(KillMatrixTest, QueuedInputsAreDeliveredOnce) {
  const TempFolder scripts;
  const std::string script = scripts.path() + "/script";
  std::ofstream(script) << "== turn 1\nsay One.\nsleep 200\nok\n"
                           "== turn 2\nsay Two.\nok\n"
                           "== turn 3\nsay Three.\nok\n";
  int kills = 0;
  // Some steps: the matrix above has them all.
  const int stride = 3 * StrideOf(GetParam());
  for (int kill_at = 0; kill_at < kMaxSteps; kill_at += stride) {
    SCOPED_TRACE(absl::StrCat("killed at step ", kill_at));
    const TempFolder path;
    std::filesystem::create_directories(path.path() + "/work");
    const Outcome first =
        RunDriver(path.path(), GetParam(), script, kill_at, "queue");
    kills += first.killed;
    if (first.killed) {
      ASSERT_EQ(RunDriver(path.path(), GetParam(), script, 0, "queue").code, 0);
    } else {
      ASSERT_EQ(first.code, 0);
    }
    const auto home =
        Home::Open(Environment({{"TROIKA_HOME", path.path() + "/troika"}}));
    std::vector<std::string> said;
    std::map<std::string, int> prompts;
    for (const std::string& id : home->TaskIds()) {
      const auto folder = home->FindTask(id);
      for (const auto& record : relay::ReadLog(folder->fd.get()).records) {
        if (record.key.ends_with(".prompt")) ++prompts[record.key];
      }
      const auto loaded = Load(*folder, [&](Message&& message) {
        const auto* text = std::get_if<Text>(&message.payload);
        if (text != nullptr) said.push_back(text->text);
      });
      ASSERT_TRUE(loaded.ok());
      ASSERT_EQ(loaded->status, TaskStatus::kDone) << StateText(*loaded);
      for (const TaskInput& input : loaded->inputs) {
        ASSERT_EQ(input.receipt.state, Receipt::State::kDelivered)
            << StateText(*loaded);
      }
      ASSERT_EQ(loaded->turns, 3);
    }
    ASSERT_THAT(said, ::testing::ElementsAre("One.", "Two.", "Three."));
    ASSERT_THAT(prompts,
                ::testing::ElementsAre(::testing::Pair("turn-1.prompt", 1),
                                       ::testing::Pair("turn-2.prompt", 1),
                                       ::testing::Pair("turn-3.prompt", 1)));
    ASSERT_TRUE(relay::NoProcessesWith(path.path()));
    if (kill_at > 0 && !first.killed) break;
  }
  EXPECT_GT(kills, 5);
}

}  // namespace
}  // namespace troika
