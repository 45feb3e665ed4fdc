// What the requests of all wires have in common.
#ifndef TROIKA_TESTING_MODEL_REQUEST_H_
#define TROIKA_TESTING_MODEL_REQUEST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/json.h"

namespace troika::model {

// kNone: of a path that no wire has.
enum class Wire { kNone, kResponses, kMessages, kGemini };
absl::string_view WireName(Wire wire);

// What a request is for. All but kMain use up no answer.
enum class Purpose {
  kMain,     // The conversation.
  kAside,    // A question beside it, such as for a title.
  kSearch,   // A web search that a tool of the CLI asks for.
  kCount,    // Of tokens.
  kModels,   // The list of them.
  kOther,    // Known, and of no account.
  kUnknown,  // A path that nobody should ask for.
};

// A piece of the conversation.
struct Part {
  enum class Type { kText, kCall, kResult, kImage };
  enum class Role { kUser, kAssistant };
  Type type = Type::kText;
  Role role = Role::kUser;
  int message = 0;   // Parts of one message have the same number.
  std::string text;  // Also a call's input, a result's output, an image's type.
  std::string name;  // Of a call's tool.
  std::string id;    // Of a call, and of its result.
};

struct Tool {
  std::string name;
  std::string space;  // The namespace that it is in.
  std::string type;   // "function", "custom" and so on; empty on some wires.
  // Those of a list's entries as "todos.status".
  std::vector<std::string> parameters;

  bool Takes(absl::string_view parameter) const;
  // Adds those of a JSON schema.
  void AddParameters(json::Value schema);
};

enum class Transfer { kWhole, kStream };

struct Request {
  Wire wire = Wire::kNone;
  Purpose purpose = Purpose::kUnknown;
  Transfer transfer = Transfer::kStream;
  std::string model;
  std::string effort;
  std::string verbosity;
  std::vector<std::string> system;
  std::vector<Part> parts;
  std::vector<Tool> tools;

  // Nothing where none of that name is offered.
  const Tool* /*nullable*/ FindTool(absl::string_view name) const;
};

// The texts of the newest message that the user wrote. What the CLI adds by
// itself (reminders, the environment) is none of them.
std::vector<std::string> PromptTexts(const Request& request);

// What came back from the tools that the newest answer called, in the order of
// the calls. An exit code, in whatever words, is also there as "exit code N".
std::vector<std::string> NewResults(const Request& request);

// The folder that the agent works in, as the request tells; else empty.
std::string WorkingFolder(const Request& request);

// The highest number of an answer whose calls are in the conversation; 0 where
// there are none.
int HighestSerial(const Request& request);
// The id of the call `index` of the answer `serial`.
std::string CallId(absl::string_view prefix, int serial, int index);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_REQUEST_H_
