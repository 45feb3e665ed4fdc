#include "mcp/protocol.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/utf8.h"

namespace troika::mcp {
namespace {

constexpr absl::string_view kVersions[] = {"2025-11-25", "2025-06-18",
                                           "2025-03-26", "2024-11-05"};
constexpr absl::string_view kMetaVersion =
    "io.modelcontextprotocol/protocolVersion";
constexpr absl::string_view kMetaCapabilities =
    "io.modelcontextprotocol/clientCapabilities";
constexpr absl::string_view kMetaClientInfo =
    "io.modelcontextprotocol/clientInfo";
constexpr absl::string_view kMetaServerInfo =
    "io.modelcontextprotocol/serverInfo";
constexpr absl::string_view kTasks = "io.modelcontextprotocol/tasks";
constexpr size_t kMaxName = 100;

std::string Quoted(absl::string_view text) {
  std::string json;
  json::AppendQuoted(text, &json);
  return json;
}

std::string NameOf(json::Value info) {
  return std::string(CutAtCharacter(info.Get("name").StringOr(""), kMaxName));
}

// A client that can show forms says so with `form`, or, before there were other
// kinds, with nothing.
bool CanShowForms(json::Value capabilities) {
  const json::Value elicitation = capabilities.Get("elicitation");
  if (!elicitation.IsObject()) return false;
  return elicitation.Get("form").exists() || !elicitation.Get("url").exists();
}

Fault Refused(int64_t code, std::string message) {
  return {.error = {.code = code, .message = std::move(message)},
          .http_status = 400};
}

std::string ServerInfoJson(const ServerInfo& server) {
  return json::ObjectWriter()
      .String("name", "troika")
      .String("title", "Troika")
      .String("version", server.version)
      .Take();
}

// The member of the parameters that Mcp-Name repeats.
absl::string_view NamedMember(absl::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  if (method == "tasks/get" || method == "tasks/update" ||
      method == "tasks/cancel") {
    return "taskId";
  }
  return "";
}

// A value that a header can't hold comes as "=?base64?…?=".
std::optional<std::string> DecodeHeader(absl::string_view value) {
  if (!absl::ConsumePrefix(&value, "=?base64?")) return std::string(value);
  std::string text;
  if (!absl::ConsumeSuffix(&value, "?=") ||
      !absl::Base64Unescape(value, &text)) {
    return std::nullopt;
  }
  return text;
}

Fault Mismatch(absl::string_view header, absl::string_view problem) {
  return Refused(kHeaderMismatch,
                 absl::StrCat("Header mismatch: ", header, " ", problem));
}

}  // namespace

absl::Span<const absl::string_view> SessionVersions() { return kVersions; }

bool IsSessionVersion(absl::string_view version) {
  return std::find(std::begin(kVersions), std::end(kVersions), version) !=
         std::end(kVersions);
}

std::optional<Fault> ReadClient(const rpc::Message& message, Client* client) {
  const json::Value meta = message.params.Get("_meta");
  const json::Value version = meta.Get(kMetaVersion);
  if (!version.exists()) return std::nullopt;
  if (!version.IsString()) {
    return Refused(rpc::kInvalidParams,
                   absl::StrCat("_meta: ", kMetaVersion, " is not a string"));
  }
  if (version.StringOr("") != kStatelessVersion) {
    Fault fault = Refused(
        kUnsupportedVersion,
        absl::StrCat("Unsupported protocol version: requests with _meta are "
                     "taken for ",
                     kStatelessVersion, "; for older ones send initialize"));
    fault.error.data_json =
        json::ObjectWriter()
            .Json("supported", absl::StrCat("[\"", kStatelessVersion, "\"]"))
            .Value("requested", version)
            .Take();
    return fault;
  }
  const json::Value capabilities = meta.Get(kMetaCapabilities);
  // A notification gets no reply, so it needs to declare nothing.
  if (!capabilities.IsObject() && message.kind == rpc::Kind::kRequest) {
    return Refused(
        rpc::kInvalidParams,
        absl::StrCat("_meta: ", kMetaCapabilities, " is missing or no object"));
  }
  const json::Value info = meta.Get(kMetaClientInfo);
  if (info.exists() && !info.IsObject()) {
    return Refused(rpc::kInvalidParams,
                   absl::StrCat("_meta: ", kMetaClientInfo, " is no object"));
  }
  *client = {.generation = Generation::kStateless,
             .version = std::string(kStatelessVersion),
             .name = NameOf(info),
             .elicitation = CanShowForms(capabilities),
             .tasks = capabilities.Get("extensions").Get(kTasks).IsObject()};
  return std::nullopt;
}

Client ReadInitialize(json::Value params) {
  const absl::string_view asked = params.Get("protocolVersion").StringOr("");
  return {
      .generation = Generation::kSession,
      .version = std::string(IsSessionVersion(asked) ? asked : kVersions[0]),
      .name = NameOf(params.Get("clientInfo")),
      .elicitation = CanShowForms(params.Get("capabilities"))};
}

std::optional<Fault> CheckVersionHeader(const rpc::Message& message,
                                        absl::string_view version) {
  const auto named = message.params.Get("_meta").Get(kMetaVersion).String();
  if (!named || version.empty() || *named == version) return std::nullopt;
  return Mismatch("MCP-Protocol-Version", "differs from _meta");
}

std::optional<Fault> CheckHeaders(const rpc::Message& message,
                                  const Client& client,
                                  const MirrorHeaders& headers) {
  const bool is_request = message.kind == rpc::Kind::kRequest;
  if (client.generation == Generation::kSession) {
    if (headers.version == kStatelessVersion && is_request &&
        message.method != "initialize") {
      return Refused(rpc::kInvalidParams,
                     absl::StrCat("params._meta lacks ", kMetaVersion, " and ",
                                  kMetaCapabilities));
    }
    if (headers.version.empty() || IsSessionVersion(headers.version) ||
        headers.version == kStatelessVersion) {
      return std::nullopt;
    }
    return Refused(
        rpc::kInvalidRequest,
        absl::StrCat("MCP-Protocol-Version: the versions are ",
                     kStatelessVersion, ", ", absl::StrJoin(kVersions, ", ")));
  }
  if (!is_request && headers.version.empty() && headers.method.empty()) {
    return std::nullopt;
  }
  if (headers.version.empty()) {
    return Mismatch("MCP-Protocol-Version", "is missing");
  }
  if (headers.method.empty()) return Mismatch("Mcp-Method", "is missing");
  if (headers.method != message.method) {
    return Mismatch("Mcp-Method", "differs from the method");
  }
  const absl::string_view member = NamedMember(message.method);
  const auto named = message.params.Get(member).String();
  if (member.empty() || !named) return std::nullopt;
  if (headers.name.empty()) return Mismatch("Mcp-Name", "is missing");
  if (DecodeHeader(headers.name) != std::string(*named)) {
    return Mismatch("Mcp-Name", absl::StrCat("differs from params.", member));
  }
  return std::nullopt;
}

std::string ProgressToken(const rpc::Message& message) {
  const json::Value token = message.params.Get("_meta").Get("progressToken");
  return token.IsString() || token.Double() ? token.ToJson() : "";
}

std::string ProgressLine(absl::string_view token, int64_t progress,
                         absl::string_view text) {
  return rpc::NotificationLine("notifications/progress",
                               json::ObjectWriter()
                                   .Json("progressToken", token)
                                   .Json("progress", absl::StrCat(progress))
                                   .String("message", text)
                                   .Take());
}

json::ObjectWriter BeginResult(const Client& client) {
  json::ObjectWriter result;
  if (client.generation == Generation::kStateless) {
    result.String("resultType", "complete");
  }
  return result;
}

void AddCaching(const Client& client, json::ObjectWriter* result) {
  if (client.generation != Generation::kStateless) return;
  result->Json("ttlMs", "0").String("cacheScope", "private");
}

std::string InitializeResult(const Client& client, const ServerInfo& server) {
  return json::ObjectWriter()
      .String("protocolVersion", client.version)
      .Json("capabilities", R"({"tools":{"listChanged":false},"resources":{}})")
      .Json("serverInfo", ServerInfoJson(server))
      .String("instructions", server.instructions)
      .Take();
}

std::string DiscoverResult(const ServerInfo& server) {
  std::vector<std::string> versions = {Quoted(kStatelessVersion)};
  for (const absl::string_view version : kVersions) {
    versions.push_back(Quoted(version));
  }
  return json::ObjectWriter()
      .String("resultType", "complete")
      .Json("supportedVersions",
            absl::StrCat("[", absl::StrJoin(versions, ","), "]"))
      .Json(
          "capabilities",
          absl::StrCat(R"({"tools":{"listChanged":true},)",
                       R"("resources":{"listChanged":true,"subscribe":true},)",
                       R"("extensions":{")", kTasks, R"(":{}}})"))
      .String("instructions", server.instructions)
      .Json("ttlMs", "0")
      .String("cacheScope", "private")
      .Json("_meta", json::ObjectWriter()
                         .Json(kMetaServerInfo, ServerInfoJson(server))
                         .Take())
      .Take();
}

}  // namespace troika::mcp
