#include "server/mcp/subscriptions.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json_fields.h"
#include "base/json_writer.h"
#include "server/mcp/resources.h"
#include "server/mcp/service.h"

namespace troika {
namespace {

// Changes within this time are told together.
constexpr absl::Duration kPause = absl::Milliseconds(500);
// How often it is checked which CLIs are installed.
constexpr absl::Duration kToolsPause = absl::Seconds(5);
constexpr size_t kMaxTranscripts = 100;

constexpr absl::string_view kToolsChanged = "notifications/tools/list_changed";
constexpr absl::string_view kResourcesChanged =
    "notifications/resources/list_changed";
constexpr absl::string_view kResourceUpdated =
    "notifications/resources/updated";

std::string MetaOf(const ToolCall& call) {
  return json::ObjectWriter()
      .Json("io.modelcontextprotocol/subscriptionId", call.id().json())
      .Take();
}

}  // namespace

void Subscriptions::Begin(const ApiTools* api) {
  api_ = api;
  tell_timer_ = api->loop->NewTimer([this] { Tell(); });
  tools_timer_ = api->loop->NewTimer([this] { CheckTools(); });
  api->tasks->SetOnListChanged([this] {
    for (const SubscriberPtr& one : subscribers_) one->has_new_resources = true;
    TellSoon();
  });
}

void Subscriptions::Listen(const ToolCallPtr& call, json::Value wanted) {
  RemoveGone();
  auto subscriber = std::make_shared<Subscriber>();
  subscriber->call = call;
  subscriber->tools = wanted.Get("toolsListChanged").BoolOr(false);
  subscriber->resources = wanted.Get("resourcesListChanged").BoolOr(false);
  std::vector<std::string> uris;
  for (const json::Value& uri : wanted.Get("resourceSubscriptions").items()) {
    if (uri.IsString() && uris.size() < kMaxTranscripts) {
      uris.emplace_back(uri.StringOr(""));
    }
  }
  subscriber->to_find = uris.size();
  if (uris.empty()) return Acknowledge(subscriber);
  for (const std::string& uri : uris) Find(subscriber, uri);
}

void Subscriptions::Find(const SubscriberPtr& subscriber,
                         const std::string& uri) {
  FindTranscript(
      *api_, uri,
      [this, subscriber,
       uri](absl::StatusOr<std::shared_ptr<TaskStream>> stream) {
        if (stream.ok()) {
          Transcript& transcript = subscriber->transcripts.emplace_back();
          transcript.uri = uri;
          transcript.stream = *std::move(stream);
          transcript.listener = transcript.stream->Listen([this, &transcript] {
            transcript.has_news = true;
            TellSoon();
          });
        }
        if (--subscriber->to_find == 0) Acknowledge(subscriber);
      });
}

void Subscriptions::Acknowledge(const SubscriberPtr& subscriber) {
  json::ObjectWriter told;
  if (subscriber->tools) told.Json("toolsListChanged", "true");
  if (subscriber->resources) told.Json("resourcesListChanged", "true");
  std::vector<std::string> uris;
  for (const Transcript& transcript : subscriber->transcripts) {
    uris.push_back(transcript.uri);
  }
  if (!uris.empty()) told.Json("resourceSubscriptions", json::ToJson(uris));
  const ToolCall& call = *subscriber->call;
  if (call.over()) return;
  if (!call.reply()->Send(
          rpc::NotificationLine("notifications/subscriptions/acknowledged",
                                json::ObjectWriter()
                                    .Json("_meta", MetaOf(call))
                                    .Json("notifications", told.Take())
                                    .Take()))) {
    return subscriber->call->FailWith(
        {.code = rpc::kInvalidRequest,
         .message = "subscriptions/listen needs Accept: text/event-stream"});
  }
  subscribers_.push_back(subscriber);
  TellSoon();
  if (subscriber->tools) CheckTools();
}

void Subscriptions::Notify(const Subscriber& subscriber,
                           absl::string_view method, absl::string_view uri) {
  json::ObjectWriter params;
  params.Json("_meta", MetaOf(*subscriber.call));
  if (!uri.empty()) params.String("uri", uri);
  subscriber.call->reply()->Send(rpc::NotificationLine(method, params.Take()));
}

void Subscriptions::RemoveGone() {
  subscribers_.remove_if(
      [](const SubscriberPtr& one) { return one->call->over(); });
}

void Subscriptions::TellSoon() {
  if (!subscribers_.empty() && !tell_timer_->is_set()) {
    tell_timer_->SetIn(kPause);
  }
}

void Subscriptions::Tell() {
  RemoveGone();
  for (const SubscriberPtr& one : subscribers_) {
    if (std::exchange(one->has_new_resources, false) && one->resources) {
      Notify(*one, kResourcesChanged);
    }
    for (Transcript& transcript : one->transcripts) {
      if (std::exchange(transcript.has_news, false)) {
        Notify(*one, kResourceUpdated, transcript.uri);
      }
    }
  }
}

// Nobody tells when a CLI is installed or removed.
void Subscriptions::CheckTools() {
  RemoveGone();
  for (const SubscriberPtr& one : subscribers_) {
    if (!one->tools) continue;
    service_.FindTools(
        one->call->caller(),
        [weak = std::weak_ptr(one)](
            const absl::StatusOr<std::vector<const Tool*>>& tools) {
          const SubscriberPtr subscriber = weak.lock();
          if (!subscriber || subscriber->call->over() || !tools.ok()) return;
          std::string names = absl::StrJoin(
              *tools, " ", [](std::string* out, const Tool* tool) {
                out->append(tool->info.name);
              });
          const bool was_known = !subscriber->known_tools.empty();
          if (subscriber->known_tools == names) return;
          subscriber->known_tools = std::move(names);
          if (was_known) Notify(*subscriber, kToolsChanged);
        });
    if (!tools_timer_->is_set()) tools_timer_->SetIn(kToolsPause);
  }
}

}  // namespace troika
