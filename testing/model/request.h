// Represents requests of all wires.
#ifndef TROIKA_TESTING_MODEL_REQUEST_H_
#define TROIKA_TESTING_MODEL_REQUEST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/json.h"

namespace troika::model {

// kNone: a path that belongs to no wire.
enum class Wire { kNone, kResponses, kMessages, kGemini };
absl::string_view WireName(Wire wire);

// Purpose of a request. Only kMain uses up answers.
enum class Purpose {
  kMain,     // The conversation.
  kAside,    // A separate question, such as for a title.
  kSearch,   // A web search for a tool of the CLI.
  kCount,    // Counts tokens.
  kModels,   // Lists the models.
  kOther,    // Known and irrelevant.
  kUnknown,  // An unexpected path.
};

// A part of the conversation.
struct Part {
  enum class Type { kText, kCall, kResult, kImage };
  enum class Role { kUser, kAssistant };
  Type type = Type::kText;
  Role role = Role::kUser;
  int message = 0;  // Number that the parts of one message share.
  // Also the input of a call, the output of a result, the type of an image.
  std::string text;
  std::string name;  // Name of a call's tool.
  std::string id;    // Id shared by a call and its result.
};

struct Tool {
  std::string name;
  std::string space;  // Namespace of the tool.
  std::string type;   // "function", "custom", …; empty on some wires.
  // Names; those of a list's items have the form "todos.status".
  std::vector<std::string> parameters;

  bool Takes(absl::string_view parameter) const;
  // Adds the parameters of a JSON schema.
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

  // Returns null if no tool of this name is offered.
  const Tool* /*nullable*/ FindTool(absl::string_view name) const;
};

// Returns the texts of the user's newest message, without text that the CLI
// adds itself (reminders, the environment).
std::vector<std::string> PromptTexts(const Request& request);

// Returns the results of the tools that the newest answer called, in the order
// of the calls. An exit code in any wording is also present as "exit code N".
std::vector<std::string> NewResults(const Request& request);

// Returns the agent's working folder if the request names it, else "".
std::string WorkingFolder(const Request& request);

// Returns the highest number of an answer with calls in the conversation, or 0.
int HighestSerial(const Request& request);
// Returns the id of call `index` of answer `serial`.
std::string CallId(absl::string_view prefix, int serial, int index);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_REQUEST_H_
