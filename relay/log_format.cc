#define XXH_INLINE_ALL
#include "relay/log_format.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace troika::relay {
namespace {

constexpr absl::string_view kMagic = "troika-log ";
constexpr size_t kChecksumDigits = 16;

// Names in the order of Stream.
constexpr absl::string_view kStreams[] = {"out", "err", "in", "note"};

uint64_t Checksum(absl::string_view head, absl::string_view payload) {
  return XXH3_64bits(head.data(), head.size()) ^
         XXH3_64bits(payload.data(), payload.size());
}

// Writes kChecksumDigits digits.
void PutHex(uint64_t value, char* out) {
  static constexpr char kDigits[] = "0123456789abcdef";
  for (size_t i = kChecksumDigits; i-- > 0; value >>= 4) {
    out[i] = kDigits[value & 15];
  }
}

void AppendHex(uint64_t value, std::string* out) {
  out->resize(out->size() + kChecksumDigits);
  PutHex(value, &out->back() + 1 - kChecksumDigits);
}

// The value of each hex digit, or kNoDigit. Only lower case counts, because a
// digit with two spellings could change unnoticed.
constexpr uint8_t kNoDigit = 0xff;
constexpr std::array<uint8_t, 256> kDigitValues = [] {
  std::array<uint8_t, 256> values = {};
  values.fill(kNoDigit);
  for (uint8_t i = 0; i < 10; ++i) values['0' + i] = i;
  for (uint8_t i = 0; i < 6; ++i) values['a' + i] = 10 + i;
  return values;
}();

// Uses a table, because a branch for each random digit would be mispredicted.
std::optional<uint64_t> ParseHex(absl::string_view text) {
  if (text.size() != kChecksumDigits) return std::nullopt;
  uint64_t value = 0;
  uint8_t all = 0;
  for (const char c : text) {
    const uint8_t digit = kDigitValues[static_cast<unsigned char>(c)];
    value = value << 4 | (digit & 15);
    all |= digit;
  }
  if (all > 15) return std::nullopt;
  return value;
}

void AppendNumber(int64_t value, std::string* out) {
  char digits[20];
  const auto end = std::to_chars(digits, std::end(digits), value);
  out->append(digits, end.ptr);
}

// Returns the text before the next space, and skips both.
std::optional<absl::string_view> NextWord(absl::string_view* line) {
  const size_t space = line->find(' ');
  if (space == absl::string_view::npos) return std::nullopt;
  const absl::string_view word = line->substr(0, space);
  line->remove_prefix(space + 1);
  return word;
}

std::optional<int64_t> NextNumber(absl::string_view* line) {
  const auto word = NextWord(line);
  if (!word || word->empty()) return std::nullopt;
  int64_t value = 0;
  const char* const end = word->data() + word->size();
  const auto read = std::from_chars(word->data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || value < 0) {
    return std::nullopt;
  }
  return value;
}

// The words that records and heads of batches begin with.
struct Head {
  int64_t number = 0;
  int64_t micros = 0;
  absl::string_view stream;
  absl::string_view covered;  // By the checksum, besides the payload.
  absl::string_view checksum;
  absl::string_view payload;
};

std::optional<Head> ParseHead(absl::string_view line) {
  const absl::string_view whole = line;
  const auto number = NextNumber(&line);
  const auto micros = number ? NextNumber(&line) : std::nullopt;
  const auto stream = micros ? NextWord(&line) : std::nullopt;
  if (!stream) return std::nullopt;
  const absl::string_view covered = whole.substr(0, whole.size() - line.size());
  const auto checksum = NextWord(&line);
  if (!checksum) return std::nullopt;
  return Head{*number, *micros, *stream, covered, *checksum, line};
}

bool IsIntact(const Head& head) {
  return ParseHex(head.checksum) == Checksum(head.covered, head.payload);
}

std::optional<Stream> StreamNamed(absl::string_view name) {
  for (size_t i = 0; i < std::size(kStreams); ++i) {
    if (kStreams[i] == name) return static_cast<Stream>(i);
  }
  return std::nullopt;
}

// Parses a word such as "in+:KEY".
bool ParseStream(absl::string_view word, LogRecord* record) {
  const size_t colon = word.find(':');
  if (colon != absl::string_view::npos) {
    record->key = word.substr(colon + 1);
    if (!IsKey(record->key)) return false;
    word = word.substr(0, colon);
  }
  if (!word.empty() && (word.back() == '+' || word.back() == '~')) {
    record->end = word.back() == '+' ? LineEnd::kContinued : LineEnd::kNone;
    word.remove_suffix(1);
  }
  const auto stream = StreamNamed(word);
  if (stream) record->stream = *stream;
  return stream.has_value();
}

// Parses a word such as "out*12".
bool ParseBatchStream(absl::string_view word, BatchHead* head) {
  const size_t star = word.find('*');
  if (star == absl::string_view::npos) return false;
  const auto stream = StreamNamed(word.substr(0, star));
  if (stream != Stream::kStdout && stream != Stream::kStderr) return false;
  head->stream = *stream;
  const absl::string_view count = word.substr(star + 1);
  const char* const end = count.data() + count.size();
  const auto read = std::from_chars(count.data(), end, head->count);
  // A line of a batch takes at least two bytes: its prefix and its end.
  return read.ec == std::errc() && read.ptr == end && head->count > 0 &&
         head->count <= static_cast<int64_t>(kMaxPayload / 2);
}

}  // namespace

