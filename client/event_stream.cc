#include "client/event_stream.h"

#include <sys/select.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace troika::client {
namespace {

constexpr absl::string_view kAllTasks = "/api/v1/events";
constexpr absl::Duration kFirstBackoff = absl::Milliseconds(100);
constexpr absl::Duration kLastBackoff = absl::Seconds(2);
constexpr absl::Duration kGiveUpAfter = absl::Seconds(30);
// Three of the server's heartbeats.
constexpr absl::Duration kSilence = absl::Seconds(45);
constexpr size_t kMaxError = size_t{64} << 10;

// Whether another try may succeed.
bool IsTransient(const absl::Status& refusal) {
  return absl::IsUnavailable(refusal) || absl::IsDeadlineExceeded(refusal) ||
         absl::IsResourceExhausted(refusal);
}

}  // namespace

EventStream::EventStream(ServerAddress address, std::string path,
                         EventStreamOptions options)
    : address_(std::move(address)),
      path_(std::move(path)),
      options_(std::move(options)),
      backoff_(kFirstBackoff) {
  parser_.set_last_id(options_.after);
}

EventStream::~EventStream() { Disconnect(); }

size_t EventStream::OnBody(char* bytes, size_t size, size_t count, void* user) {
  auto& stream = *static_cast<EventStream*>(user);
  stream.received_.append(bytes, size * count);
  return size * count;
}

void EventStream::Connect() {
  std::vector<std::string> headers = {"Accept: text/event-stream"};
  if (!parser_.last_id().empty()) {
    headers.push_back(absl::StrCat("Last-Event-ID: ", parser_.last_id()));
  }
  request_.Prepare(address_, path_, headers);
  curl_easy_setopt(request_.handle(), CURLOPT_WRITEFUNCTION, &OnBody);
  curl_easy_setopt(request_.handle(), CURLOPT_WRITEDATA, this);
  if (multi_ == nullptr) multi_.reset(curl_multi_init());
  curl_multi_add_handle(multi_.get(), request_.handle());
  connected_ = true;
  retry_at_.reset();
  heard_at_ = options_.clock->Awake();
  received_.clear();
  parser_.Restart();
}

void EventStream::Disconnect() {
  if (std::exchange(connected_, false)) {
    curl_multi_remove_handle(multi_.get(), request_.handle());
  }
  // Closes the connection, too, which the multi handle owns.
  multi_.reset();
}

std::vector<pollfd> EventStream::PollFds() const {
  std::vector<pollfd> fds;
  if (!connected_) return fds;
  fd_set read, write, except;
  FD_ZERO(&read);
  FD_ZERO(&write);
  FD_ZERO(&except);
  int last = -1;
  curl_multi_fdset(multi_.get(), &read, &write, &except, &last);
  for (int fd = 0; fd <= last; ++fd) {
    const int events = (FD_ISSET(fd, &read) ? POLLIN : 0) |
                       (FD_ISSET(fd, &write) ? POLLOUT : 0);
    if (events == 0) continue;
    fds.push_back({.fd = fd, .events = static_cast<int16_t>(events)});
  }
  return fds;
}

absl::Time EventStream::wake_at() const {
  if (ended_) return absl::InfiniteFuture();
  const absl::Time now = options_.clock->Awake();
  if (!connected_) return retry_at_.value_or(now);
  long millis = -1;
  curl_multi_timeout(multi_.get(), &millis);
  const absl::Time silence = heard_at_ + kSilence;
  if (millis < 0) return silence;
  return std::min(silence, now + absl::Milliseconds(std::max(millis, 1L)));
}

absl::Status EventStream::Advance(Sink sink) {
  if (ended_) return absl::OkStatus();
  const absl::Time now = options_.clock->Awake();
  if (!connected_ && retry_at_ && now < *retry_at_) return absl::OkStatus();
  if (!connected_) Connect();
  int running = 0;
  curl_multi_perform(multi_.get(), &running);
  if (!received_.empty()) heard_at_ = now;
  // The body of a refusal is not a stream.
  if (request_.http_status() == 200) {
    const std::string bytes = std::exchange(received_, "");
    RETURN_IF_ERROR(parser_.Feed(
        bytes, [&](SseEvent&& event) { Take(std::move(event), sink); }));
  } else if (received_.size() > kMaxError) {
    received_.resize(kMaxError);
  }
  if (ended_) {
    Disconnect();
    return absl::OkStatus();
  }
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    return OnTransferEnd(message->data.result);
  }
  if (now - heard_at_ < kSilence) return absl::OkStatus();
  return OnBroken(absl::UnavailableError("it sends nothing"));
}

void EventStream::Take(SseEvent&& event, Sink sink) {
  backoff_ = kFirstBackoff;
  broken_since_.reset();
  if (event.name == "reset") parser_.set_last_id("");
  // The stream of all tasks goes on if one of them is deleted.
  if (event.name == "gone" && path_ != kAllTasks) ended_ = true;
  sink(std::move(event));
}

absl::Status EventStream::OnTransferEnd(CURLcode code) {
  const int http = request_.http_status();
  if (code != CURLE_OK) return OnConnectionLost(code);
  if (http == 200) {
    return OnBroken(absl::UnavailableError("it ended the stream"));
  }
  const absl::Status refusal = ErrorFromBody(http, received_);
  if (IsTransient(refusal)) return OnBroken(refusal);
  Disconnect();
  ended_ = true;
  return refusal;
}

absl::Status EventStream::OnConnectionLost(CURLcode code) {
  const absl::Status why = request_.Error(address_, code);
  if (!NeverArrived(code) || !options_.start) return OnBroken(why);
  const absl::Status started = options_.start();
  RETURN_IF_ERROR(OnBroken(started.ok() ? why : started));
  if (started.ok()) retry_at_ = options_.clock->Awake();
  return absl::OkStatus();
}

absl::Status EventStream::OnBroken(const absl::Status& why) {
  Disconnect();
  request_.Reset();
  const absl::Time now = options_.clock->Awake();
  if (!broken_since_) broken_since_ = now;
  if (now - *broken_since_ >= kGiveUpAfter) {
    ended_ = true;
    return absl::UnavailableError(
        absl::StrCat("follow the server at ", address_.Name(),
                     ": it could not be reached for ",
                     absl::FormatDuration(kGiveUpAfter), "; ", why.message()));
  }
  retry_at_ = now + backoff_;
  backoff_ = std::min(2 * backoff_, kLastBackoff);
  return absl::OkStatus();
}

}  // namespace troika::client
