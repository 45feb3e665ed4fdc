#include "task/notes.h"

#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::notes {
namespace {

using ::testing::HasSubstr;

// One of each kind with every member set, in the order of the variant.
const std::pair<Note, absl::string_view> kNotes[] = {
    {Request{
         .task = "t1",
         .harness = "codex",
         .prompt = "go \"on\"\n",
         .images = {"a.png", "b.png"},
         .cwd = "/src",
         .title = "T",
         .labels = {{"k", "v"}, {"l", ""}},
         .options = {.model = "m"},
         .timeouts = {.start = absl::Milliseconds(1),
                      .idle = absl::Milliseconds(2),
                      .turn = absl::Milliseconds(3),
                      .task = absl::InfiniteDuration()},
         .resume_session = "s",
         .fork_session = true,
         .notices = {"n"},
         .output_limit_bytes = 7,
         .document = {.wanted = true, .title = "D", .folder = "/w"},
         .budget = {.cost_microusd = 1, .tokens = 2, .turns = 3, .time_ms = 4}},
     R"({"note":"request","task":"t1","harness":"codex",)"
     R"("prompt":"go \"on\"\n","images":["a.png","b.png"],"cwd":"/src",)"
     R"("title":"T","labels":{"k":"v","l":""},"options":{"model":"m"},)"
     R"("timeouts":{"start_ms":1,"idle_ms":2,"turn_ms":3,"task_ms":0},)"
     R"("resume_session":"s","fork_session":true,"notices":["n"],)"
     R"("output_limit_bytes":7,)"
     R"("document":{"wanted":true,"title":"D","folder":"/w"},)"
     R"("budget":{"cost_microusd":1,"tokens":2,"turns":3,"time_ms":4}})"},
    {Turn{.turn = 2,
          .prompt = "p",
          .images =
              {{.path = "a.png", .media_type = "image/png", .base64 = "AAAA"},
               {.path = "b.png"}},
          .by = "user",
          .input = "in-4",
          .from_queue = true,
          .edit_mode = EditMode::kAutoEdit,
          .timeouts = {.task = absl::Milliseconds(5)}},
     R"({"note":"turn","turn":2,"prompt":"p","images":[{"path":"a.png",)"
     R"("media_type":"image/png","base64":"AAAA"},{"path":"b.png"}],)"
     R"("by":"user","input":"in-4","from_queue":true,)"
     R"("edit_mode":"auto_edit","timeouts":{"task_ms":5}})"},
    {Spawned{.generation = 2,
             .turn = 3,
             .argv = {"codex", ""},
             .cwd = "/src",
             .version = "0.1",
             .stdin_mode = "prompt",
             .expected_session = "s",
             .notices = {"n"}},
     R"({"note":"spawned","generation":2,"turn":3,"argv":["codex",""],)"
     R"("cwd":"/src","version":"0.1","stdin":"prompt",)"
     R"("expected_session":"s","notices":["n"]})"},
    {StartFailed{.generation = 1, .error = "no such file"},
     R"({"note":"start_failed","generation":1,"error":"no such file"})"},
    {Interrupt{.by = "user", .reason = "r"},
     R"({"note":"interrupt","by":"user","reason":"r"})"},
    {Stop{.by = "troika", .reason = "r"},
     R"({"note":"stop","by":"troika","reason":"r"})"},
    {Cancelled{.by = "user", .reason = "r"},
     R"({"note":"cancelled","by":"user","reason":"r"})"},
    {Deadline{.which = "tool", .after = absl::Minutes(1), .tool = "Bash"},
     R"({"note":"deadline","which":"tool","after_ms":60000,"tool":"Bash"})"},
    {Answer{.id = "a", .by = "rule", .answer = ApprovalAnswer{.allow = true}},
     R"({"note":"answer","id":"a","by":"rule","answer":{"allow":true}})"},
    {Signalled{.signal = 15, .by = "user"},
     R"({"note":"signalled","signal":15,"by":"user"})"},
    {StdinClosed{}, R"({"note":"stdin_closed"})"},
    {StdinLost{.bytes = 7}, R"({"note":"stdin_lost","bytes":7})"},
    {Leftover{.processes = {"sleep", "node"}},
     R"({"note":"leftover","processes":["sleep","node"]})"},
    {Trouble{.text = "disk full"}, R"({"note":"trouble","text":"disk full"})"},
    {Torn{.bytes = 9}, R"({"note":"torn","bytes":9})"},
    {Exited{.code = 0,
            .signal = 9,
            .reason = "r",
            .user_time = absl::Microseconds(1),
            .system_time = absl::Microseconds(2),
            .max_rss_kb = 3,
            .stderr_tail = "e",
            .discarded_bytes = 4},
     R"({"note":"exited","code":0,"signal":9,"reason":"r","utime_us":1,)"
     R"("stime_us":2,"max_rss_kb":3,"stderr_tail":"e","discarded_bytes":4})"},
    {Lost{.reason = "r"}, R"({"note":"lost","reason":"r"})"},
    {Clock{.leap = absl::Microseconds(-5)}, R"({"note":"clock","leap_us":-5})"},
    {Input{.id = "in-2",
           .prompt = "p",
           .images = {{.path = "b.png"}},
           .by = "user",
           .request_key = "k",
           .interrupts = true,
           .model = "m",
           .edit_mode = EditMode::kAutoEdit,
           .timeouts = {.task = absl::Milliseconds(5)}},
     R"({"note":"input","id":"in-2","prompt":"p","images":[{"path":"b.png"}],)"
     R"("by":"user","request_key":"k","interrupts":true,"model":"m",)"
     R"("edit_mode":"auto_edit","timeouts":{"task_ms":5}})"},
    {InputEdited{.id = "in-2", .prompt = "q", .by = "user"},
     R"({"note":"input_edited","id":"in-2","prompt":"q","by":"user"})"},
    {InputWithdrawn{.id = "in-2", .by = "user", .reason = "r"},
     R"({"note":"input_withdrawn","id":"in-2","by":"user","reason":"r"})"},
    {InputFailed{.id = "in-2", .reason = "r"},
     R"({"note":"input_failed","id":"in-2","reason":"r"})"},
    {QueueResumed{.by = "user"}, R"({"note":"queue_resumed","by":"user"})"},
    {Imported{.session = "s", .path = "/f", .size = 9, .by = "user"},
     R"({"note":"imported","session":"s","path":"/f","size":9,"by":"user"})"},
    {ImportEnded{.lines = 3}, R"({"note":"import_ended","lines":3})"},
    {DocumentWritten{.path = "/w/a.md", .error = "e"},
     R"({"note":"document_written","path":"/w/a.md","error":"e"})"},
    {PersonAsked{.id = "a",
                 .explanation = "e",
                 .rules = {{.file = "f", .line = 2, .text = "t"}}},
     R"({"note":"person_asked","id":"a","explanation":"e",)"
     R"("rules":[{"file":"f","line":2,"text":"t"}]})"},
    {BudgetWarned{
         .amount = {.kind = BudgetKind::kTime, .used = 800, .limit = 1000}},
     R"({"note":"budget_warned","amount":{"kind":"time","used":800,)"
     R"("limit":1000}})"},
    {BudgetAsked{.number = 2,
                 .reached = {{.scope = "2026-11-17",
                              .kind = BudgetKind::kTokens,
                              .used = 7,
                              .limit = 5}}},
     R"({"note":"budget_asked","number":2,"reached":[{"scope":"2026-11-17",)"
     R"("kind":"tokens","used":7,"limit":5}]})"},
    {SubtaskUsed{.task = "t2", .tokens = 3, .cost_microusd = 4},
     R"({"note":"subtask_used","task":"t2","tokens":3,"cost_microusd":4})"},
    {Unknown{.name = "later", .json = R"({"note":"later","x":[1]})"},
     R"({"note":"later","x":[1]})"},
};

