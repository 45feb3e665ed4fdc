// Writes lines of the Agent Client Protocol as an agent prints them.
#ifndef TROIKA_TESTING_FAKE_ACP_LINES_H_
#define TROIKA_TESTING_FAKE_ACP_LINES_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/json_writer.h"

namespace troika::fake {

// Returns a response to the request with this id, which is JSON.
inline std::string AcpResult(absl::string_view id,
                             absl::string_view result_json) {
  return absl::StrCat(R"({"jsonrpc":"2.0","id":)", id, R"(,"result":)",
                      result_json, "}\n");
}

inline std::string AcpError(absl::string_view id, int code,
                            absl::string_view message) {
  const std::string error = json::ObjectWriter()
                                .Json("code", absl::StrCat(code))
                                .String("message", message)
                                .Take();
  return absl::StrCat(R"({"jsonrpc":"2.0","id":)", id, R"(,"error":)", error,
                      "}\n");
}

inline std::string AcpUpdate(absl::string_view session_id,
                             absl::string_view update_json) {
  const std::string params = json::ObjectWriter()
                                 .String("sessionId", session_id)
                                 .Json("update", update_json)
                                 .Take();
  return absl::StrCat(R"({"jsonrpc":"2.0","method":"session/update","params":)",
                      params, "}\n");
}

// Returns an update with a fragment of text.
inline std::string AcpText(absl::string_view session_id, absl::string_view type,
                           absl::string_view text) {
  const std::string content =
      json::ObjectWriter().String("type", "text").String("text", text).Take();
  return AcpUpdate(session_id, json::ObjectWriter()
                                   .String("sessionUpdate", type)
                                   .Json("content", content)
                                   .Take());
}

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_ACP_LINES_H_
