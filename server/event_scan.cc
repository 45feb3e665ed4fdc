#include "server/event_scan.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "dto/proto_json.h"

namespace troika {
namespace {

constexpr size_t kMaxPrompt = 200;
constexpr absl::string_view kTurnAsked =
    "\"lifecycle\":{\"kind\":\"turn_asked\"";
constexpr absl::string_view kDeltas[] = {
    "\"textDelta\":{", "\"thinkingDelta\":{", "\"toolOutputDelta\":{"};

// The prompt of an event that brings one, or an empty string.
std::string PromptOf(absl::string_view json) {
  if (!absl::StrContains(json, "\"receipt\":{") &&
      !absl::StrContains(json, "\"userInput\":{")) {
    return "";
  }
  v1::Event event;
  if (!FromJson(json, &event, UnknownFields::kIgnore).ok()) return "";
  const std::string& text =
      event.has_receipt() ? event.receipt().text() : event.user_input().text();
  return std::string(CutAtCharacter(text, kMaxPrompt));
}

bool IsDelta(absl::string_view json) {
  for (const absl::string_view delta : kDeltas) {
    if (absl::StrContains(json, delta)) return true;
  }
  return false;
}

// Whether a string within the value contains `lower`.
bool HasText(json::Value value, absl::string_view lower) {
  if (const auto text = value.String()) {
    return absl::StrContains(absl::AsciiStrToLower(*text), lower);
  }
  for (const json::Value item : value.items()) {
    if (HasText(item, lower)) return true;
  }
  for (const json::Member& member : value.members()) {
    if (HasText(member.value, lower)) return true;
  }
  return false;
}

// `lower` as the inside of a JSON string, in lower case. Events are written by
// the same code, so that what they contain has this form.
std::string EncodedText(absl::string_view lower) {
  std::string quoted;
  json::AppendQuoted(lower, &quoted);
  return absl::AsciiStrToLower(quoted.substr(1, quoted.size() - 2));
}

}  // namespace

absl::StatusOr<v1::ListTurnsResponse> FindTurns(const EventSnapshot& events) {
  v1::ListTurnsResponse response;
  int64_t count = 0;
  bool wants_prompt = false;
  RETURN_IF_ERROR(
      events.ForEach([&](absl::string_view id, absl::string_view json) {
        ++count;
        if (absl::StrContains(json, kTurnAsked)) {
          v1::Event event;
          if (!FromJson(json, &event, UnknownFields::kIgnore).ok()) return true;
          v1::ListTurnsResponse::Turn& turn = *response.add_turns();
          turn.set_turn(event.lifecycle().turn());
          turn.set_event_id(std::string(id));
          *turn.mutable_time() = event.time();
          wants_prompt = true;
        } else if (wants_prompt) {
          std::string prompt = PromptOf(json);
          wants_prompt = prompt.empty();
          response.mutable_turns()->rbegin()->set_prompt(std::move(prompt));
        }
        return true;
      }));
  response.set_events(count);
  return response;
}

absl::StatusOr<v1::SearchEventsResponse> SearchEvents(
    const EventSnapshot& events, absl::string_view text, size_t limit) {
  v1::SearchEventsResponse response;
  const std::string lower = absl::AsciiStrToLower(text);
  const std::string as_json = EncodedText(lower);
  json::Parser parser;
  RETURN_IF_ERROR(
      events.ForEach([&](absl::string_view id, absl::string_view json) {
        // Few events get past this.
        if (!absl::StrContains(absl::AsciiStrToLower(json), as_json) ||
            IsDelta(json)) {
          return true;
        }
        const auto event = parser.Parse(json);
        if (!event.ok()) return true;
        bool found = false;
        for (const json::Member& member : event->members()) {
          // Only the payload is an object.
          found = found ||
                  (member.value.IsObject() && HasText(member.value, lower));
        }
        if (!found) return true;
        if (static_cast<size_t>(response.event_ids_size()) == limit) {
          response.set_more(true);
          return false;
        }
        response.add_event_ids(std::string(id));
        return true;
      }));
  return response;
}

}  // namespace troika
