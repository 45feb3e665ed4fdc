// The examples of docs/api.md are requests and replies of the API.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "dto/proto_json.h"
#include "google/protobuf/message.h"
#include "gtest/gtest.h"
#include "http/uri.h"
#include "server/routes.h"
#include "testing/files.h"

namespace troika {
namespace {

struct Example {
  std::string method;
  std::string path;
  std::string query;
  std::string body;
  std::string reply;
};

// Each block of `http` begins an example; one of `json` after it is its reply.
std::vector<Example> ReadExamples() {
  const std::string text = ReadWhole("docs/api.md");
  std::vector<Example> examples;
  std::string* into = nullptr;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line == "```http") {
      into = &examples.emplace_back().method;
    } else if (line == "```json" && !examples.empty()) {
      into = &examples.back().reply;
    } else if (line == "```") {
      into = nullptr;
    } else if (into != nullptr && into == &examples.back().method) {
      const std::vector<std::string> words = absl::StrSplit(line, ' ');
      EXPECT_EQ(words.size(), 2u) << line;
      const std::vector<std::string> target =
          absl::StrSplit(words.back(), absl::MaxSplits('?', 1));
      examples.back().method = words[0];
      examples.back().path = target[0];
      if (target.size() == 2) examples.back().query = target[1];
      into = &examples.back().body;
    } else if (into != nullptr) {
      absl::StrAppend(into, line, "\n");
    }
  }
  return examples;
}

std::unique_ptr<google::protobuf::Message> NewMessage(
    const google::protobuf::Descriptor* type) {
  return std::unique_ptr<google::protobuf::Message>(
      google::protobuf::MessageFactory::generated_factory()
          ->GetPrototype(type)
          ->New());
}

TEST(ApiExamplesTest, EachExampleIsARequestOfItsRouteWithItsReply) {
  const std::vector<Example> examples = ReadExamples();
  EXPECT_GT(examples.size(), 30u);
  for (const Example& example : examples) {
    SCOPED_TRACE(absl::StrCat(example.method, " ", example.path));
    const Match match = MatchRoute(example.method, example.path);
    ASSERT_NE(match.route, nullptr);
    const Route& route = *match.route;
    EXPECT_EQ(example.body.empty(), route.body == nullptr);
    if (route.body != nullptr) {
      EXPECT_EQ(FromJson(example.body, NewMessage(route.body()).get()),
                absl::OkStatus());
    }
    EXPECT_EQ(example.reply.empty(), route.reply == nullptr);
    if (route.reply != nullptr) {
      EXPECT_EQ(FromJson(example.reply, NewMessage(route.reply()).get()),
                absl::OkStatus());
    }
    EXPECT_EQ(CheckParameters(route, example.query), absl::OkStatus());
    const auto parameters = http::ParseQuery(example.query);
    ASSERT_TRUE(parameters.has_value());
    if (route.query != nullptr) {
      EXPECT_EQ(FromQuery(*parameters, NewMessage(route.query()).get()),
                absl::OkStatus());
    }
  }
}

TEST(ApiExamplesTest, EachRouteWithMessagesHasAnExample) {
  std::set<const Route*> shown;
  for (const Example& example : ReadExamples()) {
    shown.insert(MatchRoute(example.method, example.path).route);
  }
  for (const Route& route : Routes()) {
    if (route.body == nullptr && route.query == nullptr &&
        route.reply == nullptr) {
      continue;
    }
    EXPECT_TRUE(shown.contains(&route)) << route.method << " " << route.path;
  }
}

}  // namespace
}  // namespace troika
