#include "testing/fake/flag_table.h"

namespace troika::fake {
namespace {

constexpr Takes kNothing = Takes::kNothing;
constexpr Takes kValue = Takes::kValue;
constexpr Takes kEach = Takes::kEach;
constexpr Takes kMany = Takes::kMany;
constexpr Takes kOptional = Takes::kOptional;
constexpr Place kRoot = Place::kRoot;
constexpr Place kMain = Place::kMain;
constexpr Place kResume = Place::kResume;

constexpr Version kAny = {};
constexpr Version k63 = {0, 63, 0};
constexpr Version k124 = {0, 124, 0};
constexpr Version k125 = {0, 125, 0};
constexpr Version k166 = {0, 166, 0};

constexpr absl::string_view kSandboxes =
    "read-only|workspace-write|danger-full-access";
constexpr absl::string_view kColors = "always|never|auto";

// Flags of `codex`, `codex exec` and `codex exec resume`, 0.34 to 0.166.
constexpr Flag kCodexFlags[] = {
    {"--config", "-c", kEach, kRoot, kAny, kNever, "key=value", ""},
    {"--enable", "", kEach, kRoot, k63, kNever, "FEATURE", ""},
    {"--disable", "", kEach, kRoot, k63, kNever, "FEATURE", ""},
    {"--image", "-i", kMany, kRoot, kAny, kNever, "FILE", ""},
    {"--model", "-m", kValue, kRoot, kAny, kNever, "MODEL", ""},
    {"--oss", "", kNothing, kRoot, kAny, kNever, "", ""},
    {"--local-provider", "", kValue, kRoot, k63, kNever, "OSS_PROVIDER", ""},
    {"--profile", "-p", kValue, kRoot, kAny, kNever, "CONFIG_PROFILE", ""},
    {"--sandbox", "-s", kValue, kRoot, kAny, kNever, "SANDBOX_MODE",
     kSandboxes},
    {"--ask-for-approval", "-a", kValue, kRoot, kAny, k166, "APPROVAL_POLICY",
     "untrusted|on-failure|on-request|never"},
    {"--ask-for-approval", "-a", kValue, kRoot, k166, kNever, "APPROVAL_POLICY",
     "untrusted|on-request|never"},
    {"--full-auto", "", kNothing, kRoot, kAny, k125, "", ""},
    {"--dangerously-bypass-approvals-and-sandbox", "", kNothing, kRoot, kAny,
     kNever, "", ""},
    {"--yolo", "", kNothing, kRoot, kAny, kNever, "", ""},
    {"--cd", "-C", kValue, kRoot, kAny, kNever, "DIR", ""},
    {"--search", "", kNothing, kRoot, kAny, kNever, "", ""},
    {"--add-dir", "", kEach, kRoot, k63, kNever, "DIR", ""},
    {"--help", "-h", kNothing, kRoot, kAny, kNever, "", ""},
    {"--version", "-V", kNothing, kRoot, kAny, kNever, "", ""},

    {"--config", "-c", kEach, kMain, kAny, kNever, "key=value", ""},
    {"--enable", "", kEach, kMain, k63, kNever, "FEATURE", ""},
    {"--disable", "", kEach, kMain, k63, kNever, "FEATURE", ""},
    {"--image", "-i", kMany, kMain, kAny, kNever, "FILE", ""},
    {"--model", "-m", kValue, kMain, kAny, kNever, "MODEL", ""},
    {"--oss", "", kNothing, kMain, kAny, kNever, "", ""},
    {"--local-provider", "", kValue, kMain, k63, kNever, "OSS_PROVIDER", ""},
    {"--sandbox", "-s", kValue, kMain, kAny, kNever, "SANDBOX_MODE",
     kSandboxes},
    {"--profile", "-p", kValue, kMain, kAny, kNever, "CONFIG_PROFILE", ""},
    {"--full-auto", "", kNothing, kMain, kAny, k125, "", ""},
    {"--approve-for-me", "", kNothing, kMain, k166, kNever, "", ""},
    {"--dangerously-bypass-approvals-and-sandbox", "", kNothing, kMain, kAny,
     kNever, "", ""},
    {"--yolo", "", kNothing, kMain, kAny, kNever, "", ""},
    {"--cd", "-C", kValue, kMain, kAny, kNever, "DIR", ""},
    {"--skip-git-repo-check", "", kNothing, kMain, kAny, kNever, "", ""},
    {"--add-dir", "", kEach, kMain, k63, kNever, "DIR", ""},
    {"--ephemeral", "", kNothing, kMain, k124, kNever, "", ""},
    {"--ignore-user-config", "", kNothing, kMain, k166, kNever, "", ""},
    {"--ignore-rules", "", kNothing, kMain, k166, kNever, "", ""},
    {"--strict-config", "", kNothing, kMain, k166, kNever, "", ""},
    {"--output-schema", "", kValue, kMain, k63, kNever, "FILE", ""},
    {"--color", "", kValue, kMain, kAny, kNever, "COLOR", kColors},
    {"--json", "", kNothing, kMain, kAny, kNever, "", ""},
    {"--experimental-json", "", kNothing, kMain, {0, 42, 0}, kNever, "", ""},
    {"--output-last-message", "", kValue, kMain, kAny, k63, "FILE", ""},
    {"--output-last-message", "-o", kValue, kMain, k63, kNever, "FILE", ""},
    {"--help", "-h", kNothing, kMain, kAny, kNever, "", ""},
    {"--version", "-V", kNothing, kMain, kAny, kNever, "", ""},

    {"--last", "", kNothing, kResume, k63, kNever, "", ""},
    {"--config", "-c", kEach, kResume, k63, kNever, "key=value", ""},
    {"--enable", "", kEach, kResume, k63, kNever, "FEATURE", ""},
    {"--disable", "", kEach, kResume, k63, kNever, "FEATURE", ""},
    {"--all", "", kNothing, kResume, k166, kNever, "", ""},
    {"--image", "-i", kMany, kResume, k166, kNever, "FILE", ""},
    {"--model", "-m", kValue, kResume, k166, kNever, "MODEL", ""},
    {"--dangerously-bypass-approvals-and-sandbox", "", kNothing, kResume, k166,
     kNever, "", ""},
    {"--yolo", "", kNothing, kResume, k166, kNever, "", ""},
    {"--skip-git-repo-check", "", kNothing, kResume, k166, kNever, "", ""},
    {"--ephemeral", "", kNothing, kResume, k166, kNever, "", ""},
    {"--ignore-user-config", "", kNothing, kResume, k166, kNever, "", ""},
    {"--ignore-rules", "", kNothing, kResume, k166, kNever, "", ""},
    {"--strict-config", "", kNothing, kResume, k166, kNever, "", ""},
    {"--output-schema", "", kValue, kResume, k166, kNever, "FILE", ""},
    {"--json", "", kNothing, kResume, k166, kNever, "", ""},
    {"--experimental-json", "", kNothing, kResume, k166, kNever, "", ""},
    {"--output-last-message", "-o", kValue, kResume, k166, kNever, "FILE", ""},
    {"--help", "-h", kNothing, kResume, k63, kNever, "", ""},
};

// Flags of `claude -p` since 0.2.118.
constexpr Flag kClaudeFlags[] = {
    {"--print", "-p", kNothing, kMain, kAny, kNever, "", ""},
    {"--output-format", "", kValue, kMain, kAny, kNever, "format",
     "text|json|stream-json"},
    {"--input-format",
     "",
     kValue,
     kMain,
     {1, 0, 21},
     kNever,
     "format",
     "text|stream-json"},
    {"--verbose", "", kNothing, kMain, kAny, kNever, "", ""},
    {"--debug", "-d", kOptional, kMain, kAny, kNever, "filter", ""},
    {"--model", "", kValue, kMain, {1, 0, 0}, kNever, "model", ""},
    {"--effort", "", kValue, kMain, {2, 1, 42}, kNever, "level", ""},
    {"--session-id", "", kValue, kMain, {1, 0, 53}, kNever, "uuid", ""},
    {"--resume", "-r", kOptional, kMain, {0, 2, 96}, kNever, "value", ""},
    {"--continue", "-c", kNothing, kMain, {0, 2, 96}, kNever, "", ""},
    {"--fork-session", "", kNothing, kMain, {1, 0, 119}, kNever, "", ""},
    {"--include-partial-messages",
     "",
     kNothing,
     kMain,
     {1, 0, 109},
     kNever,
     "",
     ""},
    {"--replay-user-messages", "", kNothing, kMain, {1, 0, 86}, kNever, "", ""},
    {"--permission-mode", "", kValue, kMain, {1, 0, 15}, kNever, "mode", ""},
    {"--permission-prompt-tool",
     "",
     kValue,
     kMain,
     {0, 2, 90},
     kNever,
     "tool",
     ""},
    {"--dangerously-skip-permissions", "", kNothing, kMain, kAny, kNever, "",
     ""},
    {"--allowedTools", "--allowed-tools", kMany, kMain, kAny, kNever, "tools",
     ""},
    {"--disallowedTools", "--disallowed-tools", kMany, kMain, kAny, kNever,
     "tools", ""},
    {"--mcp-config", "", kMany, kMain, {0, 2, 90}, kNever, "configs", ""},
    {"--strict-mcp-config", "", kNothing, kMain, {2, 0, 50}, kNever, "", ""},
    {"--settings", "", kValue, kMain, {2, 0, 50}, kNever, "file-or-json", ""},
    {"--append-system-prompt",
     "",
     kValue,
     kMain,
     {1, 0, 60},
     kNever,
     "prompt",
     ""},
    {"--system-prompt", "", kValue, kMain, {2, 0, 50}, kNever, "prompt", ""},
    {"--add-dir", "", kMany, kMain, {1, 0, 21}, kNever, "directories", ""},
    {"--json-schema", "", kValue, kMain, {2, 0, 45}, kNever, "schema", ""},
    {"--max-turns", "", kValue, kMain, kAny, kNever, "turns", ""},
    {"--max-budget-usd", "", kValue, kMain, {2, 1, 197}, kNever, "amount", ""},
    {"--version", "-v", kNothing, kMain, kAny, kNever, "", ""},
    {"--help", "-h", kNothing, kMain, kAny, kNever, "", ""},
};

// Flags of `gemini` since 0.11.3.
constexpr Flag kGeminiFlags[] = {
    {"--debug", "-d", kNothing, kMain, kAny, kNever, "", ""},
    {"--model", "-m", kValue, kMain, kAny, kNever, "string", ""},
    {"--prompt", "-p", kValue, kMain, kAny, kNever, "string", ""},
    {"--prompt-interactive", "-i", kValue, kMain, kAny, kNever, "string", ""},
    {"--sandbox", "-s", kNothing, kMain, kAny, kNever, "", ""},
    {"--yolo", "-y", kNothing, kMain, kAny, kNever, "", ""},
    {"--approval-mode",
     "",
     kValue,
     kMain,
     kAny,
     {0, 35, 0},
     "string",
     "default|auto_edit|yolo"},
    {"--approval-mode",
     "",
     kValue,
     kMain,
     {0, 35, 0},
     kNever,
     "string",
     "default|auto_edit|yolo|plan"},
    {"--policy", "", kMany, kMain, {0, 61, 0}, kNever, "array", ""},
    {"--acp", "", kNothing, kMain, {0, 33, 2}, kNever, "", ""},
    {"--experimental-acp", "", kNothing, kMain, kAny, kNever, "", ""},
    {"--allowed-mcp-server-names", "", kMany, kMain, kAny, kNever, "array", ""},
    {"--allowed-tools", "", kMany, kMain, kAny, kNever, "array", ""},
    {"--extensions", "-e", kMany, kMain, kAny, kNever, "array", ""},
    {"--list-extensions", "-l", kNothing, kMain, kAny, kNever, "", ""},
    {"--resume", "-r", kOptional, kMain, {0, 15, 4}, kNever, "string", ""},
    {"--list-sessions", "", kNothing, kMain, {0, 15, 4}, kNever, "", ""},
    {"--include-directories", "", kMany, kMain, kAny, kNever, "array", ""},
    {"--screen-reader", "", kNothing, kMain, kAny, kNever, "", ""},
    {"--output-format", "-o", kValue, kMain, kAny, kNever, "string",
     "text|json|stream-json"},
    {"--skip-trust", "", kNothing, kMain, {0, 39, 1}, kNever, "", ""},
    {"--session-id", "", kValue, kMain, {0, 41, 2}, kNever, "string", ""},
    {"--version", "-v", kNothing, kMain, kAny, kNever, "", ""},
    {"--help", "-h", kNothing, kMain, kAny, kNever, "", ""},
};

}  // namespace

absl::Span<const Flag> FlagsOf(Harness harness) {
  switch (harness) {
    case Harness::kCodex:
      return kCodexFlags;
    case Harness::kClaude:
    case Harness::kDemo:
      return kClaudeFlags;
    case Harness::kGemini:
      return kGeminiFlags;
  }
  return {};
}

}  // namespace troika::fake