bool IsKey(absl::string_view key) {
  if (key.empty() || key.size() > kMaxKey) return false;
  for (const char c : key) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.' &&
        c != '-' && c != '_') {
      return false;
    }
  }
  return true;
}

bool IsTaskId(absl::string_view id) { return IsKey(id) && id[0] != '.'; }

absl::string_view StreamName(Stream stream) {
  return kStreams[static_cast<int>(stream)];
}

std::string HeaderLine(absl::string_view task_id, int version) {
  std::string line = absl::StrCat(kMagic, version, " ", task_id, " ");
  AppendHex(Checksum(line, ""), &line);
  line += '\n';
  return line;
}

std::optional<Header> ParseHeader(absl::string_view line) {
  const absl::string_view whole = line;
  if (line.substr(0, kMagic.size()) != kMagic) return std::nullopt;
  line.remove_prefix(kMagic.size());
  const auto version = NextNumber(&line);
  const auto task_id = version ? NextWord(&line) : std::nullopt;
  if (!task_id || !IsTaskId(*task_id)) return std::nullopt;
  const absl::string_view head = whole.substr(0, whole.size() - line.size());
  if (ParseHex(line) != Checksum(head, "")) return std::nullopt;
  const auto known =
      std::min<int64_t>(*version, std::numeric_limits<int>::max());
  return Header{static_cast<int>(known), std::string(*task_id)};
}

void AppendRecord(const LogRecord& record, std::string* out) {
  CHECK(record.payload.size() <= kMaxPayload);
  const size_t start = out->size();
  AppendNumber(record.number, out);
  *out += ' ';
  AppendNumber(record.micros, out);
  *out += ' ';
  const absl::string_view stream = StreamName(record.stream);
  out->append(stream.data(), stream.size());
  if (record.end == LineEnd::kContinued) *out += '+';
  if (record.end == LineEnd::kNone) *out += '~';
  if (!record.key.empty()) absl::StrAppend(out, ":", record.key);
  *out += ' ';
  AppendHex(Checksum(absl::string_view(*out).substr(start), record.payload),
            out);
  *out += ' ';
  out->append(record.payload.data(), record.payload.size());
  *out += '\n';
}

std::optional<LogRecord> ParseRecord(absl::string_view line) {
  if (line.size() > kMaxRecord) return std::nullopt;
  const auto head = ParseHead(line);
  LogRecord record;
  if (!head || !ParseStream(head->stream, &record) ||
      head->payload.size() > kMaxPayload || !IsIntact(*head)) {
    return std::nullopt;
  }
  record.number = head->number;
  record.micros = head->micros;
  record.payload = head->payload;
  return record;
}

// The lines are copied once, because this is the hot path of a flood: the
// checksums before them are put in afterwards.
void AppendBatch(const BatchHead& head, absl::string_view lines,
                 std::string* out) {
  const size_t start = out->size();
  absl::StrAppend(out, head.number, " ", head.micros, " ",
                  StreamName(head.stream), "*", head.count, " ");
  const size_t checksum = out->size();
  const size_t lines_checksum = checksum + kChecksumDigits + 1;
  const size_t body = lines_checksum + kChecksumDigits + 1;
  const size_t size = lines.size() + static_cast<size_t>(head.count);
  CHECK(size <= kMaxPayload);
  out->resize(body + size);
  char* to = out->data() + body;
  for (int64_t i = 0; i < head.count; ++i) {
    const size_t end = lines.find('\n');
    CHECK(end != absl::string_view::npos);
    *to++ = kBatchLinePrefix;
    to = std::copy_n(lines.data(), end + 1, to);
    lines.remove_prefix(end + 1);
  }
  CHECK(lines.empty());
  const absl::string_view text = *out;
  PutHex(XXH3_64bits(text.data() + body, size), out->data() + lines_checksum);
  PutHex(Checksum(text.substr(start, checksum - start),
                  text.substr(lines_checksum, kChecksumDigits)),
         out->data() + checksum);
  (*out)[lines_checksum - 1] = ' ';
  (*out)[body - 1] = '\n';
}

std::optional<BatchHead> ParseBatchHead(absl::string_view line) {
  const auto head = ParseHead(line);
  BatchHead batch;
  if (!head || !ParseBatchStream(head->stream, &batch)) return std::nullopt;
  const auto lines_checksum = ParseHex(head->payload);
  if (!lines_checksum || !IsIntact(*head) ||
      head->number > std::numeric_limits<int64_t>::max() - batch.count) {
    return std::nullopt;
  }
  batch.number = head->number;
  batch.micros = head->micros;
  batch.lines_checksum = *lines_checksum;
  return batch;
}

BatchLines ScanBatchLines(const BatchHead& head, absl::string_view text) {
  size_t at = 0;
  for (int64_t i = 0; i < head.count; ++i) {
    if (at > kMaxPayload) return {BatchLines::State::kDamaged, at};
    if (at == text.size()) return {BatchLines::State::kPartial, at};
    if (text[at] != kBatchLinePrefix) return {BatchLines::State::kDamaged, at};
    const size_t end = text.find('\n', at);
    if (end == absl::string_view::npos) {
      // No line is longer, so there is no end to wait for.
      return text.size() > kMaxPayload
                 ? BatchLines{BatchLines::State::kDamaged, at}
                 : BatchLines{BatchLines::State::kPartial, text.size()};
    }
    at = end + 1;
  }
  const bool whole =
      at <= kMaxPayload && XXH3_64bits(text.data(), at) == head.lines_checksum;
  return {whole ? BatchLines::State::kWhole : BatchLines::State::kDamaged, at};
}

}  // namespace troika::relay
