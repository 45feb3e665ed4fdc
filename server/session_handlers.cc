// Handlers of the sessions that CLIs keep on this machine.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/registry.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "dto/request.h"
#include "server/routes.h"

namespace troika {
namespace {

constexpr int kDefaultPage = 50;
constexpr int kMaxPage = 1000;

using Scan = std::shared_ptr<const SessionScan>;

// Names a session's place in a list, for the next page: the time of its change,
// its harness and its id.
std::string TokenOf(const SessionScan::Session& session) {
  return absl::StrCat(absl::ToUnixNanos(session.changed), ".",
                      HarnessId(session.harness), ".", session.session.id);
}

// A place in a list: sessions from there on come after the token's.
struct Place {
  int64_t changed_ns = 0;
  Harness harness = Harness::kCodex;
  std::string id;
};

absl::StatusOr<Place> ReadToken(const std::string& token) {
  const std::vector<std::string> parts =
      absl::StrSplit(token, absl::MaxSplits('.', 2));
  Place place;
  const auto harness =
      parts.size() == 3 ? HarnessFromId(parts[1]) : std::nullopt;
  if (!harness || !absl::SimpleAtoi(parts[0], &place.changed_ns)) {
    return absl::InvalidArgumentError(
        "page_token: give the next_page_token of the page before");
  }
  place.harness = *harness;
  place.id = parts[2];
  return place;
}

// Whether the session comes after the place, in the order of SessionScan.
bool ComesAfter(const SessionScan::Session& session, const Place& place) {
  const int64_t changed = absl::ToUnixNanos(session.changed);
  return std::tie(place.changed_ns, session.harness, session.session.id) >
         std::tie(changed, place.harness, place.id);
}

// What a request asks for, checked.
struct Wanted {
  v1::ListSessionsRequest request;
  std::vector<std::string> folders;  // Spellings of request.cwd.
  // Files of sessions in request.cwd that don't tell their folder themselves.
  std::set<std::string> files;
  std::optional<Place> after;
  size_t page_size = 0;
};

absl::StatusOr<Wanted> ReadRequest(const Call& call) {
  Wanted wanted;
  v1::ListSessionsRequest& request = wanted.request;
  RETURN_IF_ERROR(call.ReadQuery(&request));
  const int size =
      request.page_size() == 0 ? kDefaultPage : request.page_size();
  if (size < 1 || size > kMaxPage) {
    return absl::InvalidArgumentError(
        absl::StrCat("page_size must be 1 to ", kMaxPage));
  }
  wanted.page_size = static_cast<size_t>(size);
  for (const std::string& harness : request.harnesses()) {
    RETURN_IF_ERROR(BackendById(harness).status());
  }
  if (!request.page_token().empty()) {
    ASSIGN_OR_RETURN(wanted.after, ReadToken(request.page_token()));
  }
  return wanted;
}

bool Matches(const Wanted& wanted, const SessionScan::Session& found) {
  const v1::ListSessionsRequest& request = wanted.request;
  const NativeSession& session = found.session;
  const auto is_any = [](const auto& values, absl::string_view value) {
    return values.empty() ||
           std::find(values.begin(), values.end(), value) != values.end();
  };
  return is_any(request.harnesses(), HarnessId(found.harness)) &&
         (is_any(wanted.folders, session.cwd) ||
          wanted.files.count(found.path) > 0) &&
         (request.id().empty() || request.id() == session.id) &&
         (request.text().empty() ||
          absl::StrContains(absl::AsciiStrToLower(session.first_prompt),
                            absl::AsciiStrToLower(request.text())));
}

// The time of a file may be any.
void SetTime(absl::Time time, google::protobuf::Timestamp* out) {
  const absl::Time most = absl::FromUnixSeconds(int64_t{1} << 33);
  time = std::clamp(time, absl::UnixEpoch(), most);
  const int64_t seconds = absl::ToUnixSeconds(time);
  out->set_seconds(seconds);
  out->set_nanos(static_cast<int32_t>(
      absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds))));
}

bool IsMissing(const std::string& folder) {
  struct stat info;
  return stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode);
}

