// Timeline of texts, thoughts and notices.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/edit_text.h"
#include "cli/timeline/markdown.h"
#include "cli/timeline/modes.h"
#include "cli/timeline/terminal_text.h"
#include "cli/timeline/timeline.h"
#include "task/hints.h"

namespace troika::cli {
namespace {

constexpr size_t kPromptLines = 10;
constexpr size_t kThoughtColumns = 160;
constexpr absl::string_view kDefaultModel = "default model";

}  // namespace

void Timeline::On(const UserInput& input, const Context&) {
  const bool own = depth_ == 0;
  if (own && !hidden_prompt_.empty() && input.text == hidden_prompt_) {
    hidden_prompt_.clear();
    return;
  }
  Begin(own ? Kind::kBlock : Kind::kLine);
  Lines(own ? Style::kCyan : Style::kDim, "❯ ", input.text,
        own ? kPromptLines : 1);
  if (input.images > 0) {
    Line(Style::kDim, absl::StrCat("  with ", input.images,
                                   input.images == 1 ? " image" : " images"));
  }
}

void Timeline::On(const Init& init, const Context& context) {
  if (depth_ > 0 || init.model.empty()) return;
  if (header_) {
    header_->model = init.model;
    return ShowHeader(context.state);
  }
  const bool is_new = absl::StrContains(last_.header, kDefaultModel) &&
                      last_.model != init.model;
  last_.model = init.model;
  if (!is_new) return;
  Begin(Kind::kLine);
  Line(Style::kDim, absl::StrCat("model ", OneLine(init.model)));
}

// The text is made by task/replay_notes.cc: its parts are what was started, the
// model if one was asked for, and what the agent may do.
void Timeline::ReadHeader(absl::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(text, " · ");
  header_ = {.name = parts.front()};
  if (parts.size() > 1) header_->permissions = parts.back();
  if (parts.size() > 2) header_->model = parts[1];
  mode_ = EditModeFromId(header_->permissions);
}

void Timeline::ShowHeader(const TaskState& state) {
  const Header header = *std::exchange(header_, std::nullopt);
  std::vector<std::string> parts = {
      OneLine(header.name),
      header.model.empty() ? std::string(kDefaultModel) : OneLine(header.model),
      OneLine(state.cwd), OneLine(ModeText(header.permissions))};
  std::erase(parts, "");
  std::string text = absl::StrJoin(parts, " · ");
  if (text == last_.header) return;
  depth_ = 0;
  Begin(Kind::kLine);
  Paragraph(Style::kDim, "", text);
  last_.header = std::move(text);
}

void Timeline::On(const Text& text, const Context& context) {
  if (depth_ == 0) last_.text = text.text;
  const std::string& block = context.message.block_id;
  if (streamed_.erase(block) > 0) {
    if (options_.width > 0) return EndMarkdown(block, text.text);
    if (open_block_ == block) out_ += EndLine();
    return;
  }
  const absl::string_view shown = absl::StripAsciiWhitespace(text.text);
  if (shown.empty()) return;
  Begin(Kind::kBlock);
  if (options_.width > 0) return Markdown(shown);
  Stream(shown);
  out_ += EndLine();
}

void Timeline::On(const TextDelta& delta, const Context& context) {
  activity_ = "writing";
  const std::string& block = context.message.block_id;
  absl::string_view text = delta.text;
  if (!streamed_.contains(block)) {
    // Some models begin with empty lines.
    text = absl::StripLeadingAsciiWhitespace(text);
    if (text.empty()) return;
    streamed_.insert(block);
  }
  if (options_.width == 0) {
    if (open_block_ != block) {
      Begin(Kind::kBlock);
      open_block_ = block;
    }
    return Stream(text);
  }
  std::string& waits = unrendered_[block];
  absl::StrAppend(&waits, text);
  const size_t complete = CompleteMarkdown(waits);
  if (complete == 0) return;
  Begin(Kind::kBlock);
  Markdown(absl::string_view(waits).substr(0, complete));
  waits.erase(0, complete);
}

void Timeline::EndMarkdown(const std::string& block, absl::string_view whole) {
  auto node = unrendered_.extract(block);
  std::string rest = node ? std::move(node.mapped()) : "";
  // If a delta was lost, the whole text is right.
  if (!absl::EndsWith(whole, rest)) rest = std::string(whole);
  if (absl::StripAsciiWhitespace(rest).empty()) return;
  Begin(Kind::kBlock);
  Markdown(rest);
}

void Timeline::On(const Thinking& thinking, const Context&) {
  const std::string thought =
      shows_all() ? OneLine(thinking.text)
                  : SanitizedLine(thinking.text, kThoughtColumns);
  if (thought.empty()) return;
  Begin(Kind::kLine);
  Line(Style::kDim, absl::StrCat("✻ ", thought));
}

void Timeline::On(const ThinkingDelta&, const Context&) {
  activity_ = "thinking";
}

void Timeline::On(const RateLimit& limit, const Context& context) {
  if (absl::StartsWith(limit.status, "allowed") &&
      limit.status != "allowed_warning") {
    return;
  }
  std::string text = absl::StrCat("rate limit: ", SanitizedLine(limit.status));
  if (!limit.window.empty()) {
    absl::StrAppend(&text, " (", SanitizedLine(limit.window), ")");
  }
  if (limit.resets_at && context.message.time) {
    absl::StrAppend(&text, ", resets in ",
                    DurationText(*limit.resets_at - *context.message.time));
  }
  Begin(Kind::kLine);
  Paragraph(Style::kYellow, "", text);
}

void Timeline::On(const Subagent& subagent, const Context&) {
  depth_ = DepthUnder(subagent.tool_use_id);
  const std::string what =
      OneLine(Labelled(subagent.kind, subagent.description));
  const std::string status = SanitizedLine(subagent.status);
  if (subagent.phase == Subagent::Phase::kStarted) {
    Begin(Kind::kLine);
    Line(Style::kDim, absl::StrCat("subagent started: ", what));
  } else if (subagent.phase == Subagent::Phase::kEnded &&
             status != "completed" && status != "success") {
    Begin(Kind::kLine);
    Line(Style::kYellow,
         absl::StrCat("subagent ended: ", Labelled(what, status)));
  }
}

// It is shown at the turn's end.
void Timeline::On(const Diff& diff, const Context&) {
  changed_ = ReadUnifiedDiff(diff.unified_diff);
  has_diff_ = true;
}

void Timeline::On(const Notice& notice, const Context& context) {
  if (notice.kind == Notice::Kind::kInfo && IsEnding(context.state)) {
    return;
  }
  Style style = Style::kDim;
  bool warns = true;
  switch (notice.kind) {
    case Notice::Kind::kTurnStarted:
      return;
    case Notice::Kind::kRetrying:
    case Notice::Kind::kModelRerouted:
    case Notice::Kind::kConfigWarning:
    case Notice::Kind::kPermissionDenied:
      style = Style::kYellow;
      break;
    case Notice::Kind::kError:
      style = Style::kRed;
      break;
    default:
      warns = false;
      break;
  }
  const std::string text = OneLine(notice.text);
  if (text.empty()) return;
  Begin(Kind::kLine);
  // A warning is never cut.
  if (warns) return Paragraph(style, "! ", notice.text);
  Line(style, absl::StrCat("! ", text));
}

void Timeline::On(const Raw& raw, const Context&) {
  if (raw.lines > 0) {
    for (const absl::string_view line : absl::StrSplit(raw.line, '\n')) {
      if (absl::StripAsciiWhitespace(line).empty() || IsNoise(line)) continue;
      Begin(Kind::kLine);
      Line(Style::kDim, Labelled(OneLine(raw.type), OneLine(line)));
    }
    return;
  }
  if (raw.type == "stderr") {
    if (IsNoise(raw.line)) return;
    Begin(Kind::kLine);
    return Line(Style::kDim, absl::StrCat("stderr: ", OneLine(raw.line)));
  }
  // Lines that we don't know are only in the events; a known line that could
  // not be used is shown.
  if (raw.reason.empty()) return;
  Begin(Kind::kLine);
  Line(Style::kDim, Labelled(OneLine(raw.type), OneLine(raw.reason)));
}

void Timeline::On(const ParseError& error, const Context&) {
  Begin(Kind::kLine);
  Paragraph(Style::kYellow, "! ",
            Labelled(error.error, SanitizedLine(error.snippet)));
}

}  // namespace troika::cli
