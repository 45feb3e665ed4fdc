#include "testing/model/answer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/json_writer.h"
#include "base/status_macros.h"
#include "testing/model/native.h"
#include "testing/model/script_text.h"
#include "testing/model/wire.h"

namespace troika::model {
namespace {

// Inserts the folder into all texts of the instruction.
Instruction Resolved(Instruction instruction, absl::string_view folder) {
  const auto resolve = [&](std::string* text, TextForm form) {
    *text = WithFolder(*text, form, folder);
  };
  const bool raw =
      instruction.op == Op::kPrint || instruction.op == Op::kStatus;
  resolve(&instruction.text, raw ? TextForm::kJson : TextForm::kPlain);
  resolve(&instruction.rest,
          instruction.op == Op::kCall ? TextForm::kJson : TextForm::kPlain);
  resolve(&instruction.third,
          instruction.op == Op::kMcp ? TextForm::kJson : TextForm::kPlain);
  for (script::TodoEntry& entry : instruction.plan) {
    resolve(&entry.text, TextForm::kPlain);
  }
  for (std::string& option : instruction.options) {
    resolve(&option, TextForm::kPlain);
  }
  return instruction;
}

bool Names(const Instruction& instruction) {
  return NamesFolder(instruction.text) || NamesFolder(instruction.rest) ||
         NamesFolder(instruction.third);
}

http::Response LimitReply(Wire wire, int64_t seconds) {
  http::Response response = ErrorReply(
      wire, 429,
      absl::StrCat("Rate limit reached. Please try again in ", seconds, "s."));
  if (wire == Wire::kGemini) {
    const std::string retry =
        json::ObjectWriter()
            .String("@type", "type.googleapis.com/google.rpc.RetryInfo")
            .String("retryDelay", absl::StrCat(seconds, "s"))
            .Take();
    response.body = absl::StrCat(
        absl::string_view(response.body).substr(0, response.body.size() - 2),
        ",\"details\":[", retry, "]}}");
  }
  response.headers.emplace_back("Retry-After", absl::StrCat(seconds));
  return response;
}

Usage UsageOf(const Instruction& instruction) {
  return {instruction.numbers[0], instruction.numbers[1],
          instruction.numbers[2]};
}

int StatusOfCode(Wire wire, absl::string_view code) {
  for (const int status : {400, 401, 403, 404, 413, 429, 529}) {
    if (ErrorType(wire, status) == code) return status;
  }
  return 500;
}

class Maker {
 public:
  Maker(const Request& request, int serial, absl::string_view folder)
      : request_(request),
        folder_(folder),
        events_(NewEvents(request, serial)) {}

  absl::StatusOr<Output> Make(const Answer& answer);

 private:
  absl::Status Do(const Instruction& instruction);
  absl::Status Tool(const Instruction& instruction);
  // If the instruction ends the answer, ends it and returns true.
  bool Fault(const Instruction& instruction);
  Output Streamed();
  Output Whole();

