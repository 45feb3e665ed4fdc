#include "agent/tool_subject.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/json.h"

namespace troika {
namespace {

std::string ShortPath(absl::string_view path, absl::string_view cwd) {
  absl::string_view rest = path;
  if (!cwd.empty() && absl::ConsumePrefix(&rest, cwd) &&
      absl::ConsumePrefix(&rest, "/") && !rest.empty()) {
    return std::string(rest);
  }
  return std::string(path);
}

// Makes `npm test` of `bash -lc 'npm test'` if nothing is quoted within.
absl::string_view WithoutShell(absl::string_view command) {
  const size_t space = command.find(' ');
  const absl::string_view program = command.substr(0, space);
  const absl::string_view name = program.substr(program.rfind('/') + 1);
  if (name != "bash" && name != "sh" && name != "zsh") return command;
  absl::string_view rest = command;
  rest.remove_prefix(program.size());
  if (!absl::ConsumePrefix(&rest, " -lc ") &&
      !absl::ConsumePrefix(&rest, " -c ")) {
    return command;
  }
  if (rest.find_first_of("'\"\\ ") == absl::string_view::npos) return rest;
  const bool quoted = rest.size() > 2 && rest.front() == '\'' &&
                      rest.find('\'', 1) == rest.size() - 1;
  return quoted ? rest.substr(1, rest.size() - 2) : command;
}

// `command` is a string, or an array of words as some shells take.
std::string Command(json::Value command) {
  if (command.IsString())
    return std::string(WithoutShell(command.StringOr("")));
  std::vector<absl::string_view> words;
  for (const json::Value word : command.items()) {
    words.push_back(word.StringOr("?"));
  }
  return absl::StrJoin(words, " ");
}

std::string Changes(json::Value changes, absl::string_view cwd) {
  std::vector<std::string> paths;
  for (const json::Value change : changes.items()) {
    std::string path = ShortPath(change.Get("path").StringOr("?"), cwd);
    const absl::string_view kind = change.Get("kind").StringOr("");
    if (kind == "add") path += " (new)";
    if (kind == "delete") path += " (deleted)";
    paths.push_back(std::move(path));
  }
  return absl::StrJoin(paths, ", ");
}

// Makes `Edit (1 of 3 done)` of a list, which names the entry in progress.
std::string Todos(json::Value todos) {
  absl::string_view current;
  int done = 0;
  for (const json::Value entry : todos.items()) {
    const absl::string_view status = entry.Get("status").StringOr("");
    if (status == "completed") ++done;
    if (status != "in_progress" || !current.empty()) continue;
    current =
        entry.Get("content").StringOr(entry.Get("description").StringOr(""));
  }
  const std::string progress =
      absl::StrCat(done, " of ", todos.size(), " done");
  return current.empty() ? progress
                         : absl::StrCat(current, " (", progress, ")");
}

std::string What(absl::string_view input_json, absl::string_view cwd) {
  json::Parser parser;
  const absl::StatusOr<json::Value> parsed = parser.Parse(input_json);
  if (!parsed.ok()) return std::string(input_json);
  const json::Value input = *parsed;
  if (input.Get("command").exists()) return Command(input.Get("command"));
  if (input.Get("changes").IsArray()) return Changes(input.Get("changes"), cwd);
  if (input.Get("todos").IsArray()) return Todos(input.Get("todos"));
  for (const absl::string_view key :
       {"file_path", "absolute_path", "notebook_path", "path", "dir_path"}) {
    const absl::string_view path = input.Get(key).StringOr("");
    const absl::string_view pattern = input.Get("pattern").StringOr("");
    if (path.empty()) continue;
    if (pattern.empty()) return ShortPath(path, cwd);
    return absl::StrCat(pattern, " in ", ShortPath(path, cwd));
  }
  for (const absl::string_view key :
       {"pattern", "query", "url", "description", "prompt", "skill", "title"}) {
    const absl::string_view text = input.Get(key).StringOr("");
    if (!text.empty()) return std::string(text);
  }
  return input.IsObject() && input.size() == 0 ? "" : std::string(input_json);
}

}  // namespace

std::string ToolSubject(const ToolUse& use, absl::string_view cwd) {
  return use.input_json.empty() ? "" : What(use.input_json, cwd);
}

}  // namespace troika
