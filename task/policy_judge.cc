#include "task/policy_judge.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/blocking.h"
#include "base/status_macros.h"
#include "task/approval_rules.h"

namespace troika {
namespace {

namespace fs = std::filesystem;

// Two versions of the rules of a task.
struct Versions {
  RulesFiles trusted;
  RulesFiles now;
};

bool SameContent(const RulesFiles& a, const RulesFiles& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const notes::RulesFile& x, const notes::RulesFile& y) {
                      return x.file == y.file && x.text == y.text &&
                             x.error == y.error;
                    });
}

RulesFiles OfOrigin(const RulesFiles& files, absl::string_view origin) {
  RulesFiles found;
  std::copy_if(files.begin(), files.end(), std::back_inserter(found),
               [&](const auto& file) { return file.origin == origin; });
  return found;
}

void Append(const RulesFiles& from, RulesFiles* to) {
  to->insert(to->end(), from.begin(), from.end());
}

// Adds both versions of the rules of a folder.
void AddFolder(const Home& home, const std::string& folder,
               absl::string_view origin, const RulesFiles& copied,
               Versions* out) {
  const std::optional<TrustedFolder> trusted = FindTrusted(home, folder);
  RulesFiles now = ReadPolicyFolder(folder, origin);
  if (trusted && SameContent(trusted->files, now)) {
    Append(now, &out->trusted);
  } else {
    Append(copied, &out->trusted);
    // What nobody trusts in a project does not count.
    if (!trusted && origin == kProjectPolicy) now.clear();
  }
  Append(now, &out->now);
}

Versions ReadVersions(const Home& home, const PolicyCase& asked) {
  Versions versions;
  AddFolder(home, home.policy_path(), kUserPolicy,
            OfOrigin(asked.copied, kUserPolicy), &versions);
  AddFolder(home, ProjectPolicyFolder(asked.cwd), kProjectPolicy,
            OfOrigin(asked.copied, kProjectPolicy), &versions);
  for (const notes::RulesFile& file : OfOrigin(asked.copied, kTaskPolicy)) {
    versions.trusted.push_back(file);
    std::error_code error;
    const bool gone = !fs::exists(file.file, error) && !error;
    versions.now.push_back(gone ? file
                                : ReadPolicyFile(file.file, kTaskPolicy));
  }
  RulesFiles both = OfOrigin(asked.copied, kParentPolicy);
  if (!asked.granted.empty()) {
    both.push_back(
        {.file = "answers of this task",
         .origin = std::string(kTaskPolicy),
         .text = absl::StrCat(absl::StrJoin(asked.granted, "\n"), "\n")});
  }
  Append(both, &versions.trusted);
  Append(both, &versions.now);
  return versions;
}

// The absolute path that a path leads to, also by links to what does not exist.
// Unset if it can't be told.
std::optional<fs::path> FollowLinks(const fs::path& path) {
  constexpr int kMaxLinks = 40;
  fs::path found = "/";
  std::vector<fs::path> rest(path.begin(), path.end());
  std::reverse(rest.begin(), rest.end());
  for (int links = 0; !rest.empty();) {
    const fs::path name = rest.back();
    rest.pop_back();
    if (name.empty() || name == "." || name == "/") continue;
    if (name == "..") {
      found = found.parent_path();
      continue;
    }
    std::error_code error;
    const fs::file_type type = fs::symlink_status(found / name, error).type();
    if (type == fs::file_type::none || type == fs::file_type::unknown) {
      return std::nullopt;
    }
    if (type != fs::file_type::symlink) {
      found /= name;
      continue;
    }
    const fs::path target = fs::read_symlink(found / name, error);
    if (error || ++links > kMaxLinks) return std::nullopt;
    if (target.is_absolute()) found = "/";
    const std::vector<fs::path> names(target.begin(), target.end());
    rest.insert(rest.end(), names.rbegin(), names.rend());
  }
  return found;
}

// The paths of an edit, and those that they lead to. Unset if that can't be
// told.
std::optional<std::vector<std::string>> WithLinksFollowed(
    const Approval& approval, const std::string& cwd) {
  std::vector<std::string> paths;
  for (const std::string& path : approval.paths) {
    const std::optional<fs::path> found = FollowLinks(fs::path(cwd) / path);
    if (!found) return std::nullopt;
    paths.push_back(path);
    paths.push_back(found->string());
  }
  return paths;
}

// Decides in the task's folder, and if another agent has chosen that, also in
// the folder that its rules are written for.
policy::Verdict Decide(const RulesFiles& files, const Approval& approval,
                       const PolicyCase& asked) {
  const policy::Rules rules = ParseRules(files);
  policy::Verdict verdict = DecideApproval(rules, approval, asked.cwd);
  if (asked.policy_folder.empty() || asked.policy_folder == asked.cwd) {
    return verdict;
  }
  Approval there = approval;
  for (std::string& path : there.paths) {
    path = (fs::path(asked.cwd) / path).lexically_normal().string();
  }
  return policy::Stricter(std::move(verdict),
                          DecideApproval(rules, there, asked.policy_folder));
}

// The command without quotes, and with the shortest form of its paths, so that
// a name in it is found however it is written.
std::string WithPlainNames(absl::string_view command) {
  std::string plain =
      absl::StrReplaceAll(command, {{"'", ""}, {"\"", ""}, {"\\", ""}});
  size_t size = 0;
  do {
    size = plain.size();
    plain = absl::StrReplaceAll(plain, {{"/./", "/"}, {"//", "/"}});
  } while (plain.size() < size);
  return plain;
}

