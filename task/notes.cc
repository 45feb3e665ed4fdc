#include "task/notes.h"

#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "agent/launch/json.h"
#include "base/json.h"
#include "base/json_writer.h"

namespace troika::notes {
namespace {

// Generations and turns are counted on from what a note says, so there must be
// room above it.
constexpr int64_t kMostCount = int64_t{1} << 30;

// A member, read and written by this one entry.
template <typename N, typename T>
struct Field {
  absl::string_view name;
  T N::*member;
};

// clang 14 does not find it by itself.
template <typename N, typename T>
Field(absl::string_view, T N::*) -> Field<N, T>;

// A member whose text is JSON.
template <typename N>
struct JsonField {
  absl::string_view name;
  std::string N::*member;
};

template <typename N>
struct Spec;

template <>
struct Spec<Timeouts> {
  static constexpr std::tuple kFields = {Field{"start_ms", &Timeouts::start_ms},
                                         Field{"idle_ms", &Timeouts::idle_ms},
                                         Field{"turn_ms", &Timeouts::turn_ms},
                                         Field{"task_ms", &Timeouts::task_ms}};
};

template <>
struct Spec<TurnAsked::Image> {
  using Image = TurnAsked::Image;
  static constexpr std::tuple kFields = {
      Field{"path", &Image::path}, Field{"media_type", &Image::media_type},
      Field{"base64", &Image::base64}};
};

template <>
struct Spec<Request> {
  static constexpr absl::string_view kName = "request";
  static constexpr std::tuple kFields = {
      Field{"task", &Request::task},
      Field{"harness", &Request::harness},
      Field{"prompt", &Request::prompt},
      Field{"images", &Request::images},
      Field{"cwd", &Request::cwd},
      Field{"title", &Request::title},
      Field{"labels", &Request::labels},
      Field{"options", &Request::options},
      Field{"timeouts", &Request::timeouts},
      Field{"resume_session", &Request::resume_session},
      Field{"idempotency_key", &Request::idempotency_key},
      Field{"parent", &Request::parent},
      Field{"env_digest", &Request::env_digest}};
};

template <>
struct Spec<Turn> {
  static constexpr absl::string_view kName = "turn";
  static constexpr std::tuple kFields = {
      Field{"turn", &Turn::turn},
      Field{"prompt", &Turn::prompt},
      Field{"images", &Turn::images},
      Field{"by", &Turn::by},
      Field{"request_key", &Turn::request_key},
      Field{"model", &Turn::model},
      Field{"edit_mode", &Turn::edit_mode},
      Field{"timeouts", &Turn::timeouts}};
};

template <>
struct Spec<Spawned> {
  static constexpr absl::string_view kName = "spawned";
  static constexpr std::tuple kFields = {
      Field{"generation", &Spawned::generation},
      Field{"turn", &Spawned::turn},
      Field{"argv", &Spawned::argv},
      Field{"cwd", &Spawned::cwd},
      Field{"version", &Spawned::version},
      Field{"stdin", &Spawned::stdin_mode},
      Field{"expected_session", &Spawned::expected_session},
      Field{"notices", &Spawned::notices}};
};

template <>
struct Spec<StartFailed> {
  static constexpr absl::string_view kName = "start_failed";
  static constexpr std::tuple kFields = {
      Field{"generation", &StartFailed::generation},
      Field{"error", &StartFailed::error}};
};

template <>
struct Spec<Interrupt> {
  static constexpr absl::string_view kName = "interrupt";
  static constexpr std::tuple kFields = {Field{"by", &Interrupt::by},
                                         Field{"reason", &Interrupt::reason}};
};

template <>
struct Spec<Stop> {
  static constexpr absl::string_view kName = "stop";
  static constexpr std::tuple kFields = {Field{"by", &Stop::by},
                                         Field{"reason", &Stop::reason}};
};

template <>
struct Spec<Cancelled> {
  static constexpr absl::string_view kName = "cancelled";
  static constexpr std::tuple kFields = {Field{"by", &Cancelled::by},
                                         Field{"reason", &Cancelled::reason}};
};

template <>
struct Spec<Deadline> {
  static constexpr absl::string_view kName = "deadline";
  static constexpr std::tuple kFields = {
      Field{"which", &Deadline::which}, Field{"after_ms", &Deadline::after_ms}};
};

template <>
struct Spec<Answer> {
  static constexpr absl::string_view kName = "answer";
  static constexpr std::tuple kFields = {
      Field{"id", &Answer::id}, Field{"by", &Answer::by},
      JsonField<Answer>{"answer", &Answer::answer_json}};
};

template <>
struct Spec<Signalled> {
  static constexpr absl::string_view kName = "signalled";
  static constexpr std::tuple kFields = {Field{"signal", &Signalled::signal},
                                         Field{"by", &Signalled::by}};
};

template <>
struct Spec<StdinClosed> {
  static constexpr absl::string_view kName = "stdin_closed";
  static constexpr std::tuple<> kFields = {};
};

template <>
struct Spec<StdinLost> {
  static constexpr absl::string_view kName = "stdin_lost";
  static constexpr std::tuple kFields = {Field{"bytes", &StdinLost::bytes}};
};

template <>
struct Spec<Leftover> {
  static constexpr absl::string_view kName = "leftover";
  static constexpr std::tuple kFields = {
      Field{"processes", &Leftover::processes}};
};

template <>
struct Spec<Trouble> {
  static constexpr absl::string_view kName = "trouble";
  static constexpr std::tuple kFields = {Field{"text", &Trouble::text}};
};

template <>
struct Spec<Torn> {
  static constexpr absl::string_view kName = "torn";
  static constexpr std::tuple kFields = {Field{"bytes", &Torn::bytes}};
};

template <>
struct Spec<Exited> {
  static constexpr absl::string_view kName = "exited";
  static constexpr std::tuple kFields = {
      Field{"code", &Exited::code},
      Field{"signal", &Exited::signal},
      Field{"reason", &Exited::reason},
      Field{"utime_us", &Exited::utime_us},
      Field{"stime_us", &Exited::stime_us},
      Field{"max_rss_kb", &Exited::max_rss_kb},
      Field{"stderr_tail", &Exited::stderr_tail},
      Field{"discarded_bytes", &Exited::discarded_bytes}};
};

template <>
struct Spec<Lost> {
  static constexpr absl::string_view kName = "lost";
  static constexpr std::tuple kFields = {Field{"reason", &Lost::reason}};
};

template <>
struct Spec<Clock> {
  static constexpr absl::string_view kName = "clock";
  static constexpr std::tuple kFields = {Field{"leap_us", &Clock::leap_us}};
};

std::string Quoted(absl::string_view text) {
  std::string quoted;
  json::AppendQuoted(text, &quoted);
  return quoted;
}

template <typename N>
std::string MembersToJson(const N& note, json::ObjectWriter out);

// Each is empty where the value is at its default.
std::string ValueToJson(const std::string& value) {
  return value.empty() ? "" : Quoted(value);
}
std::string ValueToJson(int value) {
  return value == 0 ? "" : absl::StrCat(value);
}
std::string ValueToJson(int64_t value) {
  return value == 0 ? "" : absl::StrCat(value);
}
std::string ValueToJson(const std::optional<EditMode>& value) {
  return value ? Quoted(EditModeId(*value)) : "";
}
std::string ValueToJson(const LaunchOptions& value) {
  return LaunchOptionsToJson(value);
}
template <typename T>
std::string ValueToJson(const std::optional<T>& value) {
  return value ? absl::StrCat(*value) : "";
}
std::string ValueToJson(const std::map<std::string, std::string>& value) {
  if (value.empty()) return "";
  json::ObjectWriter out;
  for (const auto& [key, text] : value) out.String(key, text);
  return out.Take();
}
std::string ValueToJson(const Timeouts& value) {
  const std::string members = MembersToJson(value, {});
  return members == "{}" ? "" : members;
}
std::string ItemToJson(const std::string& item) { return Quoted(item); }
std::string ItemToJson(const TurnAsked::Image& item) {
  return MembersToJson(item, {});
}
template <typename T>
std::string ValueToJson(const std::vector<T>& value) {
  std::string out;
  for (const T& item : value) {
    absl::StrAppend(&out, out.empty() ? "[" : ",", ItemToJson(item));
  }
  return out.empty() ? "" : out + "]";
}

template <typename N, typename T>
void WriteField(const Field<N, T>& field, const N& note,
                json::ObjectWriter* out) {
  const std::string json = ValueToJson(note.*field.member);
  if (!json.empty()) out->Json(field.name, json);
}
template <typename N>
void WriteField(const JsonField<N>& field, const N& note,
                json::ObjectWriter* out) {
  const std::string& json = note.*field.member;
  if (!json.empty()) out->Json(field.name, json);
}

template <typename N>
std::string MembersToJson(const N& note, json::ObjectWriter out) {
  std::apply(
      [&](const auto&... fields) { (WriteField(fields, note, &out), ...); },
      Spec<N>::kFields);
  return out.Take();
}

template <typename N>
void ReadMembers(json::Value object, N* note);

void ReadValue(json::Value json, std::string* value) {
  *value = std::string(json.StringOr(*value));
}
void ReadValue(json::Value json, int* value) {
  const int64_t count = json.IntOr(*value);
  if (count >= 0 && count <= kMostCount) *value = static_cast<int>(count);
}
void ReadValue(json::Value json, int64_t* value) {
  *value = json.IntOr(*value);
}
void ReadValue(json::Value json, std::optional<int>* value) {
  const std::optional<int64_t> number = json.Int();
  if (number && std::in_range<int>(*number)) *value = static_cast<int>(*number);
}
void ReadValue(json::Value json, std::optional<int64_t>* value) {
  *value = json.Int();
}
void ReadValue(json::Value json, std::map<std::string, std::string>* value) {
  for (const json::Member& member : json.members()) {
    if (!member.value.IsString()) continue;
    value->emplace(member.key, member.value.StringOr(""));
  }
}
void ReadValue(json::Value json, Timeouts* value) { ReadMembers(json, value); }
void ReadItem(json::Value json, std::vector<std::string>* items) {
  if (json.IsString()) items->emplace_back(json.StringOr(""));
}
void ReadItem(json::Value json, std::vector<TurnAsked::Image>* items) {
  if (json.IsObject()) ReadMembers(json, &items->emplace_back());
}
template <typename T>
void ReadValue(json::Value json, std::vector<T>* value) {
  for (const json::Value item : json.items()) ReadItem(item, value);
}

void ReadValue(json::Value json, std::optional<EditMode>* value) {
  *value = EditModeFromId(json.StringOr(""));
}

void ReadField(const Field<Request, LaunchOptions>& field, json::Value object,
               Request* note) {
  const json::Value json = object.Get(field.name);
  if (!json.exists()) return;
  absl::StatusOr<LaunchOptions> options = LaunchOptionsFromJson(json);
  note->options_error = options.status();
  if (options.ok()) note->options = *std::move(options);
}
template <typename N, typename T>
void ReadField(const Field<N, T>& field, json::Value object, N* note) {
  ReadValue(object.Get(field.name), &(note->*field.member));
}
template <typename N>
void ReadField(const JsonField<N>& field, json::Value object, N* note) {
  const json::Value json = object.Get(field.name);
  if (json.exists()) note->*field.member = json.ToJson();
}

template <typename N>
void ReadMembers(json::Value object, N* note) {
  std::apply(
      [&](const auto&... fields) { (ReadField(fields, object, note), ...); },
      Spec<N>::kFields);
}

// Whether `object` was a note of this kind.
template <typename N>
bool ReadAs(absl::string_view name, json::Value object, Note* note) {
  if constexpr (std::is_same_v<N, Unknown>) {
    *note = Unknown{.name = std::string(name), .json = object.ToJson()};
    return true;
  } else {
    if (name != Spec<N>::kName) return false;
    ReadMembers(object, &note->emplace<N>());
    return true;
  }
}

template <size_t... kIndexes>
Note ReadNote(json::Value object, std::index_sequence<kIndexes...>) {
  const absl::string_view name = object.Get("note").StringOr("");
  Note note;
  // Unknown is the last kind and takes what no other does.
  (void)(ReadAs<std::variant_alternative_t<kIndexes, Note>>(name, object,
                                                            &note) ||
         ...);
  return note;
}

}  // namespace

std::string ToJson(const Note& note) {
  return std::visit(
      [](const auto& n) {
        using N = std::decay_t<decltype(n)>;
        if constexpr (std::is_same_v<N, Unknown>) {
          return n.json;
        } else {
          json::ObjectWriter out;
          out.String("note", Spec<N>::kName);
          return MembersToJson(n, std::move(out));
        }
      },
      note);
}

absl::StatusOr<Note> FromJson(absl::string_view json) {
  json::Parser parser;
  const absl::StatusOr<json::Value> object = parser.Parse(json);
  if (!object.ok()) return object.status();
  if (!object->IsObject()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "read a note: it is no object but ", json::TypeName(object->type())));
  }
  return ReadNote(*object,
                  std::make_index_sequence<std::variant_size_v<Note>>());
}

}  // namespace troika::notes
