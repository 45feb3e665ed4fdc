// Passes descriptors to another process over a unix socket.
#ifndef TROIKA_RELAY_PASS_FDS_H_
#define TROIKA_RELAY_PASS_FDS_H_

#include <sys/types.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/fd.h"

namespace troika::relay {

inline constexpr size_t kMaxPassedFds = 8;

// What a spare relay says when it waits for a task, and when it has one, before
// it does anything with it. Those of before 2026-11-17 say 'w', and say nothing
// of their task; they are not used.
inline constexpr char kSpareWaits = 'W';
inline constexpr char kSpareTakes = 'T';
// The second byte of the packet with kSpareWaits, if the spare takes a
// connection to its driver with its task. Older servers don't read it.
inline constexpr char kSpareTakesDriver = 'D';

// Sends at most kMaxPassedFds descriptors in one packet, with these bytes. Does
// not block: returns Unavailable if the other process is gone or reads nothing.
absl::Status SendFds(int socket, absl::Span<const int> fds,
                     absl::string_view bytes = absl::string_view("\0", 1));

// Waits for such a packet. Returns Unavailable if the other process is gone,
// and InvalidArgument if the packet has fewer than `least` descriptors.
absl::StatusOr<std::vector<UniqueFd>> ReceiveFds(int socket, size_t least);

// Does the same as recv(2), and adds descriptors that came along to `fds`.
ssize_t ReceiveWithFds(int socket, char* buffer, size_t size, int flags,
                       std::vector<UniqueFd>* fds);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_PASS_FDS_H_
