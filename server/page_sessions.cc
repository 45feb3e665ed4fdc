#include "server/page_sessions.h"

#include <sha2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/random_text.h"
#include "base/read_file.h"
#include "base/replace_file.h"

namespace troika {
namespace {

constexpr absl::string_view kCookiePrefix = "troika_session_";
constexpr size_t kMaxBrowser = 200;
constexpr size_t kMaxFile = size_t{256} << 10;
constexpr size_t kMaxCodes = 20;
// Cookies of ours that one request may try: one for each port.
constexpr int kMaxCookies = 8;
constexpr absl::Duration kUseStep = absl::Hours(1);
constexpr absl::Duration kWrongPeriod = absl::Minutes(1);

std::string Hash(absl::string_view secret) {
  char hex[SHA256_DIGEST_STRING_LENGTH];
  return SHA256Data(reinterpret_cast<const uint8_t*>(secret.data()),
                    secret.size(), hex);
}

// The browser's own words, in one line of ASCII.
std::string BrowserOf(const http::Request& request) {
  std::string text(request.Header("user-agent").substr(0, kMaxBrowser));
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
  return text;
}

std::string PortOf(absl::string_view host) {
  const size_t colon = host.rfind(':');
  int port = 0;
  if (colon == absl::string_view::npos ||
      !absl::SimpleAtoi(host.substr(colon + 1), &port)) {
    return "0";
  }
  return absl::StrCat(port);
}

std::vector<absl::string_view> CookiesOf(const http::Request& request) {
  std::vector<absl::string_view> values;
  for (const auto& [name, value] : request.headers) {
    if (name != "cookie") continue;
    for (absl::string_view pair : absl::StrSplit(value, ';')) {
      pair = absl::StripAsciiWhitespace(pair);
      const size_t equals = pair.find('=');
      if (!absl::StartsWith(pair, kCookiePrefix) ||
          equals == absl::string_view::npos) {
        continue;
      }
      values.push_back(pair.substr(equals + 1));
      if (values.size() == kMaxCookies) return values;
    }
  }
  return values;
}

// "ID COOKIE KEY CREATED USED EXPIRES BROWSER", times in microseconds.
std::optional<PageSessions::Session> ReadLine(absl::string_view line) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits(' ', 6));
  int64_t created = 0;
  int64_t used = 0;
  int64_t expires = 0;
  if (parts.size() != 7 || !absl::SimpleAtoi(parts[3], &created) ||
      !absl::SimpleAtoi(parts[4], &used) ||
      !absl::SimpleAtoi(parts[5], &expires)) {
    return std::nullopt;
  }
  return PageSessions::Session{.id = std::string(parts[0]),
                               .browser = std::string(parts[6]),
                               .created_at = absl::FromUnixMicros(created),
                               .last_used_at = absl::FromUnixMicros(used),
                               .expires_at = absl::FromUnixMicros(expires),
                               .cookie_hash = std::string(parts[1]),
                               .key_hash = std::string(parts[2])};
}

}  // namespace

PageSessions::PageSessions(std::string path, Clock* clock)
    : path_(std::move(path)), clock_(*clock) {
  Load();
}

void PageSessions::Load() {
  struct stat info = {};
  // Whoever could write the file could let themselves in.
  if (lstat(path_.c_str(), &info) != 0 || (info.st_mode & 077) != 0 ||
      info.st_uid != geteuid()) {
    return;
  }
  const auto text = ReadFileUpTo(path_, kMaxFile);
  if (!text.ok()) return;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    if (auto session = ReadLine(line)) sessions_.push_back(*std::move(session));
  }
  DropExpired();
}

absl::Status PageSessions::Save() const {
  std::string text;
  for (const Session& session : sessions_) {
    absl::StrAppend(
        &text, session.id, " ", session.cookie_hash, " ", session.key_hash, " ",
        absl::ToUnixMicros(session.created_at), " ",
        absl::ToUnixMicros(session.last_used_at), " ",
        absl::ToUnixMicros(session.expires_at), " ", session.browser, "\n");
  }
  return ReplaceFile(path_, text);
}

void PageSessions::DropExpired() {
  const absl::Time now = clock_.Now();
  const auto is_old = [now](const auto& one) { return one.expires_at <= now; };
  sessions_.erase(std::remove_if(sessions_.begin(), sessions_.end(), is_old),
                  sessions_.end());
  codes_.erase(std::remove_if(codes_.begin(), codes_.end(), is_old),
               codes_.end());
}

