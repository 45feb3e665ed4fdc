#include "cli/attach/outbox.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::ElementsAre;

TEST(OutboxTest, KeepsInputsWhileThereIsNoServer) {
  Outbox outbox;
  EXPECT_EQ(outbox.retry_at(), absl::InfiniteFuture());
  outbox.Add("one", v1::InputRequest::auto_);
  outbox.Add("two", v1::InputRequest::queue);
  std::vector<v1::InputRequest> sent;
  absl::Status reply = absl::UnavailableError("gone");
  std::vector<std::string> refused;
  const auto flush = [&] {
    return outbox.Flush(
        [&](const v1::InputRequest& request) {
          sent.push_back(request);
          return reply;
        },
        [&](const Outbox::Refused& input) { refused.push_back(input.text); },
        absl::UnixEpoch());
  };
  EXPECT_EQ(outbox.retry_at(), absl::InfinitePast());
  EXPECT_TRUE(absl::IsUnavailable(flush()));
  EXPECT_EQ(outbox.size(), 2u);
  EXPECT_GT(outbox.retry_at(), absl::UnixEpoch());
  outbox.RetryNow();
  EXPECT_EQ(outbox.retry_at(), absl::InfinitePast());
  reply = absl::OkStatus();
  EXPECT_TRUE(flush().ok());
  ASSERT_EQ(sent.size(), 3u);
  // The same key, so that it counts once if it had arrived.
  EXPECT_EQ(sent[0].idempotency_key(), sent[1].idempotency_key());
  EXPECT_NE(sent[1].idempotency_key(), sent[2].idempotency_key());
  EXPECT_EQ(sent[2].mode(), v1::InputRequest::queue);
  EXPECT_TRUE(sent[2].attached());
  EXPECT_TRUE(outbox.empty());
  outbox.Add("three", v1::InputRequest::steer);
  reply = absl::FailedPreconditionError("it can't be steered");
  EXPECT_TRUE(flush().ok());
  EXPECT_THAT(refused, ElementsAre("three"));
  EXPECT_TRUE(outbox.empty());
}

}  // namespace
}  // namespace troika::cli
