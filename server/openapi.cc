// Describes the routes as an OpenAPI document.
#include <map>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/json_writer.h"
#include "base/version.h"
#include "dto/json_schema.h"
#include "dto/troika.pb.h"
#include "server/routes.h"

namespace troika {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using json::ObjectWriter;

std::string Array(const std::vector<std::string>& items) {
  return absl::StrCat("[", absl::StrJoin(items, ","), "]");
}

std::string Ref(const Descriptor& message) {
  return ObjectWriter()
      .String("$ref",
              absl::StrCat("#/components/schemas/", SchemaName(message)))
      .Take();
}

std::string Content(absl::string_view media_type, absl::string_view schema) {
  const std::string body = ObjectWriter().Json("schema", schema).Take();
  return ObjectWriter().Json(media_type, body).Take();
}

std::string Parameter(absl::string_view name, absl::string_view in,
                      absl::string_view schema) {
  ObjectWriter parameter;
  parameter.String("name", name).String("in", in);
  if (in == "path") parameter.Json("required", "true");
  return parameter.Json("schema", schema).Take();
}

std::vector<std::string> Parameters(const Route& route) {
  constexpr absl::string_view kText = "{\"type\":\"string\"}";
  std::vector<std::string> parameters;
  for (absl::string_view part : absl::StrSplit(route.path, '/')) {
    if (absl::ConsumePrefix(&part, "{") && absl::ConsumeSuffix(&part, "}")) {
      parameters.push_back(Parameter(part, "path", kText));
    }
  }
  for (const absl::string_view name : route.parameters) {
    parameters.push_back(Parameter(name, "query", kText));
  }
  if (route.query == nullptr) return parameters;
  const Descriptor& query = *route.query();
  for (int i = 0; i < query.field_count(); ++i) {
    const FieldDescriptor& field = *query.field(i);
    parameters.push_back(
        Parameter(field.name(), "query",
                  field.is_repeated()
                      ? "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
                      : kText));
  }
  return parameters;
}

std::string ReplyOf(const Route& route) {
  ObjectWriter reply;
  reply.String("description", route.summary);
  if (route.reply != nullptr) {
    std::string content =
        absl::StrCat("\"application/json\":",
                     ObjectWriter().Json("schema", Ref(*route.reply())).Take());
    if (route.media_type != "application/json") {
      absl::StrAppend(&content, ",\"", route.media_type,
                      "\":{\"schema\":{\"type\":\"string\"}}");
    }
    reply.Json("content", absl::StrCat("{", content, "}"));
  } else if (route.status != 204) {
    reply.Json("content",
               Content(route.media_type, route.media_type == "application/json"
                                             ? "{\"type\":\"object\"}"
                                             : "{\"type\":\"string\"}"));
  }
  return reply.Take();
}

// "GET /api/v1/tasks/{id}" is "get_tasks_id".
std::string OperationId(const Route& route) {
  std::string id = absl::AsciiStrToLower(route.method);
  for (const absl::string_view part :
       absl::StrSplit(route.path, absl::ByAnyChar("/{}."), absl::SkipEmpty())) {
    if (part != "api" && part != "v1") absl::StrAppend(&id, "_", part);
  }
  return id;
}

std::string Operation(const Route& route) {
  ObjectWriter operation;
  operation.String("operationId", OperationId(route))
      .String("summary", route.summary)
      .Json("parameters", Array(Parameters(route)));
  if (route.body != nullptr) {
    operation.Json(
        "requestBody",
        ObjectWriter()
            .Json("content", Content("application/json", Ref(*route.body())))
            .Take());
  }
  if (!route.body_types.empty()) {
    ObjectWriter content;
    for (const absl::string_view type : route.body_types) {
      content.Json(type, "{\"schema\":{\"type\":\"string\"}}");
    }
    operation.Json("requestBody",
                   ObjectWriter().Json("content", content.Take()).Take());
  }
  if (route.need == Access::Need::kNothing) operation.Json("security", "[]");
  const std::string error =
      ObjectWriter()
          .String("description", "An error, and what to do")
          .Json("content",
                Content("application/json", Ref(*v1::Error::descriptor())))
          .Take();
  operation.Json("responses",
                 ObjectWriter()
                     .Json(absl::StrCat(route.status), ReplyOf(route))
                     .Json("default", error)
                     .Take());
  return operation.Take();
}

std::string Paths() {
  std::vector<absl::string_view> order;
  std::map<absl::string_view, ObjectWriter> paths;
  for (const Route& route : Routes()) {
    if (paths.find(route.path) == paths.end()) order.push_back(route.path);
    paths[route.path].Json(absl::AsciiStrToLower(route.method),
                           Operation(route));
  }
  ObjectWriter all;
  for (const absl::string_view path : order) {
    all.Json(path, paths[path].Take());
  }
  return all.Take();
}

std::string Schemas() {
  std::set<const Descriptor*> roots = {v1::Error::descriptor()};
  for (const Route& route : Routes()) {
    for (const auto message : {route.body, route.query, route.reply}) {
      if (message != nullptr) roots.insert(message());
    }
  }
  const std::vector<const Descriptor*> list(roots.begin(), roots.end());
  return JsonSchemas(list);
}

}  // namespace

std::string OpenApiJson() {
  const std::string info = ObjectWriter()
                               .String("title", "Troika")
                               .String("version", kVersion)
                               .Take();
  constexpr absl::string_view kSecurity =
      R"({"token":{"type":"http","scheme":"bearer"},)"
      R"("key":{"type":"apiKey","in":"header","name":"X-Troika-Key"}})";
  return ObjectWriter()
      .String("openapi", "3.1.0")
      .Json("info", info)
      .Json("security", R"([{"token":[]},{"key":[]}])")
      .Json("paths", Paths())
      .Json("components", ObjectWriter()
                              .Json("schemas", Schemas())
                              .Json("securitySchemes", kSecurity)
                              .Take())
      .Take();
}

}  // namespace troika
