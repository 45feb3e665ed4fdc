#include "relay/guard_wire.h"

#include "relay/bytes.h"

namespace troika::relay {

GuardReport ExitReport(int status, const rusage& used) {
  return {.kind = GuardReport::Kind::kExited,
          .status = status,
          .user_time = absl::DurationFromTimeval(used.ru_utime),
          .system_time = absl::DurationFromTimeval(used.ru_stime),
          .max_rss_kb = used.ru_maxrss};
}

std::string Encode(const GuardReport& report) {
  return ByteWriter()
      .U8(static_cast<uint8_t>(report.kind))
      .U32(static_cast<uint32_t>(report.pid))
      .U32(static_cast<uint32_t>(report.signal))
      .U32(static_cast<uint32_t>(report.status))
      .I64(absl::ToInt64Microseconds(report.user_time))
      .I64(absl::ToInt64Microseconds(report.system_time))
      .I64(report.max_rss_kb)
      .String(report.text)
      .Strings(report.names)
      .bytes();
}

GuardReport DecodeReport(const std::string& packet) {
  ByteReader reader(packet);
  GuardReport report;
  report.kind = static_cast<GuardReport::Kind>(reader.U8());
  report.pid = static_cast<int32_t>(reader.U32());
  report.signal = static_cast<int32_t>(reader.U32());
  report.status = static_cast<int32_t>(reader.U32());
  report.user_time = absl::Microseconds(reader.I64());
  report.system_time = absl::Microseconds(reader.I64());
  report.max_rss_kb = reader.I64();
  report.text = std::string(reader.String());
  report.names = reader.Strings();
  return report;
}

}  // namespace troika::relay
