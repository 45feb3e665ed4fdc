#include "testing/fake/fake_cli.h"

int main(int argc, char** argv) {
  return troika::fake::FakeCliMain(troika::Harness::kClaude, argc, argv);
}
