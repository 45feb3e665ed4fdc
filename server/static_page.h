// Serves the page that is embedded in this program (docs/security.md).
#ifndef TROIKA_SERVER_STATIC_PAGE_H_
#define TROIKA_SERVER_STATIC_PAGE_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "http/message.h"
#include "web/embedded_page.h"

namespace troika {

// The file at that path of a URL, or null. Paths that the page itself knows
// (/, /tasks/ID, …) are its index.html.
const PageFile* /*nullable*/ FindPageFile(absl::Span<const PageFile> files,
                                          absl::string_view path);

// What a request gets of the page.
struct PageMatch {
  const PageFile* /*nullable*/ file = nullptr;
  int status = 200;
};

// The file that a GET is for, by its path. A browser that visits a path that
// nothing has gets the index with status 404, and the page says so.
PageMatch MatchPage(absl::Span<const PageFile> files,
                    const http::Request& request);

// The reply to a GET of the file: 304 if the client has it already.
http::Response PageResponse(const PageMatch& match,
                            const http::Request& request);

}  // namespace troika

#endif  // TROIKA_SERVER_STATIC_PAGE_H_
