#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/utf8.h"
#include "policy/decide.h"
#include "policy/decider.h"
#include "policy/match.h"
#include "policy/rules_data.h"
#include "policy/shell_line.h"

namespace troika::policy {
namespace {

// How deep `bash -c "bash -c …"` is followed.
constexpr int kMaxShells = 4;
constexpr size_t kMaxShownBytes = 80;

using Words = absl::Span<const CommandWord>;

std::string ShownWords(Words words) {
  std::string text =
      absl::StrJoin(words.subspan(0, std::min<size_t>(words.size(), 20)), " ",
                    [](std::string* out, const CommandWord& w) {
                      absl::StrAppend(out, w.text);
                    });
  if (text.size() <= kMaxShownBytes) return text;
  return absl::StrCat(CutAtCharacter(text, kMaxShownBytes), "…");
}

// Adds up what the rules say of the commands of a request.
class CommandDecider {
 public:
  explicit CommandDecider(const Rules::Data& data)
      : data_(data), decider_(data.lists.prefix_rules.size()) {}

  void AddLine(absl::string_view text) { AddLine(text, 0); }
  void AddArgv(Words words) { AddOnly(words, 0); }

  Verdict Finish() {
    return decider_.Finish(data_.lists.broken, [this](int index) {
      const PrefixRule& rule = *data_.lists.prefix_rules[index];
      MatchedRule match = ToMatchedRule(rule);
      const auto found = std::find_if(
          matches_.begin(), matches_.end(),
          [&](const MatchedWords& words) { return words.rule == index; });
      const Words prefix = found->words.subspan(0, rule.pattern.size());
      for (const CommandWord& word : prefix) {
        match.matched_prefix.emplace_back(word.text);
      }
      match.matched_prefix[0] = std::string(found->program);
      if (found->program != prefix[0].text) {
        match.resolved_program = std::string(prefix[0].text);
      }
      return match;
    });
  }

 private:
  struct MatchedWords {
    int rule;
    absl::string_view program;
    Words words;
  };

  // kRestrictOnly: rules that allow don't count.
  enum class Effect { kAll, kRestrictOnly };

  void AddLine(absl::string_view text, int depth) {
    lines_.push_back(std::make_unique<ShellLine>(text));
    const ShellLine& line = *lines_.back();
    const bool only = line.size() == 1 && line.problem().empty();
    for (size_t i = 0; i < line.size(); ++i) {
      if (only) {
        AddOnly(line.command(i), depth);
      } else {
        AddPart(line.command(i), depth);
      }
    }
    if (!line.problem().empty()) decider_.Ask(line.problem());
  }

  // A request that is nothing but `bash -lc TEXT` is the way in which CLIs run
  // a line: rules for bash don't speak of it.
  void AddOnly(Words words, int depth) {
    if (const CommandWord* text = ShellText(words);
        text != nullptr && depth < kMaxShells) {
      AddLine(text->text, depth + 1);
    } else {
      AddPart(words, depth);
    }
  }

  void AddPart(Words words, int depth) {
    const CommandWord* text = ShellText(words);
    if (text == nullptr) {
      Add(words);
      return;
    }
    Restrict(words);
    if (depth < kMaxShells) {
      AddLine(text->text, depth + 1);
    } else {
      decider_.Ask("shells are nested too deep");
    }
  }

  void Add(Words words) {
    const absl::string_view program = words[0].text;
    bool matched = Match(program, words, Effect::kAll);
    if (absl::StrContains(program, '/')) {
      matched |= Match(
          BaseName(program), words,
          IsHostExecutable(program) ? Effect::kAll : Effect::kRestrictOnly);
    }
    if (data_.could_restrict && IsLauncher(program)) AddLaunched(words, 0);
    if (!matched) {
      decider_.Unknown([&] {
        return absl::StrCat("no rule speaks of ", ShownWords(words));
      });
    }
  }

