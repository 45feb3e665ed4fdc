#include "bench/pipelines.h"

#include <memory>
#include <variant>

#include "absl/strings/match.h"
#include "agent/protocol.h"
#include "base/json.h"
#include "base/line_splitter.h"
#include "dto/json.h"
#include "rapidjson/document.h"

namespace troika::bench {
namespace {

constexpr size_t kChunkBytes = size_t{64} << 10;

}  // namespace

std::vector<absl::string_view> SplitLines(absl::string_view stream) {
  std::vector<absl::string_view> lines;
  while (!stream.empty()) {
    const size_t size = std::min(stream.find('\n'), stream.size());
    lines.push_back(stream.substr(0, size));
    stream.remove_prefix(std::min(size + 1, stream.size()));
  }
  return lines;
}

Tally BareRapidJson(const std::vector<absl::string_view>& lines,
                    std::string* scratch) {
  Tally tally;
  // Its memory is kept from line to line: the fastest way to use it.
  std::vector<char> pool(size_t{1} << 20);
  char* line = scratch->data();
  for (const absl::string_view original : lines) {
    rapidjson::MemoryPoolAllocator<> allocator(pool.data(), pool.size());
    rapidjson::Document document(&allocator);
    document.ParseInsitu(line);
    if (document.HasParseError()) ++tally.problems;
    tally.events += document.MemberCount();
    line += original.size() + 1;
  }
  return tally;
}

Tally ParseLines(const std::vector<absl::string_view>& lines) {
  Tally tally;
  json::Parser parser;
  for (const absl::string_view line : lines) {
    const absl::StatusOr<json::Value> value = parser.Parse(line);
    if (value.ok()) {
      tally.events += static_cast<int64_t>(value->size());
    } else {
      ++tally.problems;
    }
  }
  return tally;
}

struct Pipeline::State {
  std::unique_ptr<Protocol> protocol;
  JsonOut json_out;
  LineSplitter splitter{kMaxLineBytes};
  int64_t records = 0;
  std::string json;
  Tally tally;

  void OnMessage(const Message& message) {
    ++tally.events;
    if (std::holds_alternative<ParseError>(message.payload)) ++tally.problems;
    if (json_out == JsonOut::kNone) return;
    json.clear();
    AppendEventJson(message, "task", &json);
    tally.bytes += static_cast<int64_t>(json.size());
  }

  void OnLine(const LineSplitter::Line& line) {
    protocol->OnReceived({.number = ++records,
                          .bytes = line.bytes,
                          .offset = line.offset,
                          .size = line.size},
                         [this](Message&& message) { OnMessage(message); });
  }
};

Pipeline::Pipeline(const Backend& backend, JsonOut json_out)
    : state_(new State{.protocol = backend.NewProtocol({}),
                       .json_out = json_out}) {}

Pipeline::~Pipeline() = default;

void Pipeline::Feed(absl::string_view chunk) {
  state_->splitter.Feed(
      chunk, [this](const LineSplitter::Line& line) { state_->OnLine(line); });
}

Tally Pipeline::Finish() {
  state_->splitter.Finish(
      [this](const LineSplitter::Line& line) { state_->OnLine(line); });
  state_->protocol->OnNote(
      {.number = ++state_->records}, ProcessEnded{},
      [this](Message&& message) { state_->OnMessage(message); });
  return state_->tally;
}

Tally RunPipeline(const Backend& backend, JsonOut json_out,
                  absl::string_view stream) {
  Pipeline pipeline(backend, json_out);
  for (size_t at = 0; at < stream.size(); at += kChunkBytes) {
    pipeline.Feed(stream.substr(at, kChunkBytes));
  }
  return pipeline.Finish();
}

}  // namespace troika::bench
