#include "cli/attach/keys.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "cli/timeline/characters.h"

namespace troika::cli {
namespace {

constexpr char kEscape = '\x1b';
constexpr absl::string_view kPasteStart = "\x1b[200~";
constexpr absl::string_view kPasteEnd = "\x1b[201~";
// No terminal sends longer sequences.
constexpr size_t kMaxSequence = 32;

// Control characters that the editor knows.
constexpr absl::string_view kEditControls =
    "\x01\x02\x05\x06\x08\x0b\x0e\x10\x12\x14\x15\x17\x19\x7f";
// Characters after Escape or with Alt that the editor knows.
constexpr absl::string_view kEditAlts = "bfdculpn\x08\x7f";

struct Sequence {
  absl::string_view bytes;  // Without the introducer.
  Key key;
};

// Without modifiers, with Shift, Alt, Ctrl: what terminals send today.
const std::vector<Sequence>& Sequences() {
  using Kind = Key::Kind;
  static const std::vector<Sequence>& table = *new std::vector<Sequence>{
      {"A", {Kind::kEdit, "\x10"}},
      {"B", {Kind::kEdit, "\x0e"}},
      {"C", {Kind::kEdit, "\x06"}},
      {"D", {Kind::kEdit, "\x02"}},
      {"H", {Kind::kEdit, "\x01"}},
      {"F", {Kind::kEdit, "\x05"}},
      {"1~", {Kind::kEdit, "\x01"}},
      {"7~", {Kind::kEdit, "\x01"}},
      {"4~", {Kind::kEdit, "\x05"}},
      {"8~", {Kind::kEdit, "\x05"}},
      {"3~", {Kind::kEdit, "\x04"}},
      {"5~", {Kind::kPageUp}},
      {"6~", {Kind::kPageDown}},
      {"3;5~",
       {Kind::kEdit,
        "\x1b"
        "d"}},
      {"1;5C",
       {Kind::kEdit,
        "\x1b"
        "f"}},
      {"1;3C",
       {Kind::kEdit,
        "\x1b"
        "f"}},
      {"1;5D",
       {Kind::kEdit,
        "\x1b"
        "b"}},
      {"1;3D",
       {Kind::kEdit,
        "\x1b"
        "b"}},
      {"13;2u", {Kind::kNewline}},
      {"13;3u", {Kind::kNewline}},
      {"27;2;13~", {Kind::kNewline}},
      {"27;3;13~", {Kind::kNewline}},
  };
  return table;
}

bool Has(absl::string_view set, char c) {
  return set.find(c) != absl::string_view::npos;
}

// Pasted text as a line takes it.
std::string Cleaned(absl::string_view bytes) {
  std::string out;
  for (absl::string_view rest = bytes; !rest.empty();) {
    const Character c = FirstCharacter(rest);
    if (!c.valid) {
      AppendUtf8(kReplacement, &out);
    } else if (c.code == '\r') {
      if (rest.size() == 1 || rest[1] != '\n') out += '\n';
    } else if (!IsControl(c.code) || c.code == '\n' || c.code == '\t') {
      out.append(rest.data(), c.bytes);
    }
    rest.remove_prefix(c.bytes);
  }
  return out;
}

// Whether more bytes may make one character of `bytes`, which begins none.
bool IsIncomplete(absl::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  const size_t length = lead < 0xc0   ? 1
                        : lead < 0xe0 ? 2
                        : lead < 0xf0 ? 3
                        : lead < 0xf8 ? 4
                                      : 1;
  if (bytes.size() >= length) return false;
  return std::all_of(bytes.begin() + 1, bytes.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
  });
}

}  // namespace

std::vector<Key> KeyDecoder::Feed(absl::string_view bytes) {
  rest_.append(bytes.data(), bytes.size());
  std::vector<Key> keys;
  while (!rest_.empty() && (pasting_ ? TakePaste(&keys) : TakeKey(&keys))) {
  }
  return keys;
}

bool KeyDecoder::TakePaste(std::vector<Key>* keys) {
  const size_t end = absl::string_view(rest_).find(kPasteEnd);
  // Keeps what may be the start of the end.
  const size_t take = end != std::string::npos ? end
                      : rest_.size() < kPasteEnd.size()
                          ? 0
                          : rest_.size() - kPasteEnd.size() + 1;
  const size_t room = kMaxPaste - pasted_.size();
  if (!paste_cut_) pasted_.append(rest_, 0, std::min(take, room));
  if (take > room && !std::exchange(paste_cut_, true)) {
    keys->push_back({.kind = Key::Kind::kPaste,
                     .text = Cleaned(std::exchange(pasted_, "")),
                     .cut = true});
  }
  rest_.erase(0, take);
  if (end == std::string::npos) return false;
  rest_.erase(0, kPasteEnd.size());
  EndPaste(keys);
  return true;
}

