// Writes the events of an answer for Gemini's API.
#include <memory>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json_writer.h"
#include "testing/model/events.h"
#include "testing/model/wire.h"

namespace troika::model {
namespace {

using json::ObjectWriter;

std::string UsageJson(const Usage& usage) {
  const int64_t input = usage.input + usage.cached;
  return ObjectWriter()
      .Json("promptTokenCount", absl::StrCat(input))
      .Json("cachedContentTokenCount", absl::StrCat(usage.cached))
      .Json("candidatesTokenCount", absl::StrCat(usage.output))
      .Json("totalTokenCount", absl::StrCat(input + usage.output))
      .Take();
}

absl::string_view FinishReason(absl::string_view reason) {
  if (reason == "max_tokens") return "MAX_TOKENS";
  return reason == "refusal" ? "SAFETY" : "STOP";
}

class GeminiEvents : public Events {
 public:
  GeminiEvents(const Request& request, int serial)
      : serial_(serial), model_(request.model) {}

  void Begin(const Usage&) override {}  // The first event already has content.
  void Text(const Pieces& pieces) override {
    for (const std::string& piece : pieces) {
      SendPart(ObjectWriter().String("text", piece).Take());
    }
  }
  void Thought(const Pieces& pieces) override {
    for (const std::string& piece : pieces) {
      SendPart(
          ObjectWriter().String("text", piece).Json("thought", "true").Take());
    }
  }
  void Call(const NativeCall& call, const Pieces& pieces) override;
  void Fail(absl::string_view code, absl::string_view message) override;
  void Finish(const Ending& ending) override;

 private:
  void Send(absl::string_view json) {
    Emit(absl::StrCat("data: ", json, "\r\n\r\n"));
  }
  void SendPart(absl::string_view part) {
    Send(Chunk(absl::StrCat("[", part, "]"), "").Take());
  }
  ObjectWriter Chunk(absl::string_view parts, absl::string_view finish) const;

  const int serial_;
  const std::string model_;
  int calls_ = 0;
};

ObjectWriter GeminiEvents::Chunk(absl::string_view parts,
                                 absl::string_view finish) const {
  ObjectWriter candidate;
  candidate.Json(
      "content",
      ObjectWriter().Json("parts", parts).String("role", "model").Take());
  if (!finish.empty()) candidate.String("finishReason", finish);
  candidate.Json("index", "0");
  ObjectWriter chunk;
  chunk.Json("candidates", absl::StrCat("[", candidate.Take(), "]"))
      .String("modelVersion", model_)
      .String("responseId", absl::StrFormat("resp_%03d", serial_));
  return chunk;
}

// On this wire, calls are not split.
void GeminiEvents::Call(const NativeCall& call, const Pieces&) {
  const std::string function =
      ObjectWriter()
          .String("id", CallId("call", serial_, calls_++))
          .String("name", call.name)
          .Json("args", call.input)
          .Take();
  SendPart(ObjectWriter()
               .Json("functionCall", function)
               .String("thoughtSignature", "c2NyaXB0ZWQ=")
               .Take());
}

void GeminiEvents::Fail(absl::string_view code, absl::string_view message) {
  int number = 0;
  const bool is_number = absl::SimpleAtoi(code, &number);
  if (!is_number) number = 500;
  Send(
      ObjectWriter()
          .Json("error",
                ObjectWriter()
                    .Json("code", absl::StrCat(number))
                    .String("message", message)
                    .String("status",
                            is_number ? ErrorType(Wire::kGemini, number) : code)
                    .Take())
          .Take());
}

void GeminiEvents::Finish(const Ending& ending) {
  ObjectWriter chunk = Chunk(calls_ > 0 ? "[]" : "[{\"text\":\"\"}]",
                             FinishReason(ending.reason));
  Send(chunk.Json("usageMetadata", UsageJson(ending.usage)).Take());
}

}  // namespace

std::unique_ptr<Events> NewGeminiEvents(const Request& request, int serial) {
  return std::make_unique<GeminiEvents>(request, serial);
}

}  // namespace troika::model
