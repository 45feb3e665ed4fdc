#include "task/notes.h"

#include <iterator>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/fields.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "base/json_writer.h"

namespace troika {

template <>
constexpr auto kFields<TurnAsked::Image> =
    std::tuple{Field{"path", &TurnAsked::Image::path},
               Field{"media_type", &TurnAsked::Image::media_type},
               Field{"base64", &TurnAsked::Image::base64}};
template <>
constexpr auto kFields<notes::ForkSource> =
    std::tuple{Field{"task", &notes::ForkSource::task},
               Field{"turn", &notes::ForkSource::turn},
               Field{"point", &notes::ForkSource::point}};
template <>
constexpr auto kFields<notes::DocumentRequest> =
    std::tuple{Field{"wanted", &notes::DocumentRequest::wanted},
               Field{"title", &notes::DocumentRequest::title},
               Field{"folder", &notes::DocumentRequest::folder}};
template <>
constexpr auto kFields<notes::Request> =
    std::tuple{Field{"task", &notes::Request::task},
               Field{"harness", &notes::Request::harness},
               Field{"prompt", &notes::Request::prompt},
               Field{"images", &notes::Request::images},
               Field{"cwd", &notes::Request::cwd},
               Field{"title", &notes::Request::title},
               Field{"labels", &notes::Request::labels},
               Field{"options", &notes::Request::options},
               Field{"timeouts", &notes::Request::timeouts},
               Field{"resume_session", &notes::Request::resume_session},
               Field{"fork_session", &notes::Request::fork_session},
               Field{"fork", &notes::Request::fork},
               Field{"idempotency_key", &notes::Request::idempotency_key},
               Field{"parent", &notes::Request::parent},
               Field{"notices", &notes::Request::notices},
               Field{"output_limit_bytes", &notes::Request::output_limit_bytes},
               Field{"document", &notes::Request::document},
               Field{"budget", &notes::Request::budget},
               Field{"env_digest", &notes::Request::env_digest},
               Field{"policy", &notes::Request::policy},
               Field{"policy_restricts", &notes::Request::policy_restricts},
               Field{"require_policy", &notes::Request::require_policy},
               Field{"policy_folder", &notes::Request::policy_folder}};
template <>
constexpr auto kFields<notes::Turn> =
    std::tuple{Field{"turn", &notes::Turn::turn},
               Field{"prompt", &notes::Turn::prompt},
               Field{"images", &notes::Turn::images},
               Field{"by", &notes::Turn::by},
               Field{"request_key", &notes::Turn::request_key},
               Field{"input", &notes::Turn::input},
               Field{"from_queue", &notes::Turn::from_queue},
               Field{"model", &notes::Turn::model},
               Field{"edit_mode", &notes::Turn::edit_mode},
               Field{"timeouts", &notes::Turn::timeouts},
               Field{"converses", &notes::Turn::converses},
               Field{"budget", &notes::Turn::budget}};
template <>
constexpr auto kFields<notes::Input> =
    std::tuple{Field{"id", &notes::Input::id},
               Field{"prompt", &notes::Input::prompt},
               Field{"images", &notes::Input::images},
               Field{"by", &notes::Input::by},
               Field{"request_key", &notes::Input::request_key},
               Field{"interrupts", &notes::Input::interrupts},
               Field{"model", &notes::Input::model},
               Field{"edit_mode", &notes::Input::edit_mode},
               Field{"timeouts", &notes::Input::timeouts},
               Field{"converses", &notes::Input::converses},
               Field{"budget", &notes::Input::budget}};
template <>
constexpr auto kFields<notes::InputEdited> =
    std::tuple{Field{"id", &notes::InputEdited::id},
               Field{"prompt", &notes::InputEdited::prompt},
               Field{"by", &notes::InputEdited::by}};
template <>
constexpr auto kFields<notes::InputWithdrawn> =
    std::tuple{Field{"id", &notes::InputWithdrawn::id},
               Field{"by", &notes::InputWithdrawn::by},
               Field{"reason", &notes::InputWithdrawn::reason}};
template <>
constexpr auto kFields<notes::InputFailed> =
    std::tuple{Field{"id", &notes::InputFailed::id},
               Field{"reason", &notes::InputFailed::reason}};
template <>
constexpr auto kFields<notes::QueueResumed> =
    std::tuple{Field{"by", &notes::QueueResumed::by}};
template <>
constexpr auto kFields<notes::Spawned> =
    std::tuple{Field{"generation", &notes::Spawned::generation},
               Field{"turn", &notes::Spawned::turn},
               Field{"argv", &notes::Spawned::argv},
               Field{"cwd", &notes::Spawned::cwd},
               Field{"version", &notes::Spawned::version},
               Field{"stdin", &notes::Spawned::stdin_mode},
               Field{"expected_session", &notes::Spawned::expected_session},
               Field{"notices", &notes::Spawned::notices},
               Field{"wire", &notes::Spawned::wire},
               Field{"setup", AsJson(&notes::Spawned::setup_json)},
               Field{"fallback", &notes::Spawned::fallback}};
template <>
constexpr auto kFields<notes::StartFailed> =
    std::tuple{Field{"generation", &notes::StartFailed::generation},
               Field{"error", &notes::StartFailed::error}};
template <>
constexpr auto kFields<notes::Imported> = std::tuple{
    Field{"session", &notes::Imported::session},
    Field{"path", &notes::Imported::path},
    Field{"size", &notes::Imported::size}, Field{"by", &notes::Imported::by}};
template <>
constexpr auto kFields<notes::ImportEnded> =
    std::tuple{Field{"lines", &notes::ImportEnded::lines}};
template <>
constexpr auto kFields<notes::DocumentWritten> =
    std::tuple{Field{"path", &notes::DocumentWritten::path},
               Field{"error", &notes::DocumentWritten::error}};
template <>
constexpr auto kFields<notes::BudgetAmount> =
    std::tuple{Field{"scope", &notes::BudgetAmount::scope},
               Field{"kind", &notes::BudgetAmount::kind},
               Field{"used", &notes::BudgetAmount::used},
               Field{"limit", &notes::BudgetAmount::limit}};
template <>
constexpr auto kFields<notes::BudgetWarned> =
    std::tuple{Field{"amount", &notes::BudgetWarned::amount}};
template <>
constexpr auto kFields<notes::BudgetAsked> =
    std::tuple{Field{"number", &notes::BudgetAsked::number},
               Field{"reached", &notes::BudgetAsked::reached}};
template <>
constexpr auto kFields<notes::SubtaskUsed> =
    std::tuple{Field{"task", &notes::SubtaskUsed::task},
               Field{"tokens", &notes::SubtaskUsed::tokens},
               Field{"cost_microusd", &notes::SubtaskUsed::cost_microusd}};
template <>
constexpr auto kFields<notes::Interrupt> =
    std::tuple{Field{"by", &notes::Interrupt::by},
               Field{"reason", &notes::Interrupt::reason}};
template <>
constexpr auto kFields<notes::Stop> = std::tuple{
    Field{"by", &notes::Stop::by}, Field{"reason", &notes::Stop::reason}};
template <>
constexpr auto kFields<notes::Cancelled> =
    std::tuple{Field{"by", &notes::Cancelled::by},
               Field{"reason", &notes::Cancelled::reason}};
template <>
constexpr auto kFields<notes::Deadline> =
    std::tuple{Field{"which", &notes::Deadline::which},
               Field{"after_ms", InMillis(&notes::Deadline::after)},
               Field{"tool", &notes::Deadline::tool}};
template <>
constexpr auto kFields<notes::Answer> =
    std::tuple{Field{"id", &notes::Answer::id},
               Field{"by", &notes::Answer::by},
               Field{"via", &notes::Answer::via},
               Field{"user", &notes::Answer::user},
               Field{"client", &notes::Answer::client},
               Field{"rules", &notes::Answer::rules},
               Field{"always", &notes::Answer::always}};
template <>
constexpr auto kFields<notes::PersonAsked> =
    std::tuple{Field{"id", &notes::PersonAsked::id},
               Field{"explanation", &notes::PersonAsked::explanation},
               Field{"rules", &notes::PersonAsked::rules}};
template <>
constexpr auto kFields<notes::Signalled> =
    std::tuple{Field{"signal", &notes::Signalled::signal},
               Field{"by", &notes::Signalled::by}};
template <>
constexpr auto kFields<notes::StdinClosed> = std::tuple<>{};
template <>
constexpr auto kFields<notes::StdinLost> =
    std::tuple{Field{"bytes", &notes::StdinLost::bytes}};
template <>
constexpr auto kFields<notes::Leftover> =
    std::tuple{Field{"processes", &notes::Leftover::processes}};
template <>
constexpr auto kFields<notes::Trouble> =
    std::tuple{Field{"text", &notes::Trouble::text}};
template <>
constexpr auto kFields<notes::Torn> =
    std::tuple{Field{"bytes", &notes::Torn::bytes}};
template <>
constexpr auto kFields<notes::Exited> =
    std::tuple{Field{"code", &notes::Exited::code},
               Field{"signal", &notes::Exited::signal},
               Field{"reason", &notes::Exited::reason},
               Field{"utime_us", InMicros(&notes::Exited::user_time)},
               Field{"stime_us", InMicros(&notes::Exited::system_time)},
               Field{"max_rss_kb", &notes::Exited::max_rss_kb},
               Field{"stderr_tail", &notes::Exited::stderr_tail},
               Field{"discarded_bytes", &notes::Exited::discarded_bytes}};
template <>
constexpr auto kFields<notes::Lost> =
    std::tuple{Field{"reason", &notes::Lost::reason}};
template <>
constexpr auto kFields<notes::Clock> =
    std::tuple{Field{"leap_us", InMicros(&notes::Clock::leap)}};

// Always written: a log shows that a request had no options.
static bool IsDefault(const LaunchOptions&) { return false; }

namespace notes {
namespace {

// In the order of Note; Unknown has none.
constexpr absl::string_view kNoteNames[] = {"request",
                                            "turn",
                                            "spawned",
                                            "start_failed",
                                            "interrupt",
                                            "stop",
                                            "cancelled",
                                            "deadline",
                                            "answer",
                                            "signalled",
                                            "stdin_closed",
                                            "stdin_lost",
                                            "leftover",
                                            "trouble",
                                            "torn",
                                            "exited",
                                            "lost",
                                            "clock",
                                            "input",
                                            "input_edited",
                                            "input_withdrawn",
                                            "input_failed",
                                            "queue_resumed",
                                            "imported",
                                            "import_ended",
                                            "document_written",
                                            "person_asked",
                                            "budget_warned",
                                            "budget_asked",
                                            "subtask_used"};
static_assert(std::size(kNoteNames) + 1 == std::variant_size_v<Note>);

template <typename N>
void Read(json::Value object, N* note) {
  json::FieldReader().Read(object, note);
}
template <>
void Read(json::Value object, Request* note) {
  json::FieldReader().Read(object, note);
  const json::Value given = object.Get("options");
  if (!given.exists()) return;
  absl::StatusOr<LaunchOptions> options = LaunchOptionsFromJson(given);
  note->options_error = options.status();
  note->options = options.ok() ? *std::move(options) : LaunchOptions();
}

template <>
void Read(json::Value object, Answer* note) {
  json::FieldReader().Read(object, note);
  const json::Value given = object.Get("answer");
  if (given.Get("answers").IsArray()) {
    QuestionAnswer& question = note->answer.emplace<QuestionAnswer>();
    for (const json::Value item : given.Get("answers").items()) {
      std::vector<std::string>& answers = question.answers.emplace_back();
      for (const json::Value one : item.items()) {
        answers.emplace_back(one.StringOr(""));
      }
    }
  } else if (const std::optional<bool> allow = given.Get("allow").Bool()) {
    const json::Value input = given.Get("input");
    note->answer =
        ApprovalAnswer{.allow = *allow,
                       .reason = std::string(given.Get("reason").StringOr("")),
                       .input_json = input.IsObject() ? input.ToJson() : "",
                       .choice = std::string(given.Get("choice").StringOr(""))};
  }
}

// Adds what the table of fields does not have.
template <typename N>
void WriteMore(const N&, json::ObjectWriter*) {}
template <>
void WriteMore(const Answer& note, json::ObjectWriter* out) {
  json::ObjectWriter answer;
  if (const auto* approval = std::get_if<ApprovalAnswer>(&note.answer)) {
    answer.Json("allow", json::ToJson(approval->allow));
    if (!approval->reason.empty()) answer.String("reason", approval->reason);
    if (!approval->input_json.empty()) {
      answer.Json("input", approval->input_json);
    }
    if (!approval->choice.empty()) answer.String("choice", approval->choice);
  } else if (const auto* question = std::get_if<QuestionAnswer>(&note.answer)) {
    answer.Json("answers", json::ToJson(question->answers));
  } else {
    return;
  }
  out->Json("answer", answer.Take());
}

// Whether `name` is the name of a note that we know.
template <size_t... kIndexes>
bool ReadKnown(absl::string_view name, json::Value object, Note* note,
               std::index_sequence<kIndexes...>) {
  return ((name == kNoteNames[kIndexes] &&
           (Read(object, &note->emplace<kIndexes>()), true)) ||
          ...);
}

}  // namespace

std::string ToJson(const Note& note) {
  return std::visit(
      [&](const auto& n) {
        if constexpr (std::is_same_v<decltype(n), const Unknown&>) {
          return n.json;
        } else {
          json::ObjectWriter out;
          out.String("note", kNoteNames[note.index()]);
          json::WriteFields(n, &out);
          WriteMore(n, &out);
          return out.Take();
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
  const absl::string_view name = object->Get("note").StringOr("");
  Note note;
  if (!ReadKnown(name, *object, &note,
                 std::make_index_sequence<std::size(kNoteNames)>())) {
    note = Unknown{.name = std::string(name), .json = object->ToJson()};
  }
  return note;
}

}  // namespace notes
}  // namespace troika
