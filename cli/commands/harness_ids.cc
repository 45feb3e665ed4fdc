#include "cli/commands/harness_ids.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/registry.h"

namespace troika::cli {

std::string HarnessIds() {
  return absl::StrJoin(AllBackends(), ", ",
                       [](std::string* out, const Backend* backend) {
                         absl::StrAppend(out, HarnessId(backend->harness));
                       });
}

}  // namespace troika::cli
