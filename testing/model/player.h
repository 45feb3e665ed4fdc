// Plays a script: a request in, what to answer out. It does no I/O.
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
    std::string name;  // The script's, for people.
    // The agent's, in place of what its requests tell.
    std::string folder;
  };
  explicit Player(Options options);

  struct Reaction {
    Wire wire = Wire::kNone;
    Purpose purpose = Purpose::kUnknown;
    std::optional<int> answer;  // The number of the one that was taken, from 1.
    std::string failure;        // Empty: all is as the script says.
    Output output;
  };
  // A failure is answered with an error that clients do not try again.
  Reaction React(const http::Request& http);

  // All failures so far, and each answer that nobody asked for. Empty: all went
  // as the script said.
  std::vector<std::string> Verdict() const;

 private:
  // The index of the first that is not used up and fits; else nothing.
  std::optional<size_t> Take(absl::string_view body);
  void Converse(const http::Request& http, const Request& request,
                Reaction* reaction);
  std::string At(int line, size_t answer) const;

  const Script script_;
  const std::string name_;
  const std::string folder_;
  std::vector<int> taken_;  // How often each answer was.
  std::vector<std::string> failures_;
  int serial_ = 0;
  // The conversation of the last failure, and what was said of it. A client
  // that asks once more, in whatever way, hears the same.
  size_t failed_conversation_ = 0;
  std::string repeated_failure_;
};

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_PLAYER_H_
