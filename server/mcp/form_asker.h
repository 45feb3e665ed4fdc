// Asks the users of MCP clients what agents ask, by the clients' forms.
//
// A form may be answered by a program instead of a person, or not at all, and
// somebody else may answer the question first. So a form decides nothing by
// itself: its reply is an answer like any other, and a question that it leaves
// open waits for *_respond.
#ifndef TROIKA_SERVER_MCP_FORM_ASKER_H_
#define TROIKA_SERVER_MCP_FORM_ASKER_H_

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/event_loop.h"
#include "base/json.h"
#include "dto/troika.pb.h"
#include "mcp/elicitation.h"
#include "rpc/message.h"
#include "server/mcp/form_state.h"
#include "server/mcp/pending_question.h"
#include "server/mcp/session_view.h"
#include "server/mcp/tool.h"
#include "server/task_stream.h"

namespace troika {

// Loop thread only.
class FormAsker {
 public:
  // Sends a line to a client outside of a reply. False if it keeps no stream.
  using SendToClient =
      std::function<bool(const std::string& client, absl::string_view line)>;
  FormAsker(McpService* service, SendToClient send)
      : service_(*service), send_(std::move(send)) {}

  // Whether the caller's user can be asked at all.
  bool CanAsk(const McpCaller& caller) const;

  // The caller has to do with the task: from now on its user is asked what the
  // task's agent asks, if the client has a session and keeps a stream.
  void Follow(const McpCaller& caller, const std::string& task);
  // Forgets what the client follows.
  void Forget(const std::string& client);

  // Whether a form for the question is open at the client.
  bool IsOpen(const McpCaller& caller, const std::string& task,
              const std::string& question) const;
  // Whether a form for the question is about to be sent to the client, or was.
  bool WillAsk(const McpCaller& caller, const std::string& task,
               const std::string& question) const;
  // Whether the question was asked at the client, and left open there.
  bool WasLeftOpen(const McpCaller& caller, const std::string& task,
                   const std::string& question) const;
  // Opens a form on the reply to a call, for a client that keeps no stream.
  void AskOn(McpReply& reply, const McpCaller& caller, const v1::Task& task,
             const PendingQuestion& question);
  // The name of the form by which an MCP task asks. A client that polls is told
  // the same each time.
  std::string NameInTask(const McpCaller& caller, const v1::Task& task,
                         const PendingQuestion& question);

  // Takes a client's reply to a form, and calls back when the answer counts, or
  // was dropped.
  using Done = absl::AnyInvocable<void()>;
  void OnReply(const McpCaller& caller, const std::string& id,
               json::Value result, Done done);
  // Does the same for a form of the stateless generation. `task` is as it is
  // now: what it does not ask any more was answered by somebody else.
  void OnStatelessReply(const McpCaller& caller, const FormState& state,
                        const v1::Task& task, json::Value result, Done done);

 private:
  // A form of a client that has a session.
  struct OpenForm {
    std::string client;
    std::string task;
    PendingQuestion question;
    mcp::Form form;
    absl::Time opened;
    // The question is still pending until the answer has arrived in the task.
    bool is_answered = false;
  };
  struct Followed {
    McpCaller caller;
    std::string task;
    std::shared_ptr<TaskStream> stream;
    std::shared_ptr<void> listener;
    std::unique_ptr<EventLoop::Timer> timer;
  };
  using FollowKey = std::pair<std::string, std::string>;  // Client, task.
  using Asked = std::tuple<std::string, std::string, std::string>;

  static std::string KeyOf(const McpCaller& caller);
  std::string Add(const McpCaller& caller, const v1::Task& task,
                  const PendingQuestion& question);
  // Makes room for another form.
  void DropOne();
  // The answer that a reply gives, or nothing if it leaves the question open.
  static std::optional<v1::RespondRequest> AnswerOf(const OpenForm& form,
                                                    json::Value result);
  void Respond(const McpCaller& caller, const OpenForm& form,
               const v1::RespondRequest& answer,
               absl::AnyInvocable<void(absl::Status)> done);
  void LeaveOpen(const OpenForm& form);
  void Look(const FollowKey& key);
  void Ask(const Followed& followed, const v1::Task& task);
  void WithdrawAnswered(const std::string& client, const v1::Task& task);

  McpService& service_;
  const SendToClient send_;
  std::map<std::string, OpenForm> forms_;  // By id.
  std::map<FollowKey, Followed> followed_;
  // When forms were first shown in MCP tasks.
  std::map<Asked, absl::Time> shown_in_tasks_;
  // What was left open, oldest first.
  std::set<Asked> left_open_;
  std::deque<Asked> left_open_order_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_FORM_ASKER_H_
