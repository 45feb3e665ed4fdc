// Helpers that feed protocols in tests.
#ifndef TROIKA_AGENT_TESTING_H_
#define TROIKA_AGENT_TESTING_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "agent/protocol.h"

namespace troika {

// Makes a record of a line at offset 0.
Record RecordOf(absl::string_view line, int64_t number = 1);

// Feeds a whole stream, in which line n is record n, and its end; returns all
// messages. The stream arrives in chunks whose sizes are `cuts`, repeated as
// often as needed; if there are none, all at once.
std::vector<Message> RunStream(Protocol& protocol, absl::string_view stream,
                               const std::vector<size_t>& cuts = {});

// Feeds a transcript of both sides, and its end; returns all messages. Its
// lines are {"dir":DIR,"msg":MSG}, and line n is record n:
//   s2c    the agent printed MSG
//   c2s    MSG was written to the agent
//   write  the protocol's outbox was written
//   note   MSG is {"turn":PROMPT}, {"interrupt":true},
//   {"answer":ID,"allow":BOOL}
// Any other line is what the agent printed.
std::vector<Message> RunTranscript(Protocol& protocol,
                                   absl::string_view transcript);

// Returns the payloads of one type, in order.
template <typename P>
std::vector<P> Payloads(const std::vector<Message>& messages) {
  std::vector<P> found;
  for (const Message& m : messages) {
    if (const P* p = std::get_if<P>(&m.payload)) found.push_back(*p);
  }
  return found;
}

// Lists violations of the rules in agent/message.h (unique ids, one result for
// each tool use, ids in order), one per line; empty if there are none.
std::string BrokenRules(const std::vector<Message>& messages);

}  // namespace troika

#endif  // TROIKA_AGENT_TESTING_H_