void Describe(const SessionScan::Session& found, v1::Session* out) {
  const NativeSession& session = found.session;
  out->set_harness(std::string(HarnessId(found.harness)));
  out->set_id(json::ToValidUtf8(session.id));
  out->set_cwd(session.cwd);
  out->set_cwd_missing(!session.cwd.empty() && IsMissing(session.cwd));
  out->set_prompt(session.first_prompt);
  out->set_model(session.model);
  if (session.started) SetTime(*session.started, out->mutable_started_at());
  SetTime(found.changed, out->mutable_changed_at());
  out->set_path(json::ToValidUtf8(found.path));
  out->set_size(found.size);
  out->set_archived(session.archived);
  out->set_forked_from(session.forked_from);
}

// Finds the sessions of request.cwd that don't tell their folder: the CLI can
// only say whether they belong to a given one. Blocks.
void FindSilent(const SessionScan& scan, const Environment& environment,
                Wanted* wanted) {
  std::set<Harness> silent;
  for (const SessionScan::Session& session : scan.sessions) {
    if (session.session.cwd.empty()) silent.insert(session.harness);
  }
  for (const Harness harness : silent) {
    for (const SessionFile& file : BackendOf(harness).sessions->Files(
             environment, wanted->request.cwd())) {
      wanted->files.insert(file.path.native());
    }
  }
}

// Selects the page, and looks for the folders of its sessions. Blocks.
v1::ListSessionsResponse MakePage(Wanted wanted, const SessionScan& scan,
                                  const Environment& environment) {
  const std::string& cwd = wanted.request.cwd();
  if (!cwd.empty()) {
    std::error_code error;
    wanted.folders = {cwd, std::filesystem::weakly_canonical(cwd, error)};
    FindSilent(scan, environment, &wanted);
  }
  v1::ListSessionsResponse page;
  const SessionScan::Session* last = nullptr;
  for (const SessionScan::Session& session : scan.sessions) {
    if ((wanted.after && !ComesAfter(session, *wanted.after)) ||
        !Matches(wanted, session)) {
      continue;
    }
    if (page.sessions_size() == static_cast<int>(wanted.page_size)) {
      page.set_next_page_token(TokenOf(*last));
      break;
    }
    last = &session;
    v1::Session& described = *page.add_sessions();
    Describe(session, &described);
    if (described.cwd().empty()) described.set_cwd(cwd);
  }
  for (const SessionScan::Skipped& skipped : scan.skipped) {
    auto& file = *page.add_skipped();
    file.set_path(skipped.path);
    file.set_reason(skipped.reason);
  }
  page.set_skipped_count(scan.skipped_count);
  page.set_files(scan.files);
  page.set_files_read(scan.files_read);
  return page;
}

// Names the task that has each session of the page.
void AddTasks(const std::vector<TaskStore::SessionTask>& tasks,
              v1::ListSessionsResponse* page) {
  std::map<std::pair<std::string, std::string>, v1::Session*> sessions;
  for (v1::Session& session : *page->mutable_sessions()) {
    sessions[{session.harness(), session.id()}] = &session;
  }
  for (const TaskStore::SessionTask& task : tasks) {
    const auto it = sessions.find({task.harness, task.session_id});
    if (it == sessions.end()) continue;
    v1::Session& session = *it->second;
    // Tasks come newest first.
    if (session.task_id().empty() || (!session.running() && !task.ended)) {
      session.set_task_id(task.id);
      session.set_running(!task.ended);
    }
  }
}

// The environment that says where sessions are.
absl::StatusOr<Environment> EnvironmentOf(
    const ApiTools& api,
    const google::protobuf::Map<std::string, std::string>& sent) {
  RETURN_IF_ERROR(CheckVariables(sent));
  if (sent.empty()) return api.policy->environment();
  Environment environment({sent.begin(), sent.end()});
  if (SessionIndex::Relevant(environment).variables().size() < sent.size()) {
    return absl::InvalidArgumentError(
        "env: give only HOME, CODEX_HOME, CLAUDE_CONFIG_DIR and "
        "GEMINI_CLI_HOME, and no empty ones");
  }
  return environment;
}

