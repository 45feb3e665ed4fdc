#include "bench/text_source.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace troika::bench {
namespace {

constexpr absl::string_view kSentences[] = {
    "I'll look at how the parser is called before I change anything.",
    "The test fails because the buffer is reused while a view still points "
    "into it.",
    "Let me run the whole suite again to be sure that nothing else depended "
    "on the old order.",
    "There are three callers, and only `LoadConfig` passes an empty path.",
    "That is done: the function now returns an error instead of \"\".",
    "Next I want to see what happens with a file that has no final newline.",
    "The build is green, so I will write the regression test now.",
    "It looks as if `retry_count` was meant to be reset here, but the early "
    "return skips it.",
    "- the first branch handles C:\\Users\\me and other Windows paths\n"
    "- the second one was never reached",
    "I found the cause – a cached value that outlives its owner – and a small "
    "fix for it.",
    "Résumé: 3 files changed, 41 insertions, 12 deletions ✓",
    "Both are fine.",
};

constexpr absl::string_view kCode[] = {
    "#include <string>",
    "",
    "  if (!status.ok()) return status;",
    "  const std::string name = absl::StrCat(prefix, \"/\", base, \".json\");",
    "\tfor i, entry := range entries {",
    "\t\tfmt.Printf(\"%d: %q\\n\", i, entry.Name)",
    "\t}",
    "    def __init__(self, path, *, encoding=\"utf-8\"):",
    "        self._lines = [line.rstrip(\"\\n\") for line in open(path)]",
    "  return items.filter((item) => item.kind !== 'hidden').map(render);",
    "// Keeps the order in which they came; see the test of the same name.",
    "}",
    "class Reader(Protocol):",
    "  label: \"größer als\",  // de",
};

constexpr absl::string_view kListing[] = {
    "-rw-r--r--  1 user user   4096 Jan  5 12:31 CMakeLists.txt",
    "drwxr-xr-x 12 user user   4096 Jan  5 12:31 src",
    "src/server/http_server.cc:214:  response.set_header(\"Content-Type\", t);",
    "src/parser/lexer.cc:88:      case '\\\\': return Escape(cursor + 1);",
    "tests/test_loader.py::test_missing_file PASSED                  [ 41%]",
    "tests/test_loader.py::test_unicode_names[日本語] PASSED         [ 42%]",
    "[ RUN      ] ConfigTest.RefusesUnknownKeys",
    "[       OK ] ConfigTest.RefusesUnknownKeys (3 ms)",
    "npm warn deprecated glob@7.2.3: versions before v9 are not supported",
    "src/main.ts(31,7): error TS2322: Type 'string' is not assignable to type "
    "'number'.",
    "diff --git a/README.md b/README.md",
    "@@ -12,7 +12,9 @@ func main() {",
    "-\treturn nil, errors.New(\"empty\")",
    "+\treturn nil, fmt.Errorf(\"read %s: %w\", path, err)",
    "2025-01-05T12:31:07.113Z INFO  request id=8f31 path=\"/v1/items\" ms=12",
    "    \"version\": \"4.17.21\",",
};

constexpr absl::string_view kCommands[] = {
    "git status --short && git diff --stat",
    "rg -n \"retry_count\" src tests | head -50",
    "bazel test //parser/... --test_output=errors",
    "sed -n '120,260p' src/server/http_server.cc",
    "python3 -m pytest -x -q tests/test_loader.py 2>&1 | tail -40",
    "npm run build --silent",
    "ls -la && cat package.json",
};

constexpr absl::string_view kPaths[] = {
    "src/server/http_server.cc", "src/parser/lexer.cc", "README.md",
    "tests/test_loader.py",      "src/main.ts",         "docs/Übersicht.md",
};

}  // namespace

int TextSource::Between(int low, int high) {
  const auto span = static_cast<uint64_t>(high - low) + 1;
  return low + static_cast<int>(random_() % span);
}

absl::string_view TextSource::Pick(absl::Span<const absl::string_view> from) {
  return from[Between(0, static_cast<int>(from.size()) - 1)];
}

std::string TextSource::Lines(absl::Span<const absl::string_view> from,
                              int bytes, absl::string_view separator) {
  std::string text;
  while (static_cast<int>(text.size()) < bytes) {
    absl::StrAppend(&text, Pick(from), separator);
  }
  return text;
}

std::string TextSource::Prose() {
  const int size = Percent(80) ? Between(100, 600) : Between(600, 1500);
  return Lines(kSentences, size, Percent(70) ? " " : "\n\n");
}

std::string TextSource::Output() {
  const int kind = Between(1, 100);
  const int size = kind <= 30   ? Between(40, 300)
                   : kind <= 75 ? Between(300, 2000)
                   : kind <= 95 ? Between(2000, 8000)
                                : Between(16000, 30000);
  return Percent(40) ? Code(size) : Lines(kListing, size, "\n");
}

std::string TextSource::Code(int bytes) { return Lines(kCode, bytes, "\n"); }

std::string TextSource::Command() { return std::string(Pick(kCommands)); }

std::string TextSource::Path() {
  return absl::StrCat("/workspace/project/", Pick(kPaths));
}

std::string TextSource::Uuid() {
  const uint64_t high = random_();
  const uint64_t low = random_();
  return absl::StrFormat("%08x-%04x-7%03x-8%03x-%012x", high >> 32,
                         (high >> 16) & 0xffff, high & 0xfff, low >> 52,
                         low & 0xffffffffffff);
}

}  // namespace troika::bench