  // Rules that restrict also speak of the command that sudo, xargs, … run,
  // wherever it begins.
  void AddLaunched(Words words, int depth) {
    for (size_t i = 1; i < words.size(); ++i) {
      if (!words[i].literal) {
        decider_.Ask(absl::StrCat("a pattern stands where ", words[0].text,
                                  " could take a command"));
        return;
      }
      const Words launched = words.subspan(i);
      Restrict(launched);
      if (const CommandWord* text = ShellText(launched)) {
        AddLaunchedLine(text->text, depth + 1);
      } else if (IsShell(words[i].text)) {
        AskOfShell(launched);
      }
    }
  }

  void AddLaunchedLine(absl::string_view text, int depth) {
    if (depth > kMaxShells) {
      decider_.Ask("shells are nested too deep");
      return;
    }
    lines_.push_back(std::make_unique<ShellLine>(text));
    const ShellLine& line = *lines_.back();
    for (size_t i = 0; i < line.size(); ++i) {
      const Words words = line.command(i);
      Restrict(words);
      if (const CommandWord* inner = ShellText(words)) {
        AddLaunchedLine(inner->text, depth + 1);
      } else if (IsShell(words[0].text)) {
        AskOfShell(words);
      } else if (IsLauncher(words[0].text)) {
        AddLaunched(words, depth);
      }
    }
    if (!line.problem().empty()) decider_.Ask(line.problem());
  }

  // A shell behind a launcher whose text is not known can run anything:
  // `sh -c TEXT x`, `bash -ec TEXT`, `ksh file`.
  void AskOfShell(Words words) {
    decider_.Ask(
        absl::StrCat("a shell is started in a way that is not understood: ",
                     ShownWords(words)));
  }

  void Restrict(Words words) {
    const absl::string_view program = words[0].text;
    RestrictAs(program, words);
    const absl::string_view name = BaseName(program);
    if (name.size() < program.size()) RestrictAs(name, words);
  }

  void RestrictAs(absl::string_view program, Words words) {
    if (words[0].literal && !data_.prefixes.MayBeginRestricting(program))
      return;
    Match(program, words, Effect::kRestrictOnly);
  }

  // Counts the rules that match. Returns true if there are any.
  bool Match(absl::string_view program, Words words, Effect effect) {
    const PrefixIndex::Matches found = data_.prefixes.Find(program, words);
    bool matched = false;
    for (const int index : found.rules) {
      const PrefixRule& rule = *data_.lists.prefix_rules[index];
      if (!rule.restricts() && effect == Effect::kRestrictOnly) continue;
      matched = true;
      if (decider_.Matched(index, rule.decision)) {
        matches_.push_back({.rule = index, .program = program, .words = words});
      }
    }
    if (found.may_restrict) {
      decider_.Ask(absl::StrCat("a pattern in ", ShownWords(words),
                                " could become a word of a stricter rule"));
    }
    return matched;
  }

  bool IsHostExecutable(absl::string_view program) const {
    if (!absl::StartsWith(program, "/")) return false;
    const auto& known = data_.lists.host_executables;
    const auto paths = known.find(std::string(BaseName(program)));
    return paths != known.end() &&
           std::find(paths->second.begin(), paths->second.end(), program) !=
               paths->second.end();
  }

  const Rules::Data& data_;
  Decider decider_;
  std::vector<MatchedWords> matches_;  // The first match of each rule.
  std::vector<std::unique_ptr<ShellLine>> lines_;  // Words refer to them.
};

}  // namespace

Verdict DecideCommand(const Rules& rules, const CommandRequest& request) {
  CommandDecider decider(rules.data());
  std::vector<CommandWord> words;
  if (!request.argv.empty()) {
    for (const std::string& word : request.argv)
      words.push_back({.text = word});
    decider.AddArgv(words);
  } else {
    decider.AddLine(request.line);
  }
  return decider.Finish();
}

}  // namespace troika::policy
