// Runs `gemini --acp` around the script.
#include <csignal>
#include <optional>
#include <string>

#include "testing/fake/acp_inbox.h"
#include "testing/fake/acp_wire.h"
#include "testing/fake/player.h"
#include "testing/fake/process.h"
#include "testing/fake/signals.h"

namespace troika::fake {

int RunAcp(const Process& process) {
  AcpInbox inbox(&process);
  Player player(&process, &inbox);
  ExitOn(SIGINT, 0);
  ExitOn(SIGTERM, 0);
  player.Play(process.script.start);
  std::optional<AcpWire> wire;
  while (true) {
    // No turn is running.
    while (player.WaitForLine() == Flow::kStop) {
    }
    if (!inbox.has_line()) return player.exit_code();
    const auto prompt = AcpInbox::PromptOf(inbox.TakeLine());
    if (!prompt || !inbox.work()) continue;
    Work& work = *inbox.work();
    if (!wire) {
      WireOptions options = WireOptionsOf(process, work);
      options.asks = process.line.Value("--approval-mode") != "yolo";
      wire.emplace(options);
      player.set_wire(&*wire);
    }
    wire->set_prompt_id(prompt->id);
    if (inbox.TakeCancelled() ||
        player.PlayTurn(work, prompt->text) == Flow::kStop) {
      player.Print(wire->Interrupt());
      inbox.TakeCancelled();
    }
  }
}

}  // namespace troika::fake
