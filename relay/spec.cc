#include "relay/spec.h"

#include "relay/bytes.h"

namespace troika::relay {

std::string Encode(const RelaySpec& spec) {
  return ByteWriter()
      .Strings(spec.argv)
      .Strings(spec.env)
      .String(spec.cwd)
      .U8(static_cast<uint8_t>(spec.stdin_mode))
      .String(spec.spawned_note)
      .String(spec.spawned_key)
      .I64(spec.max_log_bytes)
      .U32(spec.grace_ms)
      .U32(spec.disk_full_wait_ms)
      .U32(spec.undriven_ms)
      .bytes();
}

std::optional<RelaySpec> DecodeSpec(absl::string_view bytes) {
  ByteReader reader(bytes);
  RelaySpec spec;
  spec.argv = reader.Strings();
  spec.env = reader.Strings();
  spec.cwd = std::string(reader.String());
  spec.stdin_mode = static_cast<StdinMode>(reader.U8());
  spec.spawned_note = std::string(reader.String());
  spec.spawned_key = std::string(reader.String());
  spec.max_log_bytes = reader.I64();
  spec.grace_ms = reader.U32();
  spec.disk_full_wait_ms = reader.U32();
  spec.undriven_ms = reader.U32();
  if (!reader.ok() || spec.argv.empty()) return std::nullopt;
  return spec;
}

}  // namespace troika::relay
