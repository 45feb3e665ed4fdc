// Turns the records of a task's log into messages, and keeps the task's state.
//
// The same class serves a live task and a loaded one. It has no clock, no file
// and no chance, so the same records give the same messages, state and outbox.
//
//   Replay replay;
//   ReplaySink sink(&replay, [&](Message&& m) { Print(m); });
//   RETURN_IF_ERROR(log_reader.Read(sink).status());
//   replay.state().status;  // TaskStatus::kAwaitingApproval
//   replay.outbox();        // Lines that are still to be written to the agent.
//
// Each `spawned` begins a generation: a fresh Protocol that goes on where the
// last one ended. A turn that is asked for while no process can take it is held
// for the next one. What the log tells of a process's end gives its messages
// in this order: results of tools that still ran, the turn's result, then the
// Lifecycle. Notes may hold secrets and are in no message as they are.
#ifndef TROIKA_TASK_REPLAY_H_
#define TROIKA_TASK_REPLAY_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/backend.h"
#include "agent/harness.h"
#include "agent/message.h"
#include "agent/protocol.h"
#include "relay/log_reader.h"
#include "relay/record.h"
#include "task/denials.h"
#include "task/hints.h"
#include "task/line_joiner.h"
#include "task/line_run.h"
#include "task/notes.h"
#include "task/state.h"

namespace troika {

class Replay {
 public:
  // Records come in the order of the log. A message's id has the number of the
  // record that brought it, and ids rise over the whole log. Lines of a batch
  // that can't be read may be one message (LineRun), told with the last of
  // them.
  void OnRecord(const relay::LogRecord& log_record, MessageSink sink);
  // Becomes a ParseError after all messages of the record before it. A line
  // that was being joined there is passed on as it is.
  void OnDamage(const relay::Damage& damage, MessageSink sink);

  const TaskState& state() const { return state_; }
  // Wanted on the agent's stdin and not yet seen written, in order.
  const std::vector<Outgoing>& outbox() const;
  // What the process that `spawned` is about wants written first, for the turn
  // that waits: its outbox as it will be after that note.
  std::vector<Outgoing> FirstInput(const notes::Spawned& spawned) const;
  // The line that a turn wants written, if the process takes the turn and
  // nothing else can come to be written before it.
  std::optional<Outgoing> PromptLine(const notes::Turn& note) const;
  // The first that no process has taken; null: none waits.
  const TurnAsked* /*nullable*/ waiting_turn() const {
    return held_turns_.empty() ? nullptr : &held_turns_.front();
  }
  // An input that waits, whole; null if it does not.
  const notes::Input* /*nullable*/ queued_input(const std::string& id) const {
    const auto it = queued_inputs_.find(id);
    return it == queued_inputs_.end() ? nullptr : &it->second;
  }
  // The abilities of the last process; before there was one, what the newest
  // version of its CLI could.
  const Capabilities& capabilities() const { return capabilities_; }
  // Null until the log's first record has come.
  const notes::Request* /*nullable*/ request() const {
    return request_ ? &*request_ : nullptr;
  }

 private:
  // Where the messages of one record go.
  struct Out {
    EventId first;
    std::optional<absl::Time> time;
    MessageSink sink;
  };

  struct Process {
    int generation = 0;
    std::unique_ptr<Protocol> /*nullable*/ protocol;  // Null: harness unknown.
    std::string expected_session;
    std::optional<Wire> fallback;
    bool opens_session = false;  // By requests, before it gets a prompt.
    bool printed = false;        // A line on stdout.
    bool had_turn = false;
    bool owes_result = false;  // For a turn that it was told of.
    // Turns that it was told of and whose prompt is not seen written.
    std::vector<TurnAsked> undelivered;
    bool has_prompt = false;   // One was seen written.
    bool owed_before = false;  // owes_result before those that are undelivered.
    StderrTail stderr_tail;
    std::string last_error;  // After which the agent went on.
    // HintForTool() of the running turn's tools.
    absl::string_view tool_hint;
    // What to do about an answer that came too late for it.
    std::string late_hint;
  };

