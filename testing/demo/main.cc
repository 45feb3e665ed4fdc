#include "agent/harness.h"
#include "testing/demo/script.h"
#include "testing/fake/fake_cli.h"

int main(int argc, char** argv) {
  return troika::fake::PlayCliMain(troika::Harness::kClaude,
                                   troika::demo::kScript, argc, argv);
}
