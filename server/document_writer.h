// Writes the document of a task's first turn (task/document.h) into the task's
// working folder.
#ifndef TROIKA_SERVER_DOCUMENT_WRITER_H_
#define TROIKA_SERVER_DOCUMENT_WRITER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "task/home.h"

namespace troika {

// What the first turn of a task did, without the task's secrets.
struct TurnReport {
  std::string text;      // The document, as Markdown.
  std::string metadata;  // Its last section.
  bool searched = false;
};
// FailedPrecondition if no turn of the task has ended. Blocks; thread-safe.
absl::StatusOr<TurnReport> ReportTurn(const Home& home, const std::string& id);

// Computes the document from the task's log, without the task's secrets, and
// writes it to a new file in `gpt5_docs`, which is made if it is missing and
// never followed if it is a link. Returns the file's path. A file that an
// earlier call has written for this task, and that the log does not name yet,
// is kept as it is. Blocks; thread-safe.
absl::StatusOr<std::string> WriteDocument(const Home& home,
                                          const std::string& id,
                                          absl::TimeZone zone);

}  // namespace troika

#endif  // TROIKA_SERVER_DOCUMENT_WRITER_H_
