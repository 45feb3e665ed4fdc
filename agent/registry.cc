#include "agent/registry.h"

#include <array>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/claude/backend.h"
#include "agent/codex/backend.h"
#include "agent/gemini/backend.h"
#include "base/check.h"

namespace troika {
namespace {

const std::array<const Backend*, 3>& Table() {
  static const auto* const kTable = new std::array<const Backend*, 3>{
      new codex::CodexBackend, new claude::ClaudeBackend,
      new gemini::GeminiBackend};
  return *kTable;
}

}  // namespace

absl::Span<const Backend* const> AllBackends() { return Table(); }

const Backend& BackendOf(Harness harness) {
  for (const Backend* backend : Table()) {
    if (backend->harness() == harness) return *backend;
  }
  CHECK(false && "a harness without a backend");
}

absl::StatusOr<const Backend*> BackendById(absl::string_view id) {
  const std::optional<Harness> harness = HarnessFromId(id);
  if (harness) return &BackendOf(*harness);
  const auto name = [](std::string* out, const Backend* backend) {
    absl::StrAppend(out, HarnessId(backend->harness()));
  };
  return absl::NotFoundError(
      absl::StrCat("unknown harness \"", id,
                   "\"; there are: ", absl::StrJoin(Table(), ", ", name)));
}

}  // namespace troika
