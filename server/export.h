// A task's events as a file: Markdown for people, or a line of JSON for each.
#ifndef TROIKA_SERVER_EXPORT_H_
#define TROIKA_SERVER_EXPORT_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "dto/troika.pb.h"
#include "http/server.h"
#include "server/task_stream.h"

namespace troika {

// Appends the Markdown of one event. What the agent said is kept as it is; what
// tools printed stands in fences that it can't end. Not thread-safe.
class MarkdownWriter {
 public:
  void AddHead(const v1::Task& task, std::string* out);
  void Add(const Message& message, std::string* out);

 private:
  std::string last_input_;  // The harness may repeat what was sent to it.
};

enum class ExportFormat { kMarkdown, kJsonLines };

// The whole file, as far as the task has come. `whole` returns the JSON of an
// event whose texts are cut in the stream.
using WholeEventReader =
    std::function<std::optional<std::string>(absl::string_view id)>;
std::unique_ptr<http::BodySource> NewExport(std::shared_ptr<TaskStream> stream,
                                            const v1::Task& task,
                                            ExportFormat format,
                                            WholeEventReader whole);

}  // namespace troika

#endif  // TROIKA_SERVER_EXPORT_H_
