#include "server/uploads.h"

#include <sys/stat.h>
#include <utime.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "relay/testing.h"

namespace troika {
namespace {

const std::string kPng = std::string("\x89PNG\r\n\x1a\n", 8) + "rest";

class UploadsTest : public testing::Test {
 protected:
  const TempFolder folder_;
  const Uploads uploads_{folder_.path() + "/uploads"};
};

TEST_F(UploadsTest, ImagesAreTheOwnersAlone) {
  const auto upload = uploads_.Add(kPng, "image/png", absl::Now());
  ASSERT_TRUE(upload.ok()) << upload.status();
  EXPECT_TRUE(absl::StartsWith(upload->path(), folder_.path() + "/uploads/"));
  EXPECT_TRUE(absl::EndsWith(upload->path(), ".png"));
  EXPECT_EQ(upload->size(), static_cast<int64_t>(kPng.size()));
  struct stat info = {};
  ASSERT_EQ(stat(upload->path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(stat((folder_.path() + "/uploads").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(UploadsTest, TheFirstBytesMustSayTheSameAsTheType) {
  const absl::Time now = absl::Now();
  EXPECT_TRUE(uploads_.Add("\xff\xd8\xff\xe0", "image/jpeg", now).ok());
  EXPECT_TRUE(uploads_.Add("GIF89a", "image/gif", now).ok());
  EXPECT_TRUE(uploads_.Add("RIFF1234WEBPVP8 ", "image/webp", now).ok());
  for (const auto& [bytes, type] :
       {std::pair<std::string, std::string>{kPng, "image/jpeg"},
        {"<svg/>", "image/svg+xml"},
        {"<script>", "image/png"},
        {"", "image/png"},
        {"RIFF1234WAVE", "image/webp"},
        {"RIFF", "image/webp"},
        {kPng, "text/html"}}) {
    EXPECT_EQ(uploads_.Add(bytes, type, now).status().code(),
              absl::StatusCode::kInvalidArgument)
        << type;
  }
  EXPECT_EQ(
      uploads_
          .Add(kPng + std::string(Uploads::kMaxBytes, 'x'), "image/png", now)
          .status()
          .code(),
      absl::StatusCode::kInvalidArgument);
}

TEST_F(UploadsTest, OldOnesAreRemoved) {
  const auto old = uploads_.Add(kPng, "image/png", absl::Now());
  ASSERT_TRUE(old.ok());
  const absl::Time now = absl::Now() + Uploads::kLife + absl::Hours(1);
  ASSERT_TRUE(uploads_.Add(kPng, "image/png", now).ok());
  struct stat info = {};
  EXPECT_NE(stat(old->path().c_str(), &info), 0);
}

}  // namespace
}  // namespace troika
