#include "agent/line_protocol.h"

#include "agent/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Emits every line as a text with its own JSON; never ends a turn by itself.
class EchoProtocol : public LineProtocol {
 public:
  EchoProtocol() : LineProtocol({}) {}

 protected:
  void OnLine(json::Value line, Emitter& out) override {
    ledger().StartTurn();
    out.Emit(Text{line.ToJson()});
  }
  void OnEnd(Result result, Emitter& out) override {
    ledger().EndStream(std::move(result), out);
  }
};

TEST(LineProtocolTest, BadLinesDoNotStopTheStream) {
  static constexpr char kStream[] =
      "{\"a\":1}\nnot json\n\n  \r\n[1]\n"
      "\"s\"\n{\"n\":\"\0\"}\n{\"cut\":\"of";
  EchoProtocol protocol;
  const auto messages =
      RunStream(protocol, absl::string_view(kStream, sizeof(kStream) - 1));
  EXPECT_THAT(Payloads<Text>(messages), SizeIs(1));
  const auto errors = Payloads<ParseError>(messages);
  ASSERT_THAT(errors, SizeIs(3));
  EXPECT_EQ(errors[0].snippet, "not json");
  EXPECT_EQ(errors[0].offset, 8);
  EXPECT_EQ(errors[0].size, 8);
  EXPECT_THAT(errors[1].error, HasSubstr("control character"));
  const auto raws = Payloads<Raw>(messages);
  ASSERT_THAT(raws, SizeIs(2));
  EXPECT_EQ(raws[0].line, "[1]");
  EXPECT_EQ(raws[0].reason, "not an object but array");
}

TEST(LineProtocolTest, ByteOrderMarkIsSkippedAtTheStartOnly) {
  EchoProtocol protocol;
  const auto messages =
      RunStream(protocol, "\xEF\xBB\xBF{}\r\n\xEF\xBB\xBF{}\r\n{}");
  EXPECT_THAT(Payloads<Text>(messages), SizeIs(2));
  EXPECT_THAT(Payloads<ParseError>(messages), SizeIs(1));
}

TEST(LineProtocolTest, HugeLinesArePointers) {
  EchoProtocol protocol;
  std::string stream = "{}\n{\"a\":\"";
  stream.append(size_t{64} << 20, 'x');
  stream += "\"}\n{}\n";
  const auto messages = RunStream(protocol, stream, {size_t{1} << 16});
  EXPECT_THAT(Payloads<Text>(messages), SizeIs(2));
  const auto raws = Payloads<Raw>(messages);
  ASSERT_THAT(raws, SizeIs(1));
  EXPECT_EQ(raws[0].line, "");
  EXPECT_EQ(raws[0].offset, 3);
  EXPECT_EQ(raws[0].size, (int64_t{64} << 20) + 8);
}

TEST(LineProtocolTest, PromptIsWantedAndThenTheEnd) {
  EchoProtocol protocol;
  std::vector<Message> messages;
  const auto sink = [&](Message&& m) { messages.push_back(std::move(m)); };
  protocol.OnNote({.number = 1}, TurnAsked{.turn = 2, .prompt = "-a\nb"}, sink);
  EXPECT_THAT(Payloads<UserInput>(messages), SizeIs(1));
  EXPECT_THAT(protocol.outbox(),
              ElementsAre(Outgoing{.key = "turn-2.prompt", .bytes = "-a\nb"},
                          Outgoing{.key = "turn-2.end",
                                   .kind = Outgoing::Kind::kClose}));
  // The prompt's first line carries its key.
  protocol.OnWritten({.number = 2, .bytes = "-a", .key = "turn-2.prompt"},
                     sink);
  EXPECT_THAT(protocol.outbox(), SizeIs(1));
  protocol.OnNote({.number = 3}, InputClosed{}, sink);
  EXPECT_THAT(protocol.outbox(), IsEmpty());
}

TEST(LineProtocolTest, EndSaysHowTheProcessEnded) {
  EXPECT_EQ(ResultOfEnd({.exit_code = 3}).error,
            "exited with code 3 and no result");
  EXPECT_EQ(ResultOfEnd({.signal = 9}).error, "killed by signal 9");
  EXPECT_EQ(ResultOfEnd({.reason = "interrupted by the user"}).error,
            "interrupted by the user");
  EXPECT_EQ(ResultOfEnd({}).error, "the stream ended without a result");
}

}  // namespace
}  // namespace troika
