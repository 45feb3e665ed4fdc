// A log of any records: each line of the input is one, its first byte says of
// which kind.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "agent/testing.h"
#include "base/check.h"
#include "task/testing.h"

namespace troika {
namespace {

using relay::LineEnd;
using relay::Stream;

void AddLine(absl::string_view line, LogMaker* log) {
  const char kind = line.empty() ? ' ' : line[0];
  if (!line.empty()) line.remove_prefix(1);
  switch (kind) {
    case 'n':
      log->NoteText(line);
      break;
    case 'N':
      log->Add(Stream::kNote, LineEnd::kContinued, line);
      break;
    case 'O':
      log->Add(Stream::kStdout, LineEnd::kContinued, line);
      break;
    case 'e':
      log->Stderr(line);
      break;
    case 'E':
      log->Add(Stream::kStderr, LineEnd::kContinued, line);
      break;
    case 'i':
      log->Stdin(line, "turn-1.prompt");
      break;
    case 'I':
      log->Add(Stream::kStdin, LineEnd::kContinued, line);
      break;
    case 'b':
      // Each "|" ends a line.
      log->Batch(Stream::kStdout, absl::StrReplaceAll(line, {{"|", "\n"}}));
      break;
    case 'B':
      log->Batch(Stream::kStderr, absl::StrReplaceAll(line, {{"|", "\n"}}));
      break;
    case 'd':
      log->Damage(static_cast<int>(line.size() % 3));
      break;
    default:
      log->Stdout(line);
  }
}

void FuzzReplay(absl::string_view input) {
  LogMaker log;
  for (const absl::string_view line : absl::StrSplit(input, '\n')) {
    AddLine(line, &log);
  }
  log.Note(notes::Lost{.reason = "the input ended"});
  Replay first;
  const std::vector<Message> messages = RunLog(first, log);
  const std::string broken = BrokenRules(messages);
  if (!broken.empty()) std::fprintf(stderr, "%s", broken.c_str());
  CHECK(broken.empty());
  CHECK(!first.state().process_alive);
  CHECK(first.state().approvals.empty() && first.state().questions.empty());
  CHECK(first.outbox().empty());

  // Loaded in the middle, and live until there.
  const size_t half = log.entries().size() / 2;
  Replay live;
  Replay loaded;
  RunLog(loaded, log, half);
  for (size_t i = 0; i < half; ++i) {
    Feed(live, log.entries()[i], [](Message&&) {});
    CHECK(!HasEnded(live.state().status) || !live.state().process_alive);
  }
  CHECK(live.state() == loaded.state());
  CHECK(live.outbox() == loaded.outbox());
}

}  // namespace
}  // namespace troika

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  troika::FuzzReplay({reinterpret_cast<const char*>(data), size});
  return 0;
}
