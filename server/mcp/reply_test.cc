#include "server/mcp/reply.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"

namespace troika {
namespace {

class LineStreamTest : public testing::Test {
 protected:
  LineStreamTest() {
    lines_->SetOnGone([this] { ++gone_; });
    view_ = StreamOf(lines_, std::make_shared<Viewers>())(http::Waker());
  }

  const std::shared_ptr<LineStream> lines_ = std::make_shared<LineStream>();
  std::unique_ptr<http::BodySource> view_;
  int gone_ = 0;
};

TEST_F(LineStreamTest, AClientThatDoesNotReadIsGone) {
  const std::string line(1 << 20, 'x');
  for (int i = 0; i < 15; ++i) lines_->Send(line);
  EXPECT_EQ(gone_, 0);
  EXPECT_FALSE(lines_->gone());
  for (int i = 0; i < 3; ++i) lines_->Send(line);
  EXPECT_EQ(gone_, 1);
  EXPECT_TRUE(lines_->gone());
  std::string out;
  EXPECT_EQ(view_->Fill(1 << 20, &out), http::BodySource::State::kEnd);
  view_.reset();
  EXPECT_EQ(gone_, 1);
}

TEST_F(LineStreamTest, AClientThatLeavesIsGone) {
  lines_->Send("{}");
  view_.reset();
  EXPECT_EQ(gone_, 1);
}

TEST_F(LineStreamTest, AStreamThatHasEndedHasNoClient) {
  lines_->End();
  view_.reset();
  EXPECT_EQ(gone_, 0);
}

}  // namespace
}  // namespace troika
