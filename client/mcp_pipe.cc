#include "client/mcp_pipe.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/status_macros.h"
#include "client/api.h"

namespace troika::client {
namespace {

constexpr int64_t kParseError = -32700;
constexpr int kMaxTries = 8;
constexpr absl::string_view kListen = "subscriptions/listen";
// More calls wait for the end of others. Each takes two descriptors.
constexpr int kMaxCallsAtOnce = 200;
constexpr absl::Duration kFirstPause = absl::Milliseconds(100);
constexpr absl::Duration kLongestPause = absl::Seconds(2);
constexpr long kEndMillis = 1000;

absl::Duration PauseAfter(int tries) {
  return std::min(kLongestPause, kFirstPause * (1 << std::min(tries, 6)));
}

}  // namespace

McpPipe::McpPipe(McpPipeOptions options)
    : options_(std::move(options)),
      id_(absl::StrCat("pipe-", NewIdempotencyKey())),
      multi_(curl_multi_init()) {}

McpPipe::~McpPipe() {
  for (const auto& transfer : transfers_) Disconnect(*transfer);
}

size_t McpPipe::OnBody(char* bytes, size_t size, size_t count, void* user) {
  static_cast<Transfer*>(user)->received.append(bytes, size * count);
  return size * count;
}

size_t McpPipe::OnHeader(char* bytes, size_t size, size_t count, void* user) {
  const absl::string_view line(bytes, size * count);
  const size_t colon = line.find(':');
  if (colon != absl::string_view::npos &&
      absl::EqualsIgnoreCase(line.substr(0, colon), "mcp-session-id")) {
    static_cast<Transfer*>(user)->session =
        std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  }
  return size * count;
}

absl::Status McpPipe::Refuse(const rpc::Id& id, int64_t code,
                             absl::string_view message) {
  options_.log(Level::kWarn, message);
  return options_.write(absl::StripSuffix(
      rpc::ErrorLine(id, {.code = code, .message = std::string(message)}),
      "\n"));
}

std::string McpPipe::Envelope(const rpc::Message& message,
                              absl::string_view line) {
  json::ObjectWriter envelope;
  envelope.String("pipe", id_)
      .String("key", absl::StrCat(id_, ".", next_key_++))
      .String("cwd", options_.cwd)
      .String("toolset", options_.toolset);
  // Only these look at it.
  if (absl::StartsWith(message.method, "tools/") || message.method == kListen) {
    json::ObjectWriter env;
    for (const auto& [name, value] : options_.environment.variables()) {
      env.String(name, value);
    }
    envelope.Json("env", env.Take());
  }
  return envelope.Json("message", line).Take();
}

absl::Status McpPipe::OnLongLine(int64_t size) {
  return Refuse({}, kParseError,
                absl::StrCat("a line of ", size, " bytes: at most ", kMaxLine,
                             " are taken"));
}

absl::Status McpPipe::OnLine(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  if (line.empty()) return absl::OkStatus();
  options_.log(Level::kDebug, absl::StrCat("from the client: ", line));
  json::Parser parser;
  const auto value = parser.Parse(line);
  if (!value.ok()) {
    return Refuse(
        {}, kParseError,
        absl::StrCat("a line that is not JSON: ", value.status().message()));
  }
  const rpc::Message message = rpc::Parse(*value);
  if (message.kind == rpc::Kind::kInvalid) {
    return Refuse(message.id, rpc::kInvalidRequest, message.fault);
  }
  if (message.method == "notifications/cancelled") {
    Cancel(rpc::Id::FromJson(message.params.Get("requestId")));
  }
  auto transfer = std::make_unique<Transfer>();
  // An answer to a request of the server has an id, but gets no reply.
  if (message.kind == rpc::Kind::kRequest) transfer->id = message.id;
  transfer->method = std::string(message.method);
  // What the parser has mended goes on in its mended form.
  transfer->body = Envelope(message, value->ToJson());
  transfers_.push_back(std::move(transfer));
  ConnectDue();
  return absl::OkStatus();
}

void McpPipe::Cancel(const rpc::Id& id) {
  transfers_.remove_if([&](const std::unique_ptr<Transfer>& transfer) {
    if (!id.exists() || transfer->id != id) return false;
    Disconnect(*transfer);
    return true;
  });
}

void McpPipe::Connect(Transfer& transfer) {
  std::vector<std::string> headers;
  if (transfer.kind == Transfer::Kind::kStream) {
    headers = {"Accept: text/event-stream",
               absl::StrCat("Mcp-Session-Id: ", id_)};
    if (!session_.empty()) {
      headers.push_back(absl::StrCat("Troika-Mcp-Client: ", session_));
    }
  } else {
    headers = {"Accept: application/json, text/event-stream",
               "Content-Type: application/json"};
    if (!session_.empty()) {
      headers.push_back(absl::StrCat("Mcp-Session-Id: ", session_));
    }
  }
  transfer.received.clear();
  transfer.parser.Restart();
  transfer.request.Prepare(
      options_.address,
      transfer.kind == Transfer::Kind::kStream ? "/mcp" : "/mcp/pipe", headers);
  CURL* const handle = transfer.request.handle();
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &OnBody);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &OnHeader);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_PRIVATE, &transfer);
  if (transfer.kind == Transfer::Kind::kMessage) {
    curl_easy_setopt(handle, CURLOPT_POST, 1L);
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, transfer.body.data());
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(transfer.body.size()));
  }
  curl_multi_add_handle(multi_.get(), handle);
  transfer.connected = true;
}

