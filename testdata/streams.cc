#include "testdata/streams.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "agent/registry.h"
#include "base/check.h"
#include "base/json.h"
#include "testing/files.h"

namespace troika {
namespace {

int64_t Tokens(json::Value usage, absl::string_view name) {
  return usage.Get(name).IntOr(0);
}

// Codex reports the thread's total, in which input includes cached tokens.
TokenCounts CodexTotal(json::Value usage) {
  TokenCounts total;
  total.cached = Tokens(usage, "cached_input_tokens");
  total.cache_write = Tokens(usage, "cache_write_input_tokens");
  total.input =
      Tokens(usage, "input_tokens") - total.cached - total.cache_write;
  total.output = Tokens(usage, "output_tokens");
  total.reasoning = Tokens(usage, "reasoning_output_tokens");
  return total;
}

struct CodexOracle {
  Expectation expected;
  bool told_turns = false;

  void Line(json::Value line) {
    const absl::string_view type = line.Get("type").StringOr("");
    const json::Value msg = line.Get("msg");
    if (type == "turn.started" ||
        msg.Get("type").StringOr("") == "task_started") {
      told_turns = true;
      ++expected.turns;
    } else if (!told_turns && line.Get("item").Get("item_type").exists()) {
      expected.turns = 1;
    } else if (type == "turn.completed") {
      expected.total = CodexTotal(line.Get("usage"));
    }
    const json::Value total = msg.Get("info").Get("total_token_usage");
    if (total.exists()) expected.total = CodexTotal(total);
  }
};

// Claude reports a turn's tokens at its end; 0.2 only those of each message.
struct ClaudeOracle {
  Expectation expected;
  bool open = false;
  std::map<std::string, TokenCounts> messages;

  static TokenCounts Counts(json::Value usage) {
    TokenCounts counts;
    counts.input = Tokens(usage, "input_tokens");
    counts.cached = Tokens(usage, "cache_read_input_tokens");
    counts.cache_write = Tokens(usage, "cache_creation_input_tokens");
    counts.output = Tokens(usage, "output_tokens");
    counts.reasoning =
        Tokens(usage.Get("output_tokens_details"), "thinking_tokens");
    return counts;
  }

  void Line(json::Value line) {
    const absl::string_view type = line.Get("type").StringOr("");
    const json::Value message = line.Get("message");
    if (type == "result") {
      if (!open) ++expected.turns;
      open = false;
      if (line.Get("usage").exists()) {
        expected.total += Counts(line.Get("usage"));
      } else {
        for (const auto& [id, counts] : messages) expected.total += counts;
      }
      messages.clear();
      return;
    }
    if (type == "assistant") {
      const std::string id(message.Get("id").StringOr(""));
      messages[id] = Counts(message.Get("usage"));
    }
    const bool begins =
        type == "assistant" || type == "stream_event" ||
        (type == "system" && line.Get("subtype").StringOr("") == "init");
    if (begins && !open) {
      open = true;
      ++expected.turns;
    }
  }
};

// Gemini reports a turn's tokens at its end; input includes cached ones.
struct GeminiOracle {
  Expectation expected;

  void Line(json::Value line) {
    const absl::string_view type = line.Get("type").StringOr("");
    if (type == "init") ++expected.turns;
    if (type != "result") return;
    const json::Value stats = line.Get("stats");
    TokenCounts counts;
    counts.cached = Tokens(stats, "cached");
    counts.input = Tokens(stats, "input_tokens") - counts.cached;
    counts.output = Tokens(stats, "output_tokens");
    expected.total += counts;
  }
};

template <typename Oracle>
Expectation Ask(const std::string& stream) {
  Oracle oracle;
  json::Parser parser;
  for (const absl::string_view line : absl::StrSplit(stream, '\n')) {
    const auto value = parser.Parse(line);
    if (value.ok()) oracle.Line(*value);
  }
  return oracle.expected;
}

}  // namespace

std::vector<Stream> AllStreams() {
  std::vector<Stream> streams;
  for (const Backend* backend : AllBackends()) {
    const std::string folder =
        "testdata/" + std::string(HarnessId(backend->harness));
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(folder)) {
      const std::string path = entry.path();
      if (absl::EndsWith(path, ".jsonl") &&
          !absl::EndsWith(path, ".transcript.jsonl")) {
        streams.push_back({.path = path, .harness = backend->harness});
      }
    }
  }
  std::sort(streams.begin(), streams.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return streams;
}

std::vector<Stream> AllTranscripts() {
  const Stream kinds[] = {
      {.path = "testdata/acp", .harness = Harness::kGemini, .wire = Wire::kAcp},
      {.path = "testdata/codex",
       .harness = Harness::kCodex,
       .wire = Wire::kAppServer}};
  std::vector<Stream> transcripts;
  for (const Stream& kind : kinds) {
    for (const auto& entry : std::filesystem::directory_iterator(kind.path)) {
      if (!absl::EndsWith(entry.path().native(), ".transcript.jsonl")) continue;
      transcripts.push_back(
          {.path = entry.path(), .harness = kind.harness, .wire = kind.wire});
    }
  }
  std::sort(transcripts.begin(), transcripts.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return transcripts;
}

std::vector<Stream> AllSessionFiles() {
  std::vector<Stream> files;
  for (const Backend* backend : AllBackends()) {
    const std::string folder =
        "testdata/sessions/" + std::string(HarnessId(backend->harness));
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".jsonl") continue;
      files.push_back({.path = entry.path(),
                       .harness = backend->harness,
                       .wire = Wire::kSessionFile});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

std::string TestName(const Stream& stream) {
  return absl::StrReplaceAll(
      stream.path,
      {{"testdata/", ""}, {".jsonl", ""}, {"/", "_"}, {".", "_"}, {"-", "_"}});
}

std::string ReadFileOrDie(const std::string& path) {
  absl::StatusOr<std::string> text = ReadFile(path);
  CHECK(text.ok());
  return *std::move(text);
}

Expectation ExpectationOf(Harness harness, const std::string& stream) {
  switch (harness) {
    case Harness::kCodex:
      return Ask<CodexOracle>(stream);
    case Harness::kClaude:
    case Harness::kDemo:
      return Ask<ClaudeOracle>(stream);
    case Harness::kAcp:
    case Harness::kGemini:
      return Ask<GeminiOracle>(stream);
  }
  return {};
}

}  // namespace troika
