#include "base/boot_id.h"

#include <fstream>

namespace troika {

const std::string& BootId() {
  static const auto* const kId = [] {
    auto* id = new std::string;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> *id;
    return id;
  }();
  return *kId;
}

}  // namespace troika