// Whether it changes rules or hooks, or may do so.
bool ConcernsPolicy(const Home& home, const Approval& approval,
                    const std::string& cwd) {
  if (approval.kind == Approval::Kind::kCommandLine) {
    const std::string plain = WithPlainNames(approval.command);
    return absl::StrContains(plain, ".troika") ||
           absl::StrContains(plain, ".config/troika") ||
           absl::StrContains(plain, policy::kConfigFile) ||
           absl::StrContains(plain, home.policy_path());
  }
  if (approval.kind != Approval::Kind::kEdit) return false;
  const policy::EditRequest edit = {.paths = approval.paths, .cwd = cwd};
  std::error_code error;
  const std::string folder =
      fs::weakly_canonical(home.policy_path(), error).string();
  return policy::ChangesPolicy(edit, home.policy_path()) ||
         (!error && policy::ChangesPolicy(edit, folder));
}

}  // namespace

policy::Verdict JudgeApproval(const Home& home, const PolicyCase& asked) {
  AssertMayBlock("reading the rules of a task");
  if (!AsksRules(asked.approval.kind)) return {};
  const Versions versions = ReadVersions(home, asked);
  Approval approval = asked.approval;
  bool followed = true;
  if (approval.kind == Approval::Kind::kEdit) {
    auto paths = WithLinksFollowed(approval, asked.cwd);
    followed = paths.has_value();
    if (followed) approval.paths = *std::move(paths);
  }
  policy::Verdict verdict = Decide(versions.trusted, approval, asked);
  if (!SameContent(versions.trusted, versions.now)) {
    policy::Verdict newer = Decide(versions.now, approval, asked);
    const bool differ = newer.allowed() != verdict.allowed();
    verdict = policy::Stricter(std::move(verdict), std::move(newer));
    if (differ && !verdict.forbidden()) {
      absl::StrAppend(&verdict.explanation,
                      verdict.explanation.empty() ? "" : "; ",
                      "the rules have changed since the task was made, and a "
                      "change counts only where it is stricter, until `troika "
                      "policy trust`");
    }
  }
  if (verdict.allowed() && !followed) {
    verdict = {};
    verdict.explanation = "it can't be told where its paths lead";
  }
  if (verdict.allowed() && ConcernsPolicy(home, approval, asked.cwd)) {
    verdict = {};
    verdict.explanation = "it concerns files with rules or hooks";
  }
  return verdict;
}

absl::Status CollectPolicy(const Home& home, TaskRequest* request) {
  RulesFiles files = ReadPolicyFolder(home.policy_path(), kUserPolicy);
  const std::string folder = ProjectPolicyFolder(request->cwd);
  const RulesFiles project = ReadPolicyFolder(folder, kProjectPolicy);
  const auto trusted = FindTrusted(home, folder);
  if (trusted) Append(trusted->files, &files);
  if (trusted ? !SameContent(trusted->files, project) : !project.empty()) {
    request->notices.push_back(absl::StrCat(
        "the rules in ", folder,
        trusted ? " have changed since you trusted them: only what is stricter "
                  "counts, until `troika policy trust`"
                : " don't count, as you have not trusted them: see `troika "
                  "policy trust`"));
  }
  for (const std::string& path : request->policy_files) {
    notes::RulesFile file = ReadPolicyFile(path, kTaskPolicy);
    if (!file.error.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("policy: ", file.error));
    }
    RETURN_IF_ERROR(policy::Rules::Parse({.file = file.file, .text = file.text},
                                         policy::Dialect::kTroika)
                        .status());
    files.push_back(std::move(file));
  }
  for (notes::RulesFile file : request->inherited_policy) {
    const bool known =
        std::any_of(files.begin(), files.end(), [&](const auto& own) {
          return own.file == file.file && own.text == file.text &&
                 own.error == file.error;
        });
    if (known) continue;
    if (file.origin != kTaskPolicy) file.origin = std::string(kParentPolicy);
    files.push_back(std::move(file));
  }
  size_t bytes = 0;
  for (const notes::RulesFile& file : files) bytes += file.text.size();
  if (bytes > 2 * kMaxPolicyBytes || files.size() > 2 * kMaxPolicyFiles) {
    return absl::InvalidArgumentError(absl::StrCat(
        "policy: the task's rules are over ", 2 * kMaxPolicyBytes, " bytes or ",
        2 * kMaxPolicyFiles, " files together: leave some out"));
  }
  const policy::Rules rules = ParseRules(files);
  for (const std::string& error : rules.broken()) {
    request->notices.push_back(absl::StrCat(
        "a file with rules is broken, so everything is asked: ", error));
  }
  request->policy = std::move(files);
  request->policy_restricts = rules.CouldRestrict();
  return absl::OkStatus();
}

std::string DenialReason(const policy::Verdict& verdict) {
  const std::string justification = verdict.Justification();
  if (!justification.empty()) return justification;
  for (const policy::MatchedRule& rule : verdict.matched) {
    if (!rule.matched_prefix.empty()) {
      return absl::StrCat("the user's rules forbid ",
                          absl::StrJoin(rule.matched_prefix, " "));
    }
  }
  return "the user's rules forbid this";
}

}  // namespace troika
