#include "relay/frame.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/bytes.h"
#include "relay/frozen_bytes_testing.h"

namespace troika::relay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Parses `bytes`, which are one frame.
Frame FrameIn(const std::string& bytes, FrameReader* reader) {
  reader->Feed(bytes);
  const auto frame = reader->Next();
  EXPECT_TRUE(frame.has_value());
  return frame.value_or(Frame{});
}

// Decodes a frame by its type and encodes it again.
std::string Again(const Frame& frame) {
  if (const auto hello = DecodeHello(frame)) return Encode(*hello);
  if (const auto welcome = DecodeWelcome(frame)) return Encode(*welcome);
  if (const auto command = DecodeCommand(frame)) return Encode(*command);
  if (const auto reply = DecodeReply(frame)) return Encode(*reply);
  if (const auto tip = DecodeTip(frame)) return Encode(*tip);
  if (const auto trouble = DecodeTrouble(frame)) return Encode(*trouble);
  return "";
}

// The current encoding of the frozen frames.
std::map<std::string, std::string> KnownFrames() {
  return {
      {"hello_watcher", Encode(Hello{})},
      {"hello_driver", Encode(Hello{.role = Role::kDriver})},
      {"write", Encode(Command{.key = "turn-2", .payload = "{\"go\":1}\n"})},
      {"close_stdin",
       Encode(Command{.type = FrameType::kCloseStdin, .key = "close"})},
      {"signal", Encode(Command{.type = FrameType::kSignal,
                                .key = "int-1",
                                .payload = "{\"note\":\"interrupt\"}",
                                .signal = 2})},
      {"stop", Encode(Command{.type = FrameType::kStop,
                              .key = "stop-1",
                              .payload = "{\"note\":\"stop\"}",
                              .grace = absl::Seconds(5)})},
      {"note", Encode(Command{.type = FrameType::kNote,
                              .key = "answer-1",
                              .payload = "{\"note\":\"answer\"}"})},
      {"lend", Encode(Command{.type = FrameType::kLend, .key = "lease"})},
      {"return", Encode(Command{.type = FrameType::kReturn, .key = "lease"})},
      {"welcome",
       Encode(Welcome{.role = Role::kDriver, .record = 12, .offset = 3456})},
      {"reply_ok", Encode(Reply{.key = "turn-2", .record = 13})},
      {"reply_not_driver",
       Encode(Reply{.key = "turn-3",
                    .code = ReplyCode::kNotDriver,
                    .text = "this connection only watches"})},
      {"tip", Encode(Tip{.record = 13, .offset = 0x123456789a})},
      {"trouble", Encode(Trouble{.text = "the disk is full"})},
      {"trouble_over", Encode(Trouble{})},
  };
}

// Relays outlive upgrades: the meaning of version 1 can never change. If this
// fails, the code is wrong and not the file.
TEST(FrameTest, Version1IsFrozen) {
  const auto frozen = FrozenBytes("relay/testdata/frames_v1.txt");
  EXPECT_THAT(frozen, SizeIs(KnownFrames().size()));
  for (const auto& [name, bytes] : KnownFrames()) {
    ASSERT_TRUE(frozen.contains(name)) << name;
    EXPECT_EQ(absl::BytesToHexString(bytes),
              absl::BytesToHexString(frozen.at(name)))
        << name;
    FrameReader reader(kMaxFrame);
    EXPECT_EQ(Again(FrameIn(frozen.at(name), &reader)), frozen.at(name))
        << name;
  }
}

TEST(FrameTest, ANoteMayBringALine) {
  FrameReader reader(kMaxFrame);
  const Command note = {.type = FrameType::kNote, .key = "k", .payload = "{}"};
  Command with_line = note;
  with_line.line_key = "turn-2.prompt";
  with_line.line = "go\n";
  const auto read = DecodeCommand(FrameIn(Encode(with_line), &reader));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->payload, "{}");
  EXPECT_EQ(read->line_key, "turn-2.prompt");
  EXPECT_EQ(read->line, "go\n");
  // The first relays read as much as this.
  EXPECT_EQ(Encode(with_line).substr(4, Encode(note).size() - 4),
            Encode(note).substr(4));
  const std::string bare = Encode(note);
  const auto without = DecodeCommand(FrameIn(bare, &reader));
  ASSERT_TRUE(without.has_value());
  EXPECT_THAT(without->line_key, IsEmpty());
  EXPECT_THAT(without->line, IsEmpty());
}

TEST(FrameTest, FieldsAreReadAsTheyWereWritten) {
  FrameReader reader(kMaxFrame);
  const std::string bytes = Encode(Command{.type = FrameType::kStop,
                                           .key = "k",
                                           .payload = "a\nb",
                                           .grace = absl::Seconds(4000000)});
  const auto command = DecodeCommand(FrameIn(bytes, &reader));
  ASSERT_TRUE(command.has_value());
  EXPECT_EQ(command->type, FrameType::kStop);
  EXPECT_EQ(command->key, "k");
  EXPECT_EQ(command->payload, "a\nb");
  EXPECT_EQ(command->grace, absl::Seconds(4000000));
  const auto reply =
      DecodeReply(FrameIn(Encode(Reply{.key = "k",
                                       .code = ReplyCode::kEnded,
                                       .record = int64_t{1} << 40,
                                       .text = "t"}),
                          &reader));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->code, ReplyCode::kEnded);
  EXPECT_EQ(reply->record, int64_t{1} << 40);
  EXPECT_EQ(reply->text, "t");
}

