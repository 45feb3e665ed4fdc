#include "testing/fake/version.h"

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace troika::fake {

std::optional<Version> ParseVersion(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  Version version = {};
  if (parts.size() < 2 || parts.size() > version.size()) return std::nullopt;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!absl::SimpleAtoi(parts[i], &version[i]) || version[i] < 0) {
      return std::nullopt;
    }
  }
  return version;
}

absl::string_view NewestVersion(Harness harness) {
  switch (harness) {
    case Harness::kCodex:
      return "0.166.0";
    case Harness::kClaude:
    case Harness::kDemo:
      return "2.1.325";
    case Harness::kAcp:
    case Harness::kGemini:
      return "0.61.0";
  }
  return "";
}

std::string VersionLine(Harness harness, absl::string_view version) {
  switch (harness) {
    case Harness::kCodex:
      return absl::StrCat("codex-cli ", version, "\n");
    case Harness::kClaude:
    case Harness::kDemo:
      return absl::StrCat(version, " (Claude Code)\n");
    case Harness::kAcp:
    case Harness::kGemini:
      return absl::StrCat(version, "\n");
  }
  return "";
}

}  // namespace troika::fake
