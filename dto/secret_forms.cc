#include "dto/secret_forms.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"

namespace troika {
namespace {

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

}  // namespace

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

}  // namespace troika
