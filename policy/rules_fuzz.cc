// A rules file that is read decides on any request without trouble, and no
// verdict is looser for a broken file beside it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "base/check.h"
#include "policy/decide.h"
#include "policy/rules.h"

namespace troika::policy {
namespace {

void Fuzz(const std::string& text) {
  const auto rules =
      Rules::Parse({.file = "f", .text = text}, Dialect::kTroika);
  const auto codex =
      Rules::Parse({.file = "f", .text = text}, Dialect::kExecPolicy);
  if (!rules.ok()) {
    CHECK(!codex.ok());
    CHECK(absl::StartsWith(rules.status().message(), "f:"));
    return;
  }
  const Rules broken = Rules::Combine(
      {*rules, Rules::Broken(absl::InvalidArgumentError("broken"))});
  for (const char* line :
       {"a", "a b", "git status", "a && b", "/bin/a b", "sudo a b", "a *"}) {
    const Verdict verdict = DecideCommand(*rules, {.line = line});
    if (verdict.decision.has_value() && verdict.decision != Decision::kAllow) {
      CHECK(rules->CouldRestrict());
    }
    CHECK(!DecideCommand(broken, {.line = line}).allowed());
    for (const MatchedRule& rule : verdict.matched) {
      CHECK(rule.source.line >= 1);
      CHECK(!rule.matched_prefix.empty());
    }
  }
  for (const char* path : {"a", "docs/a.md", "/etc/x", "../a/b", ".env"}) {
    DecideEdit(*rules, {.paths = {path}, .cwd = "/home/u"});
    CHECK(!DecideEdit(broken, {.paths = {path}, .cwd = "/home/u"}).allowed());
  }
  DecideTool(*rules, {.server = "s", .tool = "t"});
}

}  // namespace
}  // namespace troika::policy

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  troika::policy::Fuzz(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
