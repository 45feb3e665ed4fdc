// The parts that need no task: order, access, tokens, options, routes.
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "server/access.h"
#include "server/ancestry.h"
#include "server/from_request.h"
#include "server/openapi.h"
#include "server/options.h"
#include "server/routes.h"
#include "server/server_lock.h"
#include "server/start_queue.h"
#include "server/token.h"

namespace troika {
namespace {

TEST(StartQueueTest, StartsInTheOrderOfAsking) {
  StartQueue queue({.running = 2});
  queue.Add("c", "codex", 30);
  queue.Add("a", "codex", 10);
  queue.Add("b", "codex", 20);
  EXPECT_EQ(queue.Position("b"), 2);
  EXPECT_EQ(queue.Next(), "a");
  EXPECT_EQ(queue.Next(), "b");
  EXPECT_EQ(queue.Next(), std::nullopt);
  EXPECT_EQ(queue.Position("c"), 1);
  queue.Remove("a");
  EXPECT_EQ(queue.Next(), "c");
  EXPECT_EQ(queue.waiting(), 0);
  EXPECT_EQ(queue.running(), 2);
}

TEST(StartQueueTest, AHarnessThatIsFullKeepsNobodyElseWaiting) {
  StartQueue queue({.running = 3, .running_of = {{"codex", 1}}});
  queue.Add("a", "codex", 1);
  queue.Add("b", "codex", 2);
  queue.Add("c", "claude", 3);
  EXPECT_EQ(queue.Next(), "a");
  EXPECT_EQ(queue.Next(), "c");
  EXPECT_EQ(queue.Next(), std::nullopt);
  queue.Remove("a");
  EXPECT_EQ(queue.Next(), "b");
}

TEST(StartQueueTest, WhatLivesCountsWhateverTheLimit) {
  StartQueue queue({.running = 1});
  queue.SetRunning("a", "codex");
  queue.SetRunning("b", "codex");
  queue.SetRunning("b", "codex");
  EXPECT_EQ(queue.running(), 2);
  queue.Add("c", "codex", 1);
  queue.Add("a", "codex", 1);
  EXPECT_FALSE(queue.IsWaiting("a"));
  queue.Remove("a");
  EXPECT_EQ(queue.Next(), std::nullopt);
  queue.Remove("b");
  EXPECT_EQ(queue.Next(), "c");
}

class TokenTest : public testing::Test {
 protected:
  std::string Read() const {
    std::ifstream file(path_);
    std::string text;
    file >> text;
    return text;
  }
  void Write(const std::string& text, mode_t mode = 0600) const {
    unlink(path_.c_str());
    std::ofstream(path_) << text;
    chmod(path_.c_str(), mode);
  }

