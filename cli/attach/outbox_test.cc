#include "cli/attach/outbox.h"

#include <string>

#include "gtest/gtest.h"

namespace troika::cli {
namespace {

TEST(OutboxTest, KeepsInputsWhileThereIsNoServer) {
  constexpr absl::Time kNow = absl::UnixEpoch();
  Outbox outbox;
  EXPECT_EQ(outbox.retry_at(), absl::InfiniteFuture());
  EXPECT_EQ(outbox.Take(kNow), nullptr);
  outbox.Add("one", v1::InputRequest::auto_);
  outbox.Add("two", v1::InputRequest::queue);
  EXPECT_EQ(outbox.retry_at(), absl::InfinitePast());
  const v1::InputRequest* sent = outbox.Take(kNow);
  ASSERT_NE(sent, nullptr);
  const std::string key = sent->idempotency_key();
  // One after the other, also if more is typed meanwhile.
  outbox.RetryNow();
  EXPECT_EQ(outbox.retry_at(), absl::InfiniteFuture());
  EXPECT_EQ(outbox.Take(kNow), nullptr);
  EXPECT_FALSE(outbox.Settle(absl::UnavailableError("gone"), kNow));
  EXPECT_EQ(outbox.size(), 2u);
  EXPECT_GT(outbox.retry_at(), kNow);
  EXPECT_EQ(outbox.Take(kNow), nullptr);
  outbox.RetryNow();
  // The same key, so that it counts once if it had arrived.
  sent = outbox.Take(kNow);
  ASSERT_NE(sent, nullptr);
  EXPECT_EQ(sent->idempotency_key(), key);
  EXPECT_FALSE(outbox.Settle(absl::OkStatus(), kNow));
  sent = outbox.Take(kNow);
  ASSERT_NE(sent, nullptr);
  EXPECT_NE(sent->idempotency_key(), key);
  EXPECT_EQ(sent->mode(), v1::InputRequest::queue);
  EXPECT_TRUE(sent->attached());
  const auto refused =
      outbox.Settle(absl::FailedPreconditionError("it can't be"), kNow);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->text, "two");
  EXPECT_EQ(refused->why.message(), "it can't be");
  EXPECT_TRUE(outbox.empty());
}

}  // namespace
}  // namespace troika::cli
