// `troika why`.
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/decision_text.h"
#include "cli/commands/help.h"

namespace troika::cli {
namespace {

struct WhyCommandLine {
  std::string task;
  std::string event;
  bool json = false;
};

absl::StatusOr<WhyCommandLine> ReadWhyCommandLine(Args args) {
  WhyCommandLine line;
  Flags flags;
  flags.Add("json", &line.json);
  ASSIGN_OR_RETURN(std::vector<std::string> words, flags.Parse(args));
  if (words.size() == 2) {
    line.event = words.back();
    words.pop_back();
  }
  ASSIGN_OR_RETURN(line.task, ReadTask(words));
  return line;
}

absl::StatusOr<int> Why(const WhyCommandLine& line, Server& server,
                        const Io& io) {
  ASSIGN_OR_RETURN(const v1::ListDecisionsResponse all,
                   server.api.ListDecisions(line.task));
  std::string text;
  for (const v1::Decision& decision : all.decisions()) {
    const bool wanted = line.event.empty() ||
                        decision.event_id() == line.event ||
                        decision.id() == line.event;
    if (!wanted) continue;
    absl::StrAppend(&text, line.json
                               ? JsonLine(decision)
                               : DecisionText(decision, absl::LocalTimeZone()));
  }
  if (all.left_out() > 0 && line.event.empty()) {
    Note(io, absl::StrCat(all.left_out(), " older decisions are left out"));
  }
  if (text.empty() && !line.event.empty()) {
    return absl::NotFoundError(
        absl::StrCat("task ", line.task, " has no decision ", line.event,
                     ": `troika why ", line.task, "` lists them"));
  }
  if (text.empty()) {
    Note(io, "nothing was asked, and nothing was denied");
    return kExitOk;
  }
  return Print(io, text);
}

}  // namespace

constinit const Command kWhyCommand = {
    .name = "why",
    .summary = "tell what was decided in a task, by whom and by which rules",
    .help = kWhyHelp,
    .run = RunOnServer<kWhyCommand, ReadWhyCommandLine, Why>};

}  // namespace troika::cli
