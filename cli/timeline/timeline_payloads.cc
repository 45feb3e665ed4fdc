// Timeline of texts, thoughts and notices.
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/terminal_text.h"
#include "cli/timeline/timeline.h"
#include "task/hints.h"

namespace troika::cli {
namespace {

constexpr size_t kPromptLines = 10;
constexpr size_t kThoughtColumns = 160;

}  // namespace

void Timeline::On(const UserInput& input, const Context&) {
  const bool own = depth_ == 0;
  Begin(own ? Kind::kBlock : Kind::kLine);
  Lines(own ? Style::kCyan : Style::kDim, "❯ ", input.text,
        own ? kPromptLines : 1);
  if (input.images > 0) {
    Line(Style::kDim, absl::StrCat("  with ", input.images,
                                   input.images == 1 ? " image" : " images"));
  }
}

void Timeline::On(const Text& text, const Context& context) {
  if (depth_ == 0) last_.text = text.text;
  const std::string& block = context.message.block_id;
  if (streamed_.erase(block) > 0) {
    if (open_block_ == block) out_ += EndLine();
    return;
  }
  const absl::string_view shown = absl::StripAsciiWhitespace(text.text);
  if (shown.empty()) return;
  Begin(Kind::kBlock);
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
  if (open_block_ != block) {
    Begin(Kind::kBlock);
    open_block_ = block;
  }
  Stream(text);
}

void Timeline::On(const Thinking& thinking, const Context&) {
  const std::string thought = SanitizedLine(thinking.text, kThoughtColumns);
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
      SanitizedLine(Labelled(subagent.kind, subagent.description));
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

void Timeline::On(const Diff& diff, const Context&) {
  int64_t files = 0, added = 0, removed = 0;
  for (const absl::string_view line : absl::StrSplit(diff.unified_diff, '\n')) {
    if (absl::StartsWith(line, "+++ ")) {
      ++files;
    } else if (absl::StartsWith(line, "+")) {
      ++added;
    } else if (absl::StartsWith(line, "-") && !absl::StartsWith(line, "--- ")) {
      ++removed;
    }
  }
  std::string text = absl::StrCat("± ", files, files == 1 ? " file" : " files",
                                  " changed so far: +", added, " -", removed);
  if (files == 0 || text == last_.diff) return;
  last_.diff = text;
  Begin(Kind::kLine);
  Line(Style::kDim, text);
}

void Timeline::On(const Notice& notice, const Context&) {
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
  const std::string text = SanitizedLine(notice.text);
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
      Line(Style::kDim, Labelled(SanitizedLine(raw.type), SanitizedLine(line)));
    }
    return;
  }
  if (raw.type == "stderr") {
    if (IsNoise(raw.line)) return;
    Begin(Kind::kLine);
    return Line(Style::kDim, absl::StrCat("stderr: ", SanitizedLine(raw.line)));
  }
  // Lines that we don't know are only in the events; a known line that could
  // not be used is shown.
  if (raw.reason.empty()) return;
  Begin(Kind::kLine);
  Line(Style::kDim,
       Labelled(SanitizedLine(raw.type), SanitizedLine(raw.reason)));
}

void Timeline::On(const ParseError& error, const Context&) {
  Begin(Kind::kLine);
  Paragraph(Style::kYellow, "! ",
            Labelled(error.error, SanitizedLine(error.snippet)));
}

}  // namespace troika::cli
