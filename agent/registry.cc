#include "agent/registry.h"

#include <array>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"

namespace troika {
namespace {

// Including the demo, which is the last.
constexpr size_t kBackends = 4;

const std::array<const Backend*, kBackends>& Table() {
  static const auto* const kTable = new std::array<const Backend*, kBackends>{
      &CodexBackend(), &ClaudeBackend(), &GeminiBackend(), &DemoBackend()};
  return *kTable;
}

size_t shown = kBackends - 1;

}  // namespace

absl::Span<const Backend* const> AllBackends() {
  return absl::MakeSpan(Table()).subspan(0, shown);
}

void EnableDemoHarness() { shown = kBackends; }

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
