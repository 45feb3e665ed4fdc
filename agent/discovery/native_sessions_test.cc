#include "agent/discovery/native_sessions.h"

#include <optional>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

TEST(NativeSessionsTest, TimesThatNoSessionCanHaveAreUnknown) {
  EXPECT_EQ(SessionTime("2026-11-17T10:00:00.5Z"),
            absl::FromUnixMillis(1794909600500));
  for (const absl::string_view text :
       {"", "now", "infinite-future", "infinite-past", "0000-01-01T00:00:00Z",
        "1969-12-31T23:59:59Z", "9999-01-01T00:00:00Z",
        "99999-01-01T00:00:00Z"}) {
    EXPECT_EQ(SessionTime(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace troika
