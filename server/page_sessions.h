// The browsers that may use the API (docs/security.md, "The page").
//
// The owner gets a code over the socket, and a browser exchanges it for a
// session: a cookie, which the browser sends by itself, and a key, which the
// page sends. A request needs both. Cookies go to every port of a host, and so
// to web servers of agents; but only pages of our port know the key.
#ifndef TROIKA_SERVER_PAGE_SESSIONS_H_
#define TROIKA_SERVER_PAGE_SESSIONS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "http/message.h"
#include "http/server.h"

namespace troika {

// The header that has the session's key.
inline constexpr absl::string_view kKeyHeader = "x-troika-key";

// Loop thread only. Writes a small file in the calls that change sessions.
class PageSessions {
 public:
  static constexpr absl::Duration kCodeLife = absl::Seconds(60);
  static constexpr absl::Duration kSessionLife = absl::Hours(24 * 30);
  static constexpr size_t kMaxSessions = 50;  // The oldest are dropped.
  static constexpr int kMaxWrong = 20;        // Wrong codes in a minute.

  struct Session {
    std::string id;
    std::string browser;  // What its User-Agent says, cut.
    absl::Time created_at;
    absl::Time last_used_at;
    absl::Time expires_at;
    // SHA-256: whoever reads the file can't be the browser.
    std::string cookie_hash;
    std::string key_hash;
  };
  struct Code {
    std::string text;
    absl::Time expires_at;
  };
  struct NewSession {
    Session session;
    std::string key;
    std::string set_cookie;  // The value of Set-Cookie.
  };

  // Reads the sessions of `path`, which only the owner may be able to read;
  // else there are none. `clock` is borrowed.
  PageSessions(std::string path, Clock* clock);

  Code NewCode();
  // Unauthenticated if the code is wrong, was used or has expired;
  // ResourceExhausted if too many wrong ones came. A right code is always
  // accepted. The cookie is named for the port of the request's Host.
  absl::StatusOr<NewSession> Exchange(absl::string_view code,
                                      const http::Request& request);

  // The id of the request's session. Nothing if its cookie or its key is
  // missing or wrong.
  std::optional<std::string> Find(const http::Request& request);
  // Whether the request has a cookie of ours at all.
  static bool HasCookie(const http::Request& request);

  // Whether the session lives.
  bool IsLive(absl::string_view id) const;
  // Wakes a stream of the session when that is revoked; it must end then.
  void AddStream(std::string id, http::Waker waker);

  std::vector<Session> List();  // The newest first.
  // Ends a session, or all of them. An error of the disk says that the session
  // would be back after a restart.
  absl::Status Revoke(absl::string_view id);
  absl::Status RevokeAll();

 private:
  struct PendingCode {
    std::string hash;
    absl::Time expires_at;
  };

  void Load();
  absl::Status Save() const;
  void DropExpired();
  void EndStreams();  // Those of sessions that are gone.

  const std::string path_;
  Clock& clock_;
  std::vector<Session> sessions_;  // The oldest first.
  std::vector<PendingCode> codes_;
  std::vector<std::pair<std::string, http::Waker>> streams_;  // By session.
  absl::Time wrong_since_ = absl::InfinitePast();
  int wrong_ = 0;  // Wrong codes since then.
};

}  // namespace troika

#endif  // TROIKA_SERVER_PAGE_SESSIONS_H_
