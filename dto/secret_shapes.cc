// Most text has no secret and is passed over 16 bytes at a time: a key is a run
// of 16 letters or more, and all else holds a byte or letters that are searched
// for at all places at once.

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "absl/numeric/bits.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "dto/redact.h"

namespace troika {
namespace {

constexpr auto kNone = absl::string_view::npos;
constexpr size_t kMinRun = 16;
// Longer ones are no keys, and looking further could take quadratic time.
constexpr size_t kMaxLook = 64;
constexpr size_t kMaxUserInfo = 1024;
constexpr size_t kMaxPem = size_t{64} << 10;

enum Class : uint8_t {
  kAlnum = 1,
  kUpperDigit = 2,
  kKeyChar = 4,      // Letters, digits, '-' and '_'.
  kBearerChar = 8,   // RFC 6750's b64token.
  kPemChar = 16,     // Characters of a PEM block, escapes included.
  kUserInfoEnd = 32  // Can't be part of a URL's user and password.
};

constexpr std::array<uint8_t, 256> MakeClasses() {
  std::array<uint8_t, 256> classes = {};
  const auto add = [&](absl::string_view chars, int values) {
    for (const char c : chars) classes[static_cast<unsigned char>(c)] |= values;
  };
  constexpr int kAnyKey = kAlnum | kKeyChar | kBearerChar | kPemChar;
  add("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", kAnyKey | kUpperDigit);
  add("abcdefghijklmnopqrstuvwxyz", kAnyKey);
  add("-_", kKeyChar);
  add("-_.~+/=", kBearerChar);
  add("+/=\\ \n\r\t:,-.", kPemChar);
  add("\"'`<>/\x7f", kUserInfoEnd);
  for (size_t c = 0; c <= ' '; ++c) classes[c] |= kUserInfoEnd;
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = MakeClasses();

bool Is(char c, Class wanted) {
  return (kClasses[static_cast<unsigned char>(c)] & wanted) != 0;
}

// The end of the characters of a class from `at` on, at most `limit` of them.
size_t RunEnd(absl::string_view text, size_t at, Class wanted,
              size_t limit = kNone) {
  const size_t last = text.size() - at > limit ? at + limit : text.size();
  while (at < last && Is(text[at], wanted)) ++at;
  return at;
}

bool HasDigitOrCapital(absl::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isdigit(c) || absl::ascii_isupper(c);
  });
}

// Unlike words with dashes between them, such as "learn-something-useful".
bool LooksRandom(absl::string_view text) {
  text = text.substr(0, kMaxLook);
  if (HasDigitOrCapital(text)) return true;
  for (size_t at = 0; at < text.size();) {
    const size_t end = RunEnd(text, at, kAlnum);
    if (end - at >= 16) return true;
    at = end + 1;
  }
  return false;
}

struct KeyShape {
  absl::string_view prefix;
  Class body;
  size_t min_body;
  size_t max_body = kNone;
  // Whether a letter or digit may stand before the prefix.
  enum class Before { kAnything, kNoWord };
  Before before = Before::kAnything;
};

constexpr auto kNoWord = KeyShape::Before::kNoWord;

constexpr KeyShape kKeyShapes[] = {
    {"sk-", kKeyChar, 16, kNone, kNoWord},
    {"sk_live_", kAlnum, 10},
    {"sk_test_", kAlnum, 10},
    {"rk_live_", kAlnum, 10},
    {"ghp_", kKeyChar, 16},
    {"gho_", kKeyChar, 16},
    {"ghs_", kKeyChar, 16},
    {"ghu_", kKeyChar, 16},
    {"ghr_", kKeyChar, 16},
    {"github_pat_", kKeyChar, 16},
    {"glpat-", kKeyChar, 16},
    {"xoxa-", kKeyChar, 11},
    {"xoxb-", kKeyChar, 11},
    {"xoxe-", kKeyChar, 11},
    {"xoxp-", kKeyChar, 11},
    {"xoxr-", kKeyChar, 11},
    {"xoxs-", kKeyChar, 11},
    {"xapp-", kKeyChar, 16},
    {"AKIA", kUpperDigit, 16, 16, kNoWord},
    {"ASIA", kUpperDigit, 16, 16, kNoWord},
    {"AIza", kKeyChar, 30, kNone, kNoWord},
    {"npm_", kAlnum, 30, kNone, kNoWord},
    {"hf_", kAlnum, 30, kNone, kNoWord},
    {"pypi-AgE", kKeyChar, 16},
    {"dop_v1_", kAlnum, 32},
    {"AGE-SECRET-KEY-1", kUpperDigit, 32},
};

constexpr absl::string_view kWebToken = "eyJ";

// A bit for each shape that has a byte at one of the first three positions; the
// bit after the last shape is that of kWebToken.
constexpr size_t kFilterBytes = 3;
using Filter = std::array<std::array<uint32_t, 256>, kFilterBytes>;
static_assert(std::size(kKeyShapes) < 32);

constexpr Filter MakeFilter() {
  Filter filter = {};
  uint32_t bit = 1;
  const auto add = [&](absl::string_view prefix) {
    for (size_t i = 0; i < kFilterBytes; ++i) {
      filter[i][static_cast<unsigned char>(prefix[i])] |= bit;
    }
    bit <<= 1;
  };
  for (const KeyShape& shape : kKeyShapes) add(shape.prefix);
  add(kWebToken);
  return filter;
}
constexpr Filter kFilter = MakeFilter();

// Whether one of the prefixes may begin at `text`, which has kFilterBytes.
bool MayBeKey(const char* text) {
  uint32_t shapes = ~uint32_t{0};
  for (size_t i = 0; i < kFilterBytes; ++i) {
    shapes &= kFilter[i][static_cast<unsigned char>(text[i])];
  }
  return shapes != 0;
}

#if defined(__SSE2__)
__m128i Load(const char* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}
__m128i And(__m128i a, __m128i b) { return _mm_and_si128(a, b); }
__m128i Or(__m128i a, __m128i b) { return _mm_or_si128(a, b); }
__m128i Equal(__m128i bytes, char wanted) {
  return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted));
}
// The bytes are compared with signs, so those beyond ASCII are below `first`.
__m128i Within(__m128i bytes, char first, char last) {
  return And(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(first - 1))),
             _mm_cmplt_epi8(bytes, _mm_set1_epi8(static_cast<char>(last + 1))));
}
#endif

