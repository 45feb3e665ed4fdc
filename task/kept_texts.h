// Texts of a request that a CLI reads from files: they are kept with the task.
#ifndef TROIKA_TASK_KEPT_TEXTS_H_
#define TROIKA_TASK_KEPT_TEXTS_H_

#include "absl/status/status.h"
#include "task/home.h"
#include "task/request.h"

namespace troika {

// Names of the files in a task's folder.
inline constexpr char kBaseInstructionsName[] = "base_instructions";
inline constexpr char kOutputSchemaName[] = "output_schema.json";

// InvalidArgument if a text is too long, can't be what it is meant to be, or
// comes with an option that names a file for the same.
absl::Status CheckTexts(const TaskRequest& request);

// A fork has the texts of the task whose session it copies, but in files of its
// own: reads them. Blocks.
absl::Status TakeTextsOfFork(const Home& home, TaskRequest* request);

// Sets the options that name the files, which are in `folder`.
void NameTexts(const std::string& folder, TaskRequest* request);

// Writes and syncs the files. Only their owner can read them. Blocks.
absl::Status KeepTexts(const TaskFolder& folder, const TaskRequest& request);

}  // namespace troika

#endif  // TROIKA_TASK_KEPT_TEXTS_H_
