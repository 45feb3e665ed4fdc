#include "task/hints.h"

#include <re2/re2.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/numeric/bits.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/sandbox_error.h"
#include "base/check.h"

namespace troika {
namespace {

constexpr size_t kExcerptBytes = 2000;
constexpr int kExcerptLines = 10;

struct Hint {
  // Case does not matter.
  const char* pattern;
  absl::string_view hint;
  bool of_tools = false;  // HintForTool() knows it, too.
};

// The most telling first. The comments name the harnesses whose words they are.
constexpr Hint kHints[] = {
    // Troika itself.
    {R"(^the task deadline of \S+ passed)",
     "give the task more working time with its next turn: --task-timeout, or "
     "timeouts.task in the API"},
    // Codex. It speaks of trust and means git.
    {R"(--skip-git-repo-check|not (inside )?a git repository)",
     "run the task in a git repository, or with --skip-git-check "
     "(skip_git_check in the API)"},
    // Codex. Before the full disk, as bubblewrap names ENOSPC if there may be
    // no
    // more namespaces.
    {kSandboxErrorPattern, kSandboxRemedy, /*of_tools=*/true},
    {R"(bwrap: execvp codex-linux-sandbox)",
     "Codex can't run its sandbox from a folder of temporary files: set "
     "CODEX_HOME to another folder",
     /*of_tools=*/true},
    // Gemini.
    {R"(not running in a trusted directory|folder is not trusted)"
     R"(|untrusted (folder|directory|workspace))",
     "trust the folder once in the CLI's interactive mode, or set "
     "GEMINI_CLI_TRUST_WORKSPACE=true for the task"},
    // Claude; Codex; Gemini.
    {R"(no conversation found with session id|no rollout found for thread)"
     R"(|error resuming session|invalid session identifier)"
     R"(|no previous sessions? found)",
     "the session is not on this machine or belongs to another folder: resume "
     "it in the folder where it began, or start a new task"},
    // Claude.
    {R"(session id \S+ is already in use)",
     "another process uses this session: wait for it or stop it, or start a "
     "new task"},
    {R"(cannot be used with root/sudo privileges)",
     "run Troika as another user, or set IS_SANDBOX=1 if this is a container"},
    {R"(must be accepted in an interactive session first)",
     "run the CLI once by hand and accept the bypass of permissions there"},
    // Claude and Gemini (commander, yargs); Codex (clap).
    {R"(error: unknown option|unknown arguments?: |error: unexpected argument)"
     R"(|error: invalid value '[^']*' for '--)",
     "the installed CLI does not know this option: update the CLI, or leave "
     "the option out"},
    // Codex.
    {R"(error loading config\.toml|is no longer supported; remove this)"
     R"(|unknown configuration field|error parsing -c overrides)",
     "correct the CLI's configuration file or the config setting of the task"},
    // All.
    {R"(no space left on device|\bENOSPC\b)",
     "the disk is full: make room and try again"},
    // Codex; Gemini; Claude.
    {R"(usage[ _]limit|insufficient_quota|quota ?exceeded|QuotaError)"
     R"(|resource_exhausted|request a quota increase|api error: quota)"
     R"(|credit balance is too low|exceeded your current quota)",
     "the account's quota is used up: wait until it resets, or use another "
     "account or model"},
    {R"(rate.?limit|too many requests|\((http )?429\)|status:? 429)"
     R"(|api error: 429|"code":\s*429)",
     "too many requests: wait a while and try again, or run fewer tasks at "
     "once"},
    // Codex; Claude; Gemini.
    {R"(401 unauthorized|status:? 401|api error: 401|"code":\s*401)"
     R"(|(invalid|incorrect) api key|api key not valid|unauthenticated)"
     R"(|authentication_error|please run /login|not logged in)"
     R"(|token (has )?expired|missing environment variable)"
     R"(|must specify the \w+ environment variable|set an auth method)",
     "log in with the CLI itself, or set its API key in the task's "
     "environment"},
    // Codex; Claude; Gemini.
    {R"(context window|context_length_exceeded|prompt is too long)"
     R"(|input token count \S* ?exceeds)",
     "the conversation is too long for the model: start a new task, or attach "
     "less"},
    {R"(model[^\n]{0,80}(not found|does not exist|not supported))"
     R"(|model_not_found|unknown model|issue with the selected model)",
     "choose a model that the CLI and the account have"},
    // Claude; Gemini.
    {R"(max(imum number of|imum)? (session )?turns)",
     "the CLI's limit of turns is met: raise it in its settings, or ask for "
     "the rest in another turn"},
    // Claude; Codex.
    {R"(output token maximum|max_output_tokens)",
     "the answer is longer than the model may give: ask for it in parts"},
    // All. After those that a server's answer can be told by.
    {R"(overloaded|experiencing high demand|server-side issue)"
     R"(|api error: 5\d\d|"code":\s*5\d\d|internal server error)"
     R"(|transient api issue)",
     "the vendor's servers have trouble: try again later"},
    {R"(error sending request|waiting for network|unable to connect)"
     R"(|connectionrefused|fetch failed|connection (failed|closed|refused))"
     R"(|stream disconnected|network is unreachable|api error: terminated)"
     R"(|certificate|\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN)\b)"
     R"(|\bETIMEDOUT\b)",
     "the model's servers can't be reached: check network, proxy and base "
     "URL"},
};

constexpr const char* kNoise[] = {
    R"(^\s*$)",
    // Codex.
    R"(could not create PATH aliases)",
    R"(^Reading (additional input|prompt) from stdin)",
    R"(could not find bubblewrap on PATH)",
    // Gemini.
    R"(^YOLO mode is enabled)",
    R"(^Approval mode overridden)",
    R"(^Ripgrep is not available)",
    R"(^Loaded cached credentials)",
    R"(^\[STARTUP\] )",
    R"(^\[DEBUG\] )",
    R"(^missing pgrep output)",
    R"(^Failed to save project registry)",
    R"(^Warning: (256-color|True color) .*support not detected)",
    R"(^Warning: --allowed-tools cli argument .* deprecated)",
    // Node.
    R"(^\(node:\d+\) .*Warning: )",
    R"(^\(Use `node --trace-)",
    R"(^\s+at .*[():])",
};

// Each pattern of tools contains one of these. Every output is searched, and
// few have such a word, so the patterns are tried only on those.
struct ToolWord {
  absl::string_view word;
  size_t pair;  // The index of two letters that are rare side by side.
};
constexpr ToolWord kToolWords[] = {
    {"bwrap: ", 1}, {"bubblewrap", 6}, {"sandbox", 3}, {"landlock", 3}};

constexpr size_t kBlock = 16;

// A bit for each of the bytes that may begin a pair of kToolWords, in any case:
// "wr", "db" or "dl". Reads kBlock + 1 bytes.
uint32_t FindPairs([[maybe_unused]] const char* bytes) {
#if defined(__SSE2__)
  const auto load = [](const char* from) {
    return _mm_or_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)),
                        _mm_set1_epi8(0x20));
  };
  const auto is = [](__m128i letters, char wanted) {
    return _mm_cmpeq_epi8(letters, _mm_set1_epi8(wanted));
  };
  const __m128i first = load(bytes);
  const __m128i second = load(bytes + 1);
  const __m128i wr = _mm_and_si128(is(first, 'w'), is(second, 'r'));
  const __m128i db_dl = _mm_and_si128(
      is(first, 'd'), _mm_or_si128(is(second, 'b'), is(second, 'l')));
  return static_cast<uint32_t>(_mm_movemask_epi8(_mm_or_si128(wr, db_dl)));
