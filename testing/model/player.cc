#include "testing/model/player.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "testing/model/expect.h"
#include "testing/model/side.h"
#include "testing/model/wire.h"

namespace troika::model {
namespace {

// Returns the same value for requests at the same point of a conversation, even
// if a retry differs in other parts.
size_t Fingerprint(const Request& request) {
  std::string texts = absl::StrJoin(PromptTexts(request), "\n");
  for (const Part& part : request.parts) {
    if (part.role == Part::Role::kUser) continue;
    absl::StrAppend(&texts, "\n", part.id, " ", part.text);
  }
  return std::hash<std::string>()(texts);
}

}  // namespace

Player::Player(Options options)
    : script_(std::move(options.script)),
      name_(std::move(options.name)),
      folder_(std::move(options.folder)),
      taken_(script_.answers.size()) {}

std::string Player::At(int line, size_t answer) const {
  return absl::StrCat(name_, ":", line, ": answer ", answer + 1, ": ");
}

std::optional<size_t> Player::Take(absl::string_view body) {
  for (size_t i = 0; i < script_.answers.size(); ++i) {
    const Answer& answer = script_.answers[i];
    if (answer.most && taken_[i] >= *answer.most) continue;
    if (body.find(answer.when) == absl::string_view::npos) continue;
    ++taken_[i];
    return i;
  }
  return std::nullopt;
}

Player::Reaction Player::React(const http::Request& http) {
  Reaction reaction;
  const absl::StatusOr<Request> request = ReadRequest(http);
  if (!request.ok()) {
    reaction.failure = std::string(request.status().message());
  } else {
    reaction.wire = request->wire;
    reaction.purpose = request->purpose;
    switch (request->purpose) {
      case Purpose::kUnknown:
        reaction.failure = absl::StrCat("nobody answers ", http.method, " ",
                                        http.path, "; no wire has this path");
        break;
      case Purpose::kMain:
        Converse(http, *request, &reaction);
        break;
      default:
        reaction.output = SideOutput(*request);
        break;
    }
  }
  if (!reaction.failure.empty()) {
    failures_.push_back(reaction.failure);
    if (reaction.purpose == Purpose::kMain) {
      repeated_failure_ = reaction.failure;
    }
    reaction.output = Output();
    reaction.output.head = ErrorReply(reaction.wire, 400, reaction.failure);
  }
  return reaction;
}

void Player::Converse(const http::Request& http, const Request& request,
                      Reaction* reaction) {
  const size_t conversation = Fingerprint(request);
  if (!repeated_failure_.empty() && conversation == failed_conversation_) {
    reaction->output.head = ErrorReply(request.wire, 400, repeated_failure_);
    return;
  }
  failed_conversation_ = conversation;
  repeated_failure_.clear();
  const std::optional<size_t> index = Take(http.body);
  if (!index) {
    reaction->failure =
        absl::StrCat(name_, ": no answer is left for this request (answers: ",
                     script_.answers.size(), ")\n", Describe(request));
    return;
  }
  const Answer& answer = script_.answers[*index];
  reaction->answer = static_cast<int>(*index) + 1;
  const std::string folder = folder_.empty() ? WorkingFolder(request) : folder_;
  std::vector<std::string> failures;
  for (const Mismatch& mismatch :
       CheckExpectations(answer, request, http, folder)) {
    failures.push_back(absl::StrCat(At(mismatch.line, *index), mismatch.text));
  }
  if (!failures.empty()) {
    reaction->failure = absl::StrJoin(failures, "\n");
    return;
  }
  serial_ = std::max(serial_, HighestSerial(request)) + 1;
  absl::StatusOr<Output> output = MakeOutput(answer, request, serial_, folder);
  if (!output.ok()) {
    reaction->failure = absl::StrCat(name_, ":", output.status().message());
    return;
  }
  reaction->output = *std::move(output);
}

std::vector<std::string> Player::Verdict() const {
  std::vector<std::string> verdict = failures_;
  for (size_t i = 0; i < script_.answers.size(); ++i) {
    const Answer& answer = script_.answers[i];
    if (taken_[i] >= answer.least) continue;
    verdict.push_back(absl::StrCat(
        At(answer.line, i), answer.least == 1
                                ? "nobody asked for it"
                                : absl::StrCat("asked for ", taken_[i], " of ",
                                               answer.least, " times")));
  }
  return verdict;
}

}  // namespace troika::model
