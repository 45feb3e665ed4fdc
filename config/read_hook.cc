#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/harness.h"
#include "base/status_macros.h"
#include "config/toml_place.h"

namespace troika::config {
namespace {

absl::StatusOr<std::vector<std::string>> ReadOn(const Place& place,
                                                const toml::key& key,
                                                const toml::node& node) {
  std::vector<std::string> on;
  const auto fail = [&](const toml::source_region& where) {
    return place.Fail(where, absl::StrCat("on is a list of ",
                                          absl::StrJoin(kHookEventNames, ", "),
                                          R"(: ["asking", "done"])"));
  };
  const toml::array* const names = node.as_array();
  if (names == nullptr || names->empty()) return fail(key.source());
  for (const toml::node& name : *names) {
    const auto text = name.value_exact<std::string>();
    if (!text ||
        std::find(std::begin(kHookEventNames), std::end(kHookEventNames),
                  *text) == std::end(kHookEventNames)) {
      return fail(name.source());
    }
    on.push_back(*text);
  }
  return on;
}

absl::StatusOr<absl::Duration> ReadTimeout(const Place& place,
                                           const toml::key& key,
                                           const std::string& text) {
  absl::Duration timeout;
  if (absl::ParseDuration(text, &timeout) && timeout >= absl::Seconds(1) &&
      timeout <= kMaxHookTimeout) {
    return timeout;
  }
  return place.Fail(key.source(),
                    "timeout is a time from 1s to 10m, such as 30s");
}

absl::Status CheckValue(const Place& place, const toml::key& key,
                        const std::string& text) {
  if (key.str() == "folder") return place.CheckFolder(key.source(), text);
  if (key.str() == "harness" && !HarnessFromId(text)) {
    return place.Fail(key.source(),
                      absl::StrCat("there is no harness \"", text, "\""));
  }
  if (key.str() == "secret_file" && text[0] != '/') {
    return place.Fail(key.source(), "secret_file is an absolute path");
  }
  if (key.str() != "url") return absl::OkStatus();
  const bool printable = std::all_of(
      text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (printable && (absl::StartsWith(text, "https://") ||
                    absl::StartsWith(text, "http://"))) {
    return absl::OkStatus();
  }
  return place.Fail(key.source(),
                    "url begins with https:// or http://, and has neither "
                    "spaces nor characters outside of ASCII");
}

absl::Status CheckWhole(const Place& place, const toml::key& name,
                        const std::string& where, const Hook& hook) {
  if (hook.command.empty() == hook.url.empty()) {
    return place.Fail(
        name.source(),
        absl::StrCat(where, R"( needs either command = ["program", …] or )",
                     R"(url = "https://…")"));
  }
  if (!hook.secret.empty() && !hook.secret_file.empty()) {
    return place.Fail(name.source(),
                      absl::StrCat(where, " has secret and secret_file: ",
                                   "leave one of them out"));
  }
  if (hook.url.empty() && (!hook.secret.empty() || !hook.secret_file.empty())) {
    return place.Fail(
        name.source(),
        absl::StrCat(where, " has a secret, which only a url is signed with"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Hook> ReadHook(const Place& place, const toml::key& name,
                              const toml::node& node) {
  const std::string where = absl::StrCat("[hook.", View(name.str()), "]");
  const toml::table* const table = node.as_table();
  if (table == nullptr) {
    return place.Fail(name.source(), absl::StrCat(where, " is not a table"));
  }
  Hook hook;
  const std::pair<std::string_view, std::string*> texts[] = {
      {"url", &hook.url},
      {"secret", &hook.secret},
      {"secret_file", &hook.secret_file},
      {"folder", &hook.folder},
      {"harness", &hook.harness}};
  for (const auto& [key, value] : *table) {
    if (key.str() == "on") {
      ASSIGN_OR_RETURN(hook.on, ReadOn(place, key, value));
      continue;
    }
    if (key.str() == "command") {
      ASSIGN_OR_RETURN(hook.command, place.ReadCommand(key, value));
      continue;
    }
    if (key.str() == "timeout") {
      ASSIGN_OR_RETURN(const std::string text, place.ReadText(key, value));
      ASSIGN_OR_RETURN(hook.timeout, ReadTimeout(place, key, text));
      continue;
    }
    const std::string_view wanted = key.str();
    const auto known =
        std::find_if(std::begin(texts), std::end(texts),
                     [&](const auto& text) { return text.first == wanted; });
    if (known == std::end(texts)) {
      return place.Unknown(
          key, absl::StrCat(where,
                            "; it has on, command, url, secret, secret_file, "
                            "folder, harness and timeout"));
    }
    ASSIGN_OR_RETURN(*known->second, place.ReadText(key, value));
    RETURN_IF_ERROR(CheckValue(place, key, *known->second));
  }
  RETURN_IF_ERROR(CheckWhole(place, name, where, hook));
  return hook;
}

}  // namespace troika::config

namespace troika {

std::string HookTarget(const Hook& hook) {
  if (hook.url.empty()) return hook.command.empty() ? "" : hook.command[0];
  const absl::string_view url = hook.url;
  const size_t host = url.find("://") + 3;
  absl::string_view authority = url.substr(host);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  const size_t at = authority.rfind('@');
  if (at != authority.npos) authority.remove_prefix(at + 1);
  return absl::StrCat(url.substr(0, host), authority, "/…");
}

}  // namespace troika
