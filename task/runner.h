// Runs one task: starts its processes, tells them what to do, and watches over
// them. Everything that it knows is in the task's log, so it can be killed at
// any time, and another one goes on where it stood.
//
// Passive: its owner polls PollFds(), or waits until wake_at(), and calls
// Advance().
//
//   ASSIGN_OR_RETURN(auto runner, Runner::Open(std::move(folder), tools));
//   while (!runner->at_rest()) {
//     RETURN_IF_ERROR(runner->Advance(print));
//     if (runner->waits_for_start()) runner->Start(FindCliOf(...));
//     Wait(runner->PollFds(), runner->wake_at());
//   }
#ifndef TROIKA_TASK_RUNNER_H_
#define TROIKA_TASK_RUNNER_H_

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/backend.h"
#include "agent/discovery/environment.h"
#include "agent/protocol.h"
#include "relay/client.h"
#include "relay/log_writer.h"
#include "task/command_queue.h"
#include "task/follower.h"
#include "task/home.h"
#include "task/launcher.h"
#include "task/log_appender.h"
#include "task/make.h"
#include "task/notes.h"
#include "task/request.h"
#include "task/runner_tools.h"
#include "task/state.h"
#include "task/watchdog.h"

namespace troika {

// Limits of the inputs of a task that wait.
inline constexpr int kMaxQueuedInputs = 100;
inline constexpr size_t kMaxQueuedBytes = size_t{16} << 20;

class Runner {
 public:
  // Takes up a task that is there, alive or not.
  static absl::StatusOr<std::unique_ptr<Runner>> Open(TaskFolder folder,
                                                      RunnerTools tools);
  // Takes up a task that was just made; Advance() starts its agent.
  static absl::StatusOr<std::unique_ptr<Runner>> Open(MadeTask made,
                                                      RunnerTools tools);

  // Does what can be done without waiting. Errors come from reading the log and
  // are final. Writes that fail are tried again every second; meanwhile
  // trouble() is set.
  absl::Status Advance(MessageSink sink);
  std::vector<pollfd> PollFds() const;
  // Changes if PollFds() belong to other connections than before.
  int64_t connections() const {
    return follower_->connections() + launcher_.starts();
  }
  // By Clock::Awake(); InfiniteFuture if only PollFds() matter.
  absl::Time wake_at() const;
  // Whether no process lives and no turn waits for one.
  bool at_rest() const;
  // Whether the log's end has been seen. Before that, all commands are
  // Unavailable, and the state is an old one.
  bool caught_up() const { return follower_->caught_up(); }
  // Whether a turn waits for Start(), because it needs a process.
  bool waits_for_start() const { return next_.waits_for_start; }
  // Has the next Advance() start a process of that CLI for the waiting turn, or
  // fail the turn with the error.
  void Start(absl::StatusOr<Cli> cli);
  // Whether all commands are in the log. The others get there with the next
  // calls of Advance().
  bool settled() const;

  // Asks for another turn; while one runs, TurnRequest::mode decides whether
  // the input is added to it or waits for its end. A steer that the process
  // can't take ends the turn, if a process on another wire can go on with it.
  // FailedPrecondition, with
  // what to do, if the task takes no input so; ResourceExhausted if too much
  // waits. A process that waits for input and has another edit mode, or another
  // model that it can't change, is replaced. `id` gets the id of the input,
  // which is an earlier one if that has the same request key.
  absl::Status Input(const TurnRequest& turn,
                     std::string* /*nullable*/ id = nullptr);
  // Whether a turn runs or waits, or another input does.
  bool HasWork() const;
  // Whether the turn would begin with a process of its own.
  bool NeedsProcess(const TurnRequest& turn) const;
  // Change or take back an input that waits. NotFound if there is none of that
  // id, FailedPrecondition if it does not wait any more.
  absl::Status EditInput(absl::string_view id, absl::string_view text,
                         absl::string_view by);
  absl::Status WithdrawInput(absl::string_view id, absl::string_view by,
                             absl::string_view reason);
  // Has the inputs of a queue that is held be sent. FailedPrecondition if none
  // waits.
  absl::Status ResumeQueue(absl::string_view by);
  // Whether an input with this key is known; `id` as of Input().
  bool KnowsKey(absl::string_view request_key,
                std::string* /*nullable*/ id = nullptr) const;
  // Answers what the agent asked. The first answer counts; CheckAnswer() in
  // answer.h has the errors for all others. Once all is settled(),
  // CheckTaken() says whether this answer was the first in the log.
  absl::Status Respond(const AnswerGiven& given);
  // Ends the turn. The process lives on if its harness can do that. Turns that
  // wait for a process are withdrawn, and the task stays as the last turn left
  // it; a task that never started is cancelled.
  absl::Status Interrupt(absl::string_view by, absl::string_view reason);
  // Ends the agent and all that it started; a second call hurries. `grace` lies
  // between the signals, and is that of the tools if unset.
  absl::Status Stop(absl::string_view by, absl::string_view reason,
                    std::optional<absl::Duration> grace = std::nullopt);
  // Says in the log that the task's document was written, or could not be.
  absl::Status NoteDocument(const notes::DocumentWritten& written);
  // Notes what a task that the agent of this one started has used, if this one
  // has limits of that.
  absl::Status NoteSubtask(const notes::SubtaskUsed& used);
  // Closes the agent's input: a process that waits for a turn then ends.
  absl::Status CloseInput();

