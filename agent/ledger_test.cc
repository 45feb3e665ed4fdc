#include "agent/ledger.h"

#include "agent/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::IsEmpty;

class LedgerTest : public ::testing::Test {
 protected:
  Emitter At(int64_t record) {
    record_ = RecordOf("", record);
    return Emitter(record_, sink_);
  }
  static ToolUse Use(absl::string_view name) {
    ToolUse use;
    use.name = std::string(name);
    return use;
  }
  static ToolResult Output(absl::string_view text) {
    ToolResult result;
    result.output = std::string(text);
    return result;
  }

  std::vector<Message> messages_;
  Record record_;
  std::function<void(Message&&)> sink_ = [this](Message&& m) {
    messages_.push_back(std::move(m));
  };
};

TEST_F(LedgerTest, ResultHasTheIdAndParentOfItsUse) {
  Ledger ledger(1);
  Emitter out = At(1);
  out.set_parent_tool_use_id("p");
  ledger.StartTool("a", Use("Bash"), out);
  EXPECT_TRUE(ledger.IsRunning("a"));
  EXPECT_TRUE(ledger.EndTool("a", Output("x"), out));
  EXPECT_FALSE(ledger.EndTool("a", Output("again"), out));
  ASSERT_EQ(messages_.size(), 2u);
  EXPECT_EQ(messages_[1].parent_tool_use_id, "p");
  EXPECT_EQ(Payloads<ToolResult>(messages_)[0].tool_use_id, "a");
  EXPECT_THAT(BrokenRules(messages_), IsEmpty());
}

TEST_F(LedgerTest, RepeatedIdsAreMadeUnique) {
  Ledger ledger(1);
  for (int i = 1; i <= 3; ++i) {
    Emitter out = At(i);
    ledger.StartTool("a", Use("Bash"), out);
    EXPECT_EQ(ledger.ToolId("a"), Payloads<ToolUse>(messages_).back().id);
    if (i != 2) {
      EXPECT_TRUE(ledger.EndTool("a", Output("x"), out));
    }
  }
  Emitter out = At(4);
  ledger.StartTool("", Use("Bash"), out);
  EXPECT_TRUE(ledger.EndTool("", Output("x"), out));
  EXPECT_THAT(BrokenRules(messages_), IsEmpty());
  EXPECT_EQ(Payloads<ToolUse>(messages_)[0].id, "a");
  EXPECT_EQ(Payloads<ToolUse>(messages_)[1].id, "a~2.0");
}

TEST_F(LedgerTest, LaterGenerationsHaveTheirOwnIds) {
  Ledger ledger(2);
  Emitter out = At(1);
  ledger.StartTool("item_0", Use("Bash"), out);
  EXPECT_TRUE(ledger.EndTool("item_0", Output(""), out));
  EXPECT_EQ(Payloads<ToolUse>(messages_)[0].id, "g2.item_0");
  EXPECT_EQ(ledger.ToolId("item_0"), "g2.item_0");
}

TEST_F(LedgerTest, TurnEndClosesToolsInOrder) {
  Ledger ledger(1);
  ledger.StartTurn();
  Emitter out = At(1);
  for (const char* id : {"c", "a", "b"}) ledger.StartTool(id, Use("Bash"), out);
  ledger.EndTurn(Result(), out);
  EXPECT_FALSE(ledger.turn_open());
  EXPECT_TRUE(ledger.WasAbandoned("a"));
  EXPECT_FALSE(ledger.WasAbandoned("d"));
  EXPECT_TRUE(ledger.WasStarted("a"));
  EXPECT_FALSE(ledger.WasStarted("d"));
  const auto results = Payloads<ToolResult>(messages_);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].tool_use_id, "c");
  EXPECT_EQ(results[2].tool_use_id, "b");
  EXPECT_TRUE(results[0].synthetic);
  EXPECT_FALSE(results[0].is_error) << "the turn went well";
  EXPECT_TRUE(std::holds_alternative<Result>(messages_.back().payload));
}

TEST_F(LedgerTest, StreamEndMakesAResultOnlyForAnOpenTurn) {
  Ledger ledger(1);
  Emitter out = At(1);
  ledger.EndStream(Result(), out);
  EXPECT_THAT(messages_, IsEmpty());
  ledger.StartTurn();
  ledger.EndStream(Result(), out);
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_TRUE(Payloads<Result>(messages_)[0].synthetic);
}

}  // namespace
}  // namespace troika