  // replay.cc
  // A line of stdout or stderr that is part of a batch.
  void OnBatchLine(const relay::LogRecord& log_record, Record line, Out& out);
  // The same for stdout of a process that has a protocol.
  void OnBatchStdout(Record line, Out& out);
  void EndRun(MessageSink sink);
  // `last` is what the line's last record holds of it.
  void OnLine(relay::Stream stream, const Record& line, absl::string_view last,
              Out& out);
  void OnStdout(Record line, Out& out);
  void OnStderr(const Record& line, Out& out);
  void OnStdin(const Record& line, Out& out);
  void OnNoteLine(const Record& line, absl::string_view last, Out& out);
  void AbandonLines(Out& out);
  // Takes the byte order mark off the first line that the process prints.
  void OnPrinted(Record* line);
  Raw UnclaimedStdout(const Record& line) const;
  void Emit(Payload payload, Out& out);
  void EmitError(std::string text, Out& out);
  // Adds the number of the last process.
  void EmitStep(Lifecycle step, Out& out);
  // Numbers the message, completes it, counts it in and hands it on.
  void Deliver(Message&& message, Out& out);
  // Adds to an approval or a question that waits no more who answered it, and
  // how far the answer came. Notes an answer that came too late.
  template <typename T>
  void CompleteAnswer(const std::map<std::string, Pending<T>>& pending,
                      T* request);
  // Adds what the process's stderr and tools tell about it.
  void CompleteResult(Result* result) const;
  absl::string_view HintOf(const Result& result) const;
  void CheckSession(const std::string& session_id, Out& out);
  // Updates which response the protocol waits for, after a record.
  void UpdateWaiting();
  // Tells the process's protocol.
  void NotifyProtocol(const Note& note, Out& out);

  // replay_notes.cc
  void OnNote(const notes::Request& note, Out& out);
  void OnNote(const notes::Turn& note, Out& out);
  void OnNote(const notes::Spawned& note, Out& out);
  void OnNote(const notes::Imported& note, Out& out);
  void OnNote(const notes::Answer& note, Out& out);
  void OnNote(const notes::PersonAsked& note, Out& out);
  void OnNote(const notes::DocumentWritten& note, Out& out);
  void OnNote(const notes::BudgetWarned& note, Out& out);
  void OnNote(const notes::BudgetAsked& note, Out& out);
  void OnNote(const notes::SubtaskUsed& note, Out& out);
  void OnBudgetAnswer(const notes::Answer& note, Out& out);
  void OnNote(const notes::StdinClosed& note, Out& out);
  void OnNote(const notes::StdinLost& note, Out& out);
  void OnNote(const notes::Leftover& note, Out& out);
  void OnNote(const notes::Trouble& note, Out& out);
  void OnNote(const notes::Torn& note, Out& out);
  void OnNote(const notes::Clock& note, Out& out);

  // A protocol for the process that `spawned` is about.
  std::unique_ptr<Protocol> NewProtocol(const notes::Spawned& spawned) const;
  // Emits what is pending with its answer. False if nothing of that id waits.
  template <typename T>
  bool Accept(const notes::Answer& note,
              const std::map<std::string, Pending<T>>& pending, Out& out);
  void OweReason(const Approval& denied, const Approval& asked, Out& out);
  void GiveTurn(const TurnAsked& turn, Out& out);

