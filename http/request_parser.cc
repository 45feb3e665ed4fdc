#include "http/request_parser.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace troika::http {
namespace {

// Room for the method, the version and the spaces between them.
constexpr size_t kRequestLineExtra = 64;
constexpr size_t kMaxChunkLine = 256;
constexpr size_t kFirstReserve = size_t{64} << 10;

bool IsTokenChar(unsigned char c) {
  return absl::ascii_isalnum(c) ||
         (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != nullptr);
}

bool IsToken(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenChar);
}

// Returns whether a header's value may contain the byte: no controls but tab.
bool IsFieldChar(unsigned char c) {
  return (c >= 0x20 && c != 0x7f) || c == '\t';
}

bool IsFieldText(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), IsFieldChar);
}

bool IsDigits(absl::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

}  // namespace

void RequestParser::Fail(int status, absl::string_view message) {
  state_ = State::kError;
  error_ = {status, std::string(message)};
}

Request RequestParser::Take() {
  Request request = std::exchange(request_, Request());
  request_.peer = peer_;
  state_ = State::kIdle;
  part_ = Part::kRequestLine;
  line_bytes_ = 0;
  target_host_.reset();
  return request;
}

size_t RequestParser::Feed(absl::string_view bytes) {
  size_t used = 0;
  while (used < bytes.size() && state_ != State::kDone &&
         state_ != State::kError) {
    const absl::string_view rest = bytes.substr(used);
    const bool in_body = state_ == State::kBody;
    if (in_body) expects_continue_ = false;
    used += part_ == Part::kFixedBody || part_ == Part::kChunkData
                ? FeedBody(rest)
                : FeedLine(rest);
    if (!in_body && state_ == State::kBody) break;
  }
  return used;
}

size_t RequestParser::LineLimit() const {
  const size_t left = limits_.max_head_bytes - line_bytes_;
  switch (part_) {
    case Part::kRequestLine:
      return std::min(left, limits_.max_target_bytes + kRequestLineExtra);
    case Part::kChunkLine:
      return kMaxChunkLine;
    case Part::kChunkEnd:
      return 2;
    default:
      return left;
  }
}

void RequestParser::LineTooLong() {
  switch (part_) {
    case Part::kRequestLine:
      if (limits_.max_target_bytes < limits_.max_head_bytes) {
        return Fail(414, absl::StrCat("the target is over ",
                                      limits_.max_target_bytes, " bytes"));
      }
      break;
    case Part::kChunkLine:
      return Fail(400, "the line of a chunk's size is too long");
    case Part::kChunkEnd:
      return Fail(400, "a chunk is longer than its size says");
    default:
      break;
  }
  Fail(431,
       absl::StrCat("the headers are over ", limits_.max_head_bytes, " bytes"));
}

