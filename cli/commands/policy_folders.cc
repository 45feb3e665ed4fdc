#include "cli/commands/policy_folders.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/task_text.h"
#include "cli/timeline/exact_text.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {

namespace {

struct PolicyFoldersCommandLine {
  std::string folder;  // A project's, or a folder in it.
  bool user = false;   // The user's own rules instead.
  bool yes = false;
  bool json = false;
};

absl::StatusOr<PolicyFoldersCommandLine> ReadList(Args args) {
  PolicyFoldersCommandLine line;
  Flags flags;
  flags.Add("json", &line.json);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  if (words.size() > 1) {
    return absl::InvalidArgumentError("more than one folder");
  }
  line.folder = AbsolutePath(words.empty() ? "." : words[0]);
  return line;
}

absl::StatusOr<PolicyFoldersCommandLine> ReadTrust(Args args) {
  PolicyFoldersCommandLine line;
  Flags flags;
  flags.Add("user", &line.user);
  flags.Add("yes", &line.yes);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  if (words.size() > 1 || (line.user && !words.empty())) {
    return absl::InvalidArgumentError(
        "one folder is needed, or --user, or nothing for the current folder");
  }
  line.folder = AbsolutePath(words.empty() ? "." : words[0]);
  return line;
}

// The folder that the line means, as the server knows it.
absl::StatusOr<v1::PolicyFolder> Find(const PolicyFoldersCommandLine& line,
                                      Server& server) {
  v1::ListPolicyRequest request;
  request.set_cwd(line.folder);
  ASSIGN_OR_RETURN(const v1::ListPolicyResponse all,
                   server.api.ListPolicy(request));
  for (const v1::PolicyFolder& folder : all.folders()) {
    if (folder.origin() == (line.user ? "user" : "project")) return folder;
  }
  return absl::NotFoundError(
      absl::StrCat(line.folder, " is in no project with rules"));
}

std::string TrustText(const v1::PolicyFolder& folder) {
  const std::string when =
      folder.has_trusted_at()
          ? absl::FormatTime("%Y-%m-%d %H:%M", ToTime(folder.trusted_at()),
                             absl::LocalTimeZone())
          : "";
  switch (folder.trust()) {
    case v1::PolicyFolder::trusted:
      return absl::StrCat("trusted on ", when);
    case v1::PolicyFolder::changed:
      return absl::StrCat("changed since it was trusted on ", when,
                          ": only what is stricter counts");
    default:
      break;
  }
  return folder.origin() == "user"
             ? "yours; tasks that run already take changes only where they "
               "are stricter"
             : "not trusted: it does not count";
}

std::string FolderText(const v1::PolicyFolder& folder) {
  std::string text =
      absl::StrCat(SanitizedLine(folder.folder()), "  ", folder.origin(), ", ",
                   TrustText(folder), "\n");
  if (folder.files().empty()) absl::StrAppend(&text, "  no files with rules\n");
  for (const v1::PolicyFile& file : folder.files()) {
    absl::StrAppend(&text, "  ", SanitizedLine(file.file()));
    if (!file.error().empty()) {
      absl::StrAppend(&text, ": ", SanitizedLine(file.error()));
    }
    text += '\n';
  }
  return text;
}

// The whole content, as nothing in it can pass for something else.
std::string ContentText(const v1::PolicyFolder& folder) {
  std::string text;
  for (const v1::PolicyFile& file : folder.files()) {
    absl::StrAppend(&text, SanitizedLine(file.file()), "\n");
    for (const std::string& line : ExactLines(file.text())) {
      absl::StrAppend(&text, "  │ ", line, "\n");
    }
  }
  absl::StrAppend(&text, "SHA-256 ", folder.digest(), "\n");
  return text;
}

absl::StatusOr<bool> Confirm(const Io& io) {
  if (isatty(io.in) == 0) {
    return absl::FailedPreconditionError(
        "there is no terminal to ask on: give --yes");
  }
  RETURN_IF_ERROR(WriteAll(io.err, "Let these rules count? [y/N] "));
  char buffer[64];
  ASSIGN_OR_RETURN(const size_t n, ReadSome(io.in, absl::MakeSpan(buffer)));
  return n > 0 && (buffer[0] == 'y' || buffer[0] == 'Y');
}

absl::StatusOr<int> List(const PolicyFoldersCommandLine& line, Server& server,
                         const Io& io) {
  v1::ListPolicyRequest request;
  request.set_cwd(line.folder);
  ASSIGN_OR_RETURN(const v1::ListPolicyResponse all,
                   server.api.ListPolicy(request));
  std::string text;
  for (const v1::PolicyFolder& folder : all.folders()) {
    absl::StrAppend(&text, line.json ? JsonLine(folder) : FolderText(folder));
  }
  return Print(io, text);
}

absl::StatusOr<int> Trust(const PolicyFoldersCommandLine& line, Server& server,
                          const Io& io) {
  ASSIGN_OR_RETURN(const v1::PolicyFolder folder, Find(line, server));
  if (folder.files().empty()) {
    return absl::NotFoundError(
        absl::StrCat(folder.folder(), " has no files with rules"));
  }
  RETURN_IF_ERROR(WriteAll(io.err, ContentText(folder)));
  if (!line.yes) {
    ASSIGN_OR_RETURN(const bool confirmed, Confirm(io));
    if (!confirmed) {
      Note(io, "nothing was changed");
      return kExitCancelled;
    }
  }
  v1::TrustPolicyRequest request;
  request.set_folder(folder.folder());
  request.set_digest(folder.digest());
  RETURN_IF_ERROR(server.api.TrustPolicy(request).status());
  return Print(io, absl::StrCat(SanitizedLine(folder.folder()),
                                " is trusted as it is now\n"));
}

absl::StatusOr<int> Untrust(const PolicyFoldersCommandLine& line,
                            Server& server, const Io& io) {
  ASSIGN_OR_RETURN(const v1::PolicyFolder folder, Find(line, server));
  v1::UntrustPolicyRequest request;
  request.set_folder(folder.folder());
  RETURN_IF_ERROR(server.api.UntrustPolicy(request).status());
  return Print(io, absl::StrCat(SanitizedLine(folder.folder()),
                                " is trusted no more\n"));
}

}  // namespace

int RunPolicyList(Args args, const Io& io) {
  return RunOnServer<kPolicyCommand, ReadList, List>(args, io);
}

int RunPolicyTrust(Args args, const Io& io) {
  return RunOnServer<kPolicyCommand, ReadTrust, Trust>(args, io);
}

int RunPolicyUntrust(Args args, const Io& io) {
  return RunOnServer<kPolicyCommand, ReadTrust, Untrust>(args, io);
}

}  // namespace troika::cli
