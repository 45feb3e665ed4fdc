#include "cli/commands/parse.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/backend.h"
#include "agent/line_protocol.h"
#include "cli/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Says every line's "say" and bills its "tokens"; knows no other field.
class FakeProtocol : public LineProtocol {
 public:
  explicit FakeProtocol(const ProtocolOptions& options)
      : LineProtocol(options) {}

 protected:
  void OnLine(json::Value line, Emitter& out) override {
    ledger().StartTurn();
    for (const json::Member& member : line.members()) {
      if (member.key == "say") {
        out.Emit(Text{std::string(member.value.StringOr(""))});
      } else if (member.key == "tokens") {
        out.Emit(meter().AdvanceTo({.input = member.value.IntOr(0)}));
      } else if (drift()) {
        drift()->UnknownField("line", member.key);
      }
    }
  }
  void OnEnd(Result result, Emitter& out) override {
    ledger().EndStream(std::move(result), out);
  }
};

const Backend kFakeBackend = {
    .harness = Harness::kCodex,
    .NewProtocol =
        [](const ProtocolOptions& options) -> std::unique_ptr<Protocol> {
      return std::make_unique<FakeProtocol>(options);
    }};

Outcome Parse(absl::string_view input, const ParseOptions& options = {}) {
  return RunWithInput(
      input, [&](const Io& io) { return RunParse(options, kFakeBackend, io); });
}

class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe2(fds_, O_CLOEXEC), 0); }
  ~Pipe() {
    CloseRead();
    CloseWrite();
  }
  int read_end() const { return fds_[0]; }
  int write_end() const { return fds_[1]; }
  void CloseRead() { Close(&fds_[0]); }
  void CloseWrite() { Close(&fds_[1]); }

 private:
  static void Close(int* fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }

  int fds_[2];
};

TEST(ParseTest, PrintsAnEventALine) {
  const Outcome outcome = Parse(
      "{\"say\":\"hi\"}\r\nbroken\n\n{\"say\":\"bye\"}", {.task_id = "t1"});
  EXPECT_EQ(outcome.exit_code, kExitOk);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(
      outcome.out,
      StartsWith(R"({"id":"1.0","taskId":"t1","text":{"text":"hi"}})"
                 "\n"
                 R"({"id":"2.0","taskId":"t1","parseError":{"error":)"));
  EXPECT_THAT(
      outcome.out,
      HasSubstr("\n"
                R"({"id":"4.0","taskId":"t1","text":{"text":"bye"}})"
                "\n"
                R"({"id":"5.0","taskId":"t1","result":{"isError":true)"));
}

TEST(ParseTest, PrintsText) {
  const Outcome outcome =
      Parse("{\"say\":\"hi you\"}\n", {.output = ParseOptions::Output::kText});
  EXPECT_EQ(outcome.out,
            "1.0 text text=\"hi you\"\n"
            "2.0 result isError=true error=\"the stream ended without a "
            "result\" synthetic=true\n");
}

TEST(ParseTest, EmptyInputIsAnError) {
  const Outcome outcome = Parse("", {.input_name = "x.jsonl"});
  EXPECT_EQ(outcome.exit_code, kExitFailure);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "troika: x.jsonl is empty: no events\n");
}

TEST(ParseTest, UnreadableInputIsAnError) {
  const int folder = open("/", O_RDONLY | O_CLOEXEC);
  const Outcome outcome = RunWithInput("", [&](const Io& io) {
    return RunParse({.input_name = "folder"}, kFakeBackend,
                    {.in = folder, .out = io.out, .err = io.err});
  });
  close(folder);
  EXPECT_EQ(outcome.exit_code, kExitFailure);
  EXPECT_EQ(outcome.err, "troika: folder: read: Is a directory\n");
}

TEST(ParseTest, ListsWhatIsUnknown) {
  const absl::string_view input =
      "{\"say\":\"hi\"}\n{\"new\":1}\n{\"new\":1,\"a\\n\":2}\n";
  ParseOptions options = {.output = ParseOptions::Output::kUnknown};
  EXPECT_EQ(Parse(input, options).out,
            "   count  first line  what\n"
            "       2           2  field line.new\n"
            "       1           3  field line.a\\n\n");
  EXPECT_EQ(Parse("{}\n{}\n", options).out, "nothing unknown in 2 lines\n");
  options.output = ParseOptions::Output::kUnknownJson;
  EXPECT_EQ(Parse(input, options).out,
            "{\"count\":2,\"firstRecord\":2,\"what\":\"field line.new\"}\n"
            "{\"count\":1,\"firstRecord\":3,\"what\":\"field line.a\\n\"}\n");
  EXPECT_EQ(Parse("{}\n", options).out, "");
}

