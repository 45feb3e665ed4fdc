#include "dto/testing.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace troika {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr TokenCounts kCounts = {
    .input = 1, .cached = 2, .cache_write = 3, .output = 4, .reasoning = 5};

// Strings that encoders get wrong.
std::vector<std::string> Strings() {
  return {"",
          "plain",
          "two words",
          "\"quoted\\\" {a=b}, [c]",
          "line\r\nline\ttab\b\f\x01\x1f\x7f",
          std::string("nul\0nul", 7),
          "Grüße, 世界 🚀 \u2028",
          "\xFF",
          "cut \xF0\x9F\x9A",
          "lone \xED\xA0\x80 surrogate",
          "</script>&<>'",
          std::string(100, '\xC3'),
          absl::StrCat(std::string(299, 'a'), "é", std::string(70000, 'b'))};
}

std::vector<std::string> Jsons() {
  return {R"({"command":"ls -l \"x\"","n":{"a":[1,-2.5,1e3,true,false,null]}})",
          "null",
          "true",
          "-0.5",
          "9007199254740993",
          R"("text \u00e9\n\ud83d\ude80")",
          "[]",
          "{}",
          R"({"":[[],{}]})",
          "{\n  \"pretty\": [\r\n    1\n  ]\n}",
          R"({"costs":1e308,"small":5e-324})"};
}

