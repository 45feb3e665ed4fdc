#include "server/export.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "dto/json.h"
#include "dto/message_fields.h"

namespace troika {
namespace {

// Little, because events are converted on the loop.
constexpr size_t kChunk = size_t{16} << 10;

void AppendFenced(absl::string_view language, absl::string_view text,
                  std::string* out) {
  std::string fence = "```";
  while (absl::StrContains(text, fence)) fence += '`';
  absl::StrAppend(out, fence, language, "\n", text,
                  absl::EndsWith(text, "\n") ? "" : "\n", fence, "\n\n");
}

void AppendQuote(absl::string_view text, std::string* out) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::StrAppend(out, "> ", line, "\n");
  }
  out->append("\n");
}

// One line that can't become anything else of Markdown.
std::string Line(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\n", " "},
                                    {"\r", " "},
                                    {"`", "\\`"},
                                    {"*", "\\*"},
                                    {"_", "\\_"},
                                    {"<", "&lt;"},
                                    {"[", "\\["}});
}

// The command of a tool's input, or nothing if it has none.
std::optional<std::string> CommandOf(absl::string_view input_json) {
  json::Parser parser;
  const auto input = parser.Parse(input_json);
  if (!input.ok()) return std::nullopt;
  const auto command = input->Get("command").String();
  if (!command) return std::nullopt;
  return std::string(*command);
}

// Appends the Markdown of a payload. Some have none, because the messages
// around them say the same.
class PayloadWriter {
 public:
  PayloadWriter(std::string* last_input, std::string* out)
      : last_input_(*last_input), out_(*out) {}

  void operator()(const Lifecycle& step) {
    if (step.kind == Lifecycle::Kind::kTurnAsked) {
      absl::StrAppend(&out_, "## Turn ", step.turn, "\n\n");
    } else if (!step.text.empty() && step.kind != Lifecycle::Kind::kSpawned) {
      AppendEmphasized(step.text);
    }
  }
  void operator()(const Receipt& receipt) { AppendInput(receipt.text); }
  void operator()(const UserInput& input) { AppendInput(input.text); }
  void operator()(const Text& text) {
    absl::StrAppend(&out_, text.text, "\n\n");
  }
  void operator()(const Thinking& thinking) {
    out_.append("*Thinking:*\n\n");
    AppendQuote(thinking.text, &out_);
  }
  void operator()(const ToolUse& tool) {
    absl::StrAppend(&out_, "**", Line(tool.name), "**",
                    tool.server.empty() ? "" : " of ", Line(tool.server),
                    "\n\n");
    const auto command = CommandOf(tool.input_json);
    AppendFenced(command ? "sh" : "json", command ? *command : tool.input_json,
                 &out_);
  }
  void operator()(const ToolResult& result) {
    if (result.exit_code.value_or(0) != 0) {
      absl::StrAppend(&out_, "Exit code ", *result.exit_code, ":\n\n");
    } else if (result.denied) {
      out_.append("Not allowed:\n\n");
    } else if (result.is_error) {
      out_.append("Failed:\n\n");
    }
    if (!result.output.empty()) AppendFenced("", result.output, &out_);
  }
  void operator()(const Todo& todo) {
    for (const Todo::Item& item : todo.items) {
      absl::StrAppend(
          &out_, item.status == Todo::Status::kCompleted ? "- [x] " : "- [ ] ",
          Line(item.text), "\n");
    }
    out_.append("\n");
  }
  void operator()(const Approval& approval) {
    if (approval.state == Approval::State::kAsked) return;
    absl::StrAppend(&out_, "*", Line(approval.tool_name), " was ",
                    NameOf(approval.state), approval.by.empty() ? "" : " by ",
                    Line(approval.by), approval.reason.empty() ? "" : ": ",
                    Line(approval.reason), "*\n\n");
  }
  void operator()(const Question& question) {
    if (question.state == Question::State::kAsked) return;
    for (const Question::Item& item : question.items) {
      absl::StrAppend(&out_, "**", Line(item.text), "**\n\n");
      for (const std::string& answer : item.answers) AppendQuote(answer, &out_);
    }
  }
  void operator()(const Diff& diff) {
    AppendFenced("diff", diff.unified_diff, &out_);
  }
  void operator()(const Notice& notice) {
    if (!notice.text.empty()) AppendEmphasized(notice.text);
  }
  void operator()(const Result& result) {
    if (result.is_error) {
      absl::StrAppend(&out_, "**Failed:** ", Line(result.error), "\n\n");
    }
    const TokenCounts tokens = result.usage.turn.value_or(TokenCounts());
    absl::StrAppend(&out_, "*", tokens.input, " tokens in, ", tokens.cached,
                    " cached, ", tokens.output, " out");
    if (result.usage.turn_cost.source != CostSource::kNone) {
      absl::StrAppendFormat(&out_, ", $%.4f", result.usage.turn_cost.usd);
    }
    out_.append("*\n\n");
  }
  void operator()(const Raw& raw) { AppendFenced("", raw.line, &out_); }
  void operator()(const ParseError& error) {
    AppendFenced("", error.snippet, &out_);
  }
  void operator()(const Init&) {}
  void operator()(const Usage&) {}
  void operator()(const RateLimit&) {}
  void operator()(const Subagent&) {}
  void operator()(const TextDelta&) {}
  void operator()(const ThinkingDelta&) {}
  void operator()(const ToolOutputDelta&) {}

