#include "relay/frame.h"

#include "relay/bytes.h"

namespace troika::relay {
namespace {

constexpr size_t kLengthBytes = 4;
constexpr size_t kHeadBytes = 2;  // Version and type.

std::string FrameOf(FrameType type, const ByteWriter& body) {
  ByteWriter frame;
  frame.U32(static_cast<uint32_t>(kHeadBytes + body.bytes().size()))
      .U8(kFrameVersion)
      .U8(static_cast<uint8_t>(type));
  return frame.bytes() + body.bytes();
}

bool Is(const Frame& frame, FrameType type) {
  return frame.type == static_cast<uint8_t>(type);
}

std::optional<Role> RoleOf(uint8_t value) {
  if (value > static_cast<uint8_t>(Role::kDriver)) return std::nullopt;
  return static_cast<Role>(value);
}

}  // namespace

std::string Encode(const Hello& hello) {
  return FrameOf(
      FrameType::kHello,
      ByteWriter().U8(hello.max_version).U8(static_cast<uint8_t>(hello.role)));
}

std::string Encode(const Welcome& welcome) {
  ByteWriter body;
  body.U8(welcome.version)
      .U8(static_cast<uint8_t>(welcome.role))
      .I64(welcome.record)
      .I64(welcome.offset);
  if (welcome.more) {
    body.I64(absl::ToUnixMicros(welcome.more->awake))
        .U8(static_cast<uint8_t>(welcome.more->watch_reason));
  }
  return FrameOf(FrameType::kWelcome, body);
}

std::string Encode(const Command& command) {
  ByteWriter body;
  body.String(command.key).String(command.payload);
  if (command.type == FrameType::kSignal) {
    body.U32(static_cast<uint32_t>(command.signal));
  } else if (command.type == FrameType::kStop) {
    body.Millis(command.grace);
  }
  return FrameOf(command.type, body);
}

std::string Encode(const Reply& reply) {
  return FrameOf(FrameType::kReply, ByteWriter()
                                        .String(reply.key)
                                        .U8(static_cast<uint8_t>(reply.code))
                                        .I64(reply.record)
                                        .String(reply.text));
}

std::string Encode(const Tip& tip) {
  return FrameOf(FrameType::kTip, ByteWriter().I64(tip.record).I64(tip.offset));
}

std::string Encode(const Trouble& trouble) {
  return FrameOf(FrameType::kTrouble, ByteWriter().String(trouble.text));
}

std::optional<Hello> DecodeHello(const Frame& frame) {
  ByteReader body(frame.body);
  Hello hello;
  hello.max_version = body.U8();
  const auto role = RoleOf(body.U8());
  if (!Is(frame, FrameType::kHello) || !body.ok() || !role) return std::nullopt;
  hello.role = *role;
  return hello;
}

std::optional<Welcome> DecodeWelcome(const Frame& frame) {
  ByteReader body(frame.body);
  Welcome welcome;
  welcome.version = body.U8();
  const auto role = RoleOf(body.U8());
  welcome.record = body.I64();
  welcome.offset = body.I64();
  if (!Is(frame, FrameType::kWelcome) || !body.ok() || !role) {
    return std::nullopt;
  }
  welcome.role = *role;
  Welcome::More more;
  more.awake = absl::FromUnixMicros(body.I64());
  more.watch_reason = static_cast<WatchReason>(body.U8());
  if (body.ok()) welcome.more = more;
  return welcome;
}

std::optional<Command> DecodeCommand(const Frame& frame) {
  if (frame.type < static_cast<uint8_t>(FrameType::kWrite) ||
      frame.type > static_cast<uint8_t>(FrameType::kNote)) {
    return std::nullopt;
  }
  ByteReader body(frame.body);
  Command command;
  command.type = static_cast<FrameType>(frame.type);
  command.key = body.String();
  command.payload = body.String();
  if (command.type == FrameType::kSignal) {
    command.signal = static_cast<int32_t>(body.U32());
  } else if (command.type == FrameType::kStop) {
    command.grace = body.Millis();
  }
  if (!body.ok()) return std::nullopt;
  return command;
}

std::optional<Reply> DecodeReply(const Frame& frame) {
  ByteReader body(frame.body);
  Reply reply;
  reply.key = body.String();
  reply.code = static_cast<ReplyCode>(body.U8());
  reply.record = body.I64();
  reply.text = body.String();
  if (!Is(frame, FrameType::kReply) || !body.ok()) return std::nullopt;
  return reply;
}

std::optional<Tip> DecodeTip(const Frame& frame) {
  ByteReader body(frame.body);
  Tip tip;
  tip.record = body.I64();
  tip.offset = body.I64();
  if (!Is(frame, FrameType::kTip) || !body.ok()) return std::nullopt;
  return tip;
}

std::optional<Trouble> DecodeTrouble(const Frame& frame) {
  ByteReader body(frame.body);
  Trouble trouble;
  trouble.text = body.String();
  if (!Is(frame, FrameType::kTrouble) || !body.ok()) return std::nullopt;
  return trouble;
}

absl::string_view KeyOf(const Frame& frame) {
  return ByteReader(frame.body).String();
}

std::optional<Frame> FrameReader::Next() {
  if (!ok_) return std::nullopt;
  const absl::string_view rest = absl::string_view(buffer_).substr(begin_);
  const size_t length = ByteReader(rest).U32();
  const bool has_length = rest.size() >= kLengthBytes;
  if (has_length && (length < kHeadBytes || length > max_frame_)) {
    ok_ = false;
    return std::nullopt;
  }
  if (!has_length || rest.size() < kLengthBytes + length) {
    buffer_.erase(0, begin_);
    begin_ = 0;
    return std::nullopt;
  }
  begin_ += kLengthBytes + length;
  ByteReader head(rest.substr(kLengthBytes, length));
  Frame frame;
  frame.version = head.U8();
  frame.type = head.U8();
  frame.body = head.rest();
  return frame;
}

}  // namespace troika::relay
