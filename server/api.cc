#include "server/api.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "server/page_sessions.h"
#include "server/routes.h"
#include "server/static_page.h"

namespace troika {
namespace {

http::Response NotAllowed(const http::Request& request, const Match& match) {
  const std::string methods = absl::StrJoin(match.methods, ", ");
  http::Response response =
      ErrorResponse(request, 405, absl::StrCat("this path takes ", methods));
  response.headers.emplace_back("Allow", methods);
  return response;
}

// A form of another page could send the other types without being asked.
absl::Status CheckBodyType(const Route& route, const Call& call) {
  if (call.request().body.empty()) return absl::OkStatus();
  const std::string type = call.body_type();
  if (!route.body_types.empty()) {
    if (std::find(route.body_types.begin(), route.body_types.end(), type) !=
        route.body_types.end()) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat("send the body as Content-Type: ",
                     absl::StrJoin(route.body_types, ", ")));
  }
  if (type == kJsonType || type == kBinaryType) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "send the body as Content-Type: application/json, or "
      "application/x-protobuf");
}

// The embedded file that a request is for. None if it is for the API.
PageMatch PageOf(const http::Request& request, const Match& match) {
  if (match.route != nullptr || !match.methods.empty() ||
      (request.method != "GET" && request.method != "HEAD")) {
    return {};
  }
  return MatchPage(PageFiles(), request);
}

// Counts a client's stream until it is destroyed, and ends it once the client
// may read no more.
class CountedStream final : public http::BodySource {
 public:
  CountedStream(std::shared_ptr<std::map<std::string, int>> counts,
                std::string client, std::function<bool()> may_read,
                std::unique_ptr<http::BodySource> source)
      : counts_(std::move(counts)),
        client_(std::move(client)),
        may_read_(std::move(may_read)),
        source_(std::move(source)) {
    ++(*counts_)[client_];
  }
  ~CountedStream() override {
    if (--(*counts_)[client_] == 0) counts_->erase(client_);
  }

  State Fill(size_t room, std::string* out) override {
    return may_read_() ? source_->Fill(room, out) : State::kEnd;
  }

 private:
  const std::shared_ptr<std::map<std::string, int>> counts_;
  const std::string client_;
  const std::function<bool()> may_read_;
  const std::unique_ptr<http::BodySource> source_;
};

}  // namespace

http::Admission Api::Admit(const http::Request& head) {
  const Match match = MatchRoute(head.method, head.path);
  const bool is_page = PageOf(head, match).file != nullptr;
  Access::Need need = Access::Need::kToken;
  if (is_page) need = Access::Need::kNothing;
  if (match.route != nullptr) need = match.route->need;
  ++(*tools_.requests)[match.route != nullptr
                           ? absl::StrCat(match.route->method, " ",
                                          match.route->path)
                           : (is_page ? "page" : "other")];
  const absl::Status access = tools_.access->Check(head, need);
  if (!access.ok()) {
    return {.level = http::Admission::Level::kRefused,
            .refusal = ErrorResponse(head, access)};
  }
  return {.level = need == Access::Need::kNothing
                       ? http::Admission::Level::kAnonymous
                       : http::Admission::Level::kTrusted};
}

void Api::Handle(std::unique_ptr<http::Exchange> exchange) {
  const http::Request& request = exchange->request();
  Match match = MatchRoute(request.method, request.path);
  if (const PageMatch page = PageOf(request, match); page.file != nullptr) {
    return exchange->Reply(PageResponse(page, request));
  }
  if (match.route == nullptr && !match.methods.empty()) {
    return exchange->Reply(NotAllowed(request, match));
  }
  if (match.route == nullptr) {
    return exchange->Reply(ErrorResponse(
        request, 404,
        "there is nothing at this path: GET /openapi.json lists what "
        "there is"));
  }
  const Route& route = *match.route;
  const Call call(&request, std::move(match.args));
  if (const absl::Status type = CheckBodyType(route, call); !type.ok()) {
    return exchange->Reply(ErrorResponse(request, 415, type.message()));
  }
  if (route.media_type == kStreamType && route.reply == nullptr &&
      !call.Accepts(kStreamType)) {
    return exchange->Reply(ErrorResponse(
        request, 406,
        "this is a stream: ask for it with Accept: text/event-stream"));
  }
  const absl::Status known = CheckParameters(route, request.query);
  absl::StatusOr<Deferred> handled =
      known.ok() ? route.handle(tools_, call) : known;
  if (!handled.ok()) return Send(*exchange, route, handled.status());
  (*handled)([this, &route,
              exchange = std::move(exchange)](absl::StatusOr<Reply> reply) {
    Send(*exchange, route, std::move(reply));
  });
}

void Api::Send(http::Exchange& exchange, const Route& route,
               absl::StatusOr<Reply> reply) {
  const http::Request& request = exchange.request();
  if (!reply.ok()) {
    exchange.Reply(ErrorResponse(request, reply.status()));
  } else if (reply->stream) {
    SendStream(exchange, *std::move(reply));
  } else {
    exchange.Reply(ToResponse(request, route.status, *std::move(reply)));
  }
}

void Api::SendStream(http::Exchange& exchange, Reply reply) {
  // A client is a process on the Unix socket. All of TCP is one client, because
  // all of it has the same token.
  const http::Peer& peer = exchange.request().peer;
  const std::string client =
      peer.kind == http::Peer::Kind::kUnix ? absl::StrCat(peer.pid) : "tcp";
  const auto open = streams_->find(client);
  if (open != streams_->end() && open->second >= kMaxStreams) {
    return exchange.Reply(
        ErrorResponse(exchange.request(),
                      absl::ResourceExhaustedError(absl::StrCat(
                          "this client has ", kMaxStreams,
                          " streams open: close some of them, or watch all "
                          "tasks by GET /api/v1/events"))));
  }
  http::Response head = {.content_type = std::move(reply.content_type),
                         .headers = std::move(reply.headers)};
  if (head.content_type.empty()) {
    head.content_type = std::string(kStreamType);
    head.headers.emplace_back("X-Accel-Buffering", "no");
  }
  CHECK(tools_.page_sessions != nullptr);
  PageSessions& sessions = *tools_.page_sessions;
  // A stream of a page ends with its session.
  const auto session = sessions.Find(exchange.request());
  exchange.Stream(std::move(head), [&](http::Waker waker) {
    if (session) sessions.AddStream(*session, waker);
    return std::make_unique<CountedStream>(
        streams_, client,
        [&sessions, session] { return !session || sessions.IsLive(*session); },
        reply.stream(std::move(waker)));
  });
}

}  // namespace troika
