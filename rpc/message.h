// JSON-RPC 2.0 messages as lines, for both ends of a connection, without I/O.
//
// Reading is lenient, because agents differ: the `jsonrpc` member may be
// missing and other members are ignored. Whether a message is a request depends
// on its `method`, never on its id: both ends number their own requests, so
// their ids collide.
//
//   const rpc::Message message = rpc::Parse(*parser.Parse(line));
//   if (message.kind == rpc::Kind::kRequest) {
//     write(rpc::ErrorLine(message.id, {rpc::kMethodNotFound, "unknown"}));
//   }
#ifndef TROIKA_RPC_MESSAGE_H_
#define TROIKA_RPC_MESSAGE_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/json.h"

namespace troika::rpc {

// The id of a request: a string or a number. It keeps its type and spelling, so
// that a response echoes exactly what was asked.
class Id {
 public:
  // Every reply repeats the id, and open requests keep theirs.
  static constexpr size_t kMaxBytes = size_t{4} << 10;

  Id() = default;  // No id.
  static Id FromInt(int64_t number);
  static Id FromString(absl::string_view text);
  // Returns an Id without value if `value` is neither a string nor a number, or
  // longer than kMaxBytes as JSON.
  static Id FromJson(json::Value value);

  bool exists() const { return !json_.empty(); }
  // The id as JSON text: `7` or `"7"`. Empty if there is none.
  const std::string& json() const { return json_; }

  bool operator==(const Id&) const = default;

 private:
  explicit Id(std::string json) : json_(std::move(json)) {}

  std::string json_;
};

// Codes that JSON-RPC defines. Don't dispatch on the code of an error that was
// received: agents use them at will.
inline constexpr int64_t kInvalidRequest = -32600;
inline constexpr int64_t kMethodNotFound = -32601;
inline constexpr int64_t kInvalidParams = -32602;
inline constexpr int64_t kInternalError = -32603;
// The Agent Client Protocol's code for a request that was withdrawn.
inline constexpr int64_t kRequestCancelled = -32800;

struct Error {
  int64_t code = 0;
  std::string message;
  std::string data_json = {};  // Any JSON value; empty if there is none.

  bool operator==(const Error&) const = default;
};

enum class Kind {
  kRequest,       // `id`, `method` and `params` are set.
  kNotification,  // `method` and `params` are set.
  kResponse,      // `id` and `result` are set.
  kError,         // `error` is set, and `id` if the other end knew it.
  kInvalid,       // `fault` is set, and `id` if the message has a valid one.
};

// A view of a parsed line, valid as long as its json::Value.
struct Message {
  Kind kind = Kind::kInvalid;
  Id id;
  absl::string_view method;
  json::Value params;  // Missing if the message has none.
  json::Value result;
  Error error;
  absl::string_view fault;
  // Whether the other end waits for a reply: this is a call with a member `id`,
  // which may be no valid one if the message is kInvalid.
  bool wants_reply = false;
};

// Never fails: what is no message of JSON-RPC is kInvalid. A batch (an array)
// is kInvalid, too.
Message Parse(json::Value line);

// Whether a line carries the member `jsonrpc`. Codex leaves it out.
enum class VersionMember { kIncluded, kOmitted };

// The following functions return one line with its end-of-line. Arguments whose
// names end in `json` must be JSON values; `params_json` may also be empty, and
// the member is left out then. Line breaks between their tokens are removed.
std::string RequestLine(const Id& id, absl::string_view method,
                        absl::string_view params_json,
                        VersionMember version = VersionMember::kIncluded);
std::string NotificationLine(absl::string_view method,
                             absl::string_view params_json,
                             VersionMember version = VersionMember::kIncluded);
std::string ResponseLine(const Id& id, absl::string_view result_json,
                         VersionMember version = VersionMember::kIncluded);
// Without an id, the id of the line is null, as JSON-RPC has it for requests
// whose id can't be read.
std::string ErrorLine(const Id& id, const Error& error,
                      VersionMember version = VersionMember::kIncluded);

}  // namespace troika::rpc

#endif  // TROIKA_RPC_MESSAGE_H_
