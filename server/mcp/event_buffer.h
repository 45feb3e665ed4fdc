// The last events of a task, as MCP clients are shown them.
//
// They are read from the task's file of events, which can be far longer, and
// only what was added since the last time is read again.
#ifndef TROIKA_SERVER_MCP_EVENT_BUFFER_H_
#define TROIKA_SERVER_MCP_EVENT_BUFFER_H_

#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "server/event_file.h"

namespace troika {

// Loop thread only.
class EventBuffer {
 public:
  // Something that the agent does in its current turn, in Codex's words.
  struct Item {
    EventId changed;  // Id of the last event about it.
    std::string type;
    std::string status;  // started, in_progress, completed or failed.
    std::string summary;
    std::string tool_use_id;
  };
  struct Line {
    EventId id;
    std::string text;
  };

  explicit EventBuffer(size_t max_items) : max_items_(max_items) {}

  // Reads what the file has more than the last time.
  void Update(const EventFile& file);

  size_t max_items() const { return max_items_; }
  const std::deque<Item>& items() const { return items_; }
  const std::deque<Line>& lines() const { return lines_; }
  // Id of the last event that was read.
  const EventId& last() const { return last_; }
  // Id of the last change of `items` or `lines`.
  const EventId& last_shown() const { return last_shown_; }
  // The newest item, in a few words; empty if there is none.
  std::string Latest() const;

 private:
  void Add(const Message& message);
  void AddItem(const Message& message, Item item);
  void AddLines(const EventId& id, absl::string_view text, size_t at_most);
  void UpdateTool(const EventId& id, absl::string_view tool_use_id,
                  absl::string_view status);

  const size_t max_items_;
  int64_t offset_ = -1;  // Before the first Update().
  EventId last_ = kBeforeAll;
  EventId last_shown_ = kBeforeAll;
  std::deque<Item> items_;
  std::deque<Line> lines_;
};

// The buffers of the tasks that were asked for last. Loop thread only.
class EventBuffers {
 public:
  // Valid until the next call. A larger size reads the file anew.
  EventBuffer& Get(const std::string& task, size_t max_items);

 private:
  std::list<std::pair<std::string, EventBuffer>> buffers_;  // Newest first.
};

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_EVENT_BUFFER_H_