TEST(NotesTest, EveryKindIsHere) {
  static_assert(std::size(kNotes) == std::variant_size_v<Note>);
  for (size_t i = 0; i < std::size(kNotes); ++i) {
    EXPECT_EQ(kNotes[i].first.index(), i);
  }
}

TEST(NotesTest, EveryKindIsWrittenAndReadAgain) {
  for (const auto& [note, json] : kNotes) {
    EXPECT_EQ(ToJson(note), json);
    const absl::StatusOr<Note> read = FromJson(json);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->index(), note.index()) << json;
    EXPECT_EQ(ToJson(*read), json);
  }
}

TEST(NotesTest, DefaultsAreNotWritten) {
  EXPECT_EQ(ToJson(Request{}), R"({"note":"request","options":{}})");
  EXPECT_EQ(ToJson(Exited{}), R"({"note":"exited"})");
}

TEST(NotesTest, UnknownMembersArePassedOver) {
  const auto note = FromJson(R"({"new":1,"note":"lost","reason":"r"})");
  ASSERT_TRUE(note.ok());
  EXPECT_EQ(std::get<Lost>(*note).reason, "r");
}

TEST(NotesTest, MembersOfAnotherTypeKeepTheirDefault) {
  const auto note = FromJson(
      R"({"note":"exited","code":"x","signal":99999999999,"utime_us":null})");
  ASSERT_TRUE(note.ok());
  EXPECT_EQ(ToJson(*note), R"({"note":"exited"})");
  const auto turn = FromJson(R"({"note":"turn","turn":-1,"images":[1,{}]})");
  ASSERT_TRUE(turn.ok());
  EXPECT_EQ(std::get<Turn>(*turn).turn, 0);
  EXPECT_EQ(std::get<Turn>(*turn).images.size(), 1u);
}

TEST(NotesTest, OptionsThatCanNotBeReadAreAnError) {
  const auto good = FromJson(R"({"note":"request"})");
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(std::get<Request>(*good).options_error.ok());
  for (const absl::string_view options :
       {"[]", R"({"model":"m","edit_mode":"yolo"})"}) {
    const auto note =
        FromJson(absl::StrCat(R"({"note":"request","options":)", options, "}"));
    ASSERT_TRUE(note.ok());
    EXPECT_FALSE(std::get<Request>(*note).options_error.ok());
    EXPECT_EQ(std::get<Request>(*note).options, LaunchOptions());
  }
}

TEST(NotesTest, NoteWithoutNameIsUnknown) {
  const auto note = FromJson(R"({"x":1})");
  ASSERT_TRUE(note.ok());
  EXPECT_EQ(std::get<Unknown>(*note).name, "");
}

TEST(NotesTest, WhatIsNoObjectIsAnError) {
  for (const absl::string_view json : {"", "{", "[]", "1", "\"note\""}) {
    EXPECT_EQ(FromJson(json).status().code(),
              absl::StatusCode::kInvalidArgument)
        << json;
  }
  EXPECT_THAT(FromJson("[]").status().message(), HasSubstr("array"));
}

}  // namespace
}  // namespace troika::notes