  const Request& request_;
  const absl::string_view folder_;
  const std::unique_ptr<Events> events_;
  int64_t chunks_ = 3;
  Ending ending_;
  absl::Duration delay_;
  http::Headers headers_;
  std::optional<http::Response> reply_;
  enum class Fate { kGood, kFailed, kDropped, kStalled };
  Fate fate_ = Fate::kGood;
  std::string code_;
  std::string message_;
};

absl::Status Maker::Tool(const Instruction& instruction) {
  ASSIGN_OR_RETURN(const std::vector<NativeCall> calls,
                   NativeCalls(instruction, request_, folder_));
  for (const NativeCall& call : calls) {
    events_->Call(call, Cut(call.input, chunks_));
  }
  return absl::OkStatus();
}

bool Maker::Fault(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::kStatus: {
      const int status = static_cast<int>(instruction.numbers[0]);
      reply_ = ErrorReply(request_.wire, status, "scripted error");
      if (!instruction.text.empty()) reply_->body = instruction.text;
      return true;
    }
    case Op::kLimit:
      reply_ = LimitReply(request_.wire, instruction.numbers[0]);
      return true;
    case Op::kFail:
      fate_ = Fate::kFailed;
      code_ = instruction.text;
      message_ = instruction.rest;
      return true;
    case Op::kDrop:
      fate_ = Fate::kDropped;
      return true;
    case Op::kStall:
      fate_ = Fate::kStalled;
      return true;
    default:
      return false;
  }
}

absl::Status Maker::Do(const Instruction& instruction) {
  if (IsTool(instruction.op)) return Tool(instruction);
  if (Fault(instruction)) return absl::OkStatus();
  const auto milliseconds = [&] {
    return absl::Milliseconds(instruction.numbers[0]);
  };
  switch (instruction.op) {
    case Op::kSay:
      events_->Text(Cut(instruction.text, chunks_));
      break;
    case Op::kThink:
      events_->Thought(Cut(instruction.text, chunks_));
      break;
    case Op::kChunks:
      chunks_ = instruction.numbers[0];
      break;
    case Op::kPace:
      events_->SetPace(milliseconds());
      break;
    case Op::kDelay:
      delay_ += milliseconds();
      events_->Wait(milliseconds());
      break;
    case Op::kUsage:
      break;  // Begin() has already used it.
    case Op::kStop:
      ending_.reason = instruction.text;
      break;
    case Op::kHeader:
      headers_.emplace_back(instruction.text, instruction.rest);
      break;
    case Op::kGarbage:
      events_->Raw(Garbage(instruction.numbers[0]));
      break;
    case Op::kPrint:
      events_->Print(instruction.text);
      break;
    default:
      break;
  }
  return absl::OkStatus();
}

Output Maker::Streamed() {
  Output output;
  output.streams = true;
  output.head.content_type = "text/event-stream";
  if (fate_ == Fate::kFailed) events_->Fail(code_, message_);
  if (fate_ == Fate::kGood) events_->Finish(ending_);
  if (fate_ == Fate::kDropped) output.end = Output::End::kCut;
  if (fate_ == Fate::kStalled) {
    output.end = Output::End::kStall;
    output.keep_alive = events_->KeepAlive();
  }
  // Carries the pause of a `delay` at the very end.
  events_->Raw("");
  output.steps = events_->TakeSteps();
  return output;
}

Output Maker::Whole() {
  Output output;
  output.wait = delay_;
  if (fate_ == Fate::kFailed) {
    output.head =
        ErrorReply(request_.wire, StatusOfCode(request_.wire, code_), message_);
    return output;
  }
  std::string body = events_->Whole(ending_);
  if (fate_ == Fate::kGood) {
    output.head.body = std::move(body);
    return output;
  }
  output.streams = true;
  if (fate_ == Fate::kStalled) {
    output.end = Output::End::kStall;
  } else {
    output.end = Output::End::kCut;
    output.steps.push_back({delay_, body.substr(0, body.size() / 2)});
  }
  return output;
}

absl::StatusOr<Output> Maker::Make(const Answer& answer) {
  for (const Instruction& instruction : answer.instructions) {
    if (instruction.op == Op::kUsage) ending_.usage = UsageOf(instruction);
  }
  events_->Begin(ending_.usage);
  for (const Instruction& instruction : answer.instructions) {
    absl::Status status;
    if (folder_.empty() && Names(instruction)) {
      status = absl::InvalidArgumentError(
          "${cwd}: the request does not tell the folder; give it by --set "
          "cwd=FOLDER");
    } else {
      status = Do(Resolved(instruction, folder_));
    }
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(instruction.line, ": ", status.message()));
    }
  }
  Output output;
  if (reply_) {
    output.head = *std::move(reply_);
    output.wait = delay_;
  } else {
    output = request_.transfer == Transfer::kStream ? Streamed() : Whole();
  }
  output.head.headers.insert(output.head.headers.end(), headers_.begin(),
                             headers_.end());
  return output;
}

}  // namespace

void Events::Emit(std::string bytes) {
  steps_.push_back({delay_ + pace_, std::move(bytes)});
  delay_ = absl::ZeroDuration();
}

void Events::Print(absl::string_view line) {
  Emit(absl::StrCat("data: ", line, "\n\n"));
}

std::unique_ptr<Events> NewEvents(const Request& request, int serial) {
  switch (request.wire) {
    case Wire::kResponses:
      return NewResponsesEvents(request, serial);
    case Wire::kMessages:
      return NewMessagesEvents(request, serial);
    case Wire::kGemini:
      return NewGeminiEvents(request, serial);
    case Wire::kNone:
      return nullptr;
  }
  return nullptr;
}

Pieces Cut(absl::string_view text, int64_t count) {
  const size_t size =
      std::max<size_t>(1, (text.size() + static_cast<size_t>(count) - 1) /
                              static_cast<size_t>(count));
  Pieces pieces;
  while (!text.empty()) {
    size_t end = std::min(size, text.size());
    while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
    pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  if (pieces.empty()) pieces.emplace_back();
  return pieces;
}

std::string Garbage(int64_t count) {
  std::string bytes;
  uint32_t state = 1;
  while (static_cast<int64_t>(bytes.size()) < count) {
    state = state * 1664525u + 1013904223u;
    bytes.push_back(static_cast<char>(state >> 24));
  }
  return bytes;
}

absl::StatusOr<Output> MakeOutput(const Answer& answer, const Request& request,
                                  int serial, absl::string_view folder) {
  return Maker(request, serial, folder).Make(answer);
}

}  // namespace troika::model