// Each line is checked as soon as it ends, so that the result does not depend
// on how the bytes were split, and garbage is refused at its first line.
size_t RequestParser::FeedLine(absl::string_view bytes) {
  if (state_ == State::kIdle) {
    const auto first = static_cast<unsigned char>(bytes[0]);
    if (!IsTokenChar(first) && first != '\r') {
      Fail(400, "this is no HTTP request: it begins with no method");
      return 0;
    }
    state_ = State::kHead;
  }
  const size_t room = LineLimit() - line_.size();
  const size_t end = bytes.substr(0, room).find('\n');
  if (end == absl::string_view::npos) {
    if (bytes.size() >= room) {
      LineTooLong();
      return 0;
    }
    line_.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  absl::string_view line = bytes.substr(0, end + 1);
  std::string joined;
  if (!line_.empty()) {
    joined = std::exchange(line_, std::string());
    joined.append(line.data(), line.size());
    line = joined;
  }
  if (part_ != Part::kChunkLine && part_ != Part::kChunkEnd) {
    line_bytes_ += line.size();
  }
  if (!absl::ConsumeSuffix(&line, "\r\n")) {
    Fail(400, "a line ends in LF without CR");
  } else if (!IsFieldText(line)) {
    Fail(400, "a line of the head holds a control character");
  } else {
    OnLine(line);
  }
  return end + 1;
}

void RequestParser::OnLine(absl::string_view line) {
  switch (part_) {
    case Part::kRequestLine:
      return OnRequestLine(line);
    case Part::kHeaderLine:
      return line.empty() ? OnHeadEnd() : OnHeaderLine(line);
    case Part::kChunkLine:
      return OnChunkLine(line);
    case Part::kChunkEnd:
      if (!line.empty()) return Fail(400, "a chunk's size is wrong");
      part_ = Part::kChunkLine;
      return;
    case Part::kTrailerLine:  // Trailers are ignored.
      if (line.empty()) state_ = State::kDone;
      return;
    case Part::kFixedBody:
    case Part::kChunkData:
      return;
  }
}

void RequestParser::OnRequestLine(absl::string_view line) {
  if (line.empty()) {  // Some clients send an extra one after a body.
    state_ = State::kIdle;
    if (line_bytes_ > 4) Fail(400, "empty lines instead of a request");
    return;
  }
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  if (words.size() != 3 || !IsToken(words[0]) || words[1].empty()) {
    return Fail(400, "the first line is no METHOD TARGET HTTP/1.1");
  }
  if (words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0") {
    const bool other = words[2].size() == 8 &&
                       absl::StartsWith(words[2], "HTTP/") &&
                       absl::ascii_isdigit(words[2][5]) && words[2][6] == '.' &&
                       absl::ascii_isdigit(words[2][7]);
    return other ? Fail(505, "only HTTP/1.1 and HTTP/1.0 are spoken here")
                 : Fail(400, "the first line is no METHOD TARGET HTTP/1.1");
  }
  is_http10_ = words[2] == "HTTP/1.0";
  request_.method = std::string(words[0]);
  part_ = Part::kHeaderLine;
  SetTarget(words[1]);
}

void RequestParser::SetTarget(absl::string_view target) {
  if (target.size() > limits_.max_target_bytes) {
    return Fail(414, absl::StrCat("the target is over ",
                                  limits_.max_target_bytes, " bytes"));
  }
  for (const unsigned char c : target) {
    if (c <= 0x20 || c >= 0x7f || c == '#') {
      return Fail(400, "the target holds a character that must be escaped");
    }
  }
  if (absl::StartsWithIgnoreCase(target, "http://")) {
    target.remove_prefix(strlen("http://"));
    const size_t end = std::min(target.find_first_of("/?"), target.size());
    target_host_ = std::string(target.substr(0, end));
    target.remove_prefix(end);
    if (target.empty() || target[0] == '?') request_.path.push_back('/');
  } else if (target[0] != '/' &&
             !(target == "*" && request_.method == "OPTIONS")) {
    return Fail(400, "the target does not begin with a slash");
  }
  const size_t mark = std::min(target.find('?'), target.size());
  absl::StrAppend(&request_.path, target.substr(0, mark));
  if (mark < target.size()) {
    request_.query = std::string(target.substr(mark + 1));
  }
}

void RequestParser::OnHeaderLine(absl::string_view line) {
  const size_t colon = line.find(':');
  if (colon == absl::string_view::npos || !IsToken(line.substr(0, colon))) {
    return Fail(400, "a header is no NAME: VALUE");
  }
  if (request_.headers.size() >= limits_.max_headers) {
    return Fail(431,
                absl::StrCat("more than ", limits_.max_headers, " headers"));
  }
  request_.headers.emplace_back(
      absl::AsciiStrToLower(line.substr(0, colon)),
      std::string(absl::StripAsciiWhitespace(line.substr(colon + 1))));
}

bool RequestParser::CheckHost() {
  int hosts = 0;
  for (auto& [name, value] : request_.headers) {
    if (name != "host") continue;
    ++hosts;
    // A host in the target overrides the header.
    if (target_host_) value = *target_host_;
  }
  if (hosts > 1) {
    Fail(400, "more than one Host header");
  } else if (hosts == 0 && !is_http10_) {
    Fail(400, "a Host header is missing");
  } else if (hosts == 0 && target_host_) {
    request_.headers.emplace_back("host", *target_host_);
  }
  return state_ != State::kError;
}

bool RequestParser::ReadTransferCoding() {
  int codings = 0;
  for (const auto& [name, value] : request_.headers) {
    if (name != "transfer-encoding") continue;
    if (++codings > 1 || !absl::EqualsIgnoreCase(value, "chunked")) {
      Fail(501, "of transfer codings only \"chunked\" is known");
      return false;
    }
  }
  if (codings == 0) return true;
  if (is_http10_) {
    Fail(400, "HTTP/1.0 has no Transfer-Encoding");
    return false;
  }
  part_ = Part::kChunkLine;
  return true;
}

bool RequestParser::ReadLength() {
  absl::string_view length;
  for (const auto& [name, value] : request_.headers) {
    if (name != "content-length") continue;
    if (part_ == Part::kChunkLine) {
      Fail(400, "both Content-Length and Transfer-Encoding");
    } else if (!IsDigits(value)) {
      Fail(400, "Content-Length is no number");
    } else if (!length.empty() && length != value) {
      Fail(400, "two Content-Lengths that differ");
    }
    if (state_ == State::kError) return false;
    length = value;
  }
  if (length.empty()) return true;
  // A number too long for its type is too long for a body.
  if (!absl::SimpleAtoi(length, &body_left_) ||
      body_left_ > limits_.max_body_bytes) {
    Fail(413,
         absl::StrCat("the body is over ", limits_.max_body_bytes, " bytes"));
    return false;
  }
  return true;
}

void RequestParser::ReadConnection() {
  bool close = false;
  bool keep = !is_http10_;
  for (const auto& [name, value] : request_.headers) {
    if (name == "expect") {
      if (!absl::EqualsIgnoreCase(value, "100-continue")) {
        return Fail(417, "of expectations only \"100-continue\" is known");
      }
      expects_continue_ = !is_http10_;
    }
    if (name != "connection") continue;
    for (const absl::string_view word : absl::StrSplit(value, ',')) {
      const absl::string_view option = absl::StripAsciiWhitespace(word);
      close = close || absl::EqualsIgnoreCase(option, "close");
      keep = keep || absl::EqualsIgnoreCase(option, "keep-alive");
    }
  }
  after_reply_ = keep && !close ? AfterReply::kKeepAlive : AfterReply::kClose;
}

void RequestParser::OnHeadEnd() {
  expects_continue_ = false;
  body_left_ = 0;
  part_ = Part::kFixedBody;
  if (!CheckHost() || !ReadTransferCoding() || !ReadLength()) return;
  ReadConnection();
  if (state_ == State::kError) return;
  line_bytes_ = 0;
  if (part_ == Part::kFixedBody && body_left_ == 0) {
    state_ = State::kDone;
    return;
  }
  state_ = State::kBody;
}

void RequestParser::OnChunkLine(absl::string_view line) {
  const absl::string_view digits = absl::StripAsciiWhitespace(
      line.substr(0, std::min(line.find(';'), line.size())));
  uint64_t size = 0;
  if (digits.empty() ||
      !std::all_of(digits.begin(), digits.end(), absl::ascii_isxdigit)) {
    return Fail(400, "a chunk's size is no hexadecimal number");
  }
  if (digits.size() > 15 || !absl::SimpleHexAtoi(digits, &size) ||
      size > limits_.max_body_bytes - request_.body.size()) {
    return Fail(413, absl::StrCat("the body is over ", limits_.max_body_bytes,
                                  " bytes"));
  }
  body_left_ = size;
  part_ = size == 0 ? Part::kTrailerLine : Part::kChunkData;
}

size_t RequestParser::FeedBody(absl::string_view bytes) {
  const size_t size = std::min(bytes.size(), static_cast<size_t>(body_left_));
  if (request_.body.empty()) {
    request_.body.reserve(
        std::min(static_cast<size_t>(body_left_), kFirstReserve));
  }
  request_.body.append(bytes.data(), size);
  body_left_ -= size;
  if (body_left_ > 0) return size;
  if (part_ == Part::kChunkData) {
    part_ = Part::kChunkEnd;
  } else {
    state_ = State::kDone;
  }
  return size;
}

}  // namespace troika::http
