#include "relay/spec.h"

#include <type_traits>

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
  kFirstCommand = 11,  // Repeated, in order.
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

// Calls `visit` with the tag and the value of each field that specs without
// tags had, in their order.
void VisitFirstFields(auto& spec, auto visit) {
  visit(Tag::kArgument, spec.argv);
  visit(Tag::kEnvironment, spec.env);
  visit(Tag::kCwd, spec.cwd);
  visit(Tag::kStdinMode, spec.stdin_mode);
  visit(Tag::kSpawnedNote, spec.spawned_note);
  visit(Tag::kSpawnedKey, spec.spawned_key);
  visit(Tag::kMaxLogBytes, spec.max_log_bytes);
  visit(Tag::kGraceMs, spec.grace);
  visit(Tag::kDiskFullWaitMs, spec.disk_full_wait);
  visit(Tag::kUndrivenMs, spec.undriven);
}

void VisitFields(auto& spec, auto visit) {
  VisitFirstFields(spec, visit);
  visit(Tag::kFirstCommand, spec.first_commands);
}

// Sets a field from the bytes that a tag has. Returns false if they are cut
// short.
bool SetField(absl::string_view bytes, std::string& value) {
  value = std::string(bytes);
  return true;
}
bool SetField(absl::string_view bytes, std::vector<std::string>& value) {
  value.emplace_back(bytes);
  return true;
}
bool SetField(absl::string_view bytes, auto& value) {
  return ByteReader(bytes)(value).ok();
}

bool IsComplete(const RelaySpec& spec) {
  return !spec.argv.empty() && (spec.stdin_mode == StdinMode::kNull ||
                                spec.stdin_mode == StdinMode::kPipe);
}

absl::StatusOr<RelaySpec> DecodeUnversioned(absl::string_view bytes) {
  ByteReader reader(bytes);
  RelaySpec spec;
  VisitFirstFields(spec, [&](Tag, auto& value) { reader(value); });
  if (!reader.ok() || !IsComplete(spec)) return Damaged();
  return spec;
}

}  // namespace

std::string Encode(const RelaySpec& spec) {
  ByteWriter out;
  out(kVersion);
  VisitFields(spec, [&](Tag tag, const auto& value) {
    if constexpr (std::is_same_v<decltype(value),
                                 const std::vector<std::string>&>) {
      for (const std::string& text : value) out(tag, text);
    } else if constexpr (std::is_same_v<decltype(value), const std::string&>) {
      out(tag, value);
    } else {
      out(tag, ByteWriter()(value).bytes());
    }
  });
  return std::string(kMagic) + out.bytes();
}

absl::StatusOr<RelaySpec> DecodeSpec(absl::string_view bytes) {
  if (!absl::StartsWith(bytes, kMagic)) return DecodeUnversioned(bytes);
  ByteReader reader(bytes.substr(kMagic.size()));
  uint8_t version = 0;
  reader(version);
  if (version > kVersion) {
    return TooNew(absl::StrCat("the spec has version ", version,
                               ", and this program reads version ", kVersion));
  }
  RelaySpec spec;
  bool fields_ok = true;
  while (reader.ok() && !reader.rest().empty()) {
    Tag tag = {};
    absl::string_view bytes_of_field;
    if (!reader(tag, bytes_of_field).ok()) break;
    if (static_cast<uint8_t>(tag) >= kFirstRequired) {
      return TooNew(absl::StrCat("it knows nothing of the spec's field ",
                                 static_cast<int>(tag)));
    }
    // Another tag is from a newer server and may be ignored.
    VisitFields(spec, [&](Tag known, auto& value) {
      if (known == tag) fields_ok &= SetField(bytes_of_field, value);
    });
  }
  if (!reader.ok() || !fields_ok || version == 0 || !IsComplete(spec)) {
    return Damaged();
  }
  return spec;
}

}  // namespace troika::relay
