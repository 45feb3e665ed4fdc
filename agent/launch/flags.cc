#include "agent/launch/flags.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace troika {
namespace {

bool IsWord(char c) { return absl::ascii_isalnum(c) || c == '-' || c == '_'; }

// Whether `help` contains `flag` as a whole word.
bool Names(absl::string_view help, absl::string_view flag) {
  for (size_t at = help.find(flag); at != absl::string_view::npos;
       at = help.find(flag, at + 1)) {
    const size_t end = at + flag.size();
    if ((at == 0 || !IsWord(help[at - 1])) &&
        (end == help.size() || !IsWord(help[end]))) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool FlagTable::Has(const Cli& cli, absl::string_view flag) const {
  const Version version = ParseVersion(cli.version);
  for (const FlagRow& row : rows) {
    if (row.flag != flag) continue;
    if (version > newest && !cli.help.empty() &&
        row.help == FlagRow::Help::kListed) {
      return Names(cli.help, flag);
    }
    return row.first <= version && version <= row.last;
  }
  CHECK(false && "a flag that is not in its table");
}

const EditModeRow* FindEditMode(absl::Span<const EditModeRow> rows,
                                EditMode mode, const Version& version) {
  const EditModeRow* found = nullptr;
  for (const EditModeRow& row : rows) {
    if (row.mode == mode && row.first <= version) found = &row;
  }
  return found;
}

std::string NameAndVersion(absl::string_view name, const Cli& cli) {
  return cli.version.empty() ? std::string(name)
                             : absl::StrCat(name, " ", cli.version);
}

std::string CantDo(absl::string_view name, const Cli& cli,
                   absl::string_view what, absl::string_view install) {
  return absl::StrCat(NameAndVersion(name, cli), " can't ", what,
                      "; update with ", install);
}

}  // namespace troika
