#include "server/session_cache.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/registry.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "base/json_writer.h"
#include "base/read_file.h"
#include "base/replace_file.h"
#include "base/utf8.h"

namespace troika {

template <>
inline constexpr auto kFields<NativeSession> =
    std::tuple{Field{"id", &NativeSession::id},
               Field{"cwd", &NativeSession::cwd},
               Field{"first_prompt", &NativeSession::first_prompt},
               Field{"model", &NativeSession::model},
               Field{"forked_from", &NativeSession::forked_from},
               Field{"started", &NativeSession::started},
               Field{"archived", &NativeSession::archived}};

template <>
inline constexpr auto kFields<SessionCache::Entry> =
    std::tuple{Field{"size", &SessionCache::Entry::size},
               Field{"mtime_ns", &SessionCache::Entry::mtime_ns},
               Field{"problem", &SessionCache::Entry::problem},
               Field{"session", &SessionCache::Entry::session}};

template <>
inline constexpr auto kFields<SessionCache::Root> =
    std::tuple{Field{"harness", &SessionCache::Root::harness},
               Field{"root", &SessionCache::Root::path}};

namespace {

// Folders of CLIs that are remembered, besides the current ones.
constexpr size_t kMaxRoots = 12;
// The file has some 500 bytes a session.
constexpr size_t kMaxCacheBytes = size_t{256} << 20;
// The cache is written once as many files were read: fewer are read again by
// the next server in no time.
constexpr int kSaveAfter = 100;
// Bytes of a prompt that are shown.
constexpr size_t kShownPromptBytes = 400;
// Named prompts with secrets in them.
constexpr absl::string_view kFormerName = "sessions.v1";
// A file that changed within this time before it was read may change again
// without a new mtime.
constexpr absl::Duration kRacy = absl::Milliseconds(20);

int64_t Nanoseconds(absl::Time time) { return absl::ToUnixNanos(time); }

void SkipFile(const std::string& path, absl::string_view reason,
              SessionScan* scan) {
  ++scan->skipped_count;
  if (scan->skipped.size() < SessionScan::kMaxSkipped) {
    scan->skipped.push_back(
        {json::ToValidUtf8(path), json::ToValidUtf8(std::string(reason))});
  }
}

// Sorts the sessions, and leaves the last changed one of those with one id: a
// session that was turned back has several files.
void SortSessions(std::vector<SessionScan::Session>* sessions) {
  std::sort(sessions->begin(), sessions->end(),
            [](const auto& a, const auto& b) {
              return std::tie(b.changed, a.harness, a.session.id, a.path) <
                     std::tie(a.changed, b.harness, b.session.id, b.path);
            });
  std::set<std::pair<Harness, absl::string_view>> seen;
  std::vector<bool> keep;
  for (const SessionScan::Session& session : *sessions) {
    keep.push_back(seen.emplace(session.harness, session.session.id).second);
  }
  size_t kept = 0;
  for (size_t i = 0; i < sessions->size(); ++i) {
    if (!keep[i]) continue;
    if (kept != i) (*sessions)[kept] = std::move((*sessions)[i]);
    ++kept;
  }
  sessions->resize(kept);
}

}  // namespace

SessionScan SessionCache::Scan(const Environment& env) {
  if (!loaded_) Load();
  loaded_ = true;
  SessionScan scan;
  for (const Backend* backend : AllBackends()) {
    if (backend->sessions != nullptr) ScanHarness(*backend, env, &scan);
  }
  if (roots_.size() > kMaxRoots) roots_.resize(kMaxRoots);
  SortSessions(&scan.sessions);
  unsaved_ += scan.files_read;
  if (unsaved_ >= kSaveAfter) Save();
  return scan;
}

void SessionCache::ScanHarness(const Backend& backend, const Environment& env,
                               SessionScan* scan) {
  const SessionKeeping& keeping = *backend.sessions;
  Root root = {.harness = std::string(HarnessId(backend.harness)),
               .path = keeping.Root(env).native()};
  Entries known = TakeRoot(root.harness, root.path);
  const absl::Time now = absl::Now();
  for (const SessionFile& file : keeping.Files(env, "")) {
    ++scan->files;
    Entry entry;
    const auto it = known.find(file.path.native());
    if (it != known.end() && it->second.size == file.size &&
        it->second.mtime_ns == Nanoseconds(file.changed)) {
      entry = std::move(it->second);
    } else {
      ++scan->files_read;
      SessionReading session = keeping.Read(file);
      entry = {.size = file.size, .mtime_ns = Nanoseconds(file.changed)};
      if (session.ok()) {
        entry.session = *std::move(session);
        if (entry.session) Redact(&*entry.session);
      } else {
        entry.problem = std::string(session.status().message());
      }
      if (now - file.changed < kRacy) entry.mtime_ns = 0;
    }
    if (!entry.problem.empty()) {
      SkipFile(file.path.native(), entry.problem, scan);
    } else if (entry.session) {
      scan->sessions.push_back({.harness = backend.harness,
                                .session = *entry.session,
                                .path = file.path.native(),
                                .size = file.size,
                                .changed = file.changed});
    }
    root.entries.emplace(file.path.native(), std::move(entry));
  }
  roots_.insert(roots_.begin(), std::move(root));
}

SessionCache::Entries SessionCache::TakeRoot(absl::string_view harness,
                                             absl::string_view path) {
  Entries entries;
  for (auto it = roots_.begin(); it != roots_.end(); ++it) {
    if (it->harness != harness || it->path != path) continue;
    entries = std::move(it->entries);
    roots_.erase(it);
    break;
  }
  return entries;
}

void SessionCache::Redact(NativeSession* session) const {
  std::string& prompt = session->first_prompt;
  redactor_.RedactPlain(&prompt);
  // What was cut before may end within a secret, which is not known as one.
  prompt = std::string(CutAtCharacter(prompt, kShownPromptBytes));
}

void SessionCache::Load() {
  std::error_code ignored;
  std::filesystem::remove(
      std::filesystem::path(path_).replace_filename(std::string(kFormerName)),
      ignored);
  const absl::StatusOr<std::string> text = ReadFileUpTo(path_, kMaxCacheBytes);
  if (!text.ok()) return;
  json::Parser parser;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    const absl::StatusOr<json::Value> value = parser.Parse(line);
    if (!value.ok()) continue;
    json::FieldReader reader;
    Root root;
    reader.Read(*value, &root);
    if (!root.path.empty()) {
      roots_.push_back(std::move(root));
    } else if (!roots_.empty()) {
      Entry entry;
      reader.Read(*value, &entry);
      // The server may have other secrets now.
      if (entry.session) Redact(&*entry.session);
      roots_.back().entries.emplace(value->Get("path").StringOr(""),
                                    std::move(entry));
    }
  }
}

void SessionCache::Save() {
  std::string text;
  for (const Root& root : roots_) {
    // JSON can't hold such names; their files are read by each server.
    if (!json::IsValidUtf8(root.path)) continue;
    absl::StrAppend(&text, json::ToJson(root), "\n");
    for (const auto& [path, entry] : root.entries) {
      if (!json::IsValidUtf8(path)) continue;
      json::ObjectWriter line;
      line.String("path", path);
      json::WriteFields(entry, &line);
      absl::StrAppend(&text, line.Take(), "\n");
    }
  }
  if (ReplaceFile(path_, text).ok()) unsaved_ = 0;
}

}  // namespace troika
