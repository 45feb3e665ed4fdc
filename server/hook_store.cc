#include "server/hook_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/blocking.h"
#include "base/fields.h"
#include "base/json_fields.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/write_whole.h"

namespace troika {

struct HookLine {
  enum class Kind {
    kNone,
    kHook,   // A hook was configured, or is gone if it has no filter.
    kSeen,   // The last event of a task that was noticed.
    kEvent,  // An event was noticed.
    kTried,  // An attempt failed.
    kDelivered,
    kGivenUp,
  };
  Kind kind = Kind::kNone;
  std::string hook;
  std::string filter;
  absl::Time time;
  std::string id;
  std::string task;
  std::string at;  // The event's id in the task.
  std::string event;
  std::vector<std::string> hooks;
  std::string body;
  int attempts = 0;
  absl::Time next;
  std::string error;
};
template <>
inline constexpr auto kEnumNames<HookLine::Kind> =
    EnumNames("", "hook", "seen", "event", "tried", "delivered", "given_up");
template <>
inline constexpr auto kFields<HookLine> =
    std::tuple{Field{"kind", &HookLine::kind},
               Field{"hook", &HookLine::hook},
               Field{"filter", &HookLine::filter},
               Field{"time", &HookLine::time},
               Field{"id", &HookLine::id},
               Field{"task", &HookLine::task},
               Field{"at", &HookLine::at},
               Field{"event", &HookLine::event},
               Field{"hooks", &HookLine::hooks},
               Field{"body", &HookLine::body},
               Field{"attempts", &HookLine::attempts},
               Field{"next", &HookLine::next},
               Field{"error", &HookLine::error}};

namespace {

using Kind = HookLine::Kind;

constexpr size_t kMaxFile = size_t{256} << 20;
constexpr size_t kMinCompacted = size_t{1} << 20;
// A full disk must not fill the memory, too.
constexpr size_t kMaxUnwritten = size_t{16} << 20;

std::string LineText(const HookLine& line) {
  return absl::StrCat(json::ToJson(line), "\n");
}

HookLine LineOf(Kind kind, const HookDelivery& delivery) {
  return {.kind = kind,
          .hook = delivery.hook,
          .time = delivery.noticed,
          .id = delivery.id,
          .task = delivery.task,
          .event = delivery.event,
          .attempts = delivery.attempts,
          .next = delivery.next,
          .error = delivery.error};
}

}  // namespace

HookStore::HookStore(std::string path,
                     absl::FunctionRef<bool(const std::string&)> exists)
    : path_(std::move(path)) {
  AssertMayBlock("reading hooks.v1");
  // Without hooks there is no file.
  if (!Load(exists)) return;
  counts_.clear();
  // Also ends a line that was cut.
  if (const absl::Status compacted = Compact(); !compacted.ok()) {
    problem_ = std::string(compacted.message());
  }
}

HookStore::~HookStore() = default;

bool HookStore::Load(absl::FunctionRef<bool(const std::string&)> exists) {
  const absl::StatusOr<std::string> text = ReadFileUpTo(path_, kMaxFile);
  if (absl::IsNotFound(text.status())) return false;
  if (!text.ok()) {
    const std::string aside = path_ + ".unreadable";
    rename(path_.c_str(), aside.c_str());
    fprintf(stderr,
            "troika-server: %s; it is now %s, and hooks are told only of what "
            "happens from now on\n",
            std::string(text.status().message()).c_str(), aside.c_str());
    return true;
  }
  json::Parser parser;
  int unreadable = 0;
  for (const absl::string_view written :
       absl::StrSplit(*text, '\n', absl::SkipEmpty())) {
    const absl::StatusOr<json::Value> value = parser.Parse(written);
    HookLine line;
    if (value.ok() && value->IsObject()) {
      json::FieldReader().Read(*value, &line);
    }
    unreadable += line.kind == Kind::kNone;
    Apply(std::move(line));
  }
  if (unreadable > 0) {
    fprintf(stderr, "troika-server: %s: %d lines can't be read\n",
            path_.c_str(), unreadable);
  }
  for (auto it = noticed_.begin(); it != noticed_.end();) {
    it = exists(it->first) ? std::next(it) : noticed_.erase(it);
  }
  return true;
}

void HookStore::Apply(HookLine line) {
  const Key key = {line.id, line.hook};
  const auto found = pending_.find(key);
  switch (line.kind) {
    case Kind::kNone:
      return;
    case Kind::kHook:
      if (line.filter.empty()) {
        hooks_.erase(line.hook);
      } else {
        hooks_[line.hook] = {.filter = line.filter, .since = line.time};
      }
      return;
    case Kind::kSeen:
    case Kind::kEvent: {
      if (const auto at = ParseEventId(line.at)) {
        EventId& last = noticed_[line.task];
        last = std::max(last, *at);
      }
      const auto body = std::make_shared<const std::string>(line.body);
      for (const std::string& hook : line.hooks) {
        pending_[{line.id, hook}] = {.id = line.id,
                                     .hook = hook,
                                     .task = line.task,
                                     .event = line.event,
                                     .body = body,
                                     .noticed = line.time,
                                     .next = line.next,
                                     .attempts = line.attempts,
                                     .error = line.error};
      }
      return;
    }
    case Kind::kTried:
      if (found == pending_.end()) return;
      ++counts_[line.hook].failed;
      found->second.attempts = line.attempts;
      found->second.next = line.next;
      found->second.error = line.error;
      return;
    case Kind::kDelivered:
      ++counts_[line.hook].delivered;
      if (found != pending_.end()) pending_.erase(found);
      return;
    case Kind::kGivenUp:
      ++counts_[line.hook].given_up;
      if (found != pending_.end()) pending_.erase(found);
      given_up_.push_back({.id = line.id,
                           .hook = line.hook,
                           .task = line.task,
                           .event = line.event,
                           .noticed = line.time,
                           .attempts = line.attempts,
                           .error = line.error});
      if (given_up_.size() > kMaxGivenUpHooks) given_up_.pop_front();
      return;
  }
}

void HookStore::Add(std::vector<HookLine> lines) {
  std::string text;
  for (HookLine& line : lines) {
    absl::StrAppend(&text, LineText(line));
    Apply(std::move(line));
  }
  Write(text);
}

void HookStore::Write(absl::string_view text) {
  if (unwritten_.size() + text.size() <= kMaxUnwritten) {
    absl::StrAppend(&unwritten_, text);
  }
  if (unwritten_.empty()) return;
  if (size_ + unwritten_.size() > compact_at_ || !file_.ok()) {
    const absl::Status compacted = Compact();
    problem_ = std::string(compacted.message());
    return;
  }
  const std::string bytes = absl::StrCat(torn_ ? "\n" : "", unwritten_);
  const absl::Status written = WriteWhole(file_.get(), bytes, path_);
  problem_ = std::string(written.message());
  torn_ = !written.ok();
  if (!written.ok()) return;
  size_ += bytes.size();
  unwritten_.clear();
}

void HookStore::Retry() {
  if (!problem_.empty()) Write("");
}

std::string HookStore::LiveText() const {
  std::string text;
  for (const auto& [name, hook] : hooks_) {
    absl::StrAppend(&text, LineText({.kind = Kind::kHook,
                                     .hook = name,
                                     .filter = hook.filter,
                                     .time = hook.since}));
  }
  for (const auto& [task, at] : noticed_) {
    absl::StrAppend(
        &text,
        LineText({.kind = Kind::kSeen, .task = task, .at = EventIdText(at)}));
  }
  for (const auto& [key, delivery] : pending_) {
    HookLine line = LineOf(Kind::kEvent, delivery);
    line.hooks = {std::exchange(line.hook, "")};
    line.body = *delivery.body;
    absl::StrAppend(&text, LineText(line));
  }
  for (const HookDelivery& delivery : given_up_) {
    absl::StrAppend(&text, LineText(LineOf(Kind::kGivenUp, delivery)));
  }
  return text;
}

absl::Status HookStore::Compact() {
  const std::string text = LiveText();
  const std::string next = path_ + ".new";
  UniqueFd file(open(next.c_str(),
                     O_RDWR | O_APPEND | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.ok()) {
    return absl::ErrnoToStatus(errno, absl::StrCat("open ", next));
  }
  absl::Status replaced = WriteWhole(file.get(), text, next);
  if (replaced.ok() && rename(next.c_str(), path_.c_str()) != 0) {
    replaced = absl::ErrnoToStatus(errno, absl::StrCat("rename ", next));
  }
  if (!replaced.ok()) {
    // On a full disk it would take the room that others need.
    unlink(next.c_str());
    return replaced;
  }
  file_ = std::move(file);
  torn_ = false;
  unwritten_.clear();
  size_ = text.size();
  compact_at_ = kMinCompacted + 4 * size_;
  return absl::OkStatus();
}

void HookStore::SetHooks(const std::map<std::string, std::string>& hooks,
                         absl::Time now) {
  std::vector<HookLine> lines;
  for (const auto& [name, filter] : hooks) {
    const auto known = hooks_.find(name);
    if (known != hooks_.end()) known->second.gone.reset();
    // A time in the future was told by a clock that was set back since.
    if (known != hooks_.end() && known->second.filter == filter &&
        known->second.since <= now) {
      continue;
    }
    lines.push_back(
        {.kind = Kind::kHook, .hook = name, .filter = filter, .time = now});
  }
  if (!lines.empty()) Add(std::move(lines));
  for (auto& [name, hook] : hooks_) {
    if (!hooks.contains(name) && !hook.gone) hook.gone = now;
  }
}

void HookStore::ForgetGone(absl::Time now) {
  std::vector<HookLine> lines;
  for (auto& [name, hook] : hooks_) {
    if (!hook.gone) continue;
    hook.gone = std::min(*hook.gone, now);  // The clock was set back.
    if (now - *hook.gone < kGoneHookPatience) continue;
    lines.push_back({.kind = Kind::kHook, .hook = name});
    for (const auto& [key, delivery] : pending_) {
      if (delivery.hook != name) continue;
      lines.push_back(LineOf(Kind::kGivenUp, delivery));
      lines.back().error = "the hook was removed from config.toml";
    }
  }
  if (!lines.empty()) Add(std::move(lines));
}

std::map<std::string, std::string> HookStore::Filters() const {
  std::map<std::string, std::string> filters;
  for (const auto& [name, hook] : hooks_) filters[name] = hook.filter;
  return filters;
}

void HookStore::MakeDue(const std::string& hook, absl::Time now) {
  for (auto& [key, delivery] : pending_) {
    if (delivery.hook == hook) delivery.next = std::min(delivery.next, now);
  }
}

absl::Time HookStore::Since(const std::string& hook) const {
  const auto known = hooks_.find(hook);
  return known == hooks_.end() ? absl::InfiniteFuture() : known->second.since;
}

bool HookStore::IsNoticed(const std::string& task, const EventId& at) const {
  const auto last = noticed_.find(task);
  return last != noticed_.end() && at <= last->second;
}

void HookStore::Notice(const std::vector<NoticedHookEvent>& events,
                       absl::Time now) {
  std::vector<HookLine> lines;
  for (const NoticedHookEvent& event : events) {
    lines.push_back({.kind = Kind::kEvent,
                     .time = now,
                     .id = event.id,
                     .task = event.task,
                     .at = EventIdText(event.at),
                     .event = event.event,
                     .hooks = event.hooks,
                     .body = event.body,
                     .next = now});
  }
  Add(std::move(lines));
  if (events.empty()) return;
  GiveUpOldest(events.front().task, kMaxPendingOfTask);
  GiveUpOldest("", kMaxPendingHooks);
}

void HookStore::GiveUpOldest(const std::string& task, size_t most) {
  if (pending_.size() <= most) return;
  // The ids of a task's events begin with its own.
  const std::string prefix = task.empty() ? "" : absl::StrCat(task, "-");
  std::vector<const HookDelivery*> waiting;
  for (auto it = pending_.lower_bound({prefix, ""});
       it != pending_.end() && absl::StartsWith(it->first.first, prefix);
       ++it) {
    waiting.push_back(&it->second);
  }
  if (waiting.size() <= most) return;
  std::sort(waiting.begin(), waiting.end(),
            [](const HookDelivery* a, const HookDelivery* b) {
              return a->noticed < b->noticed;
            });
  waiting.resize(waiting.size() - most);
  const std::string why =
      task.empty() ? absl::StrCat("more than ", most, " deliveries wait")
                   : absl::StrCat("more than ", most, " deliveries of task ",
                                  task, " wait");
  fprintf(stderr, "troika-server: hooks: %s; %zu are given up\n", why.c_str(),
          waiting.size());
  std::vector<HookLine> lines;
  for (const HookDelivery* delivery : waiting) {
    lines.push_back(LineOf(Kind::kGivenUp, *delivery));
    lines.back().error =
        absl::StrCat(why, delivery->error.empty() ? "" : ": ", delivery->error);
  }
  Add(std::move(lines));
}

void HookStore::RecordFailure(const Key& key, absl::string_view error,
                              absl::Time next) {
  const auto found = pending_.find(key);
  if (found == pending_.end()) return;
  HookLine line = LineOf(Kind::kTried, found->second);
  ++line.attempts;
  line.next = next;
  line.error = std::string(error);
  Add({std::move(line)});
}

void HookStore::RecordDelivery(const Key& key) {
  const auto found = pending_.find(key);
  if (found == pending_.end()) return;
  Add({{.kind = Kind::kDelivered, .hook = key.second, .id = key.first}});
}

void HookStore::GiveUp(const Key& key, absl::string_view why) {
  const auto found = pending_.find(key);
  if (found == pending_.end()) return;
  HookLine line = LineOf(Kind::kGivenUp, found->second);
  line.error = std::string(why);
  Add({std::move(line)});
}

}  // namespace troika
