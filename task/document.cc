#include "task/document.h"

#include <algorithm>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "agent/tool_subject.h"
#include "base/utf8.h"

namespace troika {
namespace {

constexpr size_t kMaxTexts = size_t{4} << 20;
constexpr size_t kMaxItems = 500;
constexpr size_t kMaxItemBytes = 500;
constexpr size_t kMaxSlug = 40;

// Lower-case words of ASCII, with underscores between them.
std::string Slug(absl::string_view title) {
  std::string slug;
  for (const char c : title) {
    if (slug.size() == kMaxSlug) break;
    if (absl::ascii_isalnum(c)) {
      slug += absl::ascii_tolower(c);
    } else if (!slug.empty() && slug.back() != '_') {
      slug += '_';
    }
  }
  while (!slug.empty() && slug.back() == '_') slug.pop_back();
  return slug.empty() ? "task" : slug;
}

// The text as code on one line.
std::string Code(absl::string_view text) {
  const absl::string_view cut = CutAtCharacter(text, kMaxItemBytes);
  const std::string line =
      absl::StrReplaceAll(cut, {{"\r", " "}, {"\n", " "}, {"`", "'"}});
  return absl::StrCat("`", absl::StripAsciiWhitespace(line), "`",
                      cut.size() < text.size() ? "…" : "");
}

void AddList(absl::string_view title, const std::vector<std::string>& items,
             int left_out, std::string* out) {
  if (items.empty()) return;
  absl::StrAppend(out, "\n## ", title, "\n\n");
  for (const std::string& item : items) absl::StrAppend(out, "- ", item, "\n");
  if (left_out > 0) absl::StrAppend(out, "- … and ", left_out, " more\n");
}

void AddFact(absl::string_view name, absl::string_view value,
             std::string* out) {
  if (value.empty()) return;
  absl::StrAppend(out, "- ", name, ": ",
                  absl::StrReplaceAll(value, {{"\n", " "}}), "\n");
}

std::string TokensText(const TokenCounts& tokens) {
  return absl::StrCat(tokens.input + tokens.cached + tokens.cache_write,
                      " in (", tokens.cached, " cached), ", tokens.output,
                      " out (", tokens.reasoning, " reasoning)");
}

bool IsEdit(absl::string_view tool) {
  return tool == "Edit" || tool == "Write" || tool == "NotebookEdit";
}

}  // namespace

bool DocumentIsDue(const TaskState& state) {
  return state.document.wanted && !state.document.settled &&
         state.document.turn_ended &&
         (!state.process_alive || !state.input_closed);
}

std::string DocumentName(absl::string_view title, absl::Time time,
                         absl::TimeZone zone, int attempt) {
  return absl::StrCat("agent_", absl::FormatTime("%Y%m%d_%H%M%S", time, zone),
                      "_", Slug(title),
                      attempt > 1 ? absl::StrCat("_", attempt) : "", ".md");
}

void TurnDocument::List::Add(std::string item) {
  if (std::find(items.begin(), items.end(), item) != items.end()) return;
  if (items.size() < kMaxItems) {
    items.push_back(std::move(item));
  } else {
    ++left_out;
  }
}

void TurnDocument::AddText(absl::string_view text, std::string* to) {
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return;
  const size_t left = kMaxTexts - std::min(kMaxTexts, to->size());
  const absl::string_view taken = CutAtCharacter(text, left);
  cut_ |= taken.size() < text.size();
  absl::StrAppend(to, to->empty() ? "" : "\n\n", taken);
}

void TurnDocument::AddTool(const ToolUse& tool) {
  const std::string subject = ToolSubject(tool, cwd_);
  if (IsEdit(tool.name)) {
    edits_.Add(Code(subject));
  } else if (tool.name == "WebSearch" || tool.name == "WebFetch") {
    searches_.Add(Code(subject));
    searched_ |= tool.name == "WebSearch";
  } else if (tool.name == "Bash") {
    if (commands_.items.size() == kMaxItems) {
      ++commands_.left_out;
      return;
    }
    open_commands_[tool.id] = commands_.items.size();
    commands_.items.push_back(Code(subject));
  }
}

void TurnDocument::Add(const Message& message) {
  if (complete()) return;
  const bool main = message.parent_tool_use_id.empty();
  if (const auto* const step = std::get_if<Lifecycle>(&message.payload)) {
    if (step->kind == Lifecycle::Kind::kSpawned) began_ = message.time;
  } else if (const auto* const init = std::get_if<Init>(&message.payload)) {
    if (main) init_ = *init;
  } else if (const auto* const text = std::get_if<Text>(&message.payload)) {
    if (!main) return;
    AddText(text->text, &output_);
    last_text_ = text->text;
  } else if (const auto* const thought =
                 std::get_if<Thinking>(&message.payload)) {
    if (main) AddText(thought->text, &thoughts_);
  } else if (const auto* const tool = std::get_if<ToolUse>(&message.payload)) {
    AddTool(*tool);
  } else if (const auto* const done =
                 std::get_if<ToolResult>(&message.payload)) {
    const auto command = open_commands_.find(done->tool_use_id);
    if (command == open_commands_.end()) return;
    std::string& item = commands_.items[command->second];
    if (done->denied) {
      absl::StrAppend(&item, " (denied)");
    } else if (done->exit_code.value_or(0) != 0) {
      absl::StrAppend(&item, " (exit ", *done->exit_code, ")");
    }
    open_commands_.erase(command);
  } else if (const auto* const bad =
                 std::get_if<ParseError>(&message.payload)) {
    AddText(bad->snippet, &unreadable_);
  } else if (const auto* const raw = std::get_if<Raw>(&message.payload)) {
    const bool printed = raw->type.empty() || raw->type == "stdout";
    if (printed) AddText(raw->line, &unreadable_);
  } else if (const auto* const result = std::get_if<Result>(&message.payload)) {
    if (!main) return;
    if (result->text != last_text_) AddText(result->text, &output_);
    result_ = *result;
    ended_ = message.time;
  }
}

std::string TurnDocument::Metadata(const DocumentFacts& facts) const {
  std::string text = "## Metadata\n\n";
  std::string* const out = &text;
  AddFact("Task", facts.task, out);
  AddFact("Harness", facts.harness, out);
  AddFact("Model", init_.model.empty() ? facts.asked_model : init_.model, out);
  AddFact("Effort", facts.effort, out);
  AddFact("Edit mode", facts.edit_mode, out);
  std::optional<absl::Duration> duration;
  if (result_) duration = result_->duration;
  if (began_ && ended_) duration = *ended_ - *began_;
  if (duration) {
    AddFact("Duration",
            absl::FormatDuration(absl::Trunc(*duration, absl::Milliseconds(1))),
            out);
  }
  AddFact("Exit code",
          facts.exit_code ? absl::StrCat(*facts.exit_code)
                          : "none: the process had not ended by itself",
          out);
  if (result_) {
    AddFact("Tokens",
            TokensText(result_->usage.turn.value_or(result_->usage.total)),
            out);
  }
  const std::vector<std::string>& servers =
      init_.mcp_servers.empty() ? facts.mcp_servers : init_.mcp_servers;
  AddFact("MCP servers",
          servers.empty() ? "none" : absl::StrJoin(servers, ", "), out);
  AddFact("Session", init_.session_id, out);
  AddFact("Session log", facts.log, out);
  return text;
}

std::string TurnDocument::Markdown(const DocumentFacts& facts) const {
  std::string out = absl::StrCat(
      "# ", absl::StrReplaceAll(facts.title, {{"\r", " "}, {"\n", " "}}),
      "\n\n");
  if (output_.empty() && !unreadable_.empty()) {
    absl::StrAppend(&out,
                    "(Warning: the CLI's output is not the JSON that was asked "
                    "for. This is what it printed.)\n\n",
                    unreadable_, "\n");
  } else {
    absl::StrAppend(
        &out, output_.empty() ? "(The agent said nothing.)" : output_, "\n");
  }
  if (cut_) {
    absl::StrAppend(&out, "\n(Texts are cut after ", kMaxTexts,
                    " bytes; the session log has all of them.)\n");
  }
  if (result_ && result_->is_error) {
    absl::StrAppend(&out, "\n## Error\n\n", result_->error, "\n");
    if (!result_->hint.empty())
      absl::StrAppend(&out, "\n", result_->hint, "\n");
  }
  AddList("Edits", edits_.items, edits_.left_out, &out);
  AddList("Commands", commands_.items, commands_.left_out, &out);
  AddList("Searches", searches_.items, searches_.left_out, &out);
  if (!thoughts_.empty()) {
    absl::StrAppend(&out, "\n## Reasoning\n\n", thoughts_, "\n");
  }
  absl::StrAppend(&out, "\n", Metadata(facts));
  return out;
}

}  // namespace troika
