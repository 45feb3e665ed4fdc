#include "dto/read_event.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "dto/describe.h"

namespace troika {
namespace {

// Reads the members of one object, and remembers whether all was known.
class Fields {
 public:
  Fields(json::Value object, bool* known) : object_(object), known_(*known) {}

  void Read(absl::string_view name, std::string* out) const {
    *out = std::string(object_.Get(name).StringOr(*out));
  }
  void Read(absl::string_view name, bool* out) const {
    *out = object_.Get(name).BoolOr(*out);
  }
  // int64 is a string in JSON, and readers take both for both.
  void Read(absl::string_view name, int64_t* out) const {
    const json::Value value = object_.Get(name);
    int64_t number = 0;
    if (value.IsString() && absl::SimpleAtoi(value.StringOr(""), &number)) {
      *out = number;
    } else {
      *out = value.IntOr(*out);
    }
  }
  void Read(absl::string_view name, int* out) const {
    int64_t number = *out;
    Read(name, &number);
    if (number >= std::numeric_limits<int>::min() &&
        number <= std::numeric_limits<int>::max()) {
      *out = static_cast<int>(number);
    }
  }
  void Read(absl::string_view name, double* out) const {
    const json::Value value = object_.Get(name);
    double number = 0;
    // "NaN" and "Infinity" among them.
    if (value.IsString() && absl::SimpleAtod(value.StringOr(""), &number)) {
      *out = number;
    } else {
      *out = value.Double().value_or(*out);
    }
  }
  void Read(absl::string_view name, absl::Time* out) const {
    absl::Time time;
    if (absl::ParseTime(absl::RFC3339_full, object_.Get(name).StringOr(""),
                        &time, nullptr)) {
      *out = time;
    }
  }
  void Read(absl::string_view name, absl::Duration* out) const {
    absl::Duration duration;
    if (absl::ParseDuration(object_.Get(name).StringOr(""), &duration)) {
      *out = duration;
    }
  }
  void Read(absl::string_view name, std::vector<std::string>* out) const {
    for (const json::Value item : object_.Get(name).items()) {
      out->emplace_back(item.StringOr(""));
    }
  }
  template <typename T>
  void Read(absl::string_view name, std::optional<T>* out) const {
    const json::Value value = object_.Get(name);
    if (value.exists() && !value.IsNull()) Read(name, &out->emplace());
  }
  void ReadJson(absl::string_view name, std::string* out) const {
    const json::Value value = object_.Get(name);
    if (value.exists()) *out = value.ToJson();
  }
  template <typename E>
  void ReadEnum(absl::string_view name, E last, E* out) const {
    const json::Value value = object_.Get(name);
    if (!value.exists()) return;
    for (int i = 0; i <= static_cast<int>(last); ++i) {
      if (Spelling(static_cast<E>(i)) != value.StringOr("")) continue;
      *out = static_cast<E>(i);
      return;
    }
    known_ = false;
  }
  Fields Of(absl::string_view name) const {
    return Fields(object_.Get(name), &known_);
  }
  bool Has(absl::string_view name) const { return object_.Get(name).exists(); }
  template <typename T>
  void ReadItems(std::vector<T>* out) const {
    for (const json::Value item : object_.Get("items").items()) {
      ReadInto(Fields(item, &known_), &out->emplace_back());
    }
  }