// A bit for each of kMinRun bytes that is no kKeyChar.
uint32_t OthersThanKeyChars(const char* bytes) {
#if defined(__SSE2__)
  static_assert(kMinRun == sizeof(__m128i));
  const __m128i text = Load(bytes);
  const __m128i lower = Or(text, _mm_set1_epi8(0x20));
  const __m128i alnum = Or(Within(lower, 'a', 'z'), Within(text, '0', '9'));
  const __m128i other = Or(Equal(text, '-'), Equal(text, '_'));
  return _mm_movemask_epi8(Or(alnum, other)) ^ 0xffff;
#else
  uint32_t others = 0;
  for (size_t i = 0; i < kMinRun; ++i) {
    if (!Is(bytes[i], kKeyChar)) others |= uint32_t{1} << i;
  }
  return others;
#endif
}

// Whether `text` may hold "PRIVATE KEY", "earer " or "uthorization": it has
// "VAT", "rer " or "thor".
bool MayHoldWords(absl::string_view text) {
#if defined(__SSE2__)
  constexpr size_t kStep = sizeof(__m128i);
  if (text.size() < kStep + 3) return true;
  const size_t last = text.size() - kStep - 3;
  __m128i found = _mm_setzero_si128();
  for (size_t at = 0;; at = std::min(at + kStep, last)) {
    const char* const bytes = text.data() + at;
    const __m128i a = Load(bytes);
    const __m128i b = Load(bytes + 1);
    const __m128i c = Load(bytes + 2);
    const __m128i d = Load(bytes + 3);
    found = Or(found, And(Equal(a, 'V'), And(Equal(b, 'A'), Equal(c, 'T'))));
    found = Or(found, And(And(Equal(a, 'r'), Equal(b, 'e')),
                          And(Equal(c, 'r'), Equal(d, ' '))));
    found = Or(found, And(And(Equal(a, 't'), Equal(b, 'h')),
                          And(Equal(c, 'o'), Equal(d, 'r'))));
    if (at == last) return _mm_movemask_epi8(found) != 0;
  }
#else
  return !text.empty();
#endif
}

class ShapeFinder {
 public:
  ShapeFinder(absl::string_view text, size_t from, TextForm form,
              std::vector<TextRange>* out)
      : text_(text), from_(from), form_(form), out_(*out) {}

  void FindAll() {
    FindKeys();
    FindUrls();
    if (!MayHoldWords(text_.substr(from_))) return;
    FindPrivateKeys();
    FindAuthorization();
  }

 private:
  // Checks the runs of key characters that are long enough. Most text is seen
  // kMinRun bytes at a time: a shorter run is of no interest.
  void FindKeys() {
    size_t begin = from_;  // The end of the last byte that is no key character.
    size_t at = from_;
    const auto end_run = [&](size_t end) {
      if (end - begin >= kMinRun) CheckRun(begin, end);
    };
    for (; at + kMinRun <= text_.size(); at += kMinRun) {
      const uint32_t others = OthersThanKeyChars(text_.data() + at);
      if (others == 0) continue;
      end_run(at + absl::countr_zero(others));
      begin = at + absl::bit_width(others);
    }
    for (; at < text_.size(); ++at) {
      if (Is(text_[at], kKeyChar)) continue;
      end_run(at);
      begin = at + 1;
    }
    end_run(at);
  }