// Finds the session that is to be imported.
absl::StatusOr<ImportRequest> FindOne(const SessionScan& scan,
                                      const std::string& id,
                                      const std::string& harness) {
  std::optional<ImportRequest> found;
  for (const SessionScan::Session& session : scan.sessions) {
    if (session.session.id != id ||
        (!harness.empty() && harness != HarnessId(session.harness))) {
      continue;
    }
    if (found) {
      return absl::InvalidArgumentError(absl::StrCat(
          HarnessId(found->harness), " and ", HarnessId(session.harness),
          " each have a session ", id, ": name the harness"));
    }
    found = {.harness = session.harness,
             .session = session.session,
             .path = session.path};
  }
  if (found) return *std::move(found);
  return absl::NotFoundError(
      absl::StrCat("there is no session ", id,
                   ": GET /api/v1/sessions lists them, and a session is named "
                   "by its whole id"));
}

void ReplyWithPage(const ApiTools& api, Wanted wanted, const Scan& scan,
                   const Environment& environment, ReplyCallback reply) {
  auto make = [wanted = std::move(wanted), scan, environment]() mutable {
    return MakePage(std::move(wanted), *scan, environment);
  };
  auto reply_with =
      [&api, reply = std::move(reply)](v1::ListSessionsResponse page) mutable {
        std::vector<std::string> ids;
        for (const v1::Session& session : page.sessions()) {
          ids.push_back(session.id());
        }
        api.tasks->index().Search<std::vector<TaskStore::SessionTask>>(
            [ids = std::move(ids)](TaskStore& store) {
              return store.WithSessions(ids);
            },
            [page = std::move(page), reply = std::move(reply)](
                const absl::StatusOr<std::vector<TaskStore::SessionTask>>&
                    tasks) mutable {
              if (!tasks.ok()) return reply(tasks.status());
              AddTasks(*tasks, &page);
              reply(std::move(page));
            });
      };
  api.pools->work.RunFor<v1::ListSessionsResponse>(std::move(make),
                                                   std::move(reply_with));
}

}  // namespace

absl::StatusOr<Deferred> ListSessions(const ApiTools& api, const Call& call) {
  if (api.policy->CallerOf(call.request()).is_agent()) {
    return NotForAgents("list the sessions of CLIs");
  }
  ASSIGN_OR_RETURN(Wanted wanted, ReadRequest(call));
  ASSIGN_OR_RETURN(const Environment environment,
                   EnvironmentOf(api, wanted.request.env()));
  return [&api, wanted = std::move(wanted),
          environment](ReplyCallback reply) mutable {
    api.sessions->Scan(environment,
                       [&api, wanted = std::move(wanted), environment,
                        reply = std::move(reply)](const Scan& scan) mutable {
                         ReplyWithPage(api, std::move(wanted), scan,
                                       environment, std::move(reply));
                       });
  };
}

absl::StatusOr<Deferred> ImportSession(const ApiTools& api, const Call& call) {
  const Caller caller = api.policy->CallerOf(call.request());
  if (caller.is_agent()) return NotForAgents("import the sessions of CLIs");
  v1::ImportSessionRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  if (!body.harness().empty()) {
    RETURN_IF_ERROR(BackendById(body.harness()).status());
  }
  ASSIGN_OR_RETURN(const Environment environment,
                   EnvironmentOf(api, body.env()));
  return [&api, id = call.arg(0), harness = body.harness(), environment,
          by = caller.name()](ReplyCallback reply) mutable {
    api.sessions->Scan(
        environment, [&api, id, harness, by,
                      reply = std::move(reply)](const Scan& scan) mutable {
          auto found = FindOne(*scan, id, harness);
          if (!found.ok()) return reply(found.status());
          found->by = by;
          api.tasks->Import(*std::move(found), api.policy->environment(),
                            [reply = std::move(reply)](
                                absl::StatusOr<v1::Task> task) mutable {
                              reply(std::move(task));
                            });
        });
  };
}

}  // namespace troika
