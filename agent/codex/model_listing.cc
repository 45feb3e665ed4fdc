#include "agent/codex/model_listing.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "agent/codex/app_server_record.h"
#include "base/json.h"
#include "rpc/message.h"

namespace troika::codex {
namespace {

constexpr auto kOmitted = rpc::VersionMember::kOmitted;
constexpr absl::string_view kId = "troika-models";

absl::StatusOr<std::vector<std::string>> ReadReply(absl::string_view line) {
  json::Parser parser;
  const absl::StatusOr<json::Value> value = parser.Parse(line);
  if (!value.ok()) return value.status();
  const rpc::Message reply = rpc::Parse(*value);
  if (reply.kind == rpc::Kind::kError) {
    return absl::FailedPreconditionError(
        absl::StrCat("Codex refused model/list: ", reply.error.message));
  }
  std::vector<std::string> models = ReadModels(reply.result);
  if (models.empty()) {
    return absl::FailedPreconditionError("Codex listed no models");
  }
  return models;
}

}  // namespace

const ModelListing& Models() {
  static const auto* const kListing = new ModelListing{
      .first = {0, 63, 0},
      .args = {"app-server"},
      .input =
          absl::StrCat(rpc::RequestLine(rpc::Id::FromInt(1), "initialize",
                                        kInitializeParams, kOmitted),
                       rpc::NotificationLine("initialized", "", kOmitted),
                       rpc::RequestLine(rpc::Id::FromString(kId), kModelList,
                                        kModelListParams, kOmitted)),
      .reply_mark = kId,
      .ReadReply = ReadReply,
  };
  return *kListing;
}

}  // namespace troika::codex