  // `begin` to `end` is a run of key characters, as long as it can be.
  void CheckRun(size_t begin, size_t end) {
    const size_t word = WordBegin(begin, end);
    const size_t web_token_end = WebTokenEnd(end);
    for (size_t at = begin; at + kMinRun <= end; ++at) {
      if (!MayBeKey(text_.data() + at)) continue;
      // The letter of an escape belongs to it.
      if (at == begin && IsEscaped(text_, at)) continue;
      const bool starts_word =
          at == word || (at > word && !absl::ascii_isalnum(text_[at - 1]));
      const bool is_web_token = web_token_end != kNone &&
                                absl::StartsWith(text_.substr(at), kWebToken);
      const size_t key_end =
          is_web_token ? web_token_end : KeyEnd(at, end, starts_word);
      if (key_end == kNone) continue;
      out_.push_back({at, key_end});
      at = std::max(at, std::min(key_end, end) - 1);
    }
  }

  // The begin of a run's first word: after the rest of an escape, of a
  // percent-encoded byte or of a terminal's color, which it follows.
  size_t WordBegin(size_t begin, size_t end) const {
    if (begin == 0) return begin;
    const char before = text_[begin - 1];
    if (before == '\\') return begin + (text_[begin] == 'u' ? 5 : 1);
    if (before == '%') return begin + 2;
    if (before == '[' || before == ';') {
      size_t at = begin;
      while (at < end && absl::ascii_isdigit(text_[at])) ++at;
      if (at < end && text_[at] == 'm') return at + 1;
    }
    return begin;
  }

  // The end of the key that begins at `at`, or kNone.
  size_t KeyEnd(size_t at, size_t run_end, bool starts_word) const {
    const absl::string_view rest = text_.substr(at, run_end - at);
    for (const KeyShape& shape : kKeyShapes) {
      if (!absl::StartsWith(rest, shape.prefix)) continue;
      const bool may_be_word = shape.before == kNoWord;
      if (may_be_word && !starts_word) continue;
      const size_t body = at + shape.prefix.size();
      const size_t end =
          shape.body == kKeyChar ? run_end : RunEnd(text_, body, shape.body);
      if (end - body < shape.min_body || end - body > shape.max_body) continue;
      if (may_be_word && !LooksRandom(text_.substr(body, end - body))) continue;
      return end;
    }
    return kNone;
  }

  // The end of header.payload.signature, or kNone if what ends at `header_end`
  // is no header.
  size_t WebTokenEnd(size_t header_end) const {
    if (!absl::StartsWith(text_.substr(header_end), ".eyJ")) return kNone;
    const size_t payload_end = RunEnd(text_, header_end + 1, kKeyChar);
    if (payload_end >= text_.size() || text_[payload_end] != '.') return kNone;
    return RunEnd(text_, payload_end + 1, kKeyChar);
  }

  // Whether userinfo can't hold the byte at `at`. A line end that is written
  // as an escape ends it, too.
  bool EndsUserInfo(size_t at) const {
    const char c = text_[at];
    if (c != '\\') return Is(c, kUserInfoEnd);
    if (at + 1 >= text_.size()) return true;
    const char next = text_[at + 1];
    return next == 'n' || next == 'r' || next == 't' || next == '"' ||
           next == '/';
  }

  void FindUrls() {
    size_t end = from_;
    for (size_t first = text_.find('@', end); first != kNone;
         first = text_.find('@', end)) {
      // A password may hold an '@' itself: the last one before the host counts.
      size_t last = first;
      end = first + 1;
      const size_t limit = std::min(text_.size(), first + kMaxUserInfo);
      for (; end < limit && !EndsUserInfo(end) && text_[end] != '?' &&
             text_[end] != '#' && text_[end] != ',';
           ++end) {
        if (text_[end] == '@') last = end;
      }
      AddUserInfo(first, last);
    }
  }

  // `first` and `last` are the positions of the first and the last '@'.
  void AddUserInfo(size_t first, size_t last) {
    const size_t least =
        std::max(from_, first > kMaxUserInfo ? first - kMaxUserInfo : 0);
    size_t begin = first;
    while (begin > least && !EndsUserInfo(begin - 1)) --begin;
    const absl::string_view before = text_.substr(0, begin);
    if (!absl::EndsWith(before, "://") && !absl::EndsWith(before, ":\\/\\/")) {
      return;
    }
    const absl::string_view user_info = text_.substr(begin, last - begin);
    const size_t colon = user_info.find(':');
    if (colon != kNone) {
      if (colon + 1 < user_info.size()) {
        out_.push_back({begin + colon + 1, last});
      }
    } else if (user_info.size() >= 20 && HasDigitOrCapital(user_info)) {
      // A token in the place of the user: https://TOKEN@host.
      out_.push_back({begin, last});
    }
  }

