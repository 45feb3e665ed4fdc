// A program is not to be shipped with a page of other sources.
#include "gtest/gtest.h"
#include "web/embedded_page.h"

namespace troika {
namespace {

TEST(EmbeddedPageTest, IsBuiltFromTheseSources) {
  EXPECT_FALSE(PageVersion().empty())
      << "the page in web/page.tar is missing or of other sources: ./dev page";
  bool has_index = false;
  for (const PageFile& file : PageFiles()) {
    has_index = has_index || file.path == "/index.html";
    EXPECT_FALSE(file.hash.empty()) << file.path;
    EXPECT_NE(file.content_type, "application/octet-stream") << file.path;
  }
  EXPECT_TRUE(has_index);
}

}  // namespace
}  // namespace troika