TEST(ParseTest, EstimatesCosts) {
  ParseOptions options = {
      .output = ParseOptions::Output::kText,
      .prices = *PriceTable::Parse(R"({"":{"input":2,"output":1}})")};
  const absl::string_view input = "{\"tokens\":1000000}\n";
  EXPECT_THAT(Parse(input, options).out,
              HasSubstr("costUsd=2 costSource=estimated totalCostUsd=2 "
                        "totalCostSource=estimated"));
  options.prices.reset();
  EXPECT_EQ(Parse(input, options).out.find("cost"), std::string::npos);
}

TEST(ParseTest, ResumedStreamsHaveNoBase) {
  ParseOptions options = {.output = ParseOptions::Output::kText};
  EXPECT_THAT(Parse("{\"tokens\":5}\n", options).out, HasSubstr("turn="));
  options.start = ParseOptions::Start::kResumed;
  EXPECT_EQ(Parse("{\"tokens\":5}\n", options).out.find("turn="),
            std::string::npos);
}

TEST(ParseTest, LiveStreamsShowAtOnce) {
  Pipe in, out;
  int exit_code = -1;
  std::thread runner([&] {
    exit_code = RunParse({}, kFakeBackend,
                         {.in = in.read_end(), .out = out.write_end()});
  });
  char buffer[4096];
  for (const absl::string_view word : {"one", "two"}) {
    ASSERT_TRUE(WriteAll(in.write_end(),
                         absl::StrCat("{\"say\":\"", word, "\"}\n{\"say"))
                    .ok());
    // Blocks for ever if what was read is not written until more comes.
    const auto n = ReadSome(out.read_end(), absl::MakeSpan(buffer));
    ASSERT_TRUE(n.ok());
    EXPECT_THAT(std::string(buffer, *n), HasSubstr(std::string(word)));
    ASSERT_TRUE(WriteAll(in.write_end(), "\":\"\"}\n").ok());
    ASSERT_TRUE(ReadSome(out.read_end(), absl::MakeSpan(buffer)).ok());
  }
  in.CloseWrite();
  runner.join();
  EXPECT_EQ(exit_code, kExitOk);
}

TEST(ParseTest, WaitsOnDescriptorsThatDoNotBlock) {
  Pipe in, out;
  ASSERT_EQ(fcntl(in.read_end(), F_SETFL, O_NONBLOCK), 0);
  ASSERT_EQ(fcntl(out.write_end(), F_SETFL, O_NONBLOCK), 0);
  const std::string line =
      absl::StrCat("{\"say\":\"", std::string(300000, 'x'), "\"}\n");
  std::thread runner([&] {
    RunParse({}, kFakeBackend, {.in = in.read_end(), .out = out.write_end()});
    out.CloseWrite();
  });
  std::thread writer([&] {
    EXPECT_TRUE(WriteAll(in.write_end(), line).ok());
    in.CloseWrite();
  });
  size_t read = 0;
  std::string buffer(4096, 0);
  while (true) {
    const auto n = ReadSome(out.read_end(), absl::MakeSpan(buffer));
    if (!n.ok() || *n == 0) break;
    read += *n;
  }
  runner.join();
  writer.join();
  EXPECT_GT(read, 300000u);
}

TEST(ParseTest, AReaderThatLeavesIsNoError) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe out;
  out.CloseRead();
  const Outcome outcome = RunWithInput("{\"say\":\"hi\"}\n", [&](const Io& io) {
    return RunParse({}, kFakeBackend,
                    {.in = io.in, .out = out.write_end(), .err = io.err});
  });
  EXPECT_EQ(outcome.exit_code, kExitOk);
  EXPECT_EQ(outcome.err, "");
}

TEST(ParseTest, AFullDiskIsAnError) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  const Outcome outcome = RunWithInput("{\"say\":\"hi\"}\n", [&](const Io& io) {
    return RunParse({}, kFakeBackend,
                    {.in = io.in, .out = full, .err = io.err});
  });
  close(full);
  EXPECT_EQ(outcome.exit_code, kExitFailure);
  EXPECT_EQ(outcome.err, "troika: write: No space left on device\n");
}

long PeakKilobytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Reads a stream that is written meanwhile, and throws the events away.
void ParseGenerated(int lines) {
  Pipe in;
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  std::thread writer([&] {
    const std::string line =
        absl::StrCat("{\"say\":\"", std::string(1000, 'x'), "\"}\n");
    for (int i = 0; i < lines; ++i) {
      ASSERT_TRUE(WriteAll(in.write_end(), line).ok());
    }
    in.CloseWrite();
  });
  EXPECT_EQ(RunParse({}, kFakeBackend, {.in = in.read_end(), .out = null}),
            kExitOk);
  writer.join();
  close(null);
}

TEST(ParseTest, MemoryIsFlatInTheLength) {
  ParseGenerated(2000);
  const long before = PeakKilobytes();
  ParseGenerated(60000);
  EXPECT_LT(PeakKilobytes() - before, 16 * 1024);
}

}  // namespace
}  // namespace troika::cli