  const relay::TempFolder folder_;
  const std::string path_ = folder_.path() + "/token";
};

TEST_F(TokenTest, IsMadeOnceAndIsTheOwnersAlone) {
  auto token = Token::Open(path_);
  ASSERT_TRUE(token.ok()) << token.status();
  struct stat info = {};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const std::string value = Read();
  EXPECT_GE(value.size(), 40u);
  EXPECT_TRUE(token->Matches(value));
  auto again = Token::Open(path_);
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->Matches(value));
}

TEST_F(TokenTest, OnlyTheWholeTokenMatches) {
  Write("0123456789abcdef\n");
  auto token = Token::Open(path_);
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_TRUE(token->Matches("0123456789abcdef"));
  for (const char* wrong :
       {"", "0", "0123456789abcde", "0123456789abcdefX",
        "0123456789abcdef0123456789abcdef", "0123456789abcdeF"}) {
    EXPECT_FALSE(token->Matches(wrong)) << wrong;
  }
}

TEST_F(TokenTest, AReplacedOneCountsAtOnce) {
  Write("0123456789abcdef");
  auto token = Token::Open(path_);
  ASSERT_TRUE(token.ok());
  Write("fedcba9876543210");
  EXPECT_FALSE(token->Matches("0123456789abcdef"));
  EXPECT_TRUE(token->Matches("fedcba9876543210"));
  unlink(path_.c_str());
  EXPECT_FALSE(token->Matches("fedcba9876543210"));
  EXPECT_FALSE(token->Matches(""));
}

TEST_F(TokenTest, RefusesWhatOthersCanRead) {
  Write("0123456789abcdef", 0644);
  EXPECT_EQ(Token::Open(path_).status().code(),
            absl::StatusCode::kFailedPrecondition);
  Write("short");
  EXPECT_EQ(Token::Open(path_).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(TokenTest, TheModeOfAReplacedOneCountsToo) {
  Write("0123456789abcdef");
  auto token = Token::Open(path_);
  ASSERT_TRUE(token.ok());
  Write("0123456789abcdef", 0644);
  EXPECT_FALSE(token->Matches("0123456789abcdef"));
  EXPECT_TRUE(absl::StrContains(token->problem().message(), "chmod 600"))
      << token->problem();
  // The clock of the file system has steps.
  const absl::Time deadline = absl::Now() + absl::Seconds(10);
  do {
    chmod(path_.c_str(), 0600);
  } while (!token->Matches("0123456789abcdef") && absl::Now() < deadline);
  EXPECT_TRUE(token->problem().ok()) << token->problem();
}

TEST(AccessTest, HostsAreComparedWithoutTheirPort) {
  EXPECT_EQ(HostWithoutPort("LocalHost:80"), "localhost");
  EXPECT_EQ(HostWithoutPort("[::1]:80"), "::1");
  EXPECT_EQ(HostWithoutPort("::1"), "::1");
  EXPECT_EQ(HostWithoutPort("127.0.0.1"), "127.0.0.1");
}

TEST(AccessTest, OwnPagesHaveOurHostAndPort) {
  EXPECT_TRUE(IsOwnPage("http://localhost:1", "LOCALHOST:1"));
  EXPECT_TRUE(IsOwnPage("http://[::1]:4747", "[::1]:4747"));
  EXPECT_TRUE(IsOwnPage("http://box", "box:80"));
  EXPECT_TRUE(IsOwnPage("https://box", "box"));
  EXPECT_TRUE(IsOwnPage("https://box:443", "box"));
  EXPECT_FALSE(IsOwnPage("http://localhost:1", "127.0.0.1:1"));
  EXPECT_FALSE(IsOwnPage("http://localhost", "localhost:4747"));
  EXPECT_FALSE(IsOwnPage("https://box", "box:80"));
  EXPECT_FALSE(IsOwnPage("http://[::1]:1", "[::1]:2"));
  EXPECT_FALSE(IsOwnPage("null", "null"));
  EXPECT_FALSE(IsOwnPage("file://box", "box"));
}

TEST(AccessTest, WhoMayComeIn) {
  const relay::TempFolder folder;
  auto token = Token::Open(folder.path() + "/token");
  ASSERT_TRUE(token.ok());
  std::string value;
  std::ifstream(folder.path() + "/token") >> value;
  const std::string good = "Bearer " + value;
  struct Case {
    const char* what;
    http::Headers headers;
    absl::StatusCode code;
  };
  using Code = absl::StatusCode;
  const Case kCases[] = {
      {"good",
       {{"host", "localhost:4747"}, {"authorization", good}},
       Code::kOk},
      {"lower case",
       {{"host", "127.0.0.1"}, {"authorization", "bearer " + value}},
       Code::kOk},
      {"own page",
       {{"host", "localhost:4747"},
        {"origin", "http://localhost:4747"},
        {"authorization", good}},
       Code::kOk},
      {"own page behind another port",
       {{"host", "localhost:4747"},
        {"origin", "http://localhost:3000"},
        {"authorization", good}},
       Code::kPermissionDenied},
      {"no token", {{"host", "localhost"}}, Code::kUnauthenticated},
      {"wrong token",
       {{"host", "localhost"}, {"authorization", good + "x"}},
       Code::kUnauthenticated},
      {"other scheme",
       {{"host", "localhost"}, {"authorization", "Basic " + value}},
       Code::kUnauthenticated},
      {"rebound name",
       {{"host", "evil.example"}, {"authorization", good}},
       Code::kPermissionDenied},
      {"name that only begins so",
       {{"host", "localhost.evil.example"}, {"authorization", good}},
       Code::kPermissionDenied},
      {"no host", {{"authorization", good}}, Code::kPermissionDenied},
      {"another page",
       {{"host", "localhost"},
        {"origin", "https://evil.example"},
        {"authorization", good}},
       Code::kPermissionDenied},
      {"a page without an origin",
       {{"host", "localhost"}, {"origin", "null"}, {"authorization", good}},
       Code::kPermissionDenied},
      {"another address",
       {{"host", "10.0.0.1"}, {"authorization", good}},
       Code::kPermissionDenied},
  };
  Access access(&*token, {});
  for (const Case& c : kCases) {
    http::Request request;
    request.peer.kind = http::Peer::Kind::kTcp;
    request.headers = c.headers;
    EXPECT_EQ(access.Check(request, Access::Need::kToken).code(), c.code)
        << c.what;
  }
  http::Request request;
  request.headers = {{"host", "10.0.0.1"}, {"authorization", good}};
  Access remote(&*token, {.reach = AccessOptions::Reach::kAnywhere});
  EXPECT_TRUE(remote.Check(request, Access::Need::kToken).ok());
  request.headers[0].second = "evil.example";
  EXPECT_FALSE(remote.Check(request, Access::Need::kToken).ok());
}

TEST(AccessTest, AUnixSocketIsItsOwners) {
  const relay::TempFolder folder;
  auto token = Token::Open(folder.path() + "/token");
  ASSERT_TRUE(token.ok());
  Access access(&*token, {});
  http::Request request;
  request.peer = {.kind = http::Peer::Kind::kUnix, .uid = geteuid()};
  EXPECT_TRUE(access.Check(request, Access::Need::kToken).ok());
  request.peer.uid = geteuid() + 1;
  EXPECT_EQ(access.Check(request, Access::Need::kToken).code(),
            absl::StatusCode::kPermissionDenied);
}

TEST(AncestryTest, LeadsToTheFirstProcess) {
  const auto ancestors = AncestorsOf(getpid());
  ASSERT_TRUE(ancestors);
  ASSERT_GE(ancestors->size(), 2u);
  EXPECT_EQ((*ancestors)[0].pid, getpid());
  EXPECT_EQ((*ancestors)[1].pid, getppid());
  EXPECT_EQ(ancestors->back().pid, 1);
}

TEST(AncestryTest, IsUnknownOfProcessesThatAreGone) {
  EXPECT_EQ(AncestorsOf(0), std::nullopt);
  EXPECT_EQ(AncestorsOf(1 << 30), std::nullopt);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(AncestorsOf(child), std::nullopt);
}

// Each process forks the next; the last tells how many ancestors it sees.
[[noreturn]] void ForkDeep(int levels, int tell) {
  for (; levels > 0; --levels) {
    const pid_t child = fork();
    if (child != 0) {
      waitpid(child, nullptr, 0);
      _exit(0);
    }
  }
  const auto ancestors = AncestorsOf(getpid());
  const int seen = ancestors ? static_cast<int>(ancestors->size()) : -1;
  _exit(write(tell, &seen, sizeof(seen)) == sizeof(seen) ? 0 : 1);
}

TEST(AncestryTest, LeadsThroughAnyNumberOfProcesses) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) ForkDeep(150, ends[1]);
  close(ends[1]);
  int seen = 0;
  EXPECT_EQ(read(ends[0], &seen, sizeof(seen)),
            static_cast<ssize_t>(sizeof(seen)));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  EXPECT_GT(seen, 150);
}

TEST(ServerLockTest, NamesTheOneThatHasIt) {
  const relay::TempFolder folder;
  {
    auto first = ServerLock::Take(folder.path());
    ASSERT_TRUE(first.ok()) << first.status();
    ASSERT_TRUE(first->Tell("http://127.0.0.1:1").ok());
    const auto second = ServerLock::Take(folder.path());
    EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
    EXPECT_TRUE(absl::StrContains(
        second.status().message(),
        absl::StrCat("pid ", getpid(), ", http://127.0.0.1:1")))
        << second.status();
  }
  EXPECT_TRUE(ServerLock::Take(folder.path()).ok());
}

TEST(ServerOptionsTest, ReadsWhatIsGiven) {
  const auto options =
      ReadServerOptions({"--listen", "[::1]:0", "--demo", "--max-running", "3",
                         "--max-running-per", "codex=2", "--keep-bytes", "20G",
                         "--keep-for", "720h", "--host", "box"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->host, "::1");
  EXPECT_EQ(options->port, 0);
  EXPECT_EQ(options->demo, ServerOptions::Demo::kOn);
  EXPECT_EQ(options->limits.running, 3);
  EXPECT_EQ(options->limits.running_of.at("codex"), 2);
  EXPECT_EQ(options->keep_bytes, int64_t{20} << 30);
  EXPECT_EQ(options->keep_for, absl::Hours(720));
  EXPECT_TRUE(ReadServerOptions({"--listen", "none"})->host.empty());
  EXPECT_TRUE(
      ReadServerOptions({"--listen", "0.0.0.0:1", "--allow-remote"}).ok());
}

TEST(ServerOptionsTest, RefusesNonsense) {
  const std::vector<std::string> kBad[] = {{"--listen", "localhost"},
                                           {"--listen", "localhost:x"},
                                           {"--listen", "localhost:70000"},
                                           {"--listen", "0.0.0.0:1"},
                                           {"--max-running", "0"},
                                           {"--max-running", "x"},
                                           {"--max-running-per", "codex"},
                                           {"--max-running-per", "nobody=1"},
                                           {"--keep-bytes", "20X"},
                                           {"--keep-bytes", "99999999999T"},
                                           {"word"},
                                           {"--nothing"}};
  for (const std::vector<std::string>& args : kBad) {
    EXPECT_FALSE(ReadServerOptions(args).ok()) << args[0] << " " << args.back();
  }
}

TEST(RoutesTest, ArgumentsAreDecodedAndPathsAreStrict) {
  const Match match = MatchRoute("GET", "/api/v1/tasks/a%20b/raw/7");
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.args, (std::vector<std::string>{"a b", "7"}));
  for (const char* path :
       {"/", "", "/api/v1", "/api/v1/tasks/", "/api/v1//tasks",
        "/api/v1/tasks/../tasks", "/api/v1/tasks/%2e%2e", "/api/v1/tasks/a%2Fb",
        "/api/v1/tasks/a%00", "/api/v1/tasks/%", "/API/V1/TASKS",
        "/api/v1/tasks/a/b"}) {
    EXPECT_EQ(MatchRoute("GET", path).route, nullptr) << path;
  }
  EXPECT_EQ(MatchRoute("PUT", "/api/v1/tasks").methods,
            (std::vector<absl::string_view>{"POST", "GET"}));
  EXPECT_NE(MatchRoute("HEAD", "/healthz").route, nullptr);
}

TEST(RoutesTest, QueriesHoldOnlyWhatIsKnown) {
  const auto check = [](absl::string_view method, absl::string_view path,
                        absl::string_view query) {
    return CheckParameters(*MatchRoute(method, path).route, query);
  };
  EXPECT_TRUE(
      check("GET", "/api/v1/tasks/a/events", "after=1.0&page_size=1&parser=2")
          .ok());
  EXPECT_TRUE(check("POST", "/api/v1/tasks", "").ok());
  const absl::Status unknown =
      check("GET", "/api/v1/tasks/a/events", "after=1.0&pagesize=1");
  EXPECT_EQ(unknown.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(unknown.message(), "\"pagesize\"")) << unknown;
  EXPECT_TRUE(absl::StrContains(unknown.message(), "page_size")) << unknown;
  EXPECT_FALSE(check("GET", "/api/v1/events", "after=1").ok());
  EXPECT_FALSE(check("GET", "/healthz", "a").ok());
  EXPECT_FALSE(check("POST", "/api/v1/tasks", "%").ok());
}

TEST(OpenApiTest, DescribesEveryRouteAndNothingElse) {
  json::Parser parser;
  const std::string text = OpenApiJson();
  const auto document = parser.Parse(text);
  ASSERT_TRUE(document.ok()) << document.status();
  std::set<std::string> described;
  std::set<std::string> ids;
  for (const auto& [path, methods] : document->Get("paths").members()) {
    for (const auto& [method, operation] : methods.members()) {
      described.insert(absl::StrCat(method, " ", path));
      EXPECT_TRUE(
          ids.insert(std::string(operation.Get("operationId").StringOr("")))
              .second);
    }
  }
  std::set<std::string> routes;
  for (const Route& route : Routes()) {
    routes.insert(
        absl::StrCat(absl::AsciiStrToLower(route.method), " ", route.path));
  }
  EXPECT_EQ(described, routes);
  // Every schema that is named is there.
  const json::Value schemas = document->Get("components").Get("schemas");
  const std::string kRef = "#/components/schemas/";
  for (size_t at = text.find(kRef); at != std::string::npos;
       at = text.find(kRef, at + 1)) {
    const size_t begin = at + kRef.size();
    const std::string name = text.substr(begin, text.find('"', begin) - begin);
    EXPECT_TRUE(schemas.Get(name).IsObject()) << name;
  }
}

class AgentLimitsTest : public testing::Test {
 protected:
  AgentLimitsTest() {
    mkdir(own_.c_str(), 0700);
    mkdir((own_ + "/sub").c_str(), 0700);
    mkdir((own_ + "-other").c_str(), 0700);
    std::ofstream(own_ + "/in.png") << "x";
    std::ofstream(folder_.path() + "/out.png") << "x";
    EXPECT_EQ(symlink("../out.png", (own_ + "/link.png").c_str()), 0);
    EXPECT_EQ(symlink("..", (own_ + "/up").c_str()), 0);
  }
  std::string Freer(EditMode mode, LaunchOptions options) const {
    TaskRequest request = {.cwd = own_, .options = std::move(options)};
    return FreerThan({.edit_mode = mode, .cwd = own_}, &request);
  }
  std::string FreerIn(const std::string& cwd) const {
    TaskRequest request = {.cwd = cwd};
    return FreerThan({.cwd = own_}, &request);
  }

