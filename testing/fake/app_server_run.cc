// Runs `codex app-server` around the script.
#include <csignal>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "rpc/message.h"
#include "testing/fake/app_server_inbox.h"
#include "testing/fake/app_server_wire.h"
#include "testing/fake/player.h"
#include "testing/fake/process.h"
#include "testing/fake/signals.h"

namespace troika::fake {
namespace {

void RunTurn(const std::string& line, AppServerInbox& inbox, Player& player,
             AppServerWire& wire) {
  json::Parser parser;
  const auto value = parser.Parse(line);
  const rpc::Message request = rpc::Parse(*value);
  if (request.method != "turn/start") return;  // It came too late.
  const std::string prompt = InputText(request);
  const std::string turn = wire.NewTurn();
  const std::string started = json::ObjectWriter()
                                  .String("id", turn)
                                  .String("status", "inProgress")
                                  .Take();
  inbox.set_turn(turn);
  player.Print(rpc::ResponseLine(
      request.id, json::ObjectWriter().Json("turn", started).Take(),
      rpc::VersionMember::kOmitted));
  const Flow flow = player.PlayTurn(*inbox.work(), prompt);
  inbox.set_turn("");
  if (flow == Flow::kStop) player.Print(wire.Interrupt());
}

}  // namespace

int RunCodexAppServer(const Process& process) {
  AppServerInbox inbox(&process);
  Player player(&process, &inbox);
  ExitOn(SIGINT, 1);  // SIGTERM keeps its default action.
  player.Play(process.script.start);
  std::unique_ptr<AppServerWire> wire;
  while (true) {
    // No turn is running, so there is nothing to interrupt.
    while (player.WaitForLine() == Flow::kStop) {
    }
    if (!inbox.has_line()) return 0;
    if (!wire) {
      WireOptions options = WireOptionsOf(process, *inbox.work());
      options.asks = true;
      options.model = inbox.model();
      wire = std::make_unique<AppServerWire>(options);
      player.set_wire(wire.get());
    }
    RunTurn(inbox.TakeLine(), inbox, player, *wire);
  }
}

}  // namespace troika::fake
