#include "agent/sandbox_error.h"

#include <re2/re2.h>

#include <string_view>

#include "absl/strings/str_cat.h"

namespace troika {
namespace {

constexpr size_t kMaxErrorBytes = 400;

}  // namespace

std::string FindSandboxError(absl::string_view text) {
  static const RE2* const kPattern = [] {
    RE2::Options options;
    options.set_case_sensitive(false);
    return new RE2(absl::StrCat("(", kSandboxErrorPattern, ")"), options);
  }();
  std::string error;
  RE2::PartialMatch(std::string_view(text.data(), text.size()), *kPattern,
                    &error);
  if (error.size() > kMaxErrorBytes) error.resize(kMaxErrorBytes);
  return error;
}

std::string SandboxTrouble(absl::string_view cli_name,
                           absl::string_view error) {
  return absl::StrCat(cli_name,
                      " can't set up its sandbox here, so the agent's commands "
                      "and edits will fail: ",
                      error, "; ", kSandboxRemedy);
}

}  // namespace troika
