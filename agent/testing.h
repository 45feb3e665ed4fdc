// Feeds protocols in tests.
#ifndef TROIKA_AGENT_TESTING_H_
#define TROIKA_AGENT_TESTING_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "agent/protocol.h"

namespace troika {

// One line as record 1 at offset 0.
Record RecordOf(absl::string_view line, int64_t number = 1);

// Feeds a whole stream, record n being line n, then its end; returns all
// messages. `cuts` are the sizes of the chunks it arrives in, used in a circle;
// none: all at once.
std::vector<Message> RunStream(Protocol& protocol, absl::string_view stream,
                               const std::vector<size_t>& cuts = {});

// The payloads of one type, in order.
template <typename P>
std::vector<P> Payloads(const std::vector<Message>& messages) {
  std::vector<P> found;
  for (const Message& m : messages) {
    if (const P* p = std::get_if<P>(&m.payload)) found.push_back(*p);
  }
  return found;
}

// What breaks a rule of agent/message.h (unique ids, one result for each tool
// use, ids in order), a line each; empty where nothing does.
std::string BrokenRules(const std::vector<Message>& messages);

}  // namespace troika

#endif  // TROIKA_AGENT_TESTING_H_
