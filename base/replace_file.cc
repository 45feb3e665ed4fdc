#include "base/replace_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "base/fd.h"
#include "base/write_whole.h"

namespace troika {

absl::Status ReplaceFile(const std::string& path, absl::string_view bytes) {
  std::string temporary = absl::StrCat(path, ".XXXXXX");
  const UniqueFd file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.ok()) {
    return absl::ErrnoToStatus(errno, absl::StrCat("create ", temporary));
  }
  absl::Status written = WriteWhole(file.get(), bytes, path);
  if (written.ok() && rename(temporary.c_str(), path.c_str()) != 0) {
    written = absl::ErrnoToStatus(errno, absl::StrCat("replace ", path));
  }
  if (!written.ok()) unlink(temporary.c_str());
  return written;
}

}  // namespace troika
