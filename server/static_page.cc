#include "server/static_page.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "http/uri.h"

namespace troika {
namespace {

constexpr absl::string_view kIndex = "/index.html";
constexpr absl::string_view kViews[] = {"new", "compare", "usage", "settings"};
// Names of files here have a hash of their content.
constexpr absl::string_view kHashed = "/assets/";

// No script or style but our own files, no request to anybody else, and no
// other page around this one.
constexpr absl::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' "
    "data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
    "'none'";

bool IsView(const std::vector<std::string>& segments) {
  if (segments.empty()) return true;
  if (segments[0] == "tasks") return segments.size() == 2;
  if (segments.size() > 1) return false;
  for (const absl::string_view view : kViews) {
    if (segments[0] == view) return true;
  }
  return false;
}

bool AcceptsGzip(const http::Request& request) {
  for (const absl::string_view one :
       absl::StrSplit(request.Header("accept-encoding"), ',')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(one, ';');
    if (!absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(parts[0]), "gzip")) {
      continue;
    }
    if (parts.size() == 1) return true;
    const absl::string_view weight = absl::StripAsciiWhitespace(parts[1]);
    return !absl::StartsWith(weight, "q=0") ||
           weight.find_first_of("123456789") != absl::string_view::npos;
  }
  return false;
}

bool HasTag(const http::Request& request, absl::string_view tag) {
  for (absl::string_view one :
       absl::StrSplit(request.Header("if-none-match"), ',')) {
    one = absl::StripAsciiWhitespace(one);
    absl::ConsumePrefix(&one, "W/");
    if (one == tag || one == "*") return true;
  }
  return false;
}

}  // namespace

const PageFile* FindPageFile(absl::Span<const PageFile> files,
                             absl::string_view path) {
  const auto segments = http::SplitPath(path);
  if (!segments) return nullptr;
  if (IsView(*segments)) path = kIndex;
  for (const PageFile& file : files) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

PageMatch MatchPage(absl::Span<const PageFile> files,
                    const http::Request& request) {
  if (const PageFile* const file = FindPageFile(files, request.path)) {
    return {.file = file};
  }
  const bool is_visit =
      absl::StrContains(request.Header("accept"), "text/html") &&
      !absl::StartsWith(request.path, "/api/") &&
      !absl::StartsWith(request.path, kHashed);
  if (!is_visit) return {};
  return {.file = FindPageFile(files, kIndex), .status = 404};
}

http::Response PageResponse(const PageMatch& match,
                            const http::Request& request) {
  const PageFile& file = *match.file;
  const bool compressed = !file.gzip.empty() && AcceptsGzip(request);
  const std::string tag =
      absl::StrCat("\"", file.hash, compressed ? "-gzip" : "", "\"");
  http::Response response = {.status = match.status,
                             .content_type = std::string(file.content_type)};
  response.headers = {
      {"ETag", tag},
      {"Vary", "Accept-Encoding"},
      {"Cache-Control", absl::StartsWith(file.path, kHashed)
                            ? "public, max-age=31536000, immutable"
                            : "no-cache"},
      {"Content-Security-Policy", std::string(kPolicy)},
      {"Referrer-Policy", "no-referrer"},
      {"X-Frame-Options", "DENY"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"}};
  if (match.status == 200 && HasTag(request, tag)) {
    response.status = 304;
    return response;
  }
  if (compressed) response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = std::string(compressed ? file.gzip : file.bytes);
  return response;
}

}  // namespace troika
