// Lists the recorded and hand-written streams, for tests that run all of them.
#ifndef TROIKA_TESTDATA_STREAMS_H_
#define TROIKA_TESTDATA_STREAMS_H_

#include <optional>
#include <string>
#include <vector>

#include "agent/harness.h"
#include "agent/launch/wire.h"
#include "agent/message.h"

namespace troika {

struct Stream {
  std::string path;  // testdata/codex/simple.jsonl
  Harness harness;
  std::optional<Wire> wire = std::nullopt;  // Unset: the harness's first one.
};

// Returns every stdout stream in testdata, sorted by path. Transcripts of both
// sides are separate files and not included.
std::vector<Stream> AllStreams();

// Returns the transcripts of both sides whose wire our protocol conducts, for
// RunTranscript, sorted by path.
std::vector<Stream> AllTranscripts();

// Returns the files in which CLIs keep sessions, sorted by path.
std::vector<Stream> AllSessionFiles();

// Returns a name that identifies the stream in gtest.
std::string TestName(const Stream& stream);

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
