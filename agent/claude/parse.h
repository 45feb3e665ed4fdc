// Parses Claude Code's stream-json, versions 0.2.118 to 2.1.325.
//
// - A turn begins with a written prompt, with system/init, which is repeated in
//   every turn, or with output of the main agent; `result` ends it. A prompt
//   written while a turn runs becomes part of that turn.
// - Messages of a subagent carry its tool use's id as parent. They begin no
//   turn, because a background subagent may send them between two turns.
// - With partial messages a text arrives twice, as deltas and as a whole, with
//   the same block id (stream_blocks.h). Without them it has no block id.
// - Todo tools give ToolUse, ToolResult and Todo (todo_list.h).
// - A turn's model is set by a request before its prompt. An edit mode can't be
//   changed so: it consists of tools and rules of the command line.
// - A prompt becomes a UserInput when it is written; its echo, if the CLI was
//   asked for one, is ignored.
//
// Lines that only count, or that announce what another line reports in full,
// give no message: keep_alive, tool_progress, system/thinking_tokens,
// system/status "requesting"; the stream_events ping, message_start,
// message_delta, message_stop, content_block_stop, starts of blocks, and deltas
// of tool inputs, signatures and citations; system/background_tasks_changed,
// whose tasks have lines of their own; responses that grant a request of ours;
// and written lines other than prompts and answers. Everything else that is
// unknown becomes Raw.
#ifndef TROIKA_AGENT_CLAUDE_PARSE_H_
#define TROIKA_AGENT_CLAUDE_PARSE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "agent/claude/background_tasks.h"
#include "agent/claude/record.h"
#include "agent/claude/requests.h"
#include "agent/claude/stream_blocks.h"
#include "agent/claude/todo_list.h"
#include "agent/claude/turn_usage.h"
#include "agent/emitter.h"
#include "agent/launch/version.h"
#include "agent/line_protocol.h"

namespace troika::claude {

class ClaudeProtocol final : public LineProtocol {
 public:
  explicit ClaudeProtocol(const ProtocolOptions& options)
      : LineProtocol(options),
        input_(options.input),
        version_(ParseVersion(options.version)) {}

 private:
  void OnLine(json::Value line, Emitter& out) override;
  void OnLongLine(json::Value head, Emitter& out) override;
  void OnEnd(Result result, Emitter& out) override;

  // parse_control.cc
  std::optional<Outgoing> PromptLine(const TurnAsked& turn) const override;
  void OnTurnAsked(const TurnAsked& turn, Emitter& out) override;
  void OnInterruptAsked(Emitter& out) override;
  void OnAnswerGiven(const AnswerGiven& answer, Emitter& out) override;
  void OnWrittenLine(const Record& record, MessageSink sink) override;

  // parse.cc
  void OnSystem(json::Value line, Emitter& out);
  void OnInit(json::Value line, Emitter& out);
  void OnRateLimit(json::Value line, Emitter& out);
  void OnResult(json::Value line, Emitter& out);
  void AddDenials(json::Value denials, Result* result);

  // parse_messages.cc
  void OnAssistant(json::Value line, Emitter& out);
  // Counts a message of the subagent that `parent` names, if it is one's.
  void AddSubagentUsage(absl::string_view parent, absl::string_view message_id,
                        const TokenCounts& counts, Emitter& out);
  void OnAssistantBlock(const Block& block, absl::string_view message_id,
                        absl::string_view parent, Emitter& out);
  void OnToolUse(const Block& block, Emitter& out);
  void OnUser(json::Value line, Emitter& out);
  void OnUserText(const MessageLine& line, UserInput input, Emitter& out);
  // Returns whether the todo list changed.
  bool OnToolResult(const Block& block, json::Value tool_use_result,
                    Emitter& out);

  // parse_stream.cc
  void OnStreamEvent(json::Value line, Emitter& out);
  void OnBlockStart(const StreamEvent& event, absl::string_view parent,
                    Emitter& out);
  void OnBlockDelta(const StreamEvent& event, absl::string_view parent,
                    Emitter& out);
  void CheckUsage(json::Value usage);

  // parse_control.cc
  void OnControlRequest(json::Value line, Emitter& out);
  // Answers a request that we can't grant with an error, so that the agent does
  // not wait for ever.
  void RefuseRequest(absl::string_view id, absl::string_view error);
  void OnControlResponse(json::Value line, Emitter& out);
  void OnControlCancel(json::Value line, Emitter& out);
  void OnPromptWritten(json::Value line, Emitter& out);
  // Returns whether this is the echo of a written prompt, then forgets it.
  bool TakeWritten(absl::string_view text);

  // `parent` is the wire's id of the subagent's tool use.
  void SetParent(absl::string_view parent, Emitter& out) {
    if (!parent.empty()) out.set_parent_tool_use_id(ledger().ToolId(parent));
  }
  FieldScope Scope(absl::string_view where) const { return {drift(), where}; }
  // Reports the value as drift and emits the line as Raw.
  void OnUnknown(absl::string_view where, absl::string_view value,
                 Emitter& out);

  const ProtocolOptions::Input input_;
  const Version version_;  // An unknown one counts as the newest.
  StreamBlocks blocks_;
  TodoList todos_;
  TurnUsage usage_;
  // What the subagents of the process have used, by the ids of the tool uses
  // that started them. Those beyond kMaxSubagents are counted with the turn
  // only.
  static constexpr size_t kMaxSubagents = 256;
  std::map<std::string, TurnUsage> subagent_usage_;
  Requests requests_;
  BackgroundTasks tasks_;
  std::string last_message_;  // Id of the main agent's last one in this turn.
  // Native ids of running commands, whose results may have an exit code.
  absl::flat_hash_set<std::string> commands_;
  // Hashes of prompts without an echo so far; echoes come only if requested.
  std::deque<uint64_t> written_;
  // Written requests without a response so far, with the turn of each.
  struct Asked {
    std::string id;
    int turn = 0;
  };
  std::deque<Asked> asked_;
  int turn_ = 0;  // Counts the turns that written prompts began.
  // Whether the agent has begun the last of them.
  bool turn_began_ = true;
  // Whether the agent was interrupted before that, and so may go on with it.
  bool interrupted_early_ = false;
  // Hashes of the ids of tool uses that results have listed as denied.
  absl::flat_hash_set<uint64_t> denied_;
  int interrupts_ = 0;  // Interrupts requested in this process.
  int answers_ = 0;     // Answers given in this process.
  int refusals_ = 0;    // Requests of the agent that we refused.
};

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_PARSE_H_
