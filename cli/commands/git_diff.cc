#include "cli/commands/git_diff.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "base/fd.h"
#include "base/line_splitter.h"
#include "base/status_macros.h"
#include "cli/timeline/code_colour.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

using Words = std::vector<std::string>;
using Sink = absl::FunctionRef<absl::Status(absl::string_view chunk)>;

// Longer lines are cut, with a mark.
constexpr int64_t kLongestDiffLine = 1 << 20;

enum class Stderr { kShown, kDiscarded };

// Starts git with `out` as its stdout. Returns an errno.
int Spawn(Words words, Stderr errors, int out, const Io& io, pid_t* pid) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, 1);
  if (errors == Stderr::kShown) {
    posix_spawn_file_actions_adddup2(&files, io.err, 2);
  } else {
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  }
  // We ignore SIGPIPE, but git must end if nobody reads on.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int error =
      posix_spawnp(pid, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

// Gives `sink` all that `fd` has, or as much as it takes.
absl::Status ReadAll(int fd, Sink sink) {
  char buffer[1 << 16];
  while (true) {
    ASSIGN_OR_RETURN(const size_t size, ReadSome(fd, absl::MakeSpan(buffer)));
    if (size == 0) return absl::OkStatus();
    RETURN_IF_ERROR(sink({buffer, size}));
  }
}

// Runs git in `cwd` and returns its exit code.
absl::StatusOr<int> RunGit(const std::string& cwd, const Words& args,
                           Stderr errors, const Io& io, Sink sink) {
  // A repository can name programs for git to run: those of fsmonitor, and of
  // the hook after a write of the index. Paths are no patterns.
  Words words = {"git",
                 "-C",
                 cwd,
                 "-c",
                 "core.fsmonitor=false",
                 "--no-pager",
                 "--no-optional-locks",
                 "--literal-pathspecs"};
  words.insert(words.end(), args.begin(), args.end());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "run git");
  UniqueFd out(ends[0]), in(ends[1]);
  pid_t pid = 0;
  const int error = Spawn(std::move(words), errors, in.get(), io, &pid);
  in.Reset();
  if (error != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "run git: ", strerror(error), "; install it, or put it on PATH"));
  }
  const absl::Status read = ReadAll(out.get(), sink);
  out.Reset();
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  RETURN_IF_ERROR(read);
  return WIFEXITED(status) ? WEXITSTATUS(status)
                           : kExitSignal + WTERMSIG(status);
}

absl::StatusOr<int> RunGit(const std::string& cwd, const Words& args,
                           Stderr errors, const Io& io, std::string* output) {
  return RunGit(cwd, args, errors, io, [&](absl::string_view chunk) {
    output->append(chunk.data(), chunk.size());
    return absl::OkStatus();
  });
}

// Runs `git diff` with more arguments and prints its output.
absl::StatusOr<int> RunDiff(const std::string& cwd, const Words& args,
                            Escapes escapes, const Io& io) {
  Words words = {"diff", "--no-color", "--no-ext-diff", "--no-textconv"};
  words.insert(words.end(), args.begin(), args.end());
  LineSplitter splitter(kLongestDiffLine, kLongestDiffLine);
  std::string rows;
  const auto add = [&](const LineSplitter::Line& line) {
    absl::StrAppend(&rows, DiffRow(line.bytes, escapes));
    const int64_t cut = line.size - static_cast<int64_t>(line.bytes.size());
    if (cut > 0) {
      rows.pop_back();
      absl::StrAppend(&rows, "… (", cut, " bytes more)\n");
    }
  };
  ASSIGN_OR_RETURN(const int code, RunGit(cwd, words, Stderr::kShown, io,
                                          [&](absl::string_view chunk) {
                                            rows.clear();
                                            splitter.Feed(chunk, add);
                                            return WriteAll(io.out, rows);
                                          }));
  rows.clear();
  splitter.Finish(add);
  RETURN_IF_ERROR(WriteAll(io.out, rows));
  return code;
}

// Returns the last commit, or the tree without files if there is none.
absl::StatusOr<std::string> FindBase(const std::string& cwd, const Io& io) {
  std::string base;
  ASSIGN_OR_RETURN(const int code,
                   RunGit(cwd, {"rev-parse", "--verify", "--quiet", "HEAD"},
                          Stderr::kDiscarded, io, &base));
  if (code != 0) {
    base.clear();
    RETURN_IF_ERROR(RunGit(cwd, {"hash-object", "-t", "tree", "/dev/null"},
                           Stderr::kDiscarded, io, &base)
                        .status());
  }
  return std::string(absl::StripSuffix(base, "\n"));
}

absl::StatusOr<int> PrintAll(const std::string& cwd, const Words& paths,
                             Escapes escapes, const Io& io) {
  Words words = {"ls-files", "--others", "-z", "--"};
  words.insert(words.end(), paths.begin(), paths.end());
  std::string untracked;
  // Fails, and says why, if the folder is in no repository.
  ASSIGN_OR_RETURN(int code,
                   RunGit(cwd, words, Stderr::kShown, io, &untracked));
  if (code != 0) return code;
  ASSIGN_OR_RETURN(const std::string base, FindBase(cwd, io));
  words = {base, "--"};
  words.insert(words.end(), paths.begin(), paths.end());
  ASSIGN_OR_RETURN(code, RunDiff(cwd, words, escapes, io));
  if (code != 0) return code;
  for (const absl::string_view path :
       absl::StrSplit(untracked, '\0', absl::SkipEmpty())) {
    // "-" alone would be stdin.
    const std::string file = absl::StrCat(path == "-" ? "./" : "", path);
    ASSIGN_OR_RETURN(code, RunDiff(cwd, {"--no-index", "--", "/dev/null", file},
                                   escapes, io));
    if (code > 1) return code;  // 1 only means that they differ.
  }
  return kExitOk;
}

}  // namespace

std::string DiffRow(absl::string_view line, Escapes escapes) {
  StyledText styled;
  AppendCode(Sanitized(line), "diff", &styled);
  std::string text;
  for (const std::string& row : styled.Rows(0, escapes)) {
    absl::StrAppend(&text, row, "\n");
  }
  return text.empty() ? "\n" : text;
}

absl::StatusOr<int> PrintGitDiff(const std::string& cwd,
                                 const std::set<std::string>& paths,
                                 Escapes escapes, const Io& io) {
  const absl::StatusOr<int> code =
      PrintAll(cwd, {paths.begin(), paths.end()}, escapes, io);
  // It is not an error if the reader is gone.
  if (absl::IsCancelled(code.status())) return kExitOk;
  return code;
}

}  // namespace troika::cli
