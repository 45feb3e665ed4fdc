// The clients of McpService: their sessions and streams.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "dto/request.h"
#include "mcp/session_id.h"
#include "server/mcp/service.h"
#include "server/mcp/session_lookup.h"

namespace troika {
namespace {

constexpr size_t kMaxEndedSessions = 10000;

}  // namespace

std::string McpService::ClientIdOf(const mcp::Session& session) {
  return absl::StrCat("session-", session.random);
}

std::string McpService::OwnId(const http::Request& request,
                              const std::string& id) const {
  const Caller who = api_->policy->CallerOf(request);
  if (!who.is_agent() || id.empty()) return id;
  return absl::StrCat("agent-", who.task, "-", id);
}

absl::StatusOr<Deferred> McpService::Get(const Call& call) {
  ASSIGN_OR_RETURN(McpCaller caller, CallerOf(call));
  return [this, caller = std::move(caller)](ReplyCallback reply) {
    const std::string& id = caller.id;
    CloseStream(id);
    auto stream = std::make_shared<LineStream>();
    // Whoever sends to it must not lose what it holds.
    stream->SetOnGone([this, id, weak = std::weak_ptr(stream)] {
      api_->loop->Post([this, id, weak] { OnStreamGone(id, weak); });
    });
    streams_[id] = stream;
    reply(Reply(StreamOf(stream, viewers_)));
    FollowTasksOf(caller);
  };
}

void McpService::OnStreamGone(const std::string& client,
                              const std::weak_ptr<LineStream>& stream) {
  const auto it = streams_.find(client);
  // The client may have come back.
  if (it == streams_.end() || it->second != stream.lock()) return;
  streams_.erase(it);
  asker_.Forget(client);
  bound_.OnGone(client);
}

absl::StatusOr<Deferred> McpService::Delete(const Call& call) {
  ASSIGN_OR_RETURN(const McpCaller caller, CallerOf(call));
  return [this, id = caller.id](ReplyCallback reply) {
    CloseStream(id);
    asker_.Forget(id);
    bound_.OnEnd(id);
    if (ended_sessions_.insert(id).second) {
      ended_order_.push_back(id);
      if (ended_order_.size() > kMaxEndedSessions) {
        ended_sessions_.erase(ended_order_.front());
        ended_order_.pop_front();
      }
    }
    reply(Reply());
  };
}

absl::StatusOr<McpCaller> McpService::CallerOf(const Call& call) const {
  const std::string named(call.request().Header("mcp-session-id"));
  if (named.empty()) {
    return absl::InvalidArgumentError(
        "Mcp-Session-Id is missing: POST initialize first");
  }
  McpCaller caller = {.peer = call.request().peer};
  // A pipe names itself, and tells the session of its client besides.
  if (absl::StartsWith(named, "pipe-")) {
    RETURN_IF_ERROR(CheckKey(named));
    caller.id = OwnId(call.request(), named);
    if (auto session =
            mcp::ReadSessionId(call.request().Header("troika-mcp-client"))) {
      caller.client = std::move(session->client);
    }
    return caller;
  }
  auto session = mcp::ReadSessionId(named);
  if (session) caller.id = OwnId(call.request(), ClientIdOf(*session));
  if (!session || ended_sessions_.count(caller.id) > 0) {
    return absl::NotFoundError("there is no such session: POST initialize");
  }
  caller.client = std::move(session->client);
  return caller;
}

void McpService::CloseStream(const std::string& client) {
  const auto it = streams_.find(client);
  if (it == streams_.end()) return;
  it->second->SetOnGone(nullptr);
  it->second->End();
  streams_.erase(it);
}

// A client that comes back, perhaps to another server, is asked what the tasks
// that it has begun ask meanwhile.
void McpService::FollowTasksOf(const McpCaller& caller) {
  if (!asker_.CanAsk(caller)) return;
  api_->tasks->index().List(
      {.states = {"queued", "starting", "running", "awaiting_approval",
                  "awaiting_answer"},
       .labels = {{kConnectionLabel, caller.id}}},
      Encoding::kBinary, 100, "",
      [this, caller](const absl::StatusOr<TaskStore::Page>& page) {
        if (!page.ok()) return;
        for (const std::string& id : page->ids) asker_.Follow(caller, id);
      });
}

}  // namespace troika
