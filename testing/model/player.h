// Plays a script: takes a request and returns the response, without I/O.
//
//   Player player({.script = *script, .name = "hello.script"});
//   Player::Reaction reaction = player.React(request);
//   reaction.failure;  // "hello.script:3: answer 1: expected a prompt with …"
#ifndef TROIKA_TESTING_MODEL_PLAYER_H_
#define TROIKA_TESTING_MODEL_PLAYER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "http/message.h"
#include "testing/model/answer.h"
#include "testing/model/request.h"
#include "testing/model/script.h"

namespace troika::model {

class Player {
 public:
  struct Options {
    Script script;
    std::string name;  // Name of the script, for errors.
    // Working folder of the agent; empty: the one that its requests name.
    std::string folder;
  };
  explicit Player(Options options);

  struct Reaction {
    Wire wire = Wire::kNone;
    Purpose purpose = Purpose::kUnknown;
    std::optional<int> answer;  // Number of the answer that was used, from 1.
    std::string failure;        // Empty if the request meets the script.
    Output output;
  };
  // After a failure the response is an error that clients don't retry.
  Reaction React(const http::Request& http);

  // Returns all failures so far and each answer that was not used; empty if
  // everything matched the script.
  std::vector<std::string> Verdict() const;

 private:
  // Returns the index of the first matching answer that is not used up.
  std::optional<size_t> Take(absl::string_view body);
  void Converse(const http::Request& http, const Request& request,
                Reaction* reaction);
  std::string At(int line, size_t answer) const;

  const Script script_;
  const std::string name_;
  const std::string folder_;
  std::vector<int> taken_;  // How often each answer was used.
  std::vector<std::string> failures_;
  int serial_ = 0;
  // Conversation and text of the last failure. If a client retries in any way,
  // it gets the same error.
  size_t failed_conversation_ = 0;
  std::string repeated_failure_;
};

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_PLAYER_H_
