// Runs a CLI that plays a script instead of asking a model (docs/testing.md).
#ifndef TROIKA_TESTING_FAKE_FAKE_CLI_H_
#define TROIKA_TESTING_FAKE_FAKE_CLI_H_

#include "absl/strings/string_view.h"
#include "agent/harness.h"

namespace troika::fake {

// Implements the program's main().
int FakeCliMain(Harness harness, int argc, char** argv);
// Like FakeCliMain, but with a given script.
int PlayCliMain(Harness harness, absl::string_view script, int argc,
                char** argv);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_FAKE_CLI_H_