  const TaskState& state() const { return follower_->state(); }
  // Whether an approval that waits is for a person, and the rules will not
  // answer it.
  bool IsLeftToPerson(const Pending<Approval>& pending) const;
  const TaskFolder& folder() const { return folder_; }
  // The environment that the task keeps, or why it can't be read.
  const absl::StatusOr<Environment>& environment() const {
    return next_.environment;
  }
  const notes::Request& request() const {
    return *follower_->replay().request();
  }
  // Null until the log's first record has been read.
  const notes::Request* /*nullable*/ asked() const {
    return follower_->replay().request();
  }
  // How far the log has been read.
  int64_t log_bytes() const { return follower_->offset(); }
  // The trouble with the log or a start right now, or empty.
  const std::string& trouble() const {
    return retry_.trouble.empty() ? follower_->trouble() : retry_.trouble;
  }
  // Paths of a turn's images from the task's folder on.
  std::vector<std::string> ImagePaths(const TurnRequest& turn) const;
  // How the process that gets the turn takes images.
  ImageForm ImageFormOf(const TurnRequest& turn) const;
  // Our role at the relay; nothing if none lives, or it has not said so.
  // Commands wait until it has.
  std::optional<relay::Role> role() const { return follower_->role(); }
  // The process of the relay that we are or will be connected to; 0 if there is
  // none.
  pid_t relay_pid() const { return follower_->relay_pid(); }

 private:
  Runner(TaskFolder folder, absl::StatusOr<Environment> environment,
         RunnerTools tools);

  absl::Status OpenFollower();
  absl::Status FindBackend();

  // Appends to the log, or has the relay do it if one lives.
  absl::Status AppendNote(const notes::Note& note, std::string key);
  absl::Status Append(RelayCommand command);
  absl::Status AppendPending();
  absl::Status FinishAppend();
  absl::Status StartProcess();
  absl::Status FinishLaunch();
  // Returns an error that is final. Others are kept as trouble until the next
  // try, a second later.
  absl::Status TryAgainLater(const absl::Status& error);
  // Whether a process lives or is on its way.
  bool has_process() const {
    return state().process_alive || launcher_.starting();
  }
  // Whether work that blocks is under way.
  bool blocked() const { return appender_.running() || launcher_.running(); }

  absl::Status CheckReady() const;
  absl::Status CheckDriver();
  // What to do with an input.
  enum class Way { kSendNow, kQueue };
  absl::StatusOr<Way> WayOf(const TurnRequest& turn) const;
  // Whether a turn runs, or waits for its process.
  bool IsBusy() const;
  // Whether a process lives, and turns wait for the one after it.
  bool HasTurnsForNextProcess() const;
  // Whether there is something that an interrupt ends.
  bool HasTurnToEnd() const;
  bool CanSteer() const;
  // Whether the turn can't be steered, but would be on another wire of the
  // harness. It is then ended, and a process on that wire gets the input.
  bool MovesToSteer(const TurnRequest& turn) const;
  absl::StatusOr<std::vector<TurnAsked::Image>> ImagesOf(
      const TurnRequest& turn) const;
  // The line of a turn's prompt, if it can be written with the turn's note.
  std::optional<Outgoing> LineWith(const notes::Turn& turn) const;
  // Asks for a turn with the next number.
  absl::Status AppendTurn(notes::Turn note, const TurnRequest& turn);
  // runner_queue.cc
  absl::Status CheckQueueLimits(const notes::Input& input) const;
  absl::Status QueueInput(const TurnRequest& turn, std::string id);
  absl::StatusOr<const TaskInput*> WaitingInput(absl::string_view id) const;
  // Sends the next input that waits, if no turn runs; ends the turn, if it is
  // to be ended for an input.
  absl::Status SendNextInput();
  absl::Status SendInterrupt(const notes::Interrupt& note, std::string key);
  // FailedPrecondition if the task was imported.
  absl::Status CheckWritable() const;
  absl::Status CheckWorkLeft(const TurnRequest& turn) const;
  // A turn that the living process does not take needs a CLI that can go on
  // with the session.
  absl::Status CheckNextProcess(const TurnRequest& turn) const;
  // The CLI of the last process.
  Cli LastCli() const { return {.version = state().version}; }
  // The CLI of the next process, as far as it is known without starting it.
  Cli NextCli() const;
  // Abilities of the process that lives, or else of the next one.
  Capabilities CapabilitiesNow() const;
  // Abilities that the next process has if it is one of `cli`.
  Capabilities NextCapabilities(const Cli& cli, bool converses) const;
  // The wire of a process of `cli`; unset if the options can't be had.
  std::optional<Wire> NextWire(const Cli& cli, LaunchOptions options,
                               bool converses) const;
  bool WantsAnotherModel(const TurnRequest& turn) const {
    return !turn.model.empty() && turn.model != state().asked_model;
  }
  // Whether the living process has another edit mode, or another model that it
  // can't change.
  bool WantsAnotherProcess(const TurnRequest& turn) const;

