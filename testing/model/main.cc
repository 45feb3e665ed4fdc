#include "testing/model/run.h"

int main(int argc, char** argv) {
  return troika::model::RunMain({argv + 1, argv + argc});
}
