// Compares the messages of every stream NAME.jsonl with NAME.golden, which has
// a line per event in the format of `troika parse --text`.
//
// `./dev golden` rewrites the files, so that a review shows what changed.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/registry.h"
#include "agent/testing.h"
#include "dto/text.h"
#include "gtest/gtest.h"
#include "testdata/streams.h"

namespace troika {
namespace {

std::string GoldenOf(const Stream& stream) {
  const std::unique_ptr<Protocol> protocol =
      BackendOf(stream.harness).NewProtocol({.wire = stream.wire});
  const std::string text = ReadFileOrDie(stream.path);
  std::string golden;
  for (const Message& m : stream.wire ? RunTranscript(*protocol, text)
                                      : RunStream(*protocol, text)) {
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

std::vector<Stream> StreamsAndTranscripts() {
  std::vector<Stream> all = AllStreams();
  for (Stream& transcript : AllTranscripts()) {
    all.push_back(std::move(transcript));
  }
  return all;
}

class GoldenTest : public ::testing::TestWithParam<Stream> {};

TEST_P(GoldenTest, Matches) {
  const std::string path = GoldenPath(GetParam().path);
  ASSERT_TRUE(std::filesystem::exists(path)) << path << ": run ./dev golden";
  EXPECT_EQ(FirstDifference(ReadFileOrDie(path), GoldenOf(GetParam())), "");
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTest,
                         ::testing::ValuesIn(StreamsAndTranscripts()),
                         [](const auto& info) { return TestName(info.param); });

int Update() {
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) {
    std::cerr << "--update works through ./dev golden\n";
    return 2;
  }
  int changed = 0;
  for (const Stream& stream : StreamsAndTranscripts()) {
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
