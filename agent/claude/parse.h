// Claude Code's stream-json, of versions 0.2.118 to 2.1.325, as messages.
//
// - A turn is opened by a prompt that was written, by system/init, which comes
//   again with every turn, or by what the main agent says; `result` ends it. A
//   prompt written while a turn runs becomes a part of that turn.
// - What a subagent says carries its tool use's id as parent. It opens no turn:
//   one in the background may speak between two.
// - With partial messages a text arrives twice, as deltas and whole: both carry
//   the same block id (stream_blocks.h). Without them there is none.
// - Todo tools give ToolUse, ToolResult and Todo (todo_list.h).
// - A prompt that was written is a UserInput then; its echo, where the CLI is
//   asked for one, gives nothing more.
//
// No message comes from what only counts, or only frames what another line says
// whole: keep_alive, tool_progress, system/thinking_tokens, the system/status
// "requesting"; of stream_event ping, message_start, message_delta,
// message_stop, content_block_stop, the start of a block, and the deltas of a
// tool's input, of signatures and citations; system/background_tasks_changed,
// whose tasks have lines of their own; that a request which was written is
// granted; and of what is written, all but prompts and answers. Everything else
// that is not known is Raw.
#ifndef TROIKA_AGENT_CLAUDE_PARSE_H_
#define TROIKA_AGENT_CLAUDE_PARSE_H_

#include <cstdint>
#include <deque>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "agent/claude/background_tasks.h"
#include "agent/claude/line_out.h"
#include "agent/claude/record.h"
#include "agent/claude/requests.h"
#include "agent/claude/stream_blocks.h"
#include "agent/claude/todo_list.h"
#include "agent/claude/turn_usage.h"
#include "agent/line_protocol.h"

namespace troika::claude {

class ClaudeProtocol final : public LineProtocol {
 public:
  explicit ClaudeProtocol(const ProtocolOptions& options)
      : LineProtocol(options), input_(options.input) {}

 private:
  void OnLine(json::Value line, Emitter& out) override;
  void OnEnd(Result result, Emitter& out) override;

  // wanted.cc: what we write.
  void OnTurnAsked(const TurnAsked& turn, Emitter& out) override;
  void OnInterruptAsked(Emitter& out) override;
  void OnAnswerGiven(const AnswerGiven& answer, Emitter& out) override;

  // parse_control.cc: what we wrote.
  void OnWrittenLine(const Record& record, MessageSink sink) override;

  // parse.cc
  void OnSystem(json::Value line, LineOut& out);
  void OnInit(json::Value line, LineOut& out);
  void OnRateLimit(json::Value line, LineOut& out);
  void OnResult(json::Value line, LineOut& out);

  // parse_messages.cc
  void OnAssistant(json::Value line, Emitter& out);
  void OnAssistantBlock(const Block& block, absl::string_view message_id,
                        absl::string_view parent, LineOut& out);
  void OnToolUse(const Block& block, LineOut& out);
  void OnUser(json::Value line, Emitter& out);
  void OnUserText(const MessageLine& line, UserInput input, LineOut& out);
  // Whether the todo list changed.
  bool OnToolResult(const Block& block, json::Value tool_use_result,
                    LineOut& out);

  // parse_stream.cc
  void OnStreamEvent(json::Value line, Emitter& out);
  void OnBlockStart(const StreamEvent& event, absl::string_view parent,
                    LineOut& out);
  void OnBlockDelta(const StreamEvent& event, absl::string_view parent,
                    LineOut& out);
  void CheckUsage(json::Value usage);

  // parse_control.cc
  void OnControlRequest(json::Value line, LineOut& out);
  void OnControlResponse(json::Value line, LineOut& out);
  void OnControlCancel(json::Value line, LineOut& out);
  void OnPromptWritten(json::Value line, LineOut& out);
  // Whether this is the echo of a prompt that was written.
  bool TakeWritten(absl::string_view text);

  // Where a line of a subagent goes; `parent` is the wire's id.
  LineOut LineOutOf(absl::string_view parent, Emitter& out);
  FieldScope Scope(absl::string_view where) const { return {drift(), where}; }
  // Tells drift and passes the line on.
  void OnUnknown(absl::string_view where, absl::string_view value,
                 LineOut& out);

  const ProtocolOptions::Input input_;
  StreamBlocks blocks_;
  TodoList todos_;
  TurnUsage usage_;
  Requests requests_;
  BackgroundTasks tasks_;
  // Native ids of running commands, whose results have an exit code.
  absl::flat_hash_set<std::string> commands_;
  // Hashes of prompts whose echo has not come; it never does unless asked for.
  std::deque<uint64_t> written_;
  // Ids of requests that were written and not answered.
  std::deque<std::string> asked_;
  int interrupts_ = 0;  // Asked of this process.
  int answers_ = 0;     // Given to it.
};

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_PARSE_H_