std::vector<Payload> Payloads() {
  std::vector<Payload> all = {
      Init{},
      Init{.session_id = "s",
           .model = "m",
           .cwd = "/a b",
           .version = "1.2.3",
           .permission_mode = "plan",
           .tools = {"Bash", "", "a b"},
           .mcp_servers = {"github"},
           .models = {"m", "n"}},
      UserInput{},
      UserInput{.text = "hello", .images = 3},
      Thinking{.text = "hm"},
      ToolUse{},
      ToolUse{.id = "item_2",
              .name = "Bash",
              .native_name = "command_execution",
              .server = "srv",
              .input_json = R"({"command":"ls"})"},
      ToolResult{},
      ToolResult{.tool_use_id = "item_2",
                 .output = "x",
                 .is_error = true,
                 .exit_code = 0,
                 .duration = absl::Milliseconds(1500),
                 .synthetic = true,
                 .denied = true},
      ToolResult{.exit_code = -1, .duration = absl::ZeroDuration()},
      Todo{},
      Todo{.items = {{.text = "a", .status = Todo::Status::kPending},
                     {.text = "b", .status = Todo::Status::kInProgress},
                     {.text = "c", .status = Todo::Status::kCompleted},
                     {.text = "", .status = Todo::Status::kCancelled}}},
      Question{},
      Question{.id = "q",
               .state = Question::State::kAnswered,
               .tool_use_id = "t",
               .items = {{.header = "h",
                          .text = "which?",
                          .options = {"a", "b c"},
                          .multi_select = true,
                          .answers = {"a"},
                          .descriptions = {"", "d"},
                          .secret = true},
                         {}},
               .by = "user",
               .via = "page",
               .delivery = Delivery::kLate,
               .user = "ann",
               .client = "page"},
      Question{.state = Question::State::kCancelled},
      Usage{},
      Usage{.turn = kCounts,
            .total = {.input = kMax, .cached = kMin},
            .turn_cost = {.usd = 0.0123, .source = CostSource::kReported},
            .total_cost = {.usd = 1e21, .source = CostSource::kEstimated}},
      Usage{.turn = TokenCounts{},
            .turn_cost = {.usd = std::nan("")},
            .total_cost = {.usd = -HUGE_VAL}},
      RateLimit{},
      RateLimit{.status = "allowed",
                .window = "five_hour",
                .resets_at = absl::FromUnixSeconds(1700000000),
                .used = 0},
      RateLimit{.used = HUGE_VAL},
      Diff{.unified_diff = "--- a\n+++ b\n"},
      Result{},
      Result{.is_error = true,
             .error = "e",
             .hint = "h",
             .text = "t",
             .reason = "max_turns",
             .usage = {.turn = kCounts,
                       .total = kCounts,
                       .turn_cost = {2.5, CostSource::kReported},
                       .total_cost = {3.5, CostSource::kReported}},
             .duration = absl::Microseconds(-500),
             .synthetic = true,
             .denial_count = 21,
             .denials = {{.tool_use_id = "t",
                          .tool_name = "Bash",
                          .reason = "no",
                          .by = "user"},
                         {}},
             .fork_point = "p"},
      Raw{},
      Raw{.type = "turn.paused",
          .line = R"({"type":"turn.paused"})",
          .reason = "r",
          .offset = kMax,
          .size = 1},
      Raw{.type = "stdout",
          .line = "y\n\n\xFF",
          .reason = "r",
          .offset = 7,
          .size = 5,
          .lines = 3,
          .first_record = kMax},
      ParseError{.error = "e", .snippet = "\xFF{", .offset = 7, .size = kMax},
      TextDelta{.text = "d"},
      ThinkingDelta{.text = "d"},
      ToolOutputDelta{.tool_use_id = "t", .text = "d"},
  };
  for (const std::string& text : Strings()) all.push_back(Text{text});
  for (const std::string& json : Jsons()) {
    all.push_back(ToolUse{.input_json = json});
  }
  for (int i = 0; i <= static_cast<int>(Approval::State::kCancelled); ++i) {
    all.push_back(Approval{.id = "a",
                           .state = static_cast<Approval::State>(i),
                           .tool_use_id = "t",
                           .tool_name = "Bash",
                           .input_json = i == 0 ? R"({"command":"rm"})" : "",
                           .reason = "why",
                           .kind = static_cast<Approval::Kind>(i),
                           .command = "rm",
                           .cwd = "/work",
                           .diff = "-a",
                           .choices = {"approve", "deny"},
                           .choice = "deny",
                           .by = "user",
                           .via = "api",
                           .delivery = static_cast<Delivery>(i),
                           .user = "ann",
                           .client = "troika/0.1.0",
                           .rules = {{.file = "user.rules",
                                      .line = 7,
                                      .text = "prefix_rule(pattern=[\"rm\"])",
                                      .decision = "prompt",
                                      .justification = "gone is gone"},
                                     {}},
                           .explanation = "it redirects output",
                           .server = "github",
                           .paths = {"/work/a b", "c"},
                           .exact = i == 0,
                           .proposed_rules = {"a", "b"},
                           .always = "a"});
  }
  for (int i = 0; i <= static_cast<int>(Subagent::Phase::kEnded); ++i) {
    all.push_back(Subagent{.phase = static_cast<Subagent::Phase>(i),
                           .id = "s",
                           .tool_use_id = "t",
                           .kind = "explore",
                           .description = "looks around",
                           .status = "ok"});
  }
  for (int i = 0; i <= static_cast<int>(Receipt::State::kWithdrawn); ++i) {
    all.push_back(Receipt{.id = "in-3",
                          .state = static_cast<Receipt::State>(i),
                          .text = "more",
                          .images = 1,
                          .by = "user",
                          .turn = 2,
                          .reason = "gone",
                          .interrupts = i == 0});
  }
  for (int i = 0; i <= static_cast<int>(Lifecycle::Kind::kTurnWaits); ++i) {
    all.push_back(Lifecycle{.kind = static_cast<Lifecycle::Kind>(i),
                            .generation = 2,
                            .turn = 3,
                            .by = "user",
                            .text = "ended",
                            .exit_code = i});
  }
  all.push_back(Lifecycle{.kind = Lifecycle::Kind::kExited, .signal = 9});
  all.push_back(Notice{.kind = Notice::Kind::kPermissionDenied,
                       .text = "no",
                       .tool_use_id = "t",
                       .by = "default"});
  for (int i = 0; i <= static_cast<int>(Notice::Kind::kBackgroundTask); ++i) {
    all.push_back(Notice{.kind = static_cast<Notice::Kind>(i), .text = "note"});
  }
  return all;
}

}  // namespace

std::vector<Message> SampleMessages() {
  const std::vector<std::optional<absl::Time>> times = {
      std::nullopt,
      absl::UnixEpoch(),
      absl::FromUnixMillis(-1),
      absl::FromUnixMicros(1700000000123456),
      absl::FromUnixNanos(1700000000123456789),
      absl::InfinitePast(),
      absl::InfiniteFuture()};
  std::vector<Message> messages;
  for (Payload& payload : Payloads()) {
    const auto i = static_cast<int32_t>(messages.size());
    Message m;
    m.id = {.record = i % 5 == 0 ? kMax : i, .index = i % 3};
    m.time = times[i % times.size()];
    if (i % 2 == 0) m.parent_tool_use_id = "toolu_1";
    if (i % 3 == 0) m.block_id = "block 1";
    m.payload = std::move(payload);
    messages.push_back(std::move(m));
  }
  return messages;
}

}  // namespace troika
