// Reads any bytes as a log: each byte is reported, however the bytes come, and
// the next writer can append records that are read.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "relay/log_search.h"
#include "relay/log_testing.h"

namespace troika::relay {
namespace {

uint64_t Hash(absl::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

// Returns the checksum of the batch's lines in `lines` from `at` on, as the
// batch's head has it.
std::string LinesChecksum(const std::vector<absl::string_view>& lines,
                          size_t at) {
  std::string text;
  for (; at < lines.size() && absl::StartsWith(lines[at], " "); ++at) {
    absl::StrAppend(&text, lines[at], "\n");
  }
  return absl::StrFormat("%016x", Hash(text));
}

// Replaces each checksum "@" by the right one, which no fuzzer would find, in
// records and in heads of batches: "1 5 out*2 @".
std::string Sign(absl::string_view text) {
  std::string bytes;
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    const absl::string_view line = lines[i];
    if (i > 0) bytes += '\n';
    const size_t at = line.find(" @");
    if (at == line.npos || (at + 2 < line.size() && line[at + 2] != ' ')) {
      absl::StrAppend(&bytes, line);
      continue;
    }
    const absl::string_view head = line.substr(0, at + 1);
    std::string rest(line.substr(at + 2));
    if (rest.empty() && absl::StrContains(head, '*')) {
      rest = absl::StrCat(" ", LinesChecksum(lines, i + 1));
    }
    const absl::string_view payload =
        absl::string_view(rest).substr(rest.empty() ? 0 : 1);
    absl::StrAppend(&bytes, head,
                    absl::StrFormat("%016x", Hash(head) ^ Hash(payload)), rest);
  }
  return bytes;
}

void CheckReading(absl::string_view bytes, size_t step) {
  const ReadResult whole = ReadBytes(bytes, bytes.size() + 1);
  CHECK(AllAccounted(bytes, whole));
  CHECK(ReadBytes(bytes, step).Listing() == whole.Listing());
}

// A search must end and find the start of a line, whatever the log contains.
void CheckFinding(absl::string_view bytes, int64_t number) {
  const UniqueFd fd = FileOf(bytes);
  const auto offset = FindRecord(fd.get(), number);
  CHECK(offset.ok() && *offset >= 0);
  CHECK(*offset == 0 || bytes[static_cast<size_t>(*offset) - 1] == '\n');
}

void CheckAppending(absl::string_view bytes) {
  FakeClock clock;
  UniqueFd fd = FileOf(bytes);
  const UniqueFd copy(dup(fd.get()));
  auto log = LogWriter::Adopt(std::move(fd), &clock);
  if (!log.ok()) {
    CHECK(absl::IsDataLoss(log.status()) ||
          absl::IsFailedPrecondition(log.status()));
    return;
  }
  if (log->has_batches()) log->AppendBatch(Stream::kStderr, "a\n\n", 2);
  const int64_t number = log->Append({.payload = "appended"});
  CHECK(log->Flush().ok());
  LogReader reader(UniqueFd(dup(copy.get())));
  CollectingSink told;
  if (!reader.Read(told).ok()) return;  // The log has a newer version.
  reader.Finish(told);
  CHECK(!told.records.empty());
  CHECK(told.records.back().number == number);
  CHECK(told.records.back().payload == "appended");
  if (log->has_batches()) {
    CHECK(told.records.size() >= 3);
    CHECK(told.records[told.records.size() - 3].number == number - 2);
  }
}

}  // namespace
}  // namespace troika::relay

// The first byte selects how many bytes come at a time.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string bytes =
      troika::relay::Sign({reinterpret_cast<const char*>(data + 1), size - 1});
  // Long inputs come in larger pieces, or they would take all the time.
  troika::relay::CheckReading(bytes, 1 + data[0] + bytes.size() / 64);
  troika::relay::CheckAppending(bytes);
  troika::relay::CheckFinding(bytes, 1 + data[0] % 8);
  return 0;
}
