// Handlers of what only the page needs: its logins, the stream of everything,
// images, and the folders that tasks ran in.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "base/version.h"
#include "dto/proto_fields.h"
#include "dto/troika.pb.h"
#include "http/uri.h"
#include "server/page_sessions.h"
#include "server/routes.h"
#include "server/uploads.h"
#include "server/watch_stream.h"

namespace troika {
namespace {

constexpr absl::string_view kCodeScheme = "code ";
constexpr int kMaxFolders = 50;

v1::PageSession Describe(const PageSessions::Session& session) {
  v1::PageSession described;
  described.set_id(session.id);
  described.set_browser(session.browser);
  *described.mutable_created_at() = ToProto(session.created_at);
  *described.mutable_last_used_at() = ToProto(session.last_used_at);
  *described.mutable_expires_at() = ToProto(session.expires_at);
  return described;
}

absl::Status CheckOwner(const ApiTools& api, const Call& call,
                        absl::string_view what) {
  if (!api.policy->CallerOf(call.request()).is_agent()) return absl::OkStatus();
  return NotForAgents(what);
}

absl::StatusOr<ViewFrom> ReadPosition(absl::string_view after) {
  if (after.empty()) return ViewFrom();
  const auto id = ParseEventId(after);
  if (!id) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", after, "\" is not the id of an event, as \"12.0\""));
  }
  return ViewFrom{.after = *id};
}

// The tasks that the query of a new stream names.
absl::StatusOr<std::vector<WatchedFrom>> ReadWatched(const Call& call) {
  std::vector<WatchedFrom> watched;
  const std::string parser = call.Parameter("parser");
  const bool is_other_parser =
      !parser.empty() && parser != absl::StrCat(kParserVersion);
  // The query was checked before.
  for (const auto& [name, value] :
       http::ParseQuery(call.request().query)
           .value_or(std::vector<std::pair<std::string, std::string>>())) {
    if (name != "watch") continue;
    const size_t colon = value.find(':');
    WatchedFrom one = {.task_id = value.substr(0, colon)};
    if (colon != std::string::npos) {
      ASSIGN_OR_RETURN(one.from, ReadPosition(value.substr(colon + 1)));
    }
    if (is_other_parser && one.from.after != kBeforeAll) {
      one.from.reset = ViewFrom::Reset::kYes;
    }
    watched.push_back(std::move(one));
  }
  if (watched.size() > WatchStreams::kMaxWatched) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a stream watches at most ", WatchStreams::kMaxWatched, " tasks"));
  }
  return watched;
}

}  // namespace

absl::StatusOr<Deferred> CreatePageCode(const ApiTools& api, const Call& call) {
  RETURN_IF_ERROR(CheckOwner(api, call, "open the page"));
  if (call.request().peer.kind != http::Peer::Kind::kUnix) {
    return absl::PermissionDeniedError(
        "codes are made over the socket alone: run `troika open` on the "
        "server's machine");
  }
  ASSIGN_OR_RETURN(const std::string url, api.page_url());
  const PageSessions::Code code = api.page_sessions->NewCode();
  v1::PageCode reply;
  reply.set_code(code.text);
  reply.set_url(absl::StrCat(url, "/#code=", code.text));
  *reply.mutable_expires_at() = ToProto(code.expires_at);
  return [reply](ReplyCallback done) { done(reply); };
}

absl::StatusOr<Deferred> CreatePageSession(const ApiTools& api,
                                           const Call& call) {
  const http::Request& request = call.request();
  // Whether the Origin is ours was checked with the head of the request.
  if (request.peer.kind != http::Peer::Kind::kTcp ||
      request.Header("origin").empty()) {
    return absl::PermissionDeniedError(
        "a session is for the page in a browser: programs use the token, "
        "which `troika token` prints");
  }
  absl::string_view code = request.Header("authorization");
  if (code.size() <= kCodeScheme.size() ||
      !absl::EqualsIgnoreCase(code.substr(0, kCodeScheme.size()),
                              kCodeScheme)) {
    return absl::UnauthenticatedError(
        "a code is needed: run `troika open`, which opens the page with one");
  }
  code = absl::StripAsciiWhitespace(code.substr(kCodeScheme.size()));
  ASSIGN_OR_RETURN(const PageSessions::NewSession made,
                   api.page_sessions->Exchange(code, request));
  return [made](ReplyCallback done) {
    v1::PageSession session = Describe(made.session);
    session.set_current(true);
    session.set_key(made.key);
    Reply reply(std::move(session));
    reply.headers.emplace_back("Set-Cookie", made.set_cookie);
    done(std::move(reply));
  };
}