 private:
  void AppendInput(const std::string& text) {
    if (text.empty() || text == last_input_) return;
    last_input_ = text;
    AppendQuote(text, &out_);
  }
  void AppendEmphasized(absl::string_view text) {
    absl::StrAppend(&out_, "*", Line(text), "*\n\n");
  }

  std::string& last_input_;
  std::string& out_;
};

class Export final : public http::BodySource {
 public:
  Export(std::shared_ptr<TaskStream> stream, const v1::Task& task,
         ExportFormat format, WholeEventReader whole)
      : stream_(std::move(stream)),
        format_(format),
        whole_(std::move(whole)),
        offset_(stream_->file().begin()),
        end_(stream_->file().size()) {
    if (format_ == ExportFormat::kMarkdown) markdown_.AddHead(task, &head_);
  }

  State Fill(size_t, std::string* out) override {
    out->append(std::exchange(head_, ""));
    if (offset_ < end_) {
      // A frame that is not whole yet is looked through again, so that reads
      // double until it is.
      const auto room = std::min(std::max(kChunk, text_.size()),
                                 static_cast<size_t>(end_ - offset_));
      const auto n = stream_->file().Read(offset_, room, &text_);
      if (!n.ok() || *n == 0) return State::kEnd;
      offset_ += static_cast<int64_t>(*n);
    }
    absl::string_view rest = text_;
    absl::string_view id;
    absl::string_view json;
    while (TakeEventFrame(&rest, &id, &json)) {
      if (!id.empty()) Add(id, json, out);
    }
    text_.erase(0, text_.size() - rest.size());
    return offset_ < end_ ? State::kMore : State::kEnd;
  }

 private:
  void Add(absl::string_view id, absl::string_view json, std::string* out) {
    std::optional<std::string> whole;
    if (absl::StrContains(json, "\"cut\":[")) whole = whole_(id);
    if (format_ == ExportFormat::kJsonLines) {
      absl::StrAppend(out, whole ? *whole : json, "\n");
      return;
    }
    // A whole event may be more than can be parsed.
    if (whole && AddMarkdown(*whole, out)) return;
    if (AddMarkdown(json, out)) return;
    absl::StrAppend(out, "*Event ", id, " could not be read.*\n\n");
  }

  bool AddMarkdown(absl::string_view json, std::string* out) {
    const auto event = parser_.Parse(json);
    if (!event.ok()) return false;
    const auto message = ReadEvent(*event);
    if (!message.ok()) return false;
    markdown_.Add(*message, out);
    return true;
  }

  const std::shared_ptr<TaskStream> stream_;
  const ExportFormat format_;
  const WholeEventReader whole_;
  MarkdownWriter markdown_;
  json::Parser parser_;
  std::string head_;
  std::string text_;  // The beginning of a frame that is not read whole.
  int64_t offset_;
  const int64_t end_;
};

}  // namespace

void MarkdownWriter::AddHead(const v1::Task& task, std::string* out) {
  absl::StrAppend(out, "# ", Line(task.title()), "\n\n- task: ", task.id(),
                  "\n- harness: ", Line(task.harness()), " ",
                  Line(task.version()), "\n- model: ", Line(task.model()),
                  "\n- folder: ", Line(task.cwd()),
                  "\n- state: ", v1::Task::State_Name(task.state()), "\n\n");
}

void MarkdownWriter::Add(const Message& message, std::string* out) {
  std::visit(PayloadWriter(&last_input_, out), message.payload);
}

std::unique_ptr<http::BodySource> NewExport(std::shared_ptr<TaskStream> stream,
                                            const v1::Task& task,
                                            ExportFormat format,
                                            WholeEventReader whole) {
  return std::make_unique<Export>(std::move(stream), task, format,
                                  std::move(whole));
}

}  // namespace troika
