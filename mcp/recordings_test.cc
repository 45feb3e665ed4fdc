// What real clients send is read as they mean it.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "mcp/protocol.h"
#include "mcp/session_id.h"
#include "rpc/message.h"

namespace troika::mcp {
namespace {

std::vector<std::filesystem::path> Recordings() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator("testdata/mcp")) {
    if (entry.path().extension() == ".jsonl") paths.push_back(entry.path());
  }
  return paths;
}

TEST(RecordingsTest, EveryMessageOfAClientIsUnderstood) {
  const auto paths = Recordings();
  ASSERT_GT(paths.size(), 20u);
  for (const auto& path : paths) {
    std::ifstream file(path);
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      SCOPED_TRACE(absl::StrCat(path.string(), ":", ++number));
      json::Parser parser;
      const auto record = parser.Parse(line);
      ASSERT_TRUE(record.ok()) << record.status();
      if (record->Get("dir").StringOr("") != "in") continue;
      const rpc::Message message = rpc::Parse(record->Get("line"));
      ASSERT_NE(message.kind, rpc::Kind::kInvalid) << message.fault;
      Client client;
      const auto fault = ReadClient(message, &client);
      EXPECT_FALSE(fault.has_value()) << fault->error.message;
      const json::Value meta = message.params.Get("_meta");
      const bool stateless =
          meta.Get("io.modelcontextprotocol/protocolVersion").exists();
      EXPECT_EQ(client.generation == Generation::kStateless, stateless);
      if (stateless && message.kind == rpc::Kind::kRequest) {
        EXPECT_FALSE(client.name.empty());
      }
      if (message.method == "initialize") {
        const Client opened = ReadInitialize(message.params);
        EXPECT_EQ(opened.version,
                  message.params.Get("protocolVersion").StringOr(""));
        EXPECT_FALSE(opened.name.empty());
        // Gemini CLI can't ask its user.
        EXPECT_EQ(
            opened.elicitation,
            message.params.Get("capabilities").Get("elicitation").exists());
        const Session session = {.client = opened,
                                 .random = std::string(32, '0')};
        EXPECT_EQ(ReadSessionId(SessionId(session)), session);
      }
      if (meta.Get("progressToken").exists()) {
        EXPECT_EQ(ProgressToken(message), meta.Get("progressToken").ToJson());
      }
    }
  }
}

}  // namespace
}  // namespace troika::mcp
