// The recorded and hand-written streams, for the tests that run all of them.
#ifndef TROIKA_TESTDATA_STREAMS_H_
#define TROIKA_TESTDATA_STREAMS_H_

#include <string>
#include <vector>

#include "agent/harness.h"
#include "agent/message.h"

namespace troika {

struct Stream {
  std::string path;  // testdata/codex/simple.jsonl
  Harness harness;
};

// Every stdout stream in testdata, by path. Transcripts of both sides are other
// files and not among them.
std::vector<Stream> AllStreams();

// For gtest: a name that identifies the stream.
std::string TestName(const Stream& stream);

std::string ReadFileOrDie(const std::string& path);

// What a stream says, read plainly from its lines and not through our parsers:
// how many turns it has and what they used in all.
struct Expectation {
  int turns = 0;
  TokenCounts total;
};

Expectation ExpectationOf(Harness harness, const std::string& stream);

}  // namespace troika

#endif  // TROIKA_TESTDATA_STREAMS_H_