  // Sends a command to the relay, now or once it is there.
  void Send(RelayCommand command);
  void SendStop(std::string key, const notes::Note& note,
                std::optional<absl::Duration> grace = std::nullopt);
  // Sends what waits if we drive the relay, which would refuse it else.
  void SendQueue();
  std::string NextKey(absl::string_view kind);
  void Watch();
  // runner_budget.cc
  // The limits that are used up.
  std::vector<notes::BudgetAmount> ReachedBudgets() const;
  // Notes budgets that are nearly used up; asks whether to go on, and ends the
  // turn for that, if one is used up within a turn.
  absl::Status CheckBudgets();
  absl::Status AskForBudget(std::vector<notes::BudgetAmount> reached);
  // Asks if a budget is used up before a turn begins. Whether the turn has to
  // wait for the answer.
  absl::StatusOr<bool> BudgetHoldsTurn();
  // Whether the task asks, as far as we know.
  bool AsksNow() const;
  void InterruptForBudget();
  // Gives the turn that continues one that was ended for a budget.
  absl::Status SendGoOn();
  // Denies what a budget asks, because somebody ends the task.
  absl::Status DenyBudget(absl::string_view by, absl::string_view reason);
  // Has the agent told why something was denied, if its wire can't say it.
  void TellReason();
  // runner_policy.cc
  // Asks the rules about what waits for an answer, and answers by them.
  void ConsultRules();
  void ApplyVerdict(const EventId& asked, const policy::Verdict& verdict);

  struct NextProcess {
    absl::StatusOr<Environment> environment;
    // What Start() got, until a process has started with it.
    std::optional<absl::StatusOr<Cli>> cli = std::nullopt;
    bool waits_for_start = false;
  };
  struct Retry {
    std::optional<absl::Time> at;
    std::string trouble;  // Why it is to be tried again.
  };
  // The last turn that we asked for, which may not be in the log yet.
  struct AskedTurn {
    int number = 0;
    std::string request_key;
  };
  struct AskedInput {
    int number = 0;
    std::map<std::string, std::string, std::less<>> ids;  // By request keys.
  };

  const TaskFolder folder_;
  NextProcess next_;
  RunnerTools tools_;
  const Backend* backend_ = nullptr;
  std::optional<Follower> follower_;
  LogAppender appender_;
  Launcher launcher_;
  Watchdog watchdog_;
  CommandQueue queue_;
  Retry retry_;
  int commands_ = 0;  // Asked of this runner.
  AskedTurn asked_turn_;
  AskedInput asked_input_;      // The same for inputs.
  std::string released_input_;  // Id of the last input that we sent.
  // The last record that the relay has answered a command with.
  int64_t acknowledged_record_ = 0;
  // Our answers to this process, by the ids of what it asked. The log may not
  // have them yet.
  struct OwnAnswer {
    EventId asked;
    AnswerGiven given;
  };
  std::map<std::string, OwnAnswer> answered_;
  std::set<std::string> told_reasons_;  // Keys of OwedReason that were sent.
  // Approvals of this process, by the events that asked.
  struct Judging {
    EventId asked;  // The one that the rules are being asked about.
    Later<policy::Verdict> verdict;
    std::set<EventId> done;
    std::set<EventId> left;  // Those that the rules leave to a person.
  };
  Judging judging_;
  // What was sent about budgets and may not be in the log yet.
  struct SentBudget {
    int asked = 0;        // Number of the last question.
    int interrupted = 0;  // Number of the one that the turn was ended for.
    int gone_on = 0;      // Number of the one after which it was continued.
    std::set<std::string> warned;  // By BudgetKey().
    bool time_is_due = false;      // The working time has reached its alarm.
  };
  SentBudget sent_budget_;
};

}  // namespace troika

#endif  // TROIKA_TASK_RUNNER_H_
