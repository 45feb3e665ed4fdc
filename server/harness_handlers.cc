// Handlers that describe the harnesses: whether each is installed, its version,
// and what it can do.
#include <string>
#include <utility>

#include "agent/registry.h"
#include "agent/sandbox_error.h"
#include "base/status_macros.h"
#include "dto/request.h"
#include "server/routes.h"
#include "task/make.h"

namespace troika {
namespace {

void Fill(const Capabilities& from, v1::Capabilities* to) {
  to->set_follow_up(from.follow_up);
  to->set_resume(from.resume);
  to->set_fork(from.fork);
  to->set_fork_at_turn(from.fork_at_turn);
  to->set_steer(from.steer);
  to->set_interrupt(from.interrupt);
  to->set_approvals(from.approvals);
  to->set_questions(from.questions);
  to->set_images(from.images);
  to->set_models(from.models);
  to->set_compaction(from.compaction);
  to->set_set_model(from.set_model);
  to->set_denial_reason(from.denial_reason);
}

v1::HarnessInfo Describe(const Backend& backend, const Environment& environment,
                         const std::string& version_cache) {
  v1::HarnessInfo info;
  info.set_id(std::string(HarnessId(backend.harness)));
  info.set_name(std::string(backend.display_name));
  const auto cli = FindCliOf(backend, environment, version_cache);
  for (const std::string& model : cli.value_or(Cli()).models) {
    info.add_models(model);
  }
  if (info.models().empty()) {
    for (const absl::string_view model : backend.models) {
      info.add_models(std::string(model));
    }
  }
  const Version version = ParseVersion(cli.value_or(Cli()).version);
  for (int mode = 0; mode < v1::EditMode_ARRAYSIZE; ++mode) {
    if (FindEditMode(backend.edit_modes, static_cast<EditMode>(mode),
                     version) != nullptr) {
      info.add_edit_modes(static_cast<v1::EditMode>(mode));
    }
  }
  Fill(backend.capabilities(cli.value_or(Cli())), info.mutable_capabilities());
  if (!cli.ok()) {
    info.set_hint(std::string(cli.status().message()));
    return info;
  }
  info.set_path(cli->path);
  info.set_version(cli->version);
  if (!cli->sandbox_error.empty()) {
    info.set_sandbox_error(
        SandboxTrouble(backend.display_name, cli->sandbox_error));
  }
  const auto logged_in = backend.LooksLoggedIn(environment);
  if (logged_in) info.set_logged_in(*logged_in);
  if (logged_in == false) info.set_hint(std::string(backend.login_hint));
  return info;
}

// Looks for the CLIs on this machine as a task with `environment` would. Blocks
// while a CLI is asked for its version.
v1::ListHarnessesResponse FindHarnesses(const Environment& environment,
                                        const std::string& version_cache) {
  v1::ListHarnessesResponse response;
  for (const Backend* backend : AllBackends()) {
    *response.add_harnesses() = Describe(*backend, environment, version_cache);
  }
  return response;
}

Deferred FindHarnessesFor(const ApiTools& api, const Environment& environment) {
  return [&api, kept = ForAgents(environment)](ReplyCallback reply) mutable {
    api.pools->probe.RunFor<absl::StatusOr<Reply>>(
        [&api, kept = std::move(kept)] {
          return FindHarnesses(kept, api.home->version_cache());
        },
        std::move(reply));
  };
}

}  // namespace

absl::StatusOr<Deferred> ListHarnesses(const ApiTools& api, const Call&) {
  return FindHarnessesFor(api, api.policy->environment());
}

absl::StatusOr<Deferred> ProbeHarnesses(const ApiTools& api, const Call& call) {
  v1::ProbeHarnessesRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  RETURN_IF_ERROR(CheckVariables(body.env()));
  const Caller caller = api.policy->CallerOf(call.request());
  RETURN_IF_ERROR(api.policy->LimitsOf(caller).status());
  ASSIGN_OR_RETURN(const Environment environment,
                   api.policy->EnvironmentFor(caller, body.env()));
  return FindHarnessesFor(api, environment);
}

}  // namespace troika
