#include "testing/fake/app_server_inbox.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "testing/fake/io.h"

namespace troika::fake {
namespace {

constexpr auto kOmitted = rpc::VersionMember::kOmitted;

void Send(const std::string& line) { DieIfBad(WriteAll(STDOUT_FILENO, line)); }

void Reply(const rpc::Message& request, absl::string_view result) {
  Send(rpc::ResponseLine(request.id, result, kOmitted));
}

// The real CLI has this code for everything.
void Refuse(const rpc::Message& request, absl::string_view why) {
  Send(rpc::ErrorLine(request.id, {rpc::kInvalidRequest, std::string(why)},
                      kOmitted));
}

}  // namespace

std::string InputText(const rpc::Message& request) {
  std::string text;
  for (const json::Value item : request.params.Get("input").items()) {
    if (item.Get("type").StringOr("") != "text") continue;
    absl::StrAppend(&text, text.empty() ? "" : "\n",
                    item.Get("text").StringOr(""));
  }
  return text;
}

Flow AppServerInbox::OnLine(std::string line) {
  json::Parser parser;
  const auto value = parser.Parse(line);
  if (!value.ok()) return Flow::kGoOn;
  const rpc::Message message = rpc::Parse(*value);
  if (message.kind == rpc::Kind::kRequest) return OnRequest(message, line);
  if (message.kind == rpc::Kind::kResponse ||
      message.kind == rpc::Kind::kError) {
    Keep(std::move(line));
  }
  return Flow::kGoOn;
}

Flow AppServerInbox::OnRequest(const rpc::Message& request,
                               const std::string& line) {
  const absl::string_view method = request.method;
  if (method == "initialize") {
    Reply(request, json::ObjectWriter()
                       .String("userAgent",
                               absl::StrCat("troika/", process_.version_text))
                       .String("platformOs", "linux")
                       .Take());
  } else if (method == "thread/start" || method == "thread/resume" ||
             method == "thread/fork") {
    OpenThread(request);
  } else if (method == "turn/start" && work_ && turn_.empty()) {
    Keep(line);
  } else if (method == "turn/steer" && !turn_.empty()) {
    Reply(request, json::ObjectWriter().String("turnId", turn_).Take());
    Keep(line);
  } else if (method == "turn/interrupt" && !turn_.empty()) {
    Reply(request, "{}");
    return Flow::kStop;
  } else if (method == "model/list") {
    Reply(request,
          R"({"data":[{"id":"gpt-fake","model":"gpt-fake","hidden":false},)"
          R"({"id":"gpt-mini","model":"gpt-mini","hidden":false},)"
          R"({"id":"gpt-old","model":"gpt-old","hidden":true}],)"
          R"("nextCursor":null})");
  } else if (method == "thread/backgroundTerminals/clean") {
    Reply(request, "{}");
  } else if (method == "turn/steer" || method == "turn/interrupt") {
    Refuse(request, method == "turn/steer" ? "no active turn to steer"
                                           : "no active turn to interrupt");
  } else {
    Refuse(request,
           absl::StrCat("Invalid request: unknown variant `", method, "`"));
  }
  return Flow::kGoOn;
}

void AppServerInbox::OpenThread(const rpc::Message& request) {
  if (request.method == "thread/start") {
    work_ = NewWork(process_);
  } else {
    const std::string id(request.params.Get("threadId").StringOr(""));
    absl::StatusOr<std::optional<Session>> session = process_.state.Find(id);
    DieIfBad(session.status());
    if (!*session) {
      return Refuse(request,
                    absl::StrCat("no rollout found for thread id ", id));
    }
    work_ = Work{.session = **session, .begun = Begun::kResumed};
    if (request.method == "thread/fork") {
      work_->session.id = NewWork(process_, work_->session.id).session.id;
    }
  }
  model_ = std::string(request.params.Get("model").StringOr("gpt-fake"));
  const std::string thread = json::ObjectWriter()
                                 .String("id", work_->session.id)
                                 .String("cliVersion", process_.version_text)
                                 .String("cwd", CurrentFolder())
                                 .Take();
  Reply(request,
        json::ObjectWriter()
            .Json("thread", thread)
            .String("model", model_)
            .String("cwd", CurrentFolder())
            .String("approvalPolicy",
                    request.params.Get("approvalPolicy").StringOr("on-request"))
            .Json("sandbox", R"({"type":"readOnly"})")
            .Take());
}

}  // namespace troika::fake
