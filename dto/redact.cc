#include "dto/redact.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "base/utf8.h"

namespace troika {
namespace {

constexpr absl::string_view kRedacted = "[redacted]";
constexpr size_t kMaxWindow = 64;

size_t Hash(const char* two) {
  const auto a = static_cast<unsigned char>(two[0]);
  const auto b = static_cast<unsigned char>(two[1]);
  return (a << 5 ^ b) & 4095;
}

// Whether `u` is the position of the u of a \uXXXX.
bool IsUnicodeEscape(absl::string_view json, size_t u) {
  return json[u] == 'u' && json[u - 1] == '\\' && IsEscaped(json, u);
}

// The begin of the escape that `at` is within, or `at` if it is in none.
size_t EscapeBegin(absl::string_view json, size_t at) {
  if (IsEscaped(json, at)) return at - 1;
  for (size_t back = 2; back < 6 && back <= at; ++back) {
    const size_t u = at - back + 1;
    if (IsUnicodeEscape(json, u)) return u - 1;
  }
  return at;
}

// The end of the escape that `at` is within, or `at` if it is in none.
size_t EscapeEnd(absl::string_view json, size_t at) {
  const size_t begin = EscapeBegin(json, at);
  if (begin == at) return at;
  return std::min(json.size(), begin + (json[begin + 1] == 'u' ? 6 : 2));
}

bool MayBeNumber(absl::string_view text) {
  return text.find_first_not_of("0123456789.eE+-") == absl::string_view::npos;
}

// Replaces ranges of a text, which may overlap.
void ReplaceRanges(std::vector<TextRange> ranges, size_t from, TextForm form,
                   std::string* text) {
  std::sort(
      ranges.begin(), ranges.end(),
      [](const TextRange& a, const TextRange& b) { return a.begin < b.begin; });
  std::string out;
  size_t kept = from;  // All before it is in `out`.
  for (size_t i = 0; i < ranges.size();) {
    TextRange range = ranges[i];
    range.begin = std::max(range.begin, from);
    for (++i; i < ranges.size() && ranges[i].begin <= range.end; ++i) {
      range.end = std::max(range.end, ranges[i].end);
    }
    out.append(*text, kept, range.begin - kept);
    const size_t size = range.end - range.begin;
    if (form == TextForm::kJson &&
        MayBeNumber(absl::string_view(*text).substr(range.begin, size))) {
      out.append(size, '1');
    } else {
      out.append(kRedacted.data(), kRedacted.size());
    }
    kept = range.end;
  }
  out.append(*text, kept, std::string::npos);
  text->replace(from, std::string::npos, out);
}

bool IsJsonContainer(absl::string_view text) {
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return false;
  json::Parser parser;
  return parser.Parse(text).ok();
}

void AddNew(std::string text, std::vector<std::string>* out) {
  if (std::find(out->begin(), out->end(), text) == out->end()) {
    out->push_back(std::move(text));
  }
}

// Replaces the characters beyond ASCII of valid UTF-8 by \uXXXX.
std::string AsciiOnly(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      out += text[i++];
      continue;
    }
    const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    uint32_t code = lead & (0xFFu >> (size + 1));
    for (size_t k = 1; k < size && i + k < text.size(); ++k) {
      code = code << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3F);
    }
    if (code >= 0x10000) {
      code -= 0x10000;
      absl::StrAppendFormat(&out, "\\u%04x\\u%04x", 0xD800 + (code >> 10),
                            0xDC00 + (code & 0x3FF));
    } else {
      absl::StrAppendFormat(&out, "\\u%04x", code);
    }
    i += size;
  }
  return out;
}

