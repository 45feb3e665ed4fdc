#include "cli/commands/decision_text.h"

#include <string>

#include "dto/proto_json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

std::string TextOf(absl::string_view json) {
  v1::Decision decision;
  EXPECT_TRUE(FromJson(json, &decision).ok()) << json;
  return DecisionText(decision, absl::UTCTimeZone());
}

TEST(DecisionTextTest, TellsTheStory) {
  EXPECT_EQ(TextOf(R"({"eventId":"3.0","id":"a","kind":"command_line",
                 "toolName":"Bash","subject":"git push\u001b[2J",
                 "askedAt":"2026-11-17T10:00:00Z",
                 "decidedAt":"2026-11-17T10:00:01Z","choice":"deny",
                 "text":"a person pushes","by":"rule","delivery":"delivered",
                 "rules":[{"file":"/p/my.rules","line":3,"text":"a rule"}]
})"),
            "3.0  2026-11-17 10:00:00  command_line Bash: git push␛[2J\n"
            "    denied by a rule, 2026-11-17 10:00:01\n"
            "    rule: /p/my.rules:3: a rule\n"
            "    reason: a person pushes\n");
  EXPECT_EQ(
      TextOf(R"({"eventId":"4.0","kind":"command_line","toolName":"Bash",
                 "subject":"make > x","askedAt":"2026-11-17T10:00:00Z",
                 "decidedAt":"2026-11-17T10:01:00Z","choice":"approve",
                 "by":"user","via":"terminal","user":"ann",
                 "client":"troika/0.1.0","explanation":"it redirects output",
                 "delivery":"late","always":"a rule"
  })"),
      "4.0  2026-11-17 10:00:00  command_line Bash: make > x\n"
      "    a person was asked: it redirects output\n"
      "    allowed by ann, terminal (troika/0.1.0), 2026-11-17 10:01:00; too "
      "late: the agent never heard it\n"
      "    made a rule: a rule\n");
  EXPECT_EQ(TextOf(R"({"eventId":"5.0","kind":"denial","toolName":"Write",
                       "askedAt":"2026-11-17T10:00:00Z",
                       "decidedAt":"2026-11-17T10:00:00Z","choice":"deny",
                       "by":"cli","delivery":"delivered"})"),
            "5.0  2026-11-17 10:00:00  denial Write\n"
            "    denied by the CLI itself: nobody was asked\n");
  EXPECT_EQ(TextOf(R"({"eventId":"6.0","kind":"question","subject":"Which?",
                       "askedAt":"2026-11-17T10:00:00Z"})"),
            "6.0  2026-11-17 10:00:00  question: Which?\n"
            "    waits for an answer\n");
}

}  // namespace
}  // namespace troika::cli