PageSessions::Code PageSessions::NewCode() {
  clock_.FollowRealTime();
  DropExpired();
  if (codes_.size() == kMaxCodes) codes_.erase(codes_.begin());
  Code code = {.text = RandomText(32), .expires_at = clock_.Now() + kCodeLife};
  codes_.push_back({.hash = Hash(code.text), .expires_at = code.expires_at});
  return code;
}

absl::StatusOr<PageSessions::NewSession> PageSessions::Exchange(
    absl::string_view code, const http::Request& request) {
  clock_.FollowRealTime();
  DropExpired();
  const absl::Time now = clock_.Now();
  const std::string hash = Hash(code);
  const auto found =
      std::find_if(codes_.begin(), codes_.end(),
                   [&](const PendingCode& one) { return one.hash == hash; });
  if (found == codes_.end()) {
    if (now - wrong_since_ >= kWrongPeriod) {
      wrong_since_ = now;
      wrong_ = 0;
    }
    if (++wrong_ > kMaxWrong) {
      return absl::ResourceExhaustedError(
          "too many wrong codes: wait a minute, then run `troika open` again");
    }
    return absl::UnauthenticatedError(
        "the code is wrong, was used before or is older than 60 seconds: run "
        "`troika open` again");
  }
  codes_.erase(found);
  const std::string cookie = RandomText(32);
  NewSession made = {.key = RandomText(32)};
  made.session = {.id = absl::AsciiStrToLower(Hash(cookie).substr(0, 12)),
                  .browser = BrowserOf(request),
                  .created_at = now,
                  .last_used_at = now,
                  .expires_at = now + kSessionLife,
                  .cookie_hash = Hash(cookie),
                  .key_hash = Hash(made.key)};
  made.set_cookie =
      absl::StrCat(kCookiePrefix, PortOf(request.Header("host")), "=", cookie,
                   "; Path=/; HttpOnly; SameSite=Strict; Max-Age=",
                   absl::ToInt64Seconds(kSessionLife));
  if (sessions_.size() >= kMaxSessions) sessions_.erase(sessions_.begin());
  sessions_.push_back(made.session);
  // On a full disk the session lasts as long as this server.
  Save().IgnoreError();
  return made;
}

bool PageSessions::HasCookie(const http::Request& request) {
  return !CookiesOf(request).empty();
}

std::optional<std::string> PageSessions::Find(const http::Request& request) {
  const absl::string_view key = request.Header(kKeyHeader);
  const std::vector<absl::string_view> cookies = CookiesOf(request);
  if (key.empty() || cookies.empty()) return std::nullopt;
  const absl::Time now = clock_.Now();
  const std::string key_hash = Hash(key);
  for (const absl::string_view cookie : cookies) {
    const std::string cookie_hash = Hash(cookie);
    for (Session& session : sessions_) {
      if (session.cookie_hash != cookie_hash || session.key_hash != key_hash ||
          session.expires_at <= now) {
        continue;
      }
      if (now - session.last_used_at >= kUseStep) {
        session.last_used_at = now;
        Save().IgnoreError();
      }
      return session.id;
    }
  }
  return std::nullopt;
}

bool PageSessions::IsLive(absl::string_view id) const {
  const absl::Time now = clock_.Now();
  return std::any_of(sessions_.begin(), sessions_.end(), [&](const auto& one) {
    return one.id == id && one.expires_at > now;
  });
}

void PageSessions::AddStream(std::string id, http::Waker waker) {
  std::erase_if(streams_,
                [](const auto& stream) { return stream.second.gone(); });
  streams_.emplace_back(std::move(id), std::move(waker));
}

void PageSessions::EndStreams() {
  // Waking may end a stream, and that another one begin.
  for (const auto& [id, waker] : std::vector(streams_)) {
    if (!IsLive(id)) waker.Wake();
  }
}

std::vector<PageSessions::Session> PageSessions::List() {
  DropExpired();
  return {sessions_.rbegin(), sessions_.rend()};
}

absl::Status PageSessions::Revoke(absl::string_view id) {
  const auto found =
      std::find_if(sessions_.begin(), sessions_.end(),
                   [&](const Session& one) { return one.id == id; });
  if (found == sessions_.end()) {
    return absl::NotFoundError(absl::StrCat(
        "no session ", id, ": `troika open --sessions` lists them"));
  }
  sessions_.erase(found);
  EndStreams();
  return Save();
}

absl::Status PageSessions::RevokeAll() {
  sessions_.clear();
  codes_.clear();
  EndStreams();
  return Save();
}

}  // namespace troika
