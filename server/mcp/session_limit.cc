#include "server/mcp/session_limit.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/mcp/session_lookup.h"

namespace troika {
namespace {

constexpr int kMaxCounted = 1000;

}  // namespace

void SessionLimit::Take(int64_t max, Done done) {
  api_->tasks->WhenRead([this, max, done = std::move(done)]() mutable {
    Count(max, std::move(done));
  });
}

void SessionLimit::Count(int64_t max, Done done) {
  api_->tasks->index().List(
      {.states = {"queued", "starting", "running", "awaiting_approval",
                  "awaiting_answer"},
       .labels = {{kFamilyLabel, "sessions"}}},
      Encoding::kBinary, kMaxCounted, "",
      [this, max, before = released_, done = std::move(done)](
          const absl::StatusOr<TaskStore::Page>& page) mutable {
        if (!page.ok()) return done(page.status());
        const auto working = static_cast<int64_t>(page->ids.size());
        if (working >= max) {
          return done(absl::ResourceExhaustedError(absl::StrCat(
              working, " MCP sessions work already, and at most ", max,
              " may: wait for one or interrupt it, or set MAX_SESSIONS")));
        }
        // Those that began since the rows were read may not be among them.
        const int64_t begun = released_ - before;
        if (working + begun + held_ < max) {
          ++held_;
          return done(Place(nullptr, [weak = std::weak_ptr(self_)](void*) {
            if (const auto self = weak.lock()) (*self)->Release();
          }));
        }
        if (begun > 0) return Count(max, std::move(done));
        waiting_.push_back([this, max, done = std::move(done)]() mutable {
          Count(max, std::move(done));
        });
      });
}

void SessionLimit::Release() {
  --held_;
  ++released_;
  for (auto& count : std::exchange(waiting_, {})) count();
}

}  // namespace troika