  // The end of the string that `at` stands in.
  size_t StringEnd(size_t at, size_t limit) const {
    if (form_ == TextForm::kPlain) return limit;
    for (; at < limit; ++at) {
      if (text_[at] == '"' && !IsEscaped(text_, at)) return at;
    }
    return limit;
  }

  // The begin of the PEM marker whose label holds the byte at `at`, or kNone.
  size_t MarkerBegin(size_t at, absl::string_view marker) const {
    const size_t least = std::max(from_, at > 32 ? at - 32 : 0);
    const size_t found = text_.substr(least, at - least).rfind(marker);
    return found == kNone ? kNone : least + found;
  }

  void FindPrivateKeys() {
    constexpr absl::string_view kLabel = "PRIVATE KEY";
    size_t passed = from_;  // The end of the last marker.
    size_t label = text_.find(kLabel, from_);
    while (label != kNone) {
      const size_t begin = MarkerBegin(label, "-----BEGIN ");
      const size_t end = MarkerBegin(label, "-----END ");
      if (begin != kNone && (end == kNone || end < begin)) {
        passed = PrivateKeyEnd(begin);
        out_.push_back({begin, passed});
      } else if (end != kNone) {
        // The key began in another event.
        size_t key = end;
        while (key > passed && Is(text_[key - 1], kPemChar)) --key;
        while (key < end && IsEscaped(text_, key)) ++key;
        out_.push_back({key, end});
        passed = label + kLabel.size();
      }
      label = text_.find(kLabel, std::max(label + kLabel.size(), passed));
    }
  }

  // The end of the key's last line or, if that is missing, the farthest byte
  // that the key may have.
  size_t PrivateKeyEnd(size_t begin) const {
    const size_t limit =
        StringEnd(begin, std::min(text_.size(), begin + kMaxPem));
    const size_t end = text_.substr(0, limit).find("-----END ", begin);
    if (end != kNone) {
      const size_t dashes = text_.substr(0, limit).find("-----", end + 9);
      if (dashes != kNone && dashes - end < 64) return dashes + 5;
    }
    size_t at = begin;
    while (at < limit && Is(text_[at], kPemChar)) ++at;
    // An escape whose second half is not part of the key is left whole.
    return IsEscaped(text_, at) ? at - 1 : at;
  }

  void FindAuthorization() {
    constexpr absl::string_view kBearer = "earer ";
    for (size_t at = text_.find(kBearer, from_); at != kNone;
         at = text_.find(kBearer, at + kBearer.size())) {
      const size_t begin = at + kBearer.size();
      const size_t end = RunEnd(text_, begin, kBearerChar);
      const size_t size = end - begin;
      const size_t back = std::min<size_t>(at, 32);
      const bool in_header =
          absl::StrContains(text_.substr(at - back, back), "uthorization");
      if (size >= 20 || (size >= 4 && in_header) ||
          (size >= 8 && HasDigitOrCapital(text_.substr(begin, size)))) {
        out_.push_back({begin, end});
      }
    }
    constexpr absl::string_view kHeader = "uthorization";
    for (size_t at = text_.find(kHeader, from_); at != kNone;
         at = text_.find(kHeader, at + kHeader.size())) {
      AddHeader(at + kHeader.size());
    }
  }

  // `: Basic …`, `": "token …`, `=NEGOTIATE …`.
  void AddHeader(size_t at) {
    const absl::string_view rest = text_.substr(at, 64);
    const size_t scheme = rest.find_first_not_of("\\\"' :=");
    if (scheme == kNone ||
        rest.substr(0, scheme).find_first_of(":=") == kNone) {
      return;
    }
    for (const absl::string_view name :
         {"basic ", "token ", "apikey ", "api-key ", "negotiate "}) {
      if (!absl::StartsWithIgnoreCase(rest.substr(scheme), name)) continue;
      const size_t begin = at + scheme + name.size();
      const size_t end = RunEnd(text_, begin, kBearerChar);
      if (end - begin >= 4) out_.push_back({begin, end});
    }
  }

  const absl::string_view text_;
  const size_t from_;
  const TextForm form_;
  std::vector<TextRange>& out_;
};

}  // namespace

bool IsEscaped(absl::string_view json, size_t at) {
  size_t backslashes = 0;
  while (backslashes < at && json[at - backslashes - 1] == '\\') ++backslashes;
  return backslashes % 2 == 1;
}

void FindSecretShapes(absl::string_view text, size_t from, TextForm form,
                      std::vector<TextRange>* out) {
  ShapeFinder(text, from, form, out).FindAll();
}

}  // namespace troika
