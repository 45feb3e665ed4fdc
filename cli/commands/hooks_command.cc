// `troika hooks`, and `troika post-hook`, which the server runs.
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/table.h"
#include "cli/timeline/terminal_text.h"
#include "client/webhook.h"
#include "config/hook.h"
#include "dto/proto_fields.h"

namespace troika::cli {
namespace {

constexpr size_t kMaxRequest = size_t{16} << 20;

struct HooksCommandLine {
  std::string test;  // Name of the hook to test; empty: list them.
  bool json = false;
};

absl::StatusOr<HooksCommandLine> ReadHooksCommandLine(Args args) {
  HooksCommandLine line;
  Flags flags;
  flags.Add("json", &line.json);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  if (words.empty()) return line;
  if (words.size() != 2 || words[0] != "test" || words[1].empty()) {
    return absl::InvalidArgumentError(
        "say nothing to list the hooks, or test NAME");
  }
  line.test = words[1];
  return line;
}

absl::StatusOr<int> Test(const HooksCommandLine& line, Server& server,
                         const Io& io) {
  // A server may have to be started; the hook may take its whole time.
  RETURN_IF_ERROR(server.api.ListHooks().status());
  client::ApiClient api(server.api.address(),
                        {.timeout = kMaxHookTimeout + absl::Minutes(1)});
  ASSIGN_OR_RETURN(const v1::TestHookResponse told, api.TestHook(line.test));
  if (line.json) {
    const int code = PrintJson(io, told);
    return told.delivered() ? code : kExitFailure;
  }
  const std::string took = absl::FormatDuration(
      absl::Trunc(FromProto(told.took()), absl::Milliseconds(1)));
  if (told.delivered()) {
    return Print(io, absl::StrCat("delivered ", told.id(), " to ", line.test,
                                  " in ", took, "\n"));
  }
  return Fail(io, absl::StrCat("hook ", line.test, " failed after ", took, ": ",
                               Sanitized(told.error())));
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S", FromProto(time),
                          absl::LocalTimeZone());
}

absl::StatusOr<int> List(const HooksCommandLine& line, Server& server,
                         const Io& io) {
  ASSIGN_OR_RETURN(const v1::ListHooksResponse list, server.api.ListHooks());
  if (line.json) return PrintJson(io, list);
  Table hooks({"HOOK", "ON", "TARGET", "PENDING", "DELIVERED", "GIVEN UP"});
  for (const v1::Hook& hook : list.hooks()) {
    hooks.Add({hook.name(), absl::StrJoin(hook.on(), ", "), hook.target(),
               absl::StrCat(hook.pending()), absl::StrCat(hook.delivered()),
               absl::StrCat(hook.given_up())});
  }
  Table waiting({"EVENT", "HOOK", "ATTEMPTS", "NEXT", "ERROR"});
  for (const v1::HookDelivery& delivery : list.deliveries()) {
    waiting.Add(
        {delivery.id(), delivery.hook(), absl::StrCat(delivery.attempts()),
         delivery.given_up() ? "given up" : TimeText(delivery.next_at()),
         SanitizedLine(delivery.error())});
  }
  std::string text =
      list.hooks().empty()
          ? "no hooks: docs/hooks.md shows how to configure some\n"
          : hooks.Text(0);
  if (!list.deliveries().empty()) {
    absl::StrAppend(&text, "\n", waiting.Text(TerminalWidth(io.out)));
  }
  const int code = Print(io, text);
  for (const std::string& problem : {list.config_error(), list.problem()}) {
    if (!problem.empty()) return Fail(io, SanitizedLine(problem));
  }
  return code;
}

absl::StatusOr<int> Act(const HooksCommandLine& line, Server& server,
                        const Io& io) {
  return line.test.empty() ? List(line, server, io) : Test(line, server, io);
}

}  // namespace

int PostHook(const Io& io) {
  const absl::StatusOr<std::string> text =
      ReadToEnd(io.in, "standard input", kMaxRequest);
  if (!text.ok()) return FailWith(io, text.status());
  json::Parser parser;
  const absl::StatusOr<json::Value> value = parser.Parse(*text);
  if (!value.ok()) return FailWith(io, value.status());
  WebhookRequest request;
  json::FieldReader().Read(*value, &request);
  return Print(io,
               absl::StrCat(json::ToJson(client::PostWebhook(request)), "\n"));
}

constinit const Command kHooksCommand = {
    .name = "hooks",
    .summary = "list and test the hooks that are told of tasks",
    .help = kHooksHelp,
    .run = RunOnServer<kHooksCommand, ReadHooksCommandLine, Act>};

}  // namespace troika::cli
