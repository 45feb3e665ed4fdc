// Tests properties of every stream in testdata/gemini, as it is and changed.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "agent/backend.h"
#include "agent/drift.h"
#include "agent/testing.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika::gemini {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr char kEveryEvent[] = "testdata/gemini/every_event.jsonl";

std::vector<std::filesystem::path> Streams() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator("testdata/gemini")) {
    if (entry.path().extension() == ".jsonl") paths.push_back(entry.path());
  }
  EXPECT_GT(paths.size(), 40u);
  return paths;
}

std::vector<Message> Parse(absl::string_view stream, Drift* drift = nullptr) {
  return RunStream(*GeminiBackend().NewProtocol({.drift = drift}), stream);
}

std::vector<std::string> Entries(const Drift& drift) {
  std::vector<std::string> what;
  for (const Drift::Entry& e : drift.Entries()) what.push_back(e.what);
  return what;
}

// Facts that the lines themselves contain.
struct Told {
  size_t processes = 0;
  size_t results = 0;
  TokenCounts total;
};

Told TellsOf(absl::string_view stream) {
  Told told;
  json::Parser parser;
  for (const absl::string_view line :
       absl::StrSplit(stream, '\n', absl::SkipEmpty())) {
    const auto value = parser.Parse(line);
    const absl::string_view type = value->Get("type").StringOr("");
    told.processes += type == "init";
    told.results += type == "result";
    const json::Value stats = value->Get("stats");
    const int64_t cached = stats.Get("cached").IntOr(0);
    told.total += {.input = stats.Get("input_tokens").IntOr(0) - cached,
                   .cached = cached,
                   .output = stats.Get("output_tokens").IntOr(0)};
  }
  return told;
}

TEST(GeminiStreamsTest, EveryStreamKeepsTheRules) {
  for (const auto& path : Streams()) {
    SCOPED_TRACE(path);
    const std::string stream = ReadWhole(path);
    const Told told = TellsOf(stream);
    Drift drift;
    const std::vector<Message> messages = Parse(stream, &drift);
    EXPECT_EQ(BrokenRules(messages), "");
    EXPECT_THAT(Entries(drift), IsEmpty());
    EXPECT_THAT(Payloads<ParseError>(messages), IsEmpty());
    if (path != kEveryEvent) {
      EXPECT_THAT(Payloads<Raw>(messages), IsEmpty());
    }
    const auto results = Payloads<Result>(messages);
    ASSERT_THAT(results, SizeIs(told.processes));
    EXPECT_EQ(std::count_if(results.begin(), results.end(),
                            [](const Result& r) { return !r.synthetic; }),
              told.results);
    EXPECT_EQ(results.back().usage.total, told.total);
  }
}

enum class Change { kReplace, kAddField };

// Rewrites a value with its `target`th value replaced by `text`, or with `text`
// as an additional member of each object.
class Changer {
 public:
  Changer(Change change, absl::string_view text, int target = -1)
      : change_(change), text_(text), target_(target) {}

  std::string Write(json::Value value) {
    out_.clear();
    at_ = 0;
    Append(value);
    return out_;
  }
  // Number of values in the last one written.
  int count() const { return at_; }

 private:
  void Append(json::Value value) {
    if (at_++ == target_) {
      absl::StrAppend(&out_, text_);
    } else if (value.IsObject()) {
      absl::string_view separator = "{";
      for (const json::Member& member : value.members()) {
        absl::StrAppend(&out_, std::exchange(separator, ","));
        json::AppendQuoted(member.key, &out_);
        out_ += ':';
        Append(member.value);
      }
      if (change_ == Change::kAddField) {
        absl::StrAppend(&out_, std::exchange(separator, ","), text_);
      }
      absl::StrAppend(&out_, separator == "{" ? "{}" : "}");
    } else if (value.IsArray()) {
      absl::string_view separator = "[";
      for (const json::Value item : value.items()) {
        absl::StrAppend(&out_, std::exchange(separator, ","));
        Append(item);
      }
      absl::StrAppend(&out_, separator == "[" ? "[]" : "]");
    } else {
      value.AppendJson(&out_);
    }
  }

  const Change change_;
  const absl::string_view text_;
  const int target_;
  std::string out_;
  int at_ = 0;
};

void ChangeEveryValue(absl::string_view stream) {
  const size_t processes = TellsOf(stream).processes;
  std::vector<std::string> lines =
      absl::StrSplit(stream, '\n', absl::SkipEmpty());
  json::Parser parser;
  for (std::string& line : lines) {
    const std::string original = line;
    const json::Value value = *parser.Parse(original);
    Changer whole(Change::kReplace, "");
    (void)whole.Write(value);
    for (int i = 0; i < whole.count(); ++i) {
      for (const absl::string_view other :
           {"null", "-7.5", "\"x\"", "[1]", "{\"a\":{}}", "true"}) {
        line = Changer(Change::kReplace, other, i).Write(value);
        const auto messages = Parse(absl::StrJoin(lines, "\n"));
        ASSERT_EQ(BrokenRules(messages), "") << line;
        // A process whose init can't be parsed continues the previous turn.
        ASSERT_GE(Payloads<Result>(messages).size() + 1, processes) << line;
      }
    }
    line = original;
  }
}

TEST(GeminiStreamsTest, WrongTypesInEveryFieldAreSurvived) {
  for (const auto& path : Streams()) {
    SCOPED_TRACE(path);
    ChangeEveryValue(ReadWhole(path));
  }
}

TEST(GeminiStreamsTest, UnknownFieldsAtEveryLevelAreReportedAndHarmless) {
  const std::string stream = ReadWhole(kEveryEvent);
  json::Parser parser;
  std::string changed;
  for (const absl::string_view line :
       absl::StrSplit(stream, '\n', absl::SkipEmpty())) {
    Changer changer(Change::kAddField, R"("new":{"inner":[1]})");
    absl::StrAppend(&changed, changer.Write(*parser.Parse(line)), "\n");
  }
  Drift drift;
  const auto before = Parse(stream);
  const auto after = Parse(changed, &drift);
  ASSERT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].payload.index(), after[i].payload.index());
    EXPECT_EQ(before[i].id, after[i].id);
  }
  EXPECT_THAT(
      Entries(drift),
      UnorderedElementsAre(
          "field init.new", "field message.new", "field tool_use.new",
          "field tool_use.parameters.new",
          "field tool_use.parameters.todos[].new", "field tool_result.new",
          "field tool_result.error.new", "field error.new", "field result.new",
          "field result.error.new", "field result.stats.new",
          "field result.stats.models.*.new",
          "field result.stats.models.*.inner"));
}

}  // namespace
}  // namespace troika::gemini