#else
  return (uint32_t{1} << kBlock) - 1;  // All of them may.
#endif
}

bool HasToolWord(absl::string_view text) {
  const auto is_word = [&](size_t at) {
    return std::any_of(std::begin(kToolWords), std::end(kToolWords),
                       [&](const ToolWord& tool) {
                         return at >= tool.pair &&
                                absl::StartsWithIgnoreCase(
                                    text.substr(at - tool.pair), tool.word);
                       });
  };
  size_t at = 0;
  for (; at + kBlock < text.size(); at += kBlock) {
    uint32_t found = FindPairs(text.data() + at);
    for (; found != 0; found &= found - 1) {
      if (is_word(at + absl::countr_zero(found))) return true;
    }
  }
  for (; at < text.size(); ++at) {
    if (is_word(at)) return true;
  }
  return false;
}

std::string_view ToStd(absl::string_view text) {
  return {text.data(), text.size()};
}

std::unique_ptr<RE2> Compile(const std::string& pattern) {
  RE2::Options options;
  options.set_case_sensitive(false);
  auto compiled = std::make_unique<RE2>(pattern, options);
  CHECK(compiled->ok());
  return compiled;
}

struct Compiled {
  std::vector<std::unique_ptr<RE2>> hints;
  std::unique_ptr<RE2> noise;  // Any of them: agents flood stderr, too.
};