std::string PercentEncoded(absl::string_view text,
                           absl::string_view hex_digits) {
  std::string out;
  for (const char c : text) {
    if (absl::ascii_isalnum(c) || absl::StrContains("-._~", c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += hex_digits[byte >> 4];
    out += hex_digits[byte & 15];
  }
  return out;
}

// The forms of `text` between the quotes of a JSON string: as we write it, and
// as writers do that also escape '/', HTML's characters or all but ASCII.
std::vector<std::string> JsonForms(absl::string_view text) {
  std::string quoted;
  json::AppendQuoted(text, &quoted);
  const std::string ours = quoted.substr(1, quoted.size() - 2);
  std::vector<std::string> forms = {ours};
  AddNew(absl::StrReplaceAll(ours, {{"/", "\\/"}}), &forms);
  AddNew(absl::StrReplaceAll(
             ours, {{"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}}),
         &forms);
  AddNew(AsciiOnly(ours), &forms);
  return forms;
}

// Percent-encoded, and the part of base64 that does not depend on what stands
// before and after the text. Without `text` itself.
std::vector<std::string> EncodedForms(absl::string_view text) {
  std::vector<std::string> forms;
  for (const absl::string_view digits :
       {"0123456789ABCDEF", "0123456789abcdef"}) {
    std::string encoded = PercentEncoded(text, digits);
    if (encoded != text) AddNew(std::move(encoded), &forms);
  }
  for (size_t before = 0; before < 3; ++before) {
    const std::string bytes = absl::StrCat(std::string(before, '\0'), text);
    // Characters whose bits are all from `text`.
    const size_t begin = (before * 8 + 5) / 6;
    const size_t end = bytes.size() * 8 / 6;
    AddNew(absl::Base64Escape(bytes).substr(begin, end - begin), &forms);
    AddNew(absl::WebSafeBase64Escape(bytes).substr(begin, end - begin), &forms);
  }
  return forms;
}

}  // namespace

void Redactor::Finder::Add(std::string text, Use use) {
  if (text.size() < kMinPasswordBytes) return;
  forms_.push_back({std::move(text), use});
}

void Redactor::Finder::Finish() {
  // A text comes after those that begin with it, and twice only once, for the
  // wider use.
  std::sort(forms_.begin(), forms_.end(), [](const Form& a, const Form& b) {
    const size_t common = std::min(a.text.size(), b.text.size());
    const int order = std::memcmp(a.text.data(), b.text.data(), common);
    if (order != 0) return order < 0;
    if (a.text.size() != b.text.size()) return a.text.size() > b.text.size();
    return a.use < b.use;
  });
  forms_.erase(std::unique(forms_.begin(), forms_.end(),
                           [](const Form& a, const Form& b) {
                             return a.text == b.text;
                           }),
               forms_.end());
  if (forms_.empty()) return;
  window_ = kMaxWindow;
  for (const Form& form : forms_) window_ = std::min(window_, form.text.size());
  shifts_.fill(static_cast<uint8_t>(window_ - 1));
  for (const Form& form : forms_) {
    for (size_t end = 2; end <= window_; ++end) {
      uint8_t& shift = shifts_[Hash(form.text.data() + end - 2)];
      shift = std::min(shift, static_cast<uint8_t>(window_ - end));
    }
  }
}

size_t Redactor::Finder::Match(absl::string_view text, size_t at,
                               TextForm form) const {
  const absl::string_view window = text.substr(at, window_);
  auto it = std::lower_bound(forms_.begin(), forms_.end(), window,
                             [&](const Form& f, absl::string_view wanted) {
                               return std::memcmp(f.text.data(), wanted.data(),
                                                  window_) < 0;
                             });
  for (; it != forms_.end() &&
         std::memcmp(it->text.data(), window.data(), window_) == 0;
       ++it) {
    if (form == TextForm::kJson && it->use == Use::kPlainOnly) continue;
    if (absl::StartsWith(text.substr(at), it->text)) return it->text.size();
  }
  return 0;
}

void Redactor::Finder::FindAll(absl::string_view text, size_t from,
                               TextForm form,
                               std::vector<TextRange>* out) const {
  if (forms_.empty()) return;
  const size_t first = out->size();
  for (size_t end = from + window_; end <= text.size();) {
    const size_t shift = shifts_[Hash(text.data() + end - 2)];
    if (shift > 0) {
      end += shift;
      continue;
    }
    const size_t begin = end - window_;
    ++end;
    const size_t size = Match(text, begin, form);
    if (size == 0) continue;
    TextRange found = {begin, begin + size};
    if (form == TextForm::kJson) {
      // The match's first backslash is the second half of an escape.
      if (text[begin] == '\\' && IsEscaped(text, begin)) continue;
      found = {EscapeBegin(text, found.begin), EscapeEnd(text, found.end)};
    }
    if (out->size() > first && found.begin <= out->back().end) {
      out->back().end = std::max(out->back().end, found.end);
    } else {
      out->push_back(found);
    }
  }
}

Redactor::Redactor(const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) AddForms(secret);
  finder_.Finish();
}

Redactor::Redactor(const KnownSecrets& secrets) : Redactor(secrets.values) {
  problem_ = secrets.problem;
}

void Redactor::AddForms(const std::string& secret) {
  if (secret.size() < kMinPasswordBytes) return;
  for (const std::string& escaped : JsonForms(secret)) {
    finder_.Add(escaped, Finder::Use::kAnywhere);
    for (std::string& twice : JsonForms(escaped)) {
      finder_.Add(std::move(twice), Finder::Use::kAnywhere);
    }
  }
  // JSON can't hold a secret unescaped if it needs escapes; the same bytes may
  // be something else there, such as the end of one string and the begin of
  // another.
  finder_.Add(secret, Finder::Use::kPlainOnly);
  for (std::string& encoded : EncodedForms(secret)) {
    finder_.Add(std::move(encoded), Finder::Use::kAnywhere);
  }
}

void Redactor::Redact(std::string* json, size_t from) const {
  if (!problem_.empty()) return WithholdEvent(json, from);
  Replace(from, TextForm::kJson, json);
}

std::optional<std::string> Redactor::RedactedText(
    absl::string_view json_name, absl::string_view text) const {
  if (!problem_.empty()) {
    if (text.empty() || IsShownWithheld(json_name, text)) return std::nullopt;
    return std::string(kWithheld);
  }
  std::string quoted;
  json::AppendQuoted(text, &quoted);
  if (!Replace(0, TextForm::kJson, &quoted)) return std::nullopt;
  json::Parser parser;
  const auto value = parser.Parse(quoted);
  return std::string(value.ok() ? value->StringOr(kRedacted) : kRedacted);
}

std::optional<std::string> Redactor::RedactedJson(
    absl::string_view json) const {
  std::string text(json);
  if (!problem_.empty()) {
    text.clear();
    json::AppendQuoted(kWithheld, &text);
    return text;
  }
  if (!Replace(0, TextForm::kJson, &text)) return std::nullopt;
  return text;
}

void Redactor::RedactPlain(std::string* text) const {
  if (text->empty()) return;
  if (!problem_.empty()) {
    *text = absl::StrCat("[withheld: ", problem_, "]");
    return;
  }
  Replace(0, IsJsonContainer(*text) ? TextForm::kJson : TextForm::kPlain, text);
}

bool Redactor::Replace(size_t from, TextForm form, std::string* text) const {
  std::vector<TextRange> ranges;
  FindSecretShapes(*text, from, form, &ranges);
  finder_.FindAll(*text, from, form, &ranges);
  if (ranges.empty()) return false;
  ReplaceRanges(std::move(ranges), from, form, text);
  return true;
}

std::string BeginningOf(absl::string_view text, size_t max,
                        const Redactor* /*nullable*/ redactor) {
  if (text.size() <= max) return std::string(text);
  if (max == 0) return "";
  std::string begin(CutAtCharacter(text, max + kMaxSecretBytes));
  const size_t unsure = begin.size() < text.size() ? kMaxSecretBytes : 0;
  if (redactor != nullptr) redactor->RedactPlain(&begin);
  const size_t sure = begin.size() - std::min(begin.size(), unsure);
  begin.resize(CutAtCharacter(begin, std::min(max, sure)).size());
  return begin;
}

}  // namespace troika