 private:
  json::Value object_;
  bool& known_;
};

void ReadInto(const Fields& f, Init* m) {
  f.Read("sessionId", &m->session_id);
  f.Read("model", &m->model);
  f.Read("cwd", &m->cwd);
  f.Read("version", &m->version);
  f.Read("permissionMode", &m->permission_mode);
  f.Read("tools", &m->tools);
  f.Read("mcpServers", &m->mcp_servers);
}

void ReadInto(const Fields& f, UserInput* m) {
  f.Read("text", &m->text);
  f.Read("images", &m->images);
}

void ReadInto(const Fields& f, Text* m) { f.Read("text", &m->text); }
void ReadInto(const Fields& f, Thinking* m) { f.Read("text", &m->text); }
void ReadInto(const Fields& f, TextDelta* m) { f.Read("text", &m->text); }
void ReadInto(const Fields& f, ThinkingDelta* m) { f.Read("text", &m->text); }

void ReadInto(const Fields& f, ToolOutputDelta* m) {
  f.Read("toolUseId", &m->tool_use_id);
  f.Read("text", &m->text);
}

void ReadInto(const Fields& f, ToolUse* m) {
  f.Read("id", &m->id);
  f.Read("name", &m->name);
  f.Read("nativeName", &m->native_name);
  f.Read("server", &m->server);
  f.ReadJson("input", &m->input_json);
}

void ReadInto(const Fields& f, ToolResult* m) {
  f.Read("toolUseId", &m->tool_use_id);
  f.Read("output", &m->output);
  f.Read("isError", &m->is_error);
  f.Read("exitCode", &m->exit_code);
  f.Read("duration", &m->duration);
  f.Read("synthetic", &m->synthetic);
}

void ReadInto(const Fields& f, Todo::Item* m) {
  f.Read("text", &m->text);
  f.ReadEnum("status", Todo::Status::kCancelled, &m->status);
}

void ReadInto(const Fields& f, Todo* m) { f.ReadItems(&m->items); }

void ReadInto(const Fields& f, Approval* m) {
  f.Read("id", &m->id);
  f.ReadEnum("state", Approval::State::kCancelled, &m->state);
  f.Read("toolUseId", &m->tool_use_id);
  f.Read("toolName", &m->tool_name);
  f.ReadJson("input", &m->input_json);
  f.Read("reason", &m->reason);
}

void ReadInto(const Fields& f, Question::Item* m) {
  f.Read("header", &m->header);
  f.Read("text", &m->text);
  f.Read("options", &m->options);
  f.Read("multiSelect", &m->multi_select);
  f.Read("answers", &m->answers);
}

void ReadInto(const Fields& f, Question* m) {
  f.Read("id", &m->id);
  f.ReadEnum("state", Question::State::kCancelled, &m->state);
  f.Read("toolUseId", &m->tool_use_id);
  f.ReadItems(&m->items);
}

void ReadInto(const Fields& f, TokenCounts* m) {
  f.Read("inputTokens", &m->input);
  f.Read("cachedInputTokens", &m->cached);
  f.Read("cacheWriteInputTokens", &m->cache_write);
  f.Read("outputTokens", &m->output);
  f.Read("reasoningOutputTokens", &m->reasoning);
}

void ReadInto(const Fields& f, Usage* m) {
  if (f.Has("turn")) ReadInto(f.Of("turn"), &m->turn.emplace());
  ReadInto(f.Of("total"), &m->total);
  f.Read("costUsd", &m->turn_cost.usd);
  f.ReadEnum("costSource", CostSource::kEstimated, &m->turn_cost.source);
  f.Read("totalCostUsd", &m->total_cost.usd);
  f.ReadEnum("totalCostSource", CostSource::kEstimated, &m->total_cost.source);
}

void ReadInto(const Fields& f, RateLimit* m) {
  f.Read("status", &m->status);
  f.Read("window", &m->window);
  f.Read("resetsAt", &m->resets_at);
  f.Read("used", &m->used);
}

void ReadInto(const Fields& f, Subagent* m) {
  f.ReadEnum("phase", Subagent::Phase::kEnded, &m->phase);
  f.Read("id", &m->id);
  f.Read("toolUseId", &m->tool_use_id);
  f.Read("kind", &m->kind);
  f.Read("description", &m->description);
  f.Read("status", &m->status);
}

void ReadInto(const Fields& f, Diff* m) {
  f.Read("unifiedDiff", &m->unified_diff);
}

void ReadInto(const Fields& f, Notice* m) {
  f.ReadEnum("kind", Notice::Kind::kBackgroundTask, &m->kind);
  f.Read("text", &m->text);
}

void ReadInto(const Fields& f, Result* m) {
  f.Read("isError", &m->is_error);
  f.Read("error", &m->error);
  f.Read("hint", &m->hint);
  f.Read("text", &m->text);
  f.Read("reason", &m->reason);
  ReadInto(f.Of("usage"), &m->usage);
  f.Read("costUsd", &m->usage.turn_cost.usd);
  f.ReadEnum("costSource", CostSource::kEstimated, &m->usage.turn_cost.source);
  f.Read("duration", &m->duration);
  f.Read("synthetic", &m->synthetic);
}

void ReadInto(const Fields& f, Lifecycle* m) {
  f.ReadEnum("kind", Lifecycle::Kind::kCancelled, &m->kind);
  f.Read("generation", &m->generation);
  f.Read("turn", &m->turn);
  f.Read("by", &m->by);
  f.Read("text", &m->text);
  f.Read("exitCode", &m->exit_code);
  f.Read("signal", &m->signal);
}

void ReadInto(const Fields& f, Raw* m) {
  f.Read("type", &m->type);
  f.Read("line", &m->line);
  f.Read("reason", &m->reason);
  f.Read("offset", &m->offset);
  f.Read("size", &m->size);
  f.Read("lines", &m->lines);
  f.Read("firstRecord", &m->first_record);
}

void ReadInto(const Fields& f, ParseError* m) {
  f.Read("error", &m->error);
  f.Read("snippet", &m->snippet);
  f.Read("offset", &m->offset);
  f.Read("size", &m->size);
}

// Tries each payload by its name; false where `event` has none of them.
template <size_t... kIndex>
bool ReadPayload(json::Value event, bool* known, Payload* out,
                 std::index_sequence<kIndex...>) {
  return ([&] {
    const json::Value body = event.Get(kPayloadFields[kIndex].name);
    if (!body.IsObject()) return false;
    ReadInto(Fields(body, known), &out->emplace<kIndex>());
    return true;
  }() || ...);
}

EventId ReadId(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('.', 1));
  EventId id;
  if (!absl::SimpleAtoi(parts.first, &id.record) ||
      !absl::SimpleAtoi(parts.second, &id.index)) {
    return {};
  }
  return id;
}

// The member that is no part of every event.
std::string PayloadName(json::Value event) {
  static constexpr absl::string_view kCommon[] = {
      "id", "time", "taskId", "parentToolUseId", "blockId", "cut"};
  for (const json::Member& member : event.members()) {
    if (std::find(std::begin(kCommon), std::end(kCommon), member.key) ==
        std::end(kCommon)) {
      return std::string(member.key);
    }
  }
  return "";
}

}  // namespace

absl::StatusOr<Message> ReadEvent(json::Value event) {
  if (!event.IsObject()) {
    return absl::InvalidArgumentError(
        absl::StrCat("read an event: wanted an object, and this is ",
                     json::TypeName(event.type())));
  }
  bool known = true;
  const Fields fields(event, &known);
  Message message;
  message.id = ReadId(event.Get("id").StringOr(""));
  fields.Read("time", &message.time);
  fields.Read("parentToolUseId", &message.parent_tool_use_id);
  fields.Read("blockId", &message.block_id);
  const bool found =
      ReadPayload(event, &known, &message.payload,
                  std::make_index_sequence<std::variant_size_v<Payload>>());
  if (!found || !known) {
    const std::string line = event.ToJson();
    message.payload = Raw{.type = PayloadName(event),
                          .line = line,
                          .reason = "from a newer server",
                          .size = static_cast<int64_t>(line.size())};
  }
  return message;
}

}  // namespace troika
