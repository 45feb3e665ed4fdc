#include "dto/redact.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/json.h"

namespace troika {
namespace {

constexpr absl::string_view kRedacted = "[redacted]";
constexpr size_t kMaxWindow = 64;

size_t Hash(const char* two) {
  const auto a = static_cast<unsigned char>(two[0]);
  const auto b = static_cast<unsigned char>(two[1]);
  return (a << 5 ^ b) & 4095;
}

// As `text` stands between the quotes of a JSON string.
std::string Escaped(absl::string_view text) {
  std::string quoted;
  json::AppendQuoted(text, &quoted);
  return quoted.substr(1, quoted.size() - 2);
}

// Whether the byte at `at` is escaped by a backslash before it.
bool IsEscaped(absl::string_view json, size_t at) {
  size_t backslashes = 0;
  while (backslashes < at && json[at - backslashes - 1] == '\\') ++backslashes;
  return backslashes % 2 == 1;
}

// Where the escape begins that `at` is within; `at` where it is in none.
size_t EscapeBegin(absl::string_view json, size_t at) {
  if (IsEscaped(json, at)) return at - 1;
  // \u and four digits.
  for (size_t back = 2; back < 6 && back <= at; ++back) {
    const size_t u = at - back + 1;
    if (json[u] == 'u' && json[u - 1] == '\\' && IsEscaped(json, u)) {
      return u - 1;
    }
  }
  return at;
}

bool MayBeNumber(absl::string_view text) {
  return text.find_first_not_of("0123456789.eE+-") == absl::string_view::npos;
}

// The text from some place on, with parts of it replaced.
class Replacer {
 public:
  Replacer(std::string* text, size_t from) : text_(*text), kept_(from) {}

  // In order of their begins; they may overlap.
  void Replace(size_t begin, size_t end) {
    if (!any_ || begin > end_) {
      Flush();
      begin_ = std::max(begin, kept_);
      end_ = end;
      any_ = true;
    } else {
      end_ = std::max(end_, end);
    }
  }
  void Finish(size_t from) {
    if (!any_) return;
    Flush();
    out_.append(text_, kept_, std::string::npos);
    text_.replace(from, std::string::npos, out_);
  }

 private:
  void Flush() {
    if (!any_) return;
    out_.append(text_, kept_, begin_ - kept_);
    const auto part = absl::string_view(text_).substr(begin_, end_ - begin_);
    if (MayBeNumber(part)) {
      out_.append(part.size(), '1');
    } else {
      out_.append(kRedacted.data(), kRedacted.size());
    }
    kept_ = end_;
  }

  std::string& text_;
  std::string out_;
  size_t kept_;  // All before it is in `out_`, or stays.
  bool any_ = false;
  size_t begin_ = 0, end_ = 0;  // Not yet flushed.
};

}  // namespace

void Redactor::Finder::Add(std::string form) {
  if (std::find(forms_.begin(), forms_.end(), form) == forms_.end()) {
    forms_.push_back(std::move(form));
  }
}

void Redactor::Finder::Finish() {
  std::sort(forms_.begin(), forms_.end(),
            [](const std::string& a, const std::string& b) {
              return a.size() > b.size();
            });
  if (forms_.empty()) return;
  window_ = std::min(kMaxWindow, forms_.back().size());
  shifts_.fill(static_cast<uint8_t>(window_ - 1));
  for (const std::string& form : forms_) {
    for (size_t end = 2; end <= window_; ++end) {
      uint8_t& shift = shifts_[Hash(form.data() + end - 2)];
      shift = std::min(shift, static_cast<uint8_t>(window_ - end));
    }
  }
}

std::optional<Redactor::Finder::Match> Redactor::Finder::Find(
    absl::string_view text, size_t from) const {
  if (forms_.empty()) return std::nullopt;
  for (size_t end = from + window_; end <= text.size();) {
    const size_t shift = shifts_[Hash(text.data() + end - 2)];
    if (shift > 0) {
      end += shift;
      continue;
    }
    const size_t begin = end - window_;
    for (const std::string& form : forms_) {
      if (form.size() <= text.size() - begin &&
          std::memcmp(text.data() + begin, form.data(), form.size()) == 0) {
        return Match{.begin = begin, .end = begin + form.size()};
      }
    }
    ++end;
  }
  return std::nullopt;
}

Redactor::Redactor(const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    if (secret.size() < kMinSecretBytes) continue;
    const std::string once = Escaped(secret);
    const std::string twice = Escaped(once);
    // What needs an escape does not stand in JSON without it; something else
    // may, such as the end of one string and the begin of another.
    json_.Add(once);
    json_.Add(twice);
    plain_.Add(secret);
    plain_.Add(once);
    plain_.Add(twice);
  }
  json_.Finish();
  plain_.Finish();
}

void Redactor::Redact(std::string* json, size_t from) const {
  Replacer replacer(json, from);
  std::optional<Finder::Match> match = json_.Find(*json, from);
  for (; match; match = json_.Find(*json, match->begin + 1)) {
    const bool is_escaped = IsEscaped(*json, match->begin);
    // The backslash that it begins with would be the second half of an escape.
    if (is_escaped && (*json)[match->begin] == '\\') continue;
    replacer.Replace(EscapeBegin(*json, match->begin), match->end);
  }
  replacer.Finish(from);
}

void Redactor::RedactPlain(std::string* text) const {
  Replacer replacer(text, 0);
  std::optional<Finder::Match> match = plain_.Find(*text, 0);
  for (; match; match = plain_.Find(*text, match->begin + 1)) {
    replacer.Replace(match->begin, match->end);
  }
  replacer.Finish(0);
}

}  // namespace troika
