// Tasks and turns as a user asks for them.
#ifndef TROIKA_TASK_REQUEST_H_
#define TROIKA_TASK_REQUEST_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/backend.h"
#include "agent/discovery/environment.h"
#include "agent/harness.h"
#include "agent/launch/launch.h"
#include "agent/protocol.h"
#include "task/notes.h"

namespace troika {

struct TaskRequest {
  Harness harness = Harness::kCodex;
  // The agent of Harness::kAcp, as the request names it: "acp:COMMAND", or a
  // name in the configuration. options.acp_command is what it stands for.
  std::string agent = "";
  std::string prompt;
  std::string cwd;  // Absolute.
  LaunchOptions options;
  std::string title;  // Empty: made from the prompt.
  std::map<std::string, std::string> labels;
  notes::Timeouts timeouts;  // Unset ones get their default.
  // A session that the CLI keeps, by id, or kLatestSession of that folder.
  std::string resume_session;
  bool fork_session = false;    // Continues a copy of resume_session.
  notes::ForkSource fork;       // Set by ForkOf() (task/fork.h).
  std::string idempotency_key;  // The caller's; kept with the task.
  std::string parent;  // The id of the task whose agent asks for this one.
  // Bytes of stdout after which a process is ended; 0: no limit.
  int64_t output_limit_bytes = 0;
  // The texts themselves, instead of the paths in `options`.
  std::string base_instructions_text;
  std::string output_schema_json;
  notes::DocumentRequest document;
  notes::Budget budget;
  // Whether options.model gives way to the CLI's default if the CLI is known to
  // lack it.
  bool model_fallback = false;
  bool no_queue = false;  // Fails if it had to wait in the queue.
  // What was changed in the request, for its user.
  std::vector<std::string> notices;
  std::vector<std::string> policy_files;  // Paths of files with rules.
  bool require_policy = false;            // As that of notes::Request.
  // Rules of the task whose agent asks, or that is forked.
  std::vector<notes::RulesFile> inherited_policy;
  std::string policy_folder;  // As that of notes::Request.
  // Set by CollectPolicy().
  std::vector<notes::RulesFile> policy;
  bool policy_restricts = false;  // As that of notes::Request.
};

// What becomes of an input while a turn runs.
enum class InputMode {
  kAuto,       // Steers if the harness can, else waits for the turn's end.
  kSteer,      // Into the running turn, or refused.
  kQueue,      // Waits for the turn's end.
  kInterrupt,  // Ends the turn, and is sent then.
};

// A turn as somebody asks for it.
struct TurnRequest {
  std::string prompt;
  std::vector<std::string> images;  // Paths, absolute or under the task's cwd.
  // The same, read by ReadImages(); unset: Runner::Input() reads them, which
  // blocks.
  std::optional<std::vector<TurnAsked::Image>> read_images;
  std::string by = "user";
  std::string request_key;  // Asked again with the same one, it counts once.
  // For this turn and later ones; unset: as before.
  std::string model;
  std::optional<EditMode> edit_mode;
  notes::Timeouts timeouts;
  notes::Budget budget;
  InputMode mode = InputMode::kAuto;
  // Whether somebody talks to the agent (LaunchRequest::converses).
  bool converses = false;
  // Whether the running turn may be ended for it, if it can't be steered.
  bool may_interrupt = true;
};

inline constexpr absl::string_view kLatestSession = "latest";
// Returns the beginning of the first line, as the title of a task.
std::string TitleOf(absl::string_view prompt);

// The prompt of a conversation that is resumed without one.
inline constexpr absl::string_view kGoOn = "Go on where you stopped.";

// A longer prompt is refused.
inline constexpr size_t kMaxPromptBytes = size_t{8} << 20;

// InvalidArgument if no agent can be given this prompt.
absl::Status CheckPrompt(absl::string_view prompt);

// Makes all paths absolute from the current folder, which is also the default
// of cwd: for programs that run in the user's folder.
void MakePathsAbsolute(TaskRequest* request);

// Takes other paths than cwd from there, fills in defaults, finds the latest
// session, and checks what can be checked: InvalidArgument and NotFound say
// what to do. Thread-safe.
absl::Status CompleteRequest(const Environment& environment,
                             TaskRequest* request);

// The request as the log's first record has it.
notes::Request RequestNote(const TaskRequest& request, absl::string_view id);

// A file that a request names by its path. Each has a limit of size.
enum class NamedFile { kImage, kOutputSchema, kBaseInstructions };

size_t MaxBytesOf(NamedFile which);

// The contents of a regular file within its limit. NotFound and InvalidArgument
// say which file it is and what is wrong with it. Blocks.
absl::StatusOr<std::string> ReadNamedFile(const std::string& path,
                                          NamedFile which);

// Checks the images that a turn comes with. With kData, which is for wires that
// send them inline (Backend::inline_images), also reads them. Paths are
// absolute.
enum class ImageForm { kPath, kData };
absl::StatusOr<std::vector<TurnAsked::Image>> ReadImages(
    const std::vector<std::string>& paths, ImageForm form);

// `path` as seen from the folder `base`; an empty one stays so.
std::string PathFrom(absl::string_view base, absl::string_view path);

}  // namespace troika

#endif  // TROIKA_TASK_REQUEST_H_
