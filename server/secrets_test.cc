#include "server/secrets.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "dto/troika.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "task/home.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SecretsTest : public testing::Test {
 protected:
  SecretsTest() {
    folder_.id = "t1";
    folder_.path = temp_.path();
    folder_.fd = UniqueFd(open(temp_.path().c_str(), O_RDONLY | O_DIRECTORY));
  }
  // As MakeTask does.
  notes::Request Make(const Environment& environment) {
    EXPECT_TRUE(WriteEnvironment(folder_, environment).ok());
    return {.task = "t1", .env_digest = EnvironmentDigest(environment)};
  }
  std::string env_path() const { return temp_.path() + "/env"; }
  KnownSecrets Secrets(const notes::Request* request) const {
    return TaskSecrets(folder_.id, ReadEnvironment(folder_), request);
  }

  const TempFolder temp_;
  TaskFolder folder_;
  const Environment env_{{{"A_TOKEN", "value-of-a-token"}, {"B", "c"}}};
};

TEST_F(SecretsTest, SecretsOfAnEnvironmentThatIsThere) {
  const notes::Request request = Make(env_);
  const KnownSecrets secrets = Secrets(&request);
  EXPECT_THAT(secrets.values, testing::ElementsAre("value-of-a-token"));
  EXPECT_THAT(secrets.problem, IsEmpty());
  const notes::Request none = Make(Environment());
  EXPECT_THAT(Secrets(&none).problem, IsEmpty());
}

// By a loss of power, a full disk or a hand.
TEST_F(SecretsTest, AnEnvironmentThatIsNotAsItWasIsAProblem) {
  const notes::Request request = Make(env_);
  notes::Request old = request;
  old.env_digest.clear();
  EXPECT_THAT(Secrets(&old).problem, IsEmpty());
  // The last byte of a value, and the NUL after it.
  std::filesystem::resize_file(env_path(),
                               std::filesystem::file_size(env_path()) - 2);
  EXPECT_THAT(Secrets(&request).problem, Not(IsEmpty()));
  std::filesystem::resize_file(env_path(), 0);
  EXPECT_THAT(Secrets(&request).problem,
              HasSubstr("is not the one that was kept"));
  EXPECT_THAT(Secrets(&old).problem, Not(IsEmpty()));
  std::filesystem::remove(env_path());
  const notes::Request* const requests[] = {&request, &old, nullptr};
  for (const notes::Request* one : requests) {
    EXPECT_THAT(Secrets(one).problem, HasSubstr("can't be read"));
  }
}

TEST_F(SecretsTest, TextsOfTheAgentAreWithheldThen) {
  const notes::Request request = Make(env_);
  std::filesystem::remove(env_path());
  const Redactor redactor(Secrets(&request));
  v1::Task task;
  task.set_id("t1");
  task.set_title("read https://u:pw@host/");
  task.set_reason("value-of-a-token is wrong");
  (*task.mutable_labels())["team"] = "a b";
  task.mutable_result()->set_text("value-of-a-token");
  RedactTexts(redactor, &task);
  EXPECT_EQ(task.id(), "t1");
  EXPECT_EQ(task.title(), "read https://u:[redacted]@host/");
  EXPECT_EQ(task.labels().at("team"), "a b");
  EXPECT_THAT(task.DebugString(), Not(HasSubstr("value-of-a-token")));
  EXPECT_THAT(task.result().text(), HasSubstr("troika log t1"));
  v1::Event event;
  event.set_id("3.0");
  event.mutable_tool_use()->set_id("call_1");
  (*event.mutable_tool_use()
        ->mutable_input()
        ->mutable_struct_value()
        ->mutable_fields())["value-of-a-token"]
      .set_string_value("value-of-a-token");
  RedactTexts(redactor, &event);
  EXPECT_EQ(event.id(), "3.0");
  EXPECT_THAT(event.DebugString(), Not(HasSubstr("value-of-a-token")));
}

}  // namespace
}  // namespace troika
