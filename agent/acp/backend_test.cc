#include "agent/backend.h"

#include "agent/registry.h"
#include "agent/testing_backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::acp {
namespace {

LaunchRequest Request(LaunchOptions options) {
  options.acp_command = {"goose", "acp", "--x y"};
  if (!options.edit_mode && options.approval_policy.empty()) {
    options.edit_mode = EditMode::kAsk;
  }
  return {.options = std::move(options), .cwd = "/w"};
}

TEST(AcpBackendTest, RunsTheCommand) {
  ExpectLaunch(AcpBackend(), "", Request({}), "goose acp [--x y]");
  LaunchRequest request = Request({.model = "m", .approval_policy = "plan"});
  request.resume_session = "s1";
  const auto launch = AcpBackend().BuildLaunch(request, {.path = "/bin/env"});
  ASSERT_TRUE(launch.ok()) << launch.status();
  EXPECT_EQ(launch->wire, Wire::kAcp);
  EXPECT_EQ(launch->stdin_mode, Launch::Stdin::kConversation);
  EXPECT_EQ(launch->setup_json,
            R"({"cwd":"/w","resume":"s1","mode":"plan","model":"m"})");
  EXPECT_FALSE(launch->resume_in_later_minute);
}

TEST(AcpBackendTest, WhatItCantDo) {
  ExpectLaunch(AcpBackend(), "", {.options = {.edit_mode = EditMode::kAsk}}, "",
               "harness: acp needs a command: acp:\"PROGRAM ARGUMENT…\"");
  ExpectLaunch(AcpBackend(), "", Request({.edit_mode = EditMode::kFullAuto}),
               "",
               "edit_mode: an ACP agent has only ask, and modes of its own; "
               "leave it out, or name a mode by approval_policy");
  ExpectLaunch(AcpBackend(), "", Request({.wire = Wire::kExec}), "",
               "wire: an ACP agent has the wire acp only; leave it out");
  ExpectLaunch(AcpBackend(), "", Request({.effort = "high"}), "",
               "effort: an ACP agent can't do this; the agent has its own "
               "settings for it; leave it out");
}

TEST(AcpBackendTest, IsNotListedButFound) {
  for (const Backend* backend : AllBackends()) {
    EXPECT_NE(backend->harness, Harness::kAcp);
  }
  EXPECT_EQ(&BackendOf(Harness::kAcp), &AcpBackend());
}

}  // namespace
}  // namespace troika::acp
