// Lists the recorded and hand-written streams, for tests that run all of them.
#ifndef TROIKA_TESTDATA_STREAMS_H_
#define TROIKA_TESTDATA_STREAMS_H_

#include <string>
#include <vector>

#include "agent/harness.h"
#include "agent/launch/wire.h"
#include "agent/message.h"

namespace troika {

struct Stream {
  std::string path;  // testdata/codex/simple.jsonl
  Harness harness;
};

// Returns every stdout stream in testdata, sorted by path. Transcripts of both
// sides are separate files and not included.
std::vector<Stream> AllStreams();

// Returns a name that identifies the stream in gtest.
std::string TestName(const Stream& stream);

// A recorded conversation of both sides, on a wire whose protocol talks.
struct Transcript {
  std::string path;  // testdata/acp/gemini_basic.transcript.jsonl
  Harness harness;
  Wire wire;
};

// Returns the transcripts of such wires, sorted by path.
std::vector<Transcript> AllTranscripts();

std::string ReadFileOrDie(const std::string& path);

// The number of turns in a stream and their total usage, read from its lines
// without our parsers.
struct Expectation {
  int turns = 0;
  TokenCounts total;
};

Expectation ExpectationOf(Harness harness, const std::string& stream);

}  // namespace troika

#endif  // TROIKA_TESTDATA_STREAMS_H_
