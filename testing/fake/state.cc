#include "testing/fake/state.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "testing/fake/io.h"

namespace troika::fake {
namespace {

std::optional<Session> ParseLine(absl::string_view line) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  Session session;
  if (words.size() != 8 || words[0] != "session" ||
      !absl::SimpleAtoi(words[3], &session.turns) ||
      !absl::SimpleAtoi(words[5], &session.total.input) ||
      !absl::SimpleAtoi(words[6], &session.total.cached) ||
      !absl::SimpleAtoi(words[7], &session.total.output)) {
    return std::nullopt;
  }
  session.id = std::string(words[1]);
  return session;
}

absl::StatusOr<std::vector<Session>> ParseSessions(absl::string_view text) {
  std::vector<Session> sessions;
  for (const absl::string_view line :
       absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    std::optional<Session> session = ParseLine(line);
    if (!session) {
      return absl::DataLossError(
          absl::StrCat("read the state's line `", line, "`; remove the file"));
    }
    sessions.push_back(*std::move(session));
  }
  return sessions;
}

}  // namespace

absl::StatusOr<std::vector<Session>> State::Sessions() const {
  if (path_.empty() || access(path_.c_str(), F_OK) != 0) {
    return std::vector<Session>();
  }
  const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("open ", path_));
  const absl::Cleanup close_it = [fd] { close(fd); };
  flock(fd, LOCK_SH);
  return ParseSessions(ReadToEnd(fd));
}

absl::StatusOr<std::optional<Session>> State::Find(absl::string_view id) const {
  if (path_.empty()) {
    if (!IsUuid(id)) return std::optional<Session>();
    return std::optional<Session>({.id = std::string(id), .turns = 1});
  }
  absl::StatusOr<std::vector<Session>> sessions = Sessions();
  if (!sessions.ok()) return sessions.status();
  for (Session& session : *sessions) {
    if (session.id == id) return std::optional<Session>(std::move(session));
  }
  return std::optional<Session>();
}

absl::StatusOr<std::optional<Session>> State::Latest() const {
  absl::StatusOr<std::vector<Session>> sessions = Sessions();
  if (!sessions.ok()) return sessions.status();
  if (sessions->empty()) return std::optional<Session>();
  return std::optional<Session>(std::move(sessions->back()));
}

absl::Status State::Put(const Session& session) const {
  if (path_.empty()) return absl::OkStatus();
  const int fd = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("open ", path_));
  const absl::Cleanup close_it = [fd] { close(fd); };
  flock(fd, LOCK_EX);
  absl::StatusOr<std::vector<Session>> sessions = ParseSessions(ReadToEnd(fd));
  if (!sessions.ok()) return sessions.status();
  sessions->erase(
      std::remove_if(sessions->begin(), sessions->end(),
                     [&](const Session& s) { return s.id == session.id; }),
      sessions->end());
  sessions->push_back(session);
  std::string text;
  for (const Session& s : *sessions) {
    absl::StrAppend(&text, "session ", s.id, " turns ", s.turns, " tokens ",
                    s.total.input, " ", s.total.cached, " ", s.total.output,
                    "\n");
  }
  if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("truncate ", path_));
  }
  return WriteAll(fd, text);
}

absl::StatusOr<std::string> State::NewId(absl::string_view other) const {
  absl::StatusOr<std::vector<Session>> sessions = Sessions();
  if (!sessions.ok()) return sessions.status();
  for (size_t number = 1;; ++number) {
    std::string id = absl::StrFormat("fa4e0000-0000-7000-8000-%012d", number);
    const bool known =
        std::any_of(sessions->begin(), sessions->end(),
                    [&](const Session& session) { return session.id == id; });
    if (!known && id != other) return id;
  }
}

bool IsUuid(absl::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !absl::ascii_isxdigit(text[i])) return false;
  }
  return true;
}

}  // namespace troika::fake
