#include "relay/frame.h"

#include "relay/bytes.h"

namespace troika::relay {
namespace {

constexpr size_t kLengthBytes = 4;
constexpr size_t kHeadBytes = 2;  // Version and type.

std::string FrameOf(FrameType type, const ByteWriter& body) {
  return ByteWriter()(static_cast<uint32_t>(kHeadBytes + body.bytes().size()),
                      kFrameVersion, type)
             .bytes() +
         body.bytes();
}

bool Is(const Frame& frame, FrameType type) {
  return frame.type == static_cast<uint8_t>(type);
}

bool IsRole(Role role) {
  return role == Role::kWatcher || role == Role::kDriver;
}

}  // namespace

std::string Encode(const Hello& hello) {
  return FrameOf(FrameType::kHello,
                 ByteWriter()(hello.max_version, hello.role));
}

std::string Encode(const Welcome& welcome) {
  ByteWriter body;
  body(welcome.version, welcome.role, welcome.record, welcome.offset);
  if (welcome.more) body(welcome.more->awake, welcome.more->watch_reason);
  return FrameOf(FrameType::kWelcome, body);
}

std::string Encode(const Command& command) {
  ByteWriter body;
  body(command.key, command.payload);
  if (command.type == FrameType::kSignal) body(command.signal);
  if (command.type == FrameType::kStop) body(command.grace);
  if (command.type == FrameType::kNote && !command.line.empty()) {
    body(command.line_key, command.line);
  }
  return FrameOf(command.type, body);
}

std::string Encode(const Reply& reply) {
  return FrameOf(FrameType::kReply,
                 ByteWriter()(reply.key, reply.code, reply.record, reply.text));
}

std::string Encode(const Tip& tip) {
  return FrameOf(FrameType::kTip, ByteWriter()(tip.record, tip.offset));
}

std::string Encode(const Trouble& trouble) {
  return FrameOf(FrameType::kTrouble, ByteWriter()(trouble.text));
}

std::optional<Hello> DecodeHello(const Frame& frame) {
  Hello hello;
  const bool whole = ByteReader(frame.body)(hello.max_version, hello.role).ok();
  if (!Is(frame, FrameType::kHello) || !whole || !IsRole(hello.role)) {
    return std::nullopt;
  }
  return hello;
}

std::optional<Welcome> DecodeWelcome(const Frame& frame) {
  ByteReader body(frame.body);
  Welcome welcome;
  body(welcome.version, welcome.role, welcome.record, welcome.offset);
  if (!Is(frame, FrameType::kWelcome) || !body.ok() || !IsRole(welcome.role)) {
    return std::nullopt;
  }
  Welcome::More more;
  if (body(more.awake, more.watch_reason).ok()) welcome.more = more;
  return welcome;
}

std::optional<Command> DecodeCommand(const Frame& frame) {
  if (frame.type < static_cast<uint8_t>(FrameType::kWrite) ||
      frame.type > static_cast<uint8_t>(kLastCommand)) {
    return std::nullopt;
  }
  ByteReader body(frame.body);
  Command command = {.type = static_cast<FrameType>(frame.type)};
  body(command.key, command.payload);
  if (command.type == FrameType::kSignal) body(command.signal);
  if (command.type == FrameType::kStop) body(command.grace);
  if (!body.ok()) return std::nullopt;
  if (command.type != FrameType::kNote) return command;
  if (!body(command.line_key, command.line).ok()) {
    command.line_key = command.line = "";
  }
  return command;
}

std::optional<Reply> DecodeReply(const Frame& frame) {
  Reply reply;
  const bool whole =
      ByteReader(frame.body)(reply.key, reply.code, reply.record, reply.text)
          .ok();
  if (!Is(frame, FrameType::kReply) || !whole) return std::nullopt;
  return reply;
}

std::optional<Tip> DecodeTip(const Frame& frame) {
  Tip tip;
  const bool whole = ByteReader(frame.body)(tip.record, tip.offset).ok();
  if (!Is(frame, FrameType::kTip) || !whole) return std::nullopt;
  return tip;
}

std::optional<Trouble> DecodeTrouble(const Frame& frame) {
  Trouble trouble;
  const bool whole = ByteReader(frame.body)(trouble.text).ok();
  if (!Is(frame, FrameType::kTrouble) || !whole) return std::nullopt;
  return trouble;
}

absl::string_view KeyOf(const Frame& frame) {
  absl::string_view key;
  ByteReader(frame.body)(key);
  return key;
}

std::optional<Frame> FrameReader::Next() {
  if (!ok_) return std::nullopt;
  const absl::string_view rest = absl::string_view(buffer_).substr(begin_);
  uint32_t length = 0;
  const bool has_length = ByteReader(rest)(length).ok();
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
  head(frame.version, frame.type);
  frame.body = head.rest();
  return frame;
}

}  // namespace troika::relay
