// Decides what becomes of the line that the user of an attached terminal
// types: a message for the agent, a command, or the answer to what the agent
// asks.
#ifndef TROIKA_CLI_ATTACH_DIALOG_H_
#define TROIKA_CLI_ATTACH_DIALOG_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "cli/approvals/asker.h"
#include "dto/troika.pb.h"
#include "task/state.h"

namespace troika::cli {

// What the user wants.
struct UserAction {
  enum class Kind {
    kNone,
    kSend,     // `text` goes to the agent.
    kRespond,  // `response` goes to the agent.
    kInterrupt,
    kStop,
    kShowQueue,
    kShowHelp,
    kDetach,
  };
  Kind kind = Kind::kNone;
  std::string text;  // For kInterrupt and kStop: the reason that the log gets.
  v1::InputRequest::Mode mode = v1::InputRequest::auto_;
  v1::RespondRequest response;
};

// Reads a line that is not an answer. A line that begins with a slash is a
// command, unless a second slash follows. InvalidArgument says what can be
// typed.
absl::StatusOr<UserAction> ReadUserLine(absl::string_view line);

// No I/O and no clock: the caller owns the editor with the line, and passes the
// time of Clock::Awake().
//
// What the agent asks gets the line at once only if it is empty. A line that
// the user has begun stays a message, and Tab changes to the answer and back.
// What is asked may also be answered elsewhere: then the line becomes a message
// again, and nothing of it is lost.
class Dialog {
 public:
  // What to do after an event.
  struct Step {
    UserAction action;
    std::string say;                  // For the user; empty for nothing.
    std::optional<std::string> line;  // Replaces the line in the editor.
  };

  // An Enter sooner than this after the line got another meaning by itself is
  // not taken: the user may have typed it for what was there before.
  static constexpr absl::Duration kSettling = absl::Milliseconds(700);
  // A second Ctrl-C within this time detaches.
  static constexpr absl::Duration kDoubleCtrlC = absl::Seconds(2);

  // Picks what to ask for.
  Step Update(const TaskState& state, absl::string_view line, absl::Time now);
  Step OnEnter(absl::string_view line, absl::Time now);
  enum class Agent { kWorks, kRests };
  Step OnCtrlC(absl::string_view line, Agent agent, absl::Time now);
  Step OnTab(absl::string_view line);

  // Id of the approval or question that is asked for, or empty.
  const std::string& asked() const { return asker_.id(); }
  // See Asker::Describe.
  void Describe(std::string statement, Asker::Seen seen) {
    asker_.Describe(std::move(statement), seen);
  }
  // Asks again, because the server did not take the last answer.
  void AnswerRefused() { asker_.AskAgain(); }

  // Whether the line is an answer.
  bool answers() const { return answers_; }
  // Returns the message that was begun, which may not be the line.
  std::string MessageIn(absl::string_view line) const {
    return answers_ ? other_line_ : std::string(line);
  }
  // Says what is asked and what can be typed, as lines; empty for a message.
  std::vector<std::string> Explanation() const;

 private:
  Step TakeAnswer(absl::string_view line);
  // Makes the line an answer if something is asked for.
  void BeginAnswer(absl::Time now);

  Asker asker_;
  std::string last_asked_;  // asked() of the last Update().
  bool answers_ = false;
  // The message that was begun before the answer, or the other way round.
  std::string other_line_;
  absl::Time changed_ = absl::InfinitePast();  // When answers_ changed itself.
  absl::Time ctrl_c_ = absl::InfinitePast();
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_DIALOG_H_