TEST(FrameTest, FieldsOfANewerVersionAreIgnored) {
  for (const auto& [name, bytes] : KnownFrames()) {
    const std::string longer =
        ByteWriter()(static_cast<uint32_t>(bytes.size() - 4 + 5)).bytes() +
        bytes.substr(4) + "newer";
    FrameReader reader(kMaxFrame);
    EXPECT_EQ(Again(FrameIn(longer, &reader)), bytes) << name;
  }
}

TEST(FrameTest, WelcomeTellsMoreThanItDidAtFirst) {
  const Welcome plain = {.role = Role::kDriver, .record = 12, .offset = 3456};
  Welcome more = plain;
  more.more = {.awake = absl::FromUnixMicros(0x123456789abcdef),
               .watch_reason = WatchReason::kNotAllowed};
  const std::string bytes = Encode(more);
  // Frozen, like the frames in the file.
  EXPECT_EQ(absl::BytesToHexString(bytes.substr(Encode(plain).size())),
            "efcdab896745230102");
  EXPECT_EQ(bytes.substr(4, Encode(plain).size() - 4), Encode(plain).substr(4));
  FrameReader reader(kMaxFrame);
  const auto read = DecodeWelcome(FrameIn(bytes, &reader));
  ASSERT_TRUE(read.has_value() && read->more.has_value());
  EXPECT_EQ(read->more->awake, absl::FromUnixMicros(0x123456789abcdef));
  EXPECT_EQ(read->more->watch_reason, WatchReason::kNotAllowed);
  EXPECT_FALSE(DecodeWelcome(FrameIn(Encode(plain), &reader))->more);
}

TEST(FrameTest, BodiesThatAreCutAreNothing) {
  for (const auto& [name, bytes] : KnownFrames()) {
    for (size_t size = 6; size < bytes.size(); ++size) {
      const std::string cut =
          ByteWriter()(static_cast<uint32_t>(size - 4)).bytes() +
          bytes.substr(4, size - 4);
      FrameReader reader(kMaxFrame);
      EXPECT_EQ(Again(FrameIn(cut, &reader)), "") << name << " " << size;
      EXPECT_TRUE(reader.ok());
    }
  }
}

TEST(FrameTest, OtherTypesAndRolesAreNothing) {
  FrameReader reader(kMaxFrame);
  EXPECT_EQ(Again({.version = 1, .type = 7, .body = "0000000000000000"}), "");
  EXPECT_EQ(Again({.version = 1, .type = 1, .body = "\x01\x02"}), "");
  EXPECT_EQ(KeyOf({.version = 9,
                   .type = 99,
                   .body = absl::string_view("\x01\0\0\0kxyz", 8)}),
            "k");
  EXPECT_EQ(KeyOf({.body = "\xff\xff\xff\xff"}), "");
}

// Feeds `stream` in pieces and returns type and body of each frame.
std::vector<std::string> Frames(absl::string_view stream,
                                const std::function<size_t()>& step) {
  std::vector<std::string> frames;
  FrameReader reader(kMaxFrame);
  while (!stream.empty()) {
    const size_t n = std::min(step(), stream.size());
    reader.Feed(stream.substr(0, n));
    stream.remove_prefix(n);
    while (const auto frame = reader.Next()) {
      frames.push_back(std::string(1, static_cast<char>(frame->type)) +
                       std::string(frame->body));
    }
  }
  EXPECT_TRUE(reader.ok());
  return frames;
}

TEST(FrameTest, PiecesOfAnySizeGiveTheSameFrames) {
  std::string stream;
  for (const auto& [name, bytes] : KnownFrames()) stream += bytes;
  const auto whole = Frames(stream, [&] { return stream.size(); });
  EXPECT_THAT(whole, SizeIs(KnownFrames().size()));
  EXPECT_EQ(Frames(stream, [] { return 1; }), whole);
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(Frames(stream, [&] { return 1 + random() % 40; }), whole);
  }
}

TEST(FrameTest, LengthsThatMakeNoSenseEndTheStream) {
  for (const uint32_t length :
       {uint32_t{0}, uint32_t{1}, static_cast<uint32_t>(kMaxFrame) + 1, ~0U}) {
    FrameReader reader(kMaxFrame);
    const std::string tip = Encode(Tip{});
    reader.Feed(tip + ByteWriter()(length).bytes() + tip);
    EXPECT_TRUE(reader.Next().has_value());
    EXPECT_TRUE(reader.ok());
    EXPECT_FALSE(reader.Next().has_value());
    EXPECT_FALSE(reader.ok());
    reader.Feed(tip);
    EXPECT_FALSE(reader.Next().has_value());
  }
}

TEST(FrameTest, TheLimitCanBeRaised) {
  const std::string payload(kMaxFrame, 'p');
  const std::string bytes = Encode(Command{.key = "k", .payload = payload});
  FrameReader small(kMaxFrame);
  small.Feed(bytes);
  EXPECT_FALSE(small.Next().has_value());
  EXPECT_FALSE(small.ok());
  FrameReader large(kMaxFrame);
  large.set_max_frame(kMaxCommandFrame);
  EXPECT_EQ(DecodeCommand(FrameIn(bytes, &large))->payload, payload);
}

}  // namespace
}  // namespace troika::relay
