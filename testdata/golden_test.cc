// Compares the messages of every stream NAME.jsonl with NAME.golden, which has
// a line per event in the format of `troika parse --text`. The golden of a
// transcript also has a line for each line that we would write at that place.
//
// `./dev golden` rewrites the files, so that a review shows what changed.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/registry.h"
#include "agent/testing.h"
#include "base/check.h"
#include "base/json.h"
#include "dto/text.h"
#include "gtest/gtest.h"
#include "testdata/streams.h"

namespace troika {
namespace {

// Adds a line for each Outgoing that was not wanted before.
void AppendWanted(const std::vector<Outgoing>& outbox,
                  std::set<std::string>* seen, std::string* golden) {
  for (const Outgoing& wanted : outbox) {
    if (!seen->insert(wanted.key).second) continue;
    absl::StrAppend(golden, "write ", wanted.key, " ", wanted.bytes);
  }
}

std::string GoldenOfTranscript(const Stream& transcript) {
  const std::unique_ptr<Protocol> protocol =
      BackendOf(transcript.harness).NewProtocol({.wire = transcript.wire});
  std::string golden;
  std::set<std::string> seen;
  const auto print = [&](Message&& m) {
    absl::StrAppend(&golden, EventText(m), "\n");
  };
  json::Parser parser;
  int64_t number = 0;
  const std::string text = ReadFileOrDie(transcript.path);
  for (const absl::string_view line :
       absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const auto entry = parser.Parse(line);
    CHECK(entry.ok());
    const json::Value message = entry->Get("msg");
    // Bytes that are not JSON are stored in a string.
    const json::Value raw = message.Get("_raw");
    const std::string bytes =
        raw.exists() ? std::string(raw.StringOr("")) : message.ToJson();
    const Record record = RecordOf(bytes, ++number);
    if (entry->Get("dir").StringOr("") == "c2s") {
      protocol->OnWritten(record, print);
    } else {
      protocol->OnReceived(record, print);
    }
    AppendWanted(protocol->outbox(), &seen, &golden);
  }
  protocol->OnNote(RecordOf("", ++number), ProcessEnded{}, print);
  return golden;
}

std::string GoldenOf(const Stream& stream) {
  const bool is_file = stream.wire == Wire::kSessionFile;
  if (stream.wire && !is_file) return GoldenOfTranscript(stream);
  const std::unique_ptr<Protocol> protocol =
      BackendOf(stream.harness).NewProtocol({.wire = stream.wire});
  std::string golden;
  for (const Message& m : RunStream(*protocol, ReadFileOrDie(stream.path))) {
    absl::StrAppend(&golden, EventText(m), "\n");
  }
  return golden;
}

std::string GoldenPath(const std::string& path) {
  return absl::StrCat(absl::StripSuffix(path, ".jsonl"), ".golden");
}

// Returns the first line that differs, from both sides.
std::string FirstDifference(const std::string& want, const std::string& got) {
  const std::vector<std::string> a = absl::StrSplit(want, '\n');
  const std::vector<std::string> b = absl::StrSplit(got, '\n');
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string left = i < a.size() ? a[i] : "(end)";
    const std::string right = i < b.size() ? b[i] : "(end)";
    if (left != right) {
      return absl::StrCat("line ", i + 1, "\n  golden: ", left,
                          "\n  parsed: ", right,
                          "\nIf that is right: ./dev golden\n");
    }
  }
  return "";
}

std::vector<Stream> AllKinds() {
  std::vector<Stream> all = AllStreams();
  for (Stream& transcript : AllTranscripts()) {
    all.push_back(std::move(transcript));
  }
  for (Stream& file : AllSessionFiles()) all.push_back(std::move(file));
  return all;
}

class GoldenTest : public ::testing::TestWithParam<Stream> {};

TEST_P(GoldenTest, Matches) {
  const std::string path = GoldenPath(GetParam().path);
  ASSERT_TRUE(std::filesystem::exists(path)) << path << ": run ./dev golden";
  EXPECT_EQ(FirstDifference(ReadFileOrDie(path), GoldenOf(GetParam())), "");
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTest, ::testing::ValuesIn(AllKinds()),
                         [](const auto& info) { return TestName(info.param); });

int Update() {
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) {
    std::cerr << "--update works through ./dev golden\n";
    return 2;
  }
  int changed = 0;
  for (const Stream& stream : AllKinds()) {
    const std::string path =
        absl::StrCat(workspace, "/", GoldenPath(stream.path));
    const std::string golden = GoldenOf(stream);
    if (std::filesystem::exists(path) && ReadFileOrDie(path) == golden) {
      continue;
    }
    std::ofstream(path, std::ios::binary) << golden;
    std::cout << "wrote " << GoldenPath(stream.path) << "\n";
    ++changed;
  }
  std::cout << changed << " of " << AllStreams().size() << " goldens changed\n";
  return 0;
}

}  // namespace
}  // namespace troika

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc > 1 && std::string(argv[1]) == "--update") return troika::Update();
  return RUN_ALL_TESTS();
}