void KeyDecoder::EndPaste(std::vector<Key>* keys) {
  pasting_ = false;
  std::string text = Cleaned(std::exchange(pasted_, ""));
  if (std::exchange(paste_cut_, false)) return;
  keys->push_back({.kind = Key::Kind::kPaste, .text = std::move(text)});
}

absl::Duration KeyDecoder::patience() const {
  if (pasting_) return kPastePatience;
  return absl::StartsWith(rest_, "\x1b") ? kEscapePatience
                                         : absl::InfiniteDuration();
}

std::vector<Key> KeyDecoder::Expire() {
  std::vector<Key> keys;
  if (pasting_) {
    // What is left of rest_ is a part of the paste, and not its end.
    if (!paste_cut_) pasted_ += std::exchange(rest_, "");
    rest_.clear();
    EndPaste(&keys);
  } else if (absl::StartsWith(rest_, "\x1b")) {
    // Escape, or Escape and a character; what is longer was cut on its way.
    const std::string after = std::exchange(rest_, "").substr(1);
    if (after.empty()) keys.push_back({.kind = Key::Kind::kEscape});
    if (after.size() == 1) return Feed(after);
  }
  return keys;
}

bool KeyDecoder::TakeKey(std::vector<Key>* keys) {
  using Kind = Key::Kind;
  const char c = rest_[0];
  if (c == kEscape) return TakeEscape(keys);
  if (static_cast<unsigned char>(c) >= 0x20 && c != '\x7f') {
    return TakeText(keys);
  }
  switch (c) {
    case '\r':
      keys->push_back({.kind = Kind::kEnter});
      break;
    case '\n':
      keys->push_back({.kind = Kind::kNewline});
      break;
    case '\t':
      keys->push_back({.kind = Kind::kTab});
      break;
    case '\x03':
      keys->push_back({.kind = Kind::kCtrlC});
      break;
    case '\x04':
      keys->push_back({.kind = Kind::kCtrlD});
      break;
    case '\x0c':
      keys->push_back({.kind = Kind::kRedraw});
      break;
    case '\x1a':
      keys->push_back({.kind = Kind::kSuspend});
      break;
    case '\x1c':
    case '\x1d':
      keys->push_back({.kind = Kind::kDetach});
      break;
    default:
      if (Has(kEditControls, c)) {
        keys->push_back({.kind = Kind::kEdit, .text = std::string(1, c)});
      }
  }
  rest_.erase(0, 1);
  return true;
}

bool KeyDecoder::TakeEscape(std::vector<Key>* keys) {
  if (rest_.size() < 2) return false;
  const char next = rest_[1];
  if (next == '[' || next == 'O') return TakeSequence(keys);
  if (next == '\r' || next == '\n') {
    keys->push_back({.kind = Key::Kind::kNewline});
  } else if (Has(kEditAlts, next)) {
    keys->push_back({.kind = Key::Kind::kEdit, .text = rest_.substr(0, 2)});
  } else if (static_cast<unsigned char>(next) < 0x20) {
    keys->push_back({.kind = Key::Kind::kEscape});
    rest_.erase(0, 1);
    return true;
  }
  const absl::string_view after = absl::string_view(rest_).substr(1);
  const Character c = FirstCharacter(after);
  if (!c.valid && IsIncomplete(after)) return false;
  rest_.erase(0, 1 + c.bytes);
  return true;
}

bool KeyDecoder::TakeSequence(std::vector<Key>* keys) {
  size_t end = 2;
  while (end < rest_.size() && end < kMaxSequence && rest_[end] >= 0x20 &&
         rest_[end] < 0x40) {
    ++end;
  }
  if (end == kMaxSequence) {
    rest_.erase(0, end);
    return true;
  }
  if (end == rest_.size()) return false;
  const std::string sequence = rest_.substr(0, end + 1);
  rest_.erase(0, end + 1);
  if (sequence == kPasteStart) {
    pasting_ = true;
    return true;
  }
  const absl::string_view bytes = absl::string_view(sequence).substr(2);
  const auto known =
      std::find_if(Sequences().begin(), Sequences().end(),
                   [&](const Sequence& one) { return one.bytes == bytes; });
  if (known != Sequences().end()) keys->push_back(known->key);
  return true;
}

// Consecutive characters become one key.
bool KeyDecoder::TakeText(std::vector<Key>* keys) {
  size_t end = 0;
  bool complete = true;
  while (end < rest_.size()) {
    const absl::string_view rest = absl::string_view(rest_).substr(end);
    const Character c = FirstCharacter(rest);
    if (c.valid && (c.code < 0x20 || c.code == 0x7f)) break;
    if (!c.valid && IsIncomplete(rest)) {
      complete = false;
      break;
    }
    end += c.bytes;
  }
  if (end == 0) return complete;
  std::string text = Cleaned(absl::string_view(rest_).substr(0, end));
  rest_.erase(0, end);
  if (!text.empty()) {
    keys->push_back({.kind = Key::Kind::kText, .text = std::move(text)});
  }
  return complete;
}

}  // namespace troika::cli
