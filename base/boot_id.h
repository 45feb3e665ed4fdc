#ifndef TROIKA_BASE_BOOT_ID_H_
#define TROIKA_BASE_BOOT_ID_H_

#include <string>

namespace troika {

// Identifies the current boot of this machine; empty if the kernel does not
// tell. Thread-safe.
const std::string& BootId();

}  // namespace troika

#endif  // TROIKA_BASE_BOOT_ID_H_
