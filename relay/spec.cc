#include "relay/spec.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "relay/bytes.h"

namespace troika::relay {
namespace {

// A spec without a version begins with the number of arguments, which is never
// as large as these bytes. A relay that knows no versions takes them for that
// number, misses the arguments, and refuses to start.
constexpr absl::string_view kMagic = "TRKS";
constexpr uint8_t kVersion = 1;

// Numbers are never reused. A relay that does not know a tag from
// kFirstRequired on must not start.
enum class Tag : uint8_t {
  kArgument = 1,     // Repeated, in order.
  kEnvironment = 2,  // Repeated.
  kCwd = 3,
  kStdinMode = 4,
  kSpawnedNote = 5,
  kSpawnedKey = 6,
  kMaxLogBytes = 7,
  kGraceMs = 8,
  kDiskFullWaitMs = 9,
  kUndrivenMs = 10,
};
constexpr uint8_t kFirstRequired = 128;

absl::Status Damaged() {
  return absl::InvalidArgumentError(
      "the relay's spec is damaged: the server and troika-relay may be of "
      "different versions; install both from one version, and restart the "
      "server");
}

absl::Status TooNew(absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the relay program is older than the server that starts it: ", what,
      "; install both from one version, and restart the server"));
}

class SpecWriter {
 public:
  SpecWriter() {
    for (const char c : kMagic) bytes_.U8(static_cast<uint8_t>(c));
    bytes_.U8(kVersion);
  }
  SpecWriter& Bytes(Tag tag, absl::string_view value) {
    bytes_.U8(static_cast<uint8_t>(tag)).String(value);
    return *this;
  }
  SpecWriter& U8(Tag tag, uint8_t value) {
    return Bytes(tag, ByteWriter().U8(value).bytes());
  }
  SpecWriter& Millis(Tag tag, absl::Duration value) {
    return Bytes(tag, ByteWriter().Millis(value).bytes());
  }
  SpecWriter& I64(Tag tag, int64_t value) {
    return Bytes(tag, ByteWriter().I64(value).bytes());
  }
  const std::string& bytes() const { return bytes_.bytes(); }

 private:
  ByteWriter bytes_;
};

// Returns false if this program does not know the value.
bool SetStdinMode(uint8_t value, RelaySpec* spec) {
  if (value > static_cast<uint8_t>(StdinMode::kPipe)) return false;
  spec->stdin_mode = static_cast<StdinMode>(value);
  return true;
}

// Returns whether the value could be read.
bool SetField(Tag tag, absl::string_view bytes, RelaySpec* spec) {
  ByteReader value(bytes);
  switch (tag) {
    case Tag::kArgument:
      spec->argv.emplace_back(bytes);
      return true;
    case Tag::kEnvironment:
      spec->env.emplace_back(bytes);
      return true;
    case Tag::kCwd:
      spec->cwd = std::string(bytes);
      return true;
    case Tag::kStdinMode:
      return SetStdinMode(value.U8(), spec) && value.ok();
    case Tag::kSpawnedNote:
      spec->spawned_note = std::string(bytes);
      return true;
    case Tag::kSpawnedKey:
      spec->spawned_key = std::string(bytes);
      return true;
    case Tag::kMaxLogBytes:
      spec->max_log_bytes = value.I64();
      return value.ok();
    case Tag::kGraceMs:
      spec->grace = value.Millis();
      return value.ok();
    case Tag::kDiskFullWaitMs:
      spec->disk_full_wait = value.Millis();
      return value.ok();
    case Tag::kUndrivenMs:
      spec->undriven = value.Millis();
      return value.ok();
  }
  return true;  // The tag is from a newer server and may be ignored.
}

absl::StatusOr<RelaySpec> DecodeUnversioned(absl::string_view bytes) {
  ByteReader reader(bytes);
  RelaySpec spec;
  spec.argv = reader.Strings();
  spec.env = reader.Strings();
  spec.cwd = std::string(reader.String());
  const bool known_stdin = SetStdinMode(reader.U8(), &spec);
  spec.spawned_note = std::string(reader.String());
  spec.spawned_key = std::string(reader.String());
  spec.max_log_bytes = reader.I64();
  spec.grace = reader.Millis();
  spec.disk_full_wait = reader.Millis();
  spec.undriven = reader.Millis();
  if (!reader.ok() || !known_stdin || spec.argv.empty()) return Damaged();
  return spec;
}

}  // namespace

std::string Encode(const RelaySpec& spec) {
  SpecWriter out;
  for (const std::string& argument : spec.argv) {
    out.Bytes(Tag::kArgument, argument);
  }
  for (const std::string& variable : spec.env) {
    out.Bytes(Tag::kEnvironment, variable);
  }
  return out.Bytes(Tag::kCwd, spec.cwd)
      .U8(Tag::kStdinMode, static_cast<uint8_t>(spec.stdin_mode))
      .Bytes(Tag::kSpawnedNote, spec.spawned_note)
      .Bytes(Tag::kSpawnedKey, spec.spawned_key)
      .I64(Tag::kMaxLogBytes, spec.max_log_bytes)
      .Millis(Tag::kGraceMs, spec.grace)
      .Millis(Tag::kDiskFullWaitMs, spec.disk_full_wait)
      .Millis(Tag::kUndrivenMs, spec.undriven)
      .bytes();
}

absl::StatusOr<RelaySpec> DecodeSpec(absl::string_view bytes) {
  if (!absl::StartsWith(bytes, kMagic)) return DecodeUnversioned(bytes);
  ByteReader reader(bytes.substr(kMagic.size()));
  const uint8_t version = reader.U8();
  if (version > kVersion) {
    return TooNew(absl::StrCat("the spec has version ", version,
                               ", and this program reads version ", kVersion));
  }
  RelaySpec spec;
  while (reader.ok() && !reader.rest().empty()) {
    const uint8_t tag = reader.U8();
    const absl::string_view value = reader.String();
    if (!reader.ok()) break;
    if (tag >= kFirstRequired) {
      return TooNew(absl::StrCat("it knows nothing of the spec's field ", tag));
    }
    if (!SetField(static_cast<Tag>(tag), value, &spec)) return Damaged();
  }
  if (!reader.ok() || version == 0 || spec.argv.empty()) return Damaged();
  return spec;
}

}  // namespace troika::relay
