// A CLI that plays a script instead of asking a model: docs/testing.md.
#ifndef TROIKA_TESTING_FAKE_FAKE_CLI_H_
#define TROIKA_TESTING_FAKE_FAKE_CLI_H_

#include "absl/strings/string_view.h"
#include "agent/harness.h"

namespace troika::fake {

// The whole program.
int FakeCliMain(Harness harness, int argc, char** argv);
// The same with a script of its own.
int PlayCliMain(Harness harness, absl::string_view script, int argc,
                char** argv);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_FAKE_CLI_H_
