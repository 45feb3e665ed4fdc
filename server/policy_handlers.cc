// Handlers of decisions and of the rules that make them.
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "dto/proto_fields.h"
#include "server/decision_log.h"
#include "server/routes.h"
#include "task/policy_files.h"

namespace troika {
namespace {

using google::protobuf::RepeatedPtrField;

void Fill(const RulesFiles& files, RepeatedPtrField<v1::PolicyFile>* out) {
  for (const notes::RulesFile& file : files) {
    v1::PolicyFile& shown = *out->Add();
    shown.set_file(json::ToValidUtf8(file.file));
    shown.set_origin(file.origin);
    shown.set_error(json::ToValidUtf8(file.error));
    shown.set_text(json::ToValidUtf8(file.text));
  }
}

// The folder as it is now, and as it was trusted.
v1::PolicyFolder Describe(const Home& home, const std::string& folder,
                          absl::string_view origin) {
  v1::PolicyFolder shown;
  shown.set_folder(json::ToValidUtf8(folder));
  shown.set_origin(std::string(origin));
  const RulesFiles now = ReadPolicyFolder(folder, origin);
  const std::string digest = PolicyDigest(now);
  shown.set_digest(digest);
  Fill(now, shown.mutable_files());
  if (const auto trusted = FindTrusted(home, folder)) {
    shown.set_trust(PolicyDigest(trusted->files) == digest
                        ? v1::PolicyFolder::trusted
                        : v1::PolicyFolder::changed);
    *shown.mutable_trusted_at() = ToProto(trusted->at);
    Fill(trusted->files, shown.mutable_trusted_files());
  }
  return shown;
}

absl::StatusOr<v1::ListPolicyResponse> DescribeAll(const Home& home,
                                                   const std::string& cwd) {
  v1::ListPolicyResponse response;
  const std::string user = home.policy_path();
  *response.add_folders() = Describe(home, user, kUserPolicy);
  const std::string project = cwd.empty() ? "" : ProjectPolicyFolder(cwd);
  if (!project.empty()) {
    *response.add_folders() = Describe(home, project, kProjectPolicy);
  }
  ASSIGN_OR_RETURN(const auto trusted, ReadTrusted(home));
  for (const TrustedFolder& folder : trusted) {
    if (folder.folder == user || folder.folder == project) continue;
    *response.add_folders() = Describe(home, folder.folder, kProjectPolicy);
  }
  return response;
}

// Does what blocks on a thread, and replies with all folders.
Deferred WithFiles(const ApiTools& api, std::string cwd,
                   absl::AnyInvocable<absl::Status(const Home& home)> change) {
  return [&api, cwd = std::move(cwd),
          change = std::move(change)](ReplyCallback reply) mutable {
    api.pools->log.RunFor<absl::StatusOr<Reply>>(
        [&api, cwd,
         change = std::move(change)]() mutable -> absl::StatusOr<Reply> {
          RETURN_IF_ERROR(change(*api.home));
          auto all = DescribeAll(*api.home, cwd);
          if (!all.ok()) return all.status();
          return Reply(*std::move(all));
        },
        std::move(reply));
  };
}

absl::Status CheckFolder(const std::string& folder) {
  if (absl::StartsWith(folder, "/")) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "folder is the absolute path of a folder with rules, as GET "
      "/api/v1/policy shows it");
}

}  // namespace

absl::StatusOr<Deferred> ListDecisions(const ApiTools& api, const Call& call) {
  return WithTask(api, call,
                  [&api](const std::string& id, ReplyCallback reply) {
                    api.pools->log.RunFor<absl::StatusOr<Reply>>(
                        [&api, id]() -> absl::StatusOr<Reply> {
                          auto decisions = DecisionsOf(*api.home, id);
                          if (!decisions.ok()) return decisions.status();
                          return Reply(*std::move(decisions));
                        },
                        std::move(reply));
                  });
}

absl::StatusOr<Deferred> ListPolicy(const ApiTools& api, const Call& call) {
  // The server reads files that an agent may not be able to.
  if (api.policy->CallerOf(call.request()).is_agent()) {
    return NotForAgents("read the rules");
  }
  v1::ListPolicyRequest query;
  RETURN_IF_ERROR(call.ReadQuery(&query));
  if (!query.cwd().empty()) RETURN_IF_ERROR(CheckFolder(query.cwd()));
  return WithFiles(api, query.cwd(),
                   [](const Home&) { return absl::OkStatus(); });
}

absl::StatusOr<Deferred> TrustPolicy(const ApiTools& api, const Call& call) {
  if (api.policy->CallerOf(call.request()).is_agent()) {
    return NotForAgents("trust rules");
  }
  v1::TrustPolicyRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  RETURN_IF_ERROR(CheckFolder(body.folder()));
  return WithFiles(api, "", [body](const Home& home) {
    return TrustFolder(home, body.folder(), body.digest(), absl::Now());
  });
}

absl::StatusOr<Deferred> UntrustPolicy(const ApiTools& api, const Call& call) {
  if (api.policy->CallerOf(call.request()).is_agent()) {
    return NotForAgents("change which rules are trusted");
  }
  v1::UntrustPolicyRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  RETURN_IF_ERROR(CheckFolder(body.folder()));
  return WithFiles(api, "", [body](const Home& home) {
    return UntrustFolder(home, body.folder());
  });
}

}  // namespace troika
