// Bytes as a log: each of them is told, however they come, and whoever opens
// the log next can append to it and is read.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "relay/log_testing.h"

namespace troika::relay {
namespace {

// Lines whose checksum is "@" get the right one, which no fuzzer finds.
std::string Sign(absl::string_view text) {
  std::string bytes;
  absl::string_view separator;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::StrAppend(&bytes, separator);
    separator = "\n";
    const size_t at = line.find(" @");
    if (at == line.npos || (at + 2 < line.size() && line[at + 2] != ' ')) {
      absl::StrAppend(&bytes, line);
      continue;
    }
    const absl::string_view head = line.substr(0, at + 1);
    const absl::string_view rest = line.substr(at + 2);
    const absl::string_view payload = rest.substr(rest.empty() ? 0 : 1);
    absl::StrAppend(
        &bytes, head,
        absl::StrFormat("%016x",
                        XXH3_64bits(head.data(), head.size()) ^
                            XXH3_64bits(payload.data(), payload.size())),
        rest);
  }
  return bytes;
}

void CheckReading(absl::string_view bytes, size_t step) {
  const ReadResult whole = ReadBytes(bytes, bytes.size() + 1);
  CHECK(AllAccounted(bytes, whole));
  CHECK(ReadBytes(bytes, step).Listing() == whole.Listing());
}

void CheckAppending(absl::string_view bytes) {
  FakeClock clock;
  UniqueFd fd = FileOf(bytes);
  const UniqueFd copy(dup(fd.get()));
  auto log = LogWriter::Adopt(std::move(fd), &clock);
  if (!log.ok()) {
    CHECK(log.status().code() == absl::StatusCode::kDataLoss);
    return;
  }
  const int64_t number = log->Append({.payload = "appended"});
  CHECK(log->Flush().ok());
  LogReader reader(UniqueFd(dup(copy.get())));
  CollectingSink told;
  if (!reader.Read(told).ok()) return;  // A newer version's.
  reader.Finish(told);
  CHECK(!told.records.empty());
  CHECK(told.records.back().number == number);
  CHECK(told.records.back().payload == "appended");
}

}  // namespace
}  // namespace troika::relay

// The first byte says how many bytes come at a time.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string bytes =
      troika::relay::Sign({reinterpret_cast<const char*>(data + 1), size - 1});
  // Long ones not byte by byte, or nothing else would be tried.
  troika::relay::CheckReading(bytes, 1 + data[0] + bytes.size() / 64);
  troika::relay::CheckAppending(bytes);
  return 0;
}
