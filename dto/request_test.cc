#include "dto/request.h"

#include <string>
#include <type_traits>
#include <vector>

#include "base/fields.h"
#include "dto/proto_fields.h"
#include "dto/proto_json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::ElementsAre;

v1::CreateTaskRequest SampleBody() {
  v1::CreateTaskRequest body;
  body.set_harness("codex");
  body.set_cwd("/");
  return body;
}

LaunchOptions Everything() {
  LaunchOptions options;
  ForEachField<LaunchOptions>([&](const auto& field) {
    auto& value = field.Of(options);
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>) {
      value = std::string(field.name);
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      value = {std::string(field.name), "2"};
    } else if constexpr (std::is_same_v<Value, std::optional<EditMode>>) {
      value = EditMode::kFullAuto;
    } else if constexpr (std::is_same_v<Value, std::optional<Wire>>) {
      value = Wire::kAcp;
    } else {
      value = true;
    }
  });
  return options;
}

TEST(RequestTest, TimesAndKeysHaveLimits) {
  v1::CreateTaskRequest body = SampleBody();
  auto& turn = *body.mutable_timeouts()->mutable_turn();
  turn.set_nanos(999999);
  EXPECT_EQ(ToTaskRequest(body).status(),
            absl::InvalidArgumentError(
                "timeouts.turn must be 1ms to a year, as \"90s\""));
  turn.set_nanos(1000000);
  EXPECT_TRUE(ToTaskRequest(body).ok());
  body.set_idempotency_key("a\nb");
  EXPECT_FALSE(ToTaskRequest(body).ok());
  EXPECT_TRUE(CheckKey("").ok());
  EXPECT_TRUE(CheckKey("one key \xc3\xa9").ok());
  EXPECT_FALSE(CheckKey("\x7f").ok());
  EXPECT_FALSE(CheckKey(std::string(300, 'x')).ok());
  v1::StopRequest stop;
  stop.mutable_grace();
  EXPECT_EQ(GraceOf(stop)->value(), absl::ZeroDuration());
  stop.mutable_grace()->set_seconds(-1);
  EXPECT_FALSE(GraceOf(stop).ok());
}

// Only the server says which program an agent is.
TEST(RequestTest, AgentsAreNamedAndNotTheirPrograms) {
  v1::CreateTaskRequest body = SampleBody();
  body.mutable_options()->add_acp_command("sh");
  EXPECT_TRUE(absl::IsInvalidArgument(ToTaskRequest(body).status()));
  body = SampleBody();
  EXPECT_EQ(ToTaskRequest(body)->agent, "");
  for (const char* const agent : {"acp", "acp:a b", "goose"}) {
    body.set_harness(agent);
    const auto request = ToTaskRequest(body);
    ASSERT_TRUE(request.ok()) << request.status();
    EXPECT_EQ(request->harness, Harness::kAcp);
    EXPECT_EQ(request->agent, agent);
    EXPECT_EQ(ToCreateRequest(*request, Environment()).harness(), agent);
  }
}

TEST(RequestTest, EveryOptionArrives) {
  LaunchOptions options = Everything();
  options.acp_command.clear();
  v1::CreateTaskRequest body = SampleBody();
  FieldsToProto(options, body.mutable_options());
  EXPECT_EQ(body.options().model(), "model");
  EXPECT_EQ(body.options().edit_mode(), v1::full_auto);
  EXPECT_THAT(body.options().images(), ElementsAre("images", "2"));
  EXPECT_TRUE(body.options().web_search());
  const auto request = ToTaskRequest(body);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->options, options);
  // What is not set stays so.
  v1::LaunchOptions none;
  FieldsToProto(LaunchOptions(), &none);
  EXPECT_FALSE(none.has_web_search());
  EXPECT_EQ(ToTaskRequest(SampleBody())->options, LaunchOptions());
}

TEST(RequestTest, TextsBecomeUtf8AndSecretsStay) {
  TaskRequest request;
  request.harness = Harness::kClaude;
  request.prompt = "a\xff";
  request.timeouts.turn = absl::Milliseconds(1500);
  request.labels = {{"k", "v"}};
  const v1::CreateTaskRequest sent = ToCreateRequest(
      request,
      Environment(
          {{"PATH", "/bin"}, {"TROIKA_TOKEN", "secret"}, {"BROKEN", "\xff"}}));
  EXPECT_EQ(sent.harness(), "claude");
  EXPECT_EQ(sent.prompt(), "a\xEF\xBF\xBD");
  EXPECT_EQ(ToJson(sent.timeouts()), R"({"turn":"1.500s"})");
  EXPECT_EQ(sent.labels().at("k"), "v");
  EXPECT_EQ(sent.env().at("PATH"), "/bin");
  EXPECT_EQ(sent.env().count("TROIKA_TOKEN"), 0u);
  EXPECT_EQ(sent.env().count("BROKEN"), 0u);
}

}  // namespace
}  // namespace troika