absl::StatusOr<Deferred> ListPageSessions(const ApiTools& api,
                                          const Call& call) {
  RETURN_IF_ERROR(CheckOwner(api, call, "see the page's sessions"));
  const auto current = api.page_sessions->Find(call.request());
  v1::ListPageSessionsResponse response;
  for (const PageSessions::Session& session : api.page_sessions->List()) {
    v1::PageSession& described = *response.add_sessions();
    described = Describe(session);
    described.set_current(session.id == current);
  }
  return [response](ReplyCallback done) { done(response); };
}

absl::StatusOr<Deferred> DeletePageSession(const ApiTools& api,
                                           const Call& call) {
  RETURN_IF_ERROR(CheckOwner(api, call, "end the page's sessions"));
  std::string id = call.arg(0);
  if (id == "all") {
    RETURN_IF_ERROR(api.page_sessions->RevokeAll());
  } else {
    if (id == "current") {
      id = api.page_sessions->Find(call.request()).value_or(id);
    }
    RETURN_IF_ERROR(api.page_sessions->Revoke(id));
  }
  return [](ReplyCallback done) { done(Reply()); };
}

absl::StatusOr<Deferred> Stream(const ApiTools& api, const Call& call) {
  ASSIGN_OR_RETURN(std::vector<WatchedFrom> watched, ReadWatched(call));
  return [&api, list = call.Parameter("list"),
          watched = std::move(watched)](ReplyCallback reply) mutable {
    reply(Reply([&api, list = std::move(list),
                 watched = std::move(watched)](http::Waker waker) mutable {
      return api.watch->New(list, std::move(watched), std::move(waker));
    }));
  };
}

absl::StatusOr<Deferred> ChangeWatch(const ApiTools& api, const Call& call) {
  v1::WatchRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  std::vector<WatchedFrom> watched;
  for (const v1::WatchRequest::Watch& one : body.watch()) {
    ASSIGN_OR_RETURN(const ViewFrom from, ReadPosition(one.after()));
    watched.push_back({.task_id = one.task_id(), .from = from});
  }
  RETURN_IF_ERROR(
      api.watch->Change(call.arg(0), std::move(watched),
                        {body.unwatch().begin(), body.unwatch().end()}));
  return [](ReplyCallback done) { done(Reply()); };
}

absl::StatusOr<Deferred> ListFolders(const ApiTools& api, const Call&) {
  return [&api](ReplyCallback reply) {
    using Folders = std::vector<TaskStore::Folder>;
    api.tasks->index().Search<Folders>(
        [](TaskStore& store) { return store.Folders(kMaxFolders); },
        [reply =
             std::move(reply)](const absl::StatusOr<Folders>& folders) mutable {
          if (!folders.ok()) return reply(folders.status());
          v1::ListFoldersResponse response;
          for (const TaskStore::Folder& folder : *folders) {
            v1::Folder& to = *response.add_folders();
            to.set_path(folder.path);
            to.set_tasks(static_cast<int>(folder.tasks));
            *to.mutable_last_used_at() = ToProto(folder.last_used_at);
          }
          reply(std::move(response));
        });
  };
}

absl::StatusOr<Deferred> CreateUpload(const ApiTools& api, const Call& call) {
  RETURN_IF_ERROR(CheckOwner(api, call, "upload images"));
  const std::string type = call.body_type();
  if (!IsImageType(type)) {
    return absl::InvalidArgumentError(
        "send an image as Content-Type: image/png, image/jpeg, image/gif or "
        "image/webp");
  }
  return
      [&api, type, bytes = std::make_shared<std::string>(call.request().body)](
          ReplyCallback reply) {
        api.pools->work.RunFor<absl::StatusOr<Reply>>(
            [&api, type, bytes]() -> absl::StatusOr<Reply> {
              ASSIGN_OR_RETURN(v1::Upload upload,
                               api.uploads->Add(*bytes, type, absl::Now()));
              return upload;
            },
            std::move(reply));
      };
}

}  // namespace troika