void McpPipe::Disconnect(Transfer& transfer) {
  if (!std::exchange(transfer.connected, false)) return;
  curl_multi_remove_handle(multi_.get(), transfer.request.handle());
}

void McpPipe::ConnectDue() {
  const absl::Time now = absl::Now();
  auto calls = std::count_if(
      transfers_.begin(), transfers_.end(), [](const auto& transfer) {
        return transfer->connected && transfer->id.exists();
      });
  for (const auto& transfer : transfers_) {
    if (transfer->connected || transfer->retry_at > now) continue;
    // Notifications and answers wait for no call.
    if (transfer->id.exists() && calls++ >= kMaxCallsAtOnce) continue;
    Connect(*transfer);
  }
}

void McpPipe::OpenStream() {
  const bool is_open = std::any_of(
      transfers_.begin(), transfers_.end(), [](const auto& transfer) {
        return transfer->kind == Transfer::Kind::kStream;
      });
  if (is_open) return;
  auto transfer = std::make_unique<Transfer>();
  transfer->kind = Transfer::Kind::kStream;
  transfers_.push_back(std::move(transfer));
}

// Writes the events that have come on a stream.
absl::Status McpPipe::Deliver(Transfer& transfer) {
  if (transfer.request.http_status() != 200) return absl::OkStatus();
  const char* type = nullptr;
  curl_easy_getinfo(transfer.request.handle(), CURLINFO_CONTENT_TYPE, &type);
  if (type == nullptr || !absl::StartsWith(type, "text/event-stream")) {
    return absl::OkStatus();
  }
  absl::Status written;
  json::Parser parser;
  const std::string bytes = std::exchange(transfer.received, "");
  RETURN_IF_ERROR(transfer.parser.Feed(bytes, [&](SseEvent&& event) {
    if (!written.ok()) return;
    const auto value = parser.Parse(event.data);
    if (value.ok() && !value->Get("method").exists()) transfer.answered = true;
    written = options_.write(event.data);
    // A subscription lasts over any number of servers.
    if (transfer.method == kListen) transfer.tries = 0;
  }));
  return written;
}

absl::StatusOr<bool> McpPipe::OnEnd(Transfer& transfer, CURLcode code) {
  Disconnect(transfer);
  if (transfer.kind == Transfer::Kind::kStream) {
    // Whatever it was, it may be better soon.
    if (transfer.request.http_status() == 200) transfer.tries = 0;
    transfer.request.Reset();
    transfer.retry_at = absl::Now() + PauseAfter(transfer.tries++);
    return false;
  }
  if (transfer.answered) return true;
  const int http = transfer.request.http_status();
  if (code != CURLE_OK || http == 503 ||
      (http == 200 && transfer.received.empty() && transfer.id.exists())) {
    return OnLost(transfer, code);
  }
  OpenStream();
  if (!transfer.id.exists()) return true;
  json::Parser parser;
  const auto body = parser.Parse(transfer.received);
  if (body.ok() && body->Get("jsonrpc").exists()) {
    if (transfer.method == "initialize" && !transfer.session.empty()) {
      session_ = transfer.session;
    }
    RETURN_IF_ERROR(options_.write(body->ToJson()));
    return true;
  }
  // A call that was cancelled has no reply.
  if (http == 202) return true;
  RETURN_IF_ERROR(Refuse(transfer.id, rpc::kInternalError,
                         ErrorFromBody(http, transfer.received).message()));
  return true;
}

