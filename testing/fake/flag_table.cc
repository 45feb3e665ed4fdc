#include "testing/fake/flag_table.h"

namespace troika::fake {
namespace {

constexpr Takes kNothing = Takes::kNothing;
constexpr Takes kValue = Takes::kValue;
constexpr Takes kEach = Takes::kEach;
constexpr Takes kMany = Takes::kMany;
constexpr Takes kOptional = Takes::kOptional;
constexpr Subcommand kRoot = Subcommand::kRoot;
constexpr Subcommand kMain = Subcommand::kMain;
constexpr Subcommand kResume = Subcommand::kResume;

constexpr Version V(int major, int minor, int patch) {
  return {major, minor, patch};
}
constexpr Version kAny = {};
constexpr Version k63 = V(0, 63, 0);
constexpr Version k124 = V(0, 124, 0);
constexpr Version k125 = V(0, 125, 0);
constexpr Version k166 = V(0, 166, 0);

constexpr absl::string_view kSandboxes =
    "read-only|workspace-write|danger-full-access";
constexpr absl::string_view kColors = "always|never|auto";

// Flags of `codex`, `codex exec` and `codex exec resume`, 0.34 to 0.166.
constexpr Flag kCodexFlags[] = {
    {"--config", "-c", kEach, "key=value", kAny, kRoot},
    {"--enable", "", kEach, "FEATURE", k63, kRoot},
    {"--disable", "", kEach, "FEATURE", k63, kRoot},
    {"--image", "-i", kMany, "FILE", kAny, kRoot},
    {"--model", "-m", kValue, "MODEL", kAny, kRoot},
    {"--oss", "", kNothing, "", kAny, kRoot},
    {"--local-provider", "", kValue, "OSS_PROVIDER", k63, kRoot},
    {"--profile", "-p", kValue, "CONFIG_PROFILE", kAny, kRoot},
    {"--sandbox", "-s", kValue, "SANDBOX_MODE", kAny, kRoot, kNever,
     kSandboxes},
    {"--ask-for-approval", "-a", kValue, "APPROVAL_POLICY", kAny, kRoot, k166,
     "untrusted|on-failure|on-request|never"},
    {"--ask-for-approval", "-a", kValue, "APPROVAL_POLICY", k166, kRoot, kNever,
     "untrusted|on-request|never"},
    {"--full-auto", "", kNothing, "", kAny, kRoot, k125},
    {"--dangerously-bypass-approvals-and-sandbox", "", kNothing, "", kAny,
     kRoot},
    {"--yolo", "", kNothing, "", kAny, kRoot},
    {"--cd", "-C", kValue, "DIR", kAny, kRoot},
    {"--search", "", kNothing, "", kAny, kRoot},
    {"--add-dir", "", kEach, "DIR", k63, kRoot},
    {"--help", "-h", kNothing, "", kAny, kRoot},
    {"--version", "-V", kNothing, "", kAny, kRoot},

    {"--config", "-c", kEach, "key=value", kAny, Subcommand::kAppServer},
    {"--enable", "", kEach, "FEATURE", k63, Subcommand::kAppServer},
    {"--disable", "", kEach, "FEATURE", k63, Subcommand::kAppServer},
    {"--help", "-h", kNothing, "", kAny, Subcommand::kAppServer},

    {"--config", "-c", kEach, "key=value"},
    {"--enable", "", kEach, "FEATURE", k63},
    {"--disable", "", kEach, "FEATURE", k63},
    {"--image", "-i", kMany, "FILE"},
    {"--model", "-m", kValue, "MODEL"},
    {"--oss"},
    {"--local-provider", "", kValue, "OSS_PROVIDER", k63},
    {"--sandbox", "-s", kValue, "SANDBOX_MODE", kAny, kMain, kNever,
     kSandboxes},
    {"--profile", "-p", kValue, "CONFIG_PROFILE"},
    {"--full-auto", "", kNothing, "", kAny, kMain, k125},
    {"--approve-for-me", "", kNothing, "", k166},
    {"--dangerously-bypass-approvals-and-sandbox"},
    {"--yolo"},
    {"--cd", "-C", kValue, "DIR"},
    {"--skip-git-repo-check"},
    {"--add-dir", "", kEach, "DIR", k63},
    {"--ephemeral", "", kNothing, "", k124},
    {"--ignore-user-config", "", kNothing, "", k166},
    {"--ignore-rules", "", kNothing, "", k166},
    {"--strict-config", "", kNothing, "", k166},
    {"--output-schema", "", kValue, "FILE", k63},
    {"--color", "", kValue, "COLOR", kAny, kMain, kNever, kColors},
    {"--json"},
    {"--experimental-json", "", kNothing, "", V(0, 42, 0)},
    {"--output-last-message", "", kValue, "FILE", kAny, kMain, k63},
    {"--output-last-message", "-o", kValue, "FILE", k63},
    {"--help", "-h"},
    {"--version", "-V"},

    {"--last", "", kNothing, "", k63, kResume},
    {"--config", "-c", kEach, "key=value", k63, kResume},
    {"--enable", "", kEach, "FEATURE", k63, kResume},
    {"--disable", "", kEach, "FEATURE", k63, kResume},
    {"--all", "", kNothing, "", k166, kResume},
    {"--image", "-i", kMany, "FILE", k166, kResume},
    {"--model", "-m", kValue, "MODEL", k166, kResume},
    {"--dangerously-bypass-approvals-and-sandbox", "", kNothing, "", k166,
     kResume},
    {"--yolo", "", kNothing, "", k166, kResume},
    {"--skip-git-repo-check", "", kNothing, "", k166, kResume},
    {"--ephemeral", "", kNothing, "", k166, kResume},
    {"--ignore-user-config", "", kNothing, "", k166, kResume},
    {"--ignore-rules", "", kNothing, "", k166, kResume},
    {"--strict-config", "", kNothing, "", k166, kResume},
    {"--output-schema", "", kValue, "FILE", k166, kResume},
    {"--json", "", kNothing, "", k166, kResume},
    {"--experimental-json", "", kNothing, "", k166, kResume},
    {"--output-last-message", "-o", kValue, "FILE", k166, kResume},
    {"--help", "-h", kNothing, "", k63, kResume},
};

// Flags of `claude -p` since 0.2.118.
constexpr Flag kClaudeFlags[] = {
    {"--print", "-p"},
    {"--output-format", "", kValue, "format", kAny, kMain, kNever,
     "text|json|stream-json"},
    {"--input-format", "", kValue, "format", V(1, 0, 21), kMain, kNever,
     "text|stream-json"},
    {"--verbose"},
    {"--debug", "-d", kOptional, "filter"},
    {"--model", "", kValue, "model", V(1, 0, 0)},
    {"--effort", "", kValue, "level", V(2, 1, 42)},
    {"--session-id", "", kValue, "uuid", V(1, 0, 53)},
    {"--resume", "-r", kOptional, "value", V(0, 2, 96)},
    {"--continue", "-c", kNothing, "", V(0, 2, 96)},
    {"--fork-session", "", kNothing, "", V(1, 0, 119)},
    {"--resume-session-at", "", kValue, "message id", V(2, 0, 50)},
    {"--include-partial-messages", "", kNothing, "", V(1, 0, 109)},
    {"--replay-user-messages", "", kNothing, "", V(1, 0, 86)},
    {"--permission-mode", "", kValue, "mode", V(1, 0, 15)},
    {"--permission-prompt-tool", "", kValue, "tool", V(0, 2, 90)},
    {"--dangerously-skip-permissions"},
    {"--allowedTools", "--allowed-tools", kMany, "tools"},
    {"--disallowedTools", "--disallowed-tools", kMany, "tools"},
    {"--mcp-config", "", kMany, "configs", V(0, 2, 90)},
    {"--strict-mcp-config", "", kNothing, "", V(2, 0, 50)},
    {"--settings", "", kValue, "file-or-json", V(2, 0, 50)},
    {"--append-system-prompt", "", kValue, "prompt", V(1, 0, 60)},
    {"--system-prompt", "", kValue, "prompt", V(2, 0, 50)},
    {"--add-dir", "", kMany, "directories", V(1, 0, 21)},
    {"--json-schema", "", kValue, "schema", V(2, 0, 45)},
    {"--max-turns", "", kValue, "turns"},
    {"--max-budget-usd", "", kValue, "amount", V(2, 1, 197)},
    {"--version", "-v"},
    {"--help", "-h"},
};

// Flags of `gemini` since 0.11.3.
constexpr Flag kGeminiFlags[] = {
    {"--debug", "-d"},
    {"--model", "-m", kValue, "string"},
    {"--prompt", "-p", kValue, "string"},
    {"--prompt-interactive", "-i", kValue, "string"},
    {"--sandbox", "-s"},
    {"--yolo", "-y"},
    {"--approval-mode", "", kValue, "string", kAny, kMain, V(0, 35, 0),
     "default|auto_edit|yolo"},
    {"--approval-mode", "", kValue, "string", V(0, 35, 0), kMain, kNever,
     "default|auto_edit|yolo|plan"},
    {"--policy", "", kMany, "array", V(0, 35, 0)},
    {"--acp", "", kNothing, "", V(0, 33, 2)},
    {"--experimental-acp"},
    {"--allowed-mcp-server-names", "", kMany, "array"},
    {"--allowed-tools", "", kMany, "array"},
    {"--extensions", "-e", kMany, "array"},
    {"--list-extensions", "-l"},
    {"--resume", "-r", kOptional, "string", V(0, 15, 4)},
    {"--list-sessions", "", kNothing, "", V(0, 15, 4)},
    {"--include-directories", "", kMany, "array"},
    {"--screen-reader"},
    {"--output-format", "-o", kValue, "string", kAny, kMain, kNever,
     "text|json|stream-json"},
    {"--skip-trust", "", kNothing, "", V(0, 39, 1)},
    {"--session-id", "", kValue, "string", V(0, 41, 2)},
    {"--version", "-v"},
    {"--help", "-h"},
};

}  // namespace

absl::Span<const Flag> FlagsOf(Harness harness) {
  switch (harness) {
    case Harness::kCodex:
      return kCodexFlags;
    case Harness::kClaude:
    case Harness::kDemo:
      return kClaudeFlags;
    case Harness::kAcp:
    case Harness::kGemini:
      return kGeminiFlags;
  }
  return {};
}

}  // namespace troika::fake
