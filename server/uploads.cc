#include "server/uploads.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/fd.h"
#include "base/random_text.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/write_whole.h"
#include "dto/proto_fields.h"

namespace troika {
namespace {

namespace fs = std::filesystem;

struct ImageType {
  absl::string_view media_type;
  absl::string_view extension;
  absl::string_view start;  // The first bytes of every such file.
  absl::string_view later;  // The bytes from the ninth on, or nothing.
};

constexpr ImageType kTypes[] = {
    {"image/png", ".png", "\x89PNG\r\n\x1a\n", ""},
    {"image/jpeg", ".jpg", "\xff\xd8\xff", ""},
    {"image/gif", ".gif", "GIF8", ""},
    {"image/webp", ".webp", "RIFF", "WEBP"},
};

const ImageType* /*nullable*/ FindType(absl::string_view media_type) {
  for (const ImageType& type : kTypes) {
    if (type.media_type == media_type) return &type;
  }
  return nullptr;
}

bool IsOfType(absl::string_view bytes, const ImageType& type) {
  return absl::StartsWith(bytes, type.start) &&
         (type.later.empty() ||
          (bytes.size() > 8 && absl::StartsWith(bytes.substr(8), type.later)));
}

}  // namespace

bool IsImageType(absl::string_view media_type) {
  return FindType(media_type) != nullptr;
}

Uploads::Sum Uploads::Count() const {
  Sum sum;
  std::error_code error;
  for (const fs::directory_entry& file :
       fs::directory_iterator(folder_, error)) {
    std::error_code gone;
    const auto size = file.file_size(gone);
    if (!gone) sum.bytes += static_cast<int64_t>(size);
    ++sum.files;
  }
  return sum;
}

absl::StatusOr<v1::Upload> Uploads::Add(absl::string_view bytes,
                                        absl::string_view media_type,
                                        absl::Time now) const {
  const ImageType* const type = FindType(media_type);
  if (type == nullptr || !IsOfType(bytes, *type)) {
    return absl::InvalidArgumentError(
        "this is no image of that type: send image/png, image/jpeg, image/gif "
        "or image/webp");
  }
  if (bytes.size() > kMaxBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the image is larger than ", ByteLimitText(kMaxBytes), ": scale it"));
  }
  if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) {
    return absl::ErrnoToStatus(errno, "make the folder of uploads");
  }
  RemoveExpired(now);
  const Sum sum = Count();
  if (sum.bytes + static_cast<int64_t>(bytes.size()) > kMaxAllBytes ||
      sum.files >= kMaxFiles) {
    return absl::ResourceExhaustedError(
        "there is no more room for uploaded images: remove old ones from "
        "uploads in the state folder");
  }
  const std::string path =
      absl::StrCat(folder_, "/", RandomText(16), type->extension);
  const UniqueFd file(open(path.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                           0600));
  if (!file.ok()) return absl::ErrnoToStatus(errno, "make an upload");
  const absl::Status written = WriteWhole(file.get(), bytes, "an upload");
  if (!written.ok()) {
    unlink(path.c_str());
    return written;
  }
  v1::Upload upload;
  upload.set_path(path);
  upload.set_media_type(std::string(media_type));
  upload.set_size(static_cast<int64_t>(bytes.size()));
  *upload.mutable_expires_at() = ToProto(now + kLife);
  return upload;
}

void Uploads::RemoveExpired(absl::Time now) const {
  std::error_code error;
  for (const fs::directory_entry& file :
       fs::directory_iterator(folder_, error)) {
    struct stat info = {};
    if (lstat(file.path().c_str(), &info) != 0) continue;
    if (absl::FromTimeT(info.st_mtime) + kLife < now) {
      unlink(file.path().c_str());
    }
  }
}

}  // namespace troika
