#include "agent/registry.h"

#include <array>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"

namespace troika {
namespace {

// A harness without a model, for people to try Troika: it runs the program
// troika-demo-agent, which speaks Claude Code's protocol.
const Backend& DemoBackend() {
  static const auto* const kBackend = [] {
    auto* const demo = new Backend(ClaudeBackend());
    demo->harness = Harness::kDemo;
    demo->display_name = "Demo";
    demo->cli_names.program = "troika-demo-agent";
    demo->cli_names.env = {"TROIKA_DEMO_BIN"};
    demo->cli_names.install = "the rest of Troika";
    demo->cli_names.location = CliNames::Location::kBesideUs;
    demo->login_hint = "";
    demo->models = {"demo"};
    demo->LooksLoggedIn = [](const Environment&) {
      return std::optional<bool>(true);
    };
    demo->sessions = nullptr;
    return demo;
  }();
  return *kBackend;
}

// The harnesses that are always shown come first, then the demo, then the one
// that is never shown: agents of the Agent Client Protocol have other names.
constexpr size_t kShown = 3;
constexpr size_t kBackends = kShown + 2;

const std::array<const Backend*, kBackends>& Table() {
  static const auto* const kTable = new std::array<const Backend*, kBackends>{
      &CodexBackend(), &ClaudeBackend(), &GeminiBackend(), &DemoBackend(),
      &AcpBackend()};
  return *kTable;
}

size_t shown = kShown;

}  // namespace

absl::Span<const Backend* const> AllBackends() {
  return absl::MakeSpan(Table()).subspan(0, shown);
}

void EnableDemoHarness() { shown = kShown + 1; }

const Backend& BackendOf(Harness harness) {
  for (const Backend* backend : Table()) {
    if (backend->harness == harness) return *backend;
  }
  CHECK(false && "a harness without a backend");
}

std::string HarnessIds() {
  return absl::StrJoin(AllBackends(), ", ",
                       [](std::string* out, const Backend* backend) {
                         absl::StrAppend(out, HarnessId(backend->harness));
                       });
}

absl::StatusOr<const Backend*> BackendById(absl::string_view id) {
  const std::optional<Harness> harness = HarnessFromId(id);
  if (harness) return &BackendOf(*harness);
  return absl::NotFoundError(
      absl::StrCat("unknown harness \"", id, "\"; there are: ", HarnessIds()));
}

}  // namespace troika
