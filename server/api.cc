#include "server/api.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/routes.h"

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
bool IsKnownBody(const http::Request& request) {
  if (request.body.empty()) return true;
  const absl::string_view type = request.Header("content-type");
  const std::string name = absl::AsciiStrToLower(
      absl::StripAsciiWhitespace(type.substr(0, type.find(';'))));
  return name == kJsonType || name == kBinaryType;
}

// Counts a client's stream until it is destroyed.
class CountedStream final : public http::BodySource {
 public:
  CountedStream(std::shared_ptr<std::map<std::string, int>> counts,
                std::string client, std::unique_ptr<http::BodySource> source)
      : counts_(std::move(counts)),
        client_(std::move(client)),
        source_(std::move(source)) {
    ++(*counts_)[client_];
  }
  ~CountedStream() override {
    if (--(*counts_)[client_] == 0) counts_->erase(client_);
  }

  State Fill(size_t room, std::string* out) override {
    return source_->Fill(room, out);
  }

 private:
  const std::shared_ptr<std::map<std::string, int>> counts_;
  const std::string client_;
  const std::unique_ptr<http::BodySource> source_;
};

}  // namespace

http::Admission Api::Admit(const http::Request& head) {
  const Match match = MatchRoute(head.method, head.path);
  const Access::Need need =
      match.route != nullptr ? match.route->need : Access::Need::kToken;
  ++(*tools_.requests)[match.route != nullptr
                           ? absl::StrCat(match.route->method, " ",
                                          match.route->path)
                           : "other"];
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
  if (!IsKnownBody(request)) {
    return exchange->Reply(
        ErrorResponse(request, 415,
                      "send the body as Content-Type: application/json, or "
                      "application/x-protobuf"));
  }
  const Call call(&request, std::move(match.args));
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
    SendStream(exchange, std::move(reply->stream));
  } else {
    exchange.Reply(ToResponse(request, route.status, *std::move(reply)));
  }
}

void Api::SendStream(http::Exchange& exchange, Reply::StreamMaker make) {
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
  exchange.Stream({.content_type = std::string(kStreamType),
                   .headers = {{"X-Accel-Buffering", "no"}}},
                  [&](http::Waker waker) {
                    return std::make_unique<CountedStream>(
                        streams_, client, make(std::move(waker)));
                  });
}

}  // namespace troika