  const relay::TempFolder folder_;
  const std::string own_ = folder_.path() + "/own";
};

TEST_F(AgentLimitsTest, OnlyWhatIsKnownToBeHarmlessIsAllowed) {
  std::set<std::string> allowed;
  for (const LaunchField& field : LaunchFields()) {
    LaunchOptions options;
    const auto set = [&](auto member) {
      auto& to = options.*member;
      using To = std::decay_t<decltype(to)>;
      if constexpr (std::is_same_v<To, std::optional<EditMode>>) {
        to = EditMode::kFullAuto;
      } else if constexpr (std::is_same_v<To, std::vector<std::string>>) {
        to = {"x"};
      } else if constexpr (std::is_same_v<To, std::string>) {
        to = "x";
      } else {
        to = true;
      }
    };
    std::visit(set, field.member);
    if (Freer(EditMode::kFullAuto, options).empty()) {
      allowed.insert(std::string(field.name));
    }
  }
  // Images, schemas and a web search can be right or wrong.
  EXPECT_EQ(allowed, (std::set<std::string>{"model", "edit_mode", "effort",
                                            "verbosity", "plan_tool"}));
  EXPECT_EQ(Freer(EditMode::kResearch, {.web_search = false}), "");
  EXPECT_EQ(Freer(EditMode::kResearch, {.config = {"a=b"}}), "config");
}

TEST_F(AgentLimitsTest, TheEditModeIsAtMostItsOwn) {
  EXPECT_EQ(Freer(EditMode::kResearch, {}), "");
  EXPECT_NE(Freer(EditMode::kResearch, {.edit_mode = EditMode::kAutoEdit}), "");
  EXPECT_EQ(Freer(EditMode::kFullAuto, {.edit_mode = EditMode::kAutoEdit}), "");
  EXPECT_NE(Freer(EditMode::kFullAuto, {.edit_mode = EditMode::kDangerous}),
            "");
}

TEST_F(AgentLimitsTest, PathsStayWithinItsFolder) {
  const EditMode mode = EditMode::kResearch;
  EXPECT_EQ(Freer(mode, {.images = {"in.png", own_ + "/in.png"}}), "");
  EXPECT_EQ(Freer(mode, {.output_schema = "sub/../in.png"}), "");
  for (const std::string path :
       {"../out.png", "link.png", "up/out.png", "missing.png", "/etc/passwd"}) {
    EXPECT_NE(Freer(mode, {.images = {"in.png", path}}), "") << path;
    EXPECT_NE(Freer(mode, {.output_schema = path}), "") << path;
  }
  EXPECT_EQ(FreerIn(own_ + "/sub"), "");
  EXPECT_EQ(FreerIn(own_ + "/"), "");
  EXPECT_EQ(FreerIn(own_ + "/up/own/sub"), "");
  for (const std::string cwd :
       {"/", "/..", "-other", "/sub/..//..", "/up", "/none"}) {
    EXPECT_NE(FreerIn(cwd == "/" ? cwd : own_ + cwd), "") << cwd;
  }
  EXPECT_NE(FreerIn(own_ + std::string("\0/..", 4)), "");
}

TEST_F(AgentLimitsTest, WhatWasLookedAtIsWhatIsUsed) {
  TaskRequest request = {.cwd = own_ + "/up/own/sub",
                         .options = {.images = {"../in.png"}}};
  ASSERT_EQ(FreerThan({.cwd = own_}, &request), "");
  EXPECT_EQ(request.cwd, *ResolveWithin("/", own_ + "/sub"));
  EXPECT_EQ(request.options.images[0], *ResolveWithin("/", own_ + "/in.png"));
}

TEST(FromRequestTest, ErrorsOfMakingATaskAreSafeAndClear) {
  const absl::Status missing = ErrorForClient(
      absl::NotFoundError("no folder /x/secret-value-1"), {"secret-value-1"});
  EXPECT_EQ(missing, absl::NotFoundError("no folder /x/[redacted]"));
  const absl::Status full =
      ErrorForClient(absl::ErrnoToStatus(ENOSPC, "write the log"), {});
  EXPECT_EQ(full.code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(absl::StrContains(full.message(), "free some space")) << full;
  const absl::Status queue = absl::ResourceExhaustedError("9 tasks wait");
  EXPECT_EQ(ErrorForClient(queue, {}), queue);
}

TEST(FromRequestTest, TimesAndKeysHaveLimits) {
  v1::CreateTaskRequest body;
  body.set_harness("codex");
  body.set_cwd("/");
  auto& turn = *body.mutable_timeouts()->mutable_turn();
  turn.set_nanos(999999);
  EXPECT_FALSE(ToTaskRequest(body).ok());
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

TEST(FromRequestTest, EveryOptionHasAFieldOfItsName) {
  v1::CreateTaskRequest body;
  body.set_harness("codex");
  body.set_cwd("/");
  auto& options = *body.mutable_options();
  const auto& descriptor = *v1::LaunchOptions::descriptor();
  ASSERT_EQ(descriptor.field_count(), static_cast<int>(LaunchFields().size()));
  const auto& reflection = *options.GetReflection();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const auto* const field = descriptor.field(i);
    switch (field->cpp_type()) {
      case google::protobuf::FieldDescriptor::CPPTYPE_BOOL:
        reflection.SetBool(&options, field, true);
        break;
      case google::protobuf::FieldDescriptor::CPPTYPE_ENUM:
        reflection.SetEnumValue(&options, field, 2);
        break;
      default:
        if (field->is_repeated()) {
          reflection.AddString(&options, field, "x");
        } else {
          reflection.SetString(&options, field, "x");
        }
    }
  }
  const auto request = ToTaskRequest(body);
  ASSERT_TRUE(request.ok()) << request.status();
  for (const LaunchField& field : LaunchFields()) {
    EXPECT_TRUE(IsSet(request->options, field)) << field.name;
  }
  EXPECT_EQ(request->options.edit_mode, troika::EditMode::kFullAuto);
}

}  // namespace
}  // namespace troika
