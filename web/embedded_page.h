// The files of the page, as tools/page_files.py has put them into the program.
#ifndef TROIKA_WEB_EMBEDDED_PAGE_H_
#define TROIKA_WEB_EMBEDDED_PAGE_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace troika {

// All are constants of the program.
struct PageFile {
  absl::string_view path;  // Of its URL.
  absl::string_view content_type;
  absl::string_view hash;  // Of `bytes`.
  absl::string_view bytes;
  absl::string_view gzip;  // The same, compressed; empty if that is no smaller.
};

absl::Span<const PageFile> PageFiles();

// A hash of the sources. Empty if the page was not built from the sources that
// the program was built with: then the only file says so.
absl::string_view PageVersion();

}  // namespace troika

#endif  // TROIKA_WEB_EMBEDDED_PAGE_H_
