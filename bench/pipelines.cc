#include "bench/pipelines.h"

#include <algorithm>
#include <memory>
#include <variant>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/protocol.h"
#include "base/json.h"
#include "base/line_splitter.h"
#include "dto/json.h"
#include "rapidjson/document.h"

namespace troika::bench {
namespace {

constexpr size_t kChunkBytes = size_t{64} << 10;
constexpr size_t kSliceBytes = 1'000'000;
constexpr size_t kPoolBytes = size_t{1} << 20;

}  // namespace

std::vector<Slice> SliceStream(absl::string_view stream) {
  std::vector<Slice> slices;
  while (!stream.empty()) {
    const size_t from = std::min(kSliceBytes, stream.size() - 1);
    const size_t end = std::min(stream.find('\n', from), stream.size() - 1);
    const absl::string_view text = stream.substr(0, end + 1);
    slices.push_back(
        {.text = text,
         .lines = absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')});
    stream.remove_prefix(text.size());
  }
  return slices;
}

int64_t BareRapidJson(const std::vector<absl::string_view>& lines,
                      DocumentMemory memory, std::string* scratch) {
  static char* const kPool = new char[kPoolBytes];
  int64_t refused = 0;
  char* line = scratch->data();
  const auto parse = [&](rapidjson::Document& document, size_t size) {
    document.ParseInsitu(line);
    if (document.HasParseError() || !document.IsObject()) ++refused;
    line += size + 1;
  };
  for (const absl::string_view original : lines) {
    if (memory == DocumentMemory::kOwn) {
      rapidjson::Document document;
      parse(document, original.size());
    } else {
      rapidjson::MemoryPoolAllocator<> allocator(kPool, kPoolBytes);
      rapidjson::Document document(&allocator);
      parse(document, original.size());
    }
  }
  return refused;
}

int64_t ParseLines(const std::vector<absl::string_view>& lines,
                   json::Parser* parser) {
  int64_t refused = 0;
  for (const absl::string_view line : lines) {
    const absl::StatusOr<json::Value> value = parser->Parse(line);
    if (!value.ok() || !value->IsObject()) ++refused;
  }
  return refused;
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

void Pipeline::Feed(absl::string_view bytes) {
  for (size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    state_->splitter.Feed(
        bytes.substr(at, kChunkBytes),
        [this](const LineSplitter::Line& line) { state_->OnLine(line); });
  }
}

Tally Pipeline::Finish() {
  state_->splitter.Finish(
      [this](const LineSplitter::Line& line) { state_->OnLine(line); });
  state_->protocol->OnNote(
      {.number = ++state_->records}, ProcessEnded{},
      [this](Message&& message) { state_->OnMessage(message); });
  return state_->tally;
}

}  // namespace troika::bench