absl::StatusOr<bool> McpPipe::OnLost(Transfer& transfer, CURLcode code) {
  absl::Status why =
      code == CURLE_OK
          ? absl::UnavailableError("the server stopped before it replied")
          : transfer.request.Error(options_.address, code);
  transfer.request.Reset();
  if (NeverArrived(code)) {
    if (options_.start) {
      options_.log(Level::kInfo, "starting the server");
      why = options_.start();
    }
    if (!why.ok()) {
      if (!transfer.id.exists()) return true;
      RETURN_IF_ERROR(Refuse(transfer.id, rpc::kInternalError, why.message()));
      return true;
    }
  } else {
    options_.log(Level::kWarn, why.message());
  }
  if (++transfer.tries >= kMaxTries) {
    if (!transfer.id.exists()) return true;
    RETURN_IF_ERROR(Refuse(
        transfer.id, rpc::kInternalError,
        absl::StrCat("the server at ", options_.address.Name(),
                     " ended each time before it replied; server.log in its "
                     "folder may say why")));
    return true;
  }
  transfer.retry_at = absl::Now() + (why.ok() ? absl::ZeroDuration()
                                              : PauseAfter(transfer.tries));
  return false;
}

absl::Status McpPipe::Advance(std::vector<pollfd>* fds,
                              absl::Duration at_most) {
  ConnectDue();
  const absl::Time now = absl::Now();
  for (const auto& transfer : transfers_) {
    // One that is due waits for the end of another.
    if (!transfer->connected && transfer->retry_at > now) {
      at_most = std::min(
          at_most, std::max(absl::Milliseconds(1), transfer->retry_at - now));
    }
  }
  std::vector<curl_waitfd> wait;
  for (const pollfd& fd : *fds) {
    wait.push_back({.fd = fd.fd, .events = CURL_WAIT_POLLIN, .revents = 0});
  }
  int running = 0;
  curl_multi_perform(multi_.get(), &running);
  const auto connected =
      std::count_if(transfers_.begin(), transfers_.end(),
                    [](const auto& transfer) { return transfer->connected; });
  // One that has ended already would wake nobody.
  if (running < connected) at_most = absl::ZeroDuration();
  curl_multi_poll(multi_.get(), wait.data(), static_cast<unsigned>(wait.size()),
                  static_cast<int>(absl::ToInt64Milliseconds(at_most)),
                  nullptr);
  curl_multi_perform(multi_.get(), &running);
  for (size_t i = 0; i < wait.size(); ++i) (*fds)[i].revents = wait[i].revents;
  for (const auto& transfer : transfers_) {
    if (transfer->connected && !transfer->received.empty()) {
      RETURN_IF_ERROR(Deliver(*transfer));
    }
  }
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    Transfer* ended = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &ended);
    ASSIGN_OR_RETURN(const bool over, OnEnd(*ended, message->data.result));
    if (!over) continue;
    transfers_.remove_if(
        [&](const auto& transfer) { return transfer.get() == ended; });
  }
  return absl::OkStatus();
}

bool McpPipe::waits() const {
  return std::any_of(transfers_.begin(), transfers_.end(),
                     [](const auto& transfer) {
                       return transfer->kind == Transfer::Kind::kMessage &&
                              transfer->method != "subscriptions/listen" &&
                              !transfer->answered;
                     });
}

void McpPipe::End() {
  CurlRequest request;
  request.Prepare(options_.address, "/mcp",
                  {absl::StrCat("Mcp-Session-Id: ", id_)});
  std::string ignored;
  curl_easy_setopt(request.handle(), CURLOPT_CUSTOMREQUEST, "DELETE");
  curl_easy_setopt(request.handle(), CURLOPT_TIMEOUT_MS, kEndMillis);
  curl_easy_setopt(
      request.handle(), CURLOPT_WRITEFUNCTION,
      +[](char*, size_t size, size_t count, void*) { return size * count; });
  curl_easy_perform(request.handle());
}

}  // namespace troika::client