  // replay_ends.cc
  void OnNote(const notes::StartFailed& note, Out& out);
  void OnNote(const notes::Interrupt& note, Out& out);
  void OnNote(const notes::Stop& note, Out& out);
  void OnNote(const notes::Cancelled& note, Out& out);
  void OnNote(const notes::Deadline& note, Out& out);
  void OnNote(const notes::Signalled& note, Out& out);
  void OnNote(const notes::Exited& note, Out& out);
  void OnNote(const notes::ImportEnded& note, Out& out);
  void OnNote(const notes::Lost& note, Out& out);
  void OnEndAsked(Lifecycle asked, Out& out);
  void EndProcess(const ProcessEnded& ended, Out& out);
  // Cancels what the protocol of a process that ended left pending.
  void CancelPending(Out& out);
  // Turns that no process will take end here, and their inputs so.
  void DropHeldTurns(absl::string_view why, Receipt::State inputs, Out& out);
  void EmitResult(const ProcessEnded& ended, Out& out);

  // replay_inputs.cc
  void OnNote(const notes::Input& note, Out& out);
  void OnNote(const notes::InputEdited& note, Out& out);
  void OnNote(const notes::InputWithdrawn& note, Out& out);
  void OnNote(const notes::InputFailed& note, Out& out);
  void OnNote(const notes::QueueResumed& note, Out& out);
  // What changes in a receipt; a text that is empty stays as it is.
  struct ReceiptChange {
    Receipt::State state = Receipt::State::kQueued;
    std::string text = {};
    std::string reason = {};
    int turn = 0;
  };
  void EmitReceipt(const std::string& id, ReceiptChange change, Out& out);
  void SetRequestKey(const std::string& id, const std::string& key);
  // The turn of an input that waits, which is then sent. Nothing if the input
  // does not wait (any more).
  std::optional<notes::Turn> TakeQueued(const notes::Turn& release);
  void EmitInputOfTurn(const notes::Turn& note, int turn, Out& out);
  void EndInputOfTurn(int turn, ReceiptChange change, Out& out);
  // Lets inputs wait because `by` ended the turn, unless it was ended for one.
  void HoldQueue(absl::string_view by);
  void WithdrawQueue(const std::string& why, Out& out);
  void OnPromptWritten(absl::string_view key, Out& out);
  void OnDelivered(int turn, Out& out);
  // The agent answered a turn whose prompt was not seen written; `failure` is
  // its error.
  void OnAnsweredUnwritten(const std::string& failure, Out& out);
  // Whether turns of the process that ends are given to one on another wire,
  // because this one did not open its own.
  bool FallsBack() const;
  // The turns that the process did not get were interrupted.
  void WithdrawUndelivered(const notes::Interrupt& note, Out& out);
  // The process ends: what it did not get waits for the next process, or fails.
  // Returns whether it waits.
  bool TakeBackUndelivered(const ProcessEnded& ended, Out& out);

  TaskState state_;
  std::optional<notes::Request> request_;
  const Backend* /*nullable*/ backend_ = nullptr;
  Capabilities capabilities_;
  std::optional<Process> process_;
  Continuation continuation_;  // For the next process.
  Denials denials_;            // Since the last result.
  std::vector<TurnAsked> held_turns_;
  std::map<std::string, notes::Input> queued_inputs_;  // Those that wait.
  // Ids of the inputs that are not delivered, by the turns they are sent with.
  std::map<int, std::string> inputs_by_turn_;
  // state_.awake.now before the record that is looked at.
  std::optional<absl::Time> awake_before_;
  std::array<LineJoiner, 4> joiners_;  // By stream.
  LineRun run_;                        // Lines of the current batch.
  EventId last_id_;
  // The end of stderr of a process that ends, for its synthetic result.
  std::string excerpt_;
};

// Passes what a log reader finds on to a replay.
class ReplaySink : public relay::LogSink {
 public:
  // Both are borrowed.
  ReplaySink(Replay* replay, MessageSink sink) : replay_(replay), sink_(sink) {}

  void OnRecord(const relay::LogRecord& record) override {
    replay_->OnRecord(record, sink_);
  }
  void OnDamage(const relay::Damage& damage) override {
    replay_->OnDamage(damage, sink_);
  }

 private:
  Replay* const replay_;
  const MessageSink sink_;
};

}  // namespace troika

#endif  // TROIKA_TASK_REPLAY_H_
