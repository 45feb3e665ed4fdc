#include "relay/peer.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace troika::relay {
namespace {

ProcessInfo Process(pid_t pid, std::string name) {
  return {.pid = pid,
          .name = std::move(name),
          .started = static_cast<uint64_t>(pid)};
}

struct Case {
  std::string name;
  Ancestry peer;
  bool may_drive;
};

TEST(PeerTest, WhatAgentsStartMayNotDrive) {
  const ProcessInfo init = Process(1, "init");
  // init adopts a relay, because the relay's first process ends.
  const Ancestry own = {{Process(50, "troika-relay"), init}};
  const Case cases[] = {
      {"a server", {{Process(60, "troika-server"), init}}, true},
      {"a command in a terminal",
       {{Process(60, "troika"), Process(20, "bash"), init}},
       true},
      {"our own agent",
       {{Process(60, "codex"), Process(51, "troika-guard"),
         Process(50, "troika-relay"), init}},
       false},
      {"another agent's command",
       {{Process(60, "python3"), Process(43, "bash"),
         Process(42, "troika-guard"), Process(41, "troika-relay"), init}},
       false},
      {"a process that escaped to the guard",
       {{Process(60, "python3"), Process(42, "troika-guard"),
         Process(41, "troika-relay"), init}},
       false},
      {"a relay itself", {{Process(41, "troika-relay"), init}}, false},
      {"one that is gone", {{}, 60}, false},
      {"one whose parent is hidden", {{Process(60, "x")}, 55}, false},
      {"one below a hidden process below an agent",
       {{Process(60, "x"), Process(58, "sudo")}, 57},
       false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(MayDrive(c.peer, own, 100), c.may_drive) << c.name;
  }
}

TEST(PeerTest, RelaysAboveBothDoNotCount) {
  // Troika runs inside an agent of Troika.
  const ProcessInfo guard = Process(11, "troika-guard");
  const ProcessInfo relay = Process(10, "troika-relay");
  const ProcessInfo init = Process(1, "init");
  const Ancestry own = {{Process(50, "troika-relay"), guard, relay, init}};
  EXPECT_TRUE(MayDrive(
      {{Process(60, "troika-server"), Process(30, "bash"), guard, relay, init}},
      own, 100));
  EXPECT_FALSE(MayDrive({{Process(60, "x"), Process(51, "troika-guard"),
                          Process(50, "troika-relay"), guard, relay, init}},
                        own, 100));
  EXPECT_FALSE(MayDrive({{Process(60, "x"), Process(41, "troika-guard"),
                          Process(40, "troika-relay"), guard, relay, init}},
                        own, 100));
}

TEST(PeerTest, WhatIsHiddenFromBothDoesNotCount) {
  // With hidepid, /proc hides init and the processes of other users.
  const Ancestry own = {{Process(50, "troika-relay")}, 1};
  EXPECT_TRUE(MayDrive({{Process(60, "troika-server")}, 1}, own, 100));
  EXPECT_FALSE(MayDrive({{Process(60, "x")}, 30}, own, 100));
  EXPECT_FALSE(MayDrive({{Process(60, "x"), Process(42, "troika-guard"),
                          Process(41, "troika-relay")},
                         1},
                        own, 100));
}

TEST(PeerTest, PidThatWasUsedAgainMayNotDrive) {
  const Ancestry own = {{Process(50, "troika-relay"), Process(1, "init")}};
  const Ancestry peer = {{Process(60, "troika-server"), Process(1, "init")}};
  EXPECT_TRUE(MayDrive(peer, own, 60));
  EXPECT_FALSE(MayDrive(peer, own, 59));
}

}  // namespace
}  // namespace troika::relay
