#include "agent/discovery/models.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "agent/discovery/version_cache.h"
#include "agent/launch/version.h"
#include "base/status_macros.h"

namespace troika {

absl::StatusOr<std::vector<std::string>> ListModels(
    const Backend& backend, const Cli& cli, const Environment& env,
    const ListModelsOptions& options) {
  if (!cli.models.empty()) return cli.models;
  const ModelListing* const listing = backend.model_listing;
  if (listing == nullptr || ParseVersion(cli.version) < listing->first) {
    return absl::UnimplementedError(absl::StrCat(
        backend.display_name, " ", cli.version, " can't list its models"));
  }
  ASSIGN_OR_RETURN(const FileIdentity identity, IdentityOf(cli.path));
  VersionCache cache(HasOtherNames(cli.path) ? "" : options.cache_path);
  std::optional<CliFacts> facts = cache.Find(identity);
  if (facts && !facts->models.empty()) return facts->models;
  Command command = {.argv = {cli.path},
                     .env = env,
                     .deadline = options.deadline,
                     .input = listing->input,
                     .last_line_has = std::string(listing->reply_mark)};
  for (const absl::string_view arg : listing->args) {
    command.argv.emplace_back(arg);
  }
  ASSIGN_OR_RETURN(const std::string line, options.runner->Run(command));
  ASSIGN_OR_RETURN(std::vector<std::string> models, listing->ReadReply(line));
  // Another process may have learned something meanwhile.
  cache = VersionCache(HasOtherNames(cli.path) ? "" : options.cache_path);
  facts = cache.Find(identity);
  if (facts) {
    facts->models = models;
    cache.Add(identity, *facts);
  }
  return models;
}

}  // namespace troika
