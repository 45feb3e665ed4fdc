// Edge-triggered waiting, as a flag of `pollfd::events`.
#ifndef TROIKA_BASE_POLL_EDGE_H_
#define TROIKA_BASE_POLL_EDGE_H_

namespace troika {

// The descriptor counts as ready once for each time that it becomes so or gets
// more to read. EventLoop knows it; poll(2) ignores it.
inline constexpr short kPollEdge = 0x4000;

}  // namespace troika

#endif  // TROIKA_BASE_POLL_EDGE_H_