const Compiled& Patterns() {
  static const auto* const kCompiled = [] {
    auto* compiled = new Compiled;
    for (const Hint& hint : kHints) {
      compiled->hints.push_back(Compile(hint.pattern));
    }
    compiled->noise = Compile(absl::StrJoin(kNoise, "|"));
    return compiled;
  }();
  return *kCompiled;
}

absl::string_view LastBytes(absl::string_view text, size_t bytes) {
  return text.substr(text.size() - std::min(text.size(), bytes));
}

absl::string_view FirstHint(absl::string_view text,
                            absl::FunctionRef<bool(const Hint&)> wanted) {
  const std::string_view seen = ToStd(LastBytes(text, kMaxStderrBytes));
  if (seen.empty()) return "";
  const std::vector<std::unique_ptr<RE2>>& patterns = Patterns().hints;
  for (size_t i = 0; i < patterns.size(); ++i) {
    if (wanted(kHints[i]) && RE2::PartialMatch(seen, *patterns[i])) {
      return kHints[i].hint;
    }
  }
  return "";
}

}  // namespace

absl::string_view HintFor(absl::string_view text) {
  return FirstHint(text, [](const Hint&) { return true; });
}

absl::string_view HintForTool(absl::string_view output) {
  if (!HasToolWord(LastBytes(output, kMaxStderrBytes))) return "";
  return FirstHint(output, [](const Hint& hint) { return hint.of_tools; });
}

bool IsNoise(absl::string_view line) {
  const std::string_view seen = ToStd(LastBytes(line, kMaxStderrBytes));
  return RE2::PartialMatch(seen, *Patterns().noise);
}

void StderrTail::Add(absl::string_view line) {
  if (IsNoise(line)) return;
  // Cut rarely, so that a line costs no more than its length.
  if (text_.size() > 2 * kMaxStderrBytes) {
    text_.erase(0, text_.size() - kMaxStderrBytes);
  }
  absl::StrAppend(&text_, LastBytes(line, kMaxStderrBytes), "\n");
}

absl::string_view StderrTail::text() const {
  return LastBytes(text_, kMaxStderrBytes);
}

std::string StderrTail::Excerpt() const {
  absl::string_view rest = absl::StripTrailingAsciiWhitespace(text());
  size_t begin = rest.size();
  for (int lines = 0; lines < kExcerptLines && begin > 0; ++lines) {
    const size_t end = rest.rfind('\n', begin - 1);
    begin = end == absl::string_view::npos ? 0 : end;
  }
  rest = LastBytes(rest.substr(begin), kExcerptBytes);
  return std::string(absl::StripAsciiWhitespace(rest));
}

}  // namespace troika
