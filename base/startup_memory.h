// Gives memory back that only the start of a program needed.
#ifndef TROIKA_BASE_STARTUP_MEMORY_H_
#define TROIKA_BASE_STARTUP_MEMORY_H_

namespace troika {

// Unmaps the pages of the program's code and constants, and returns free heap
// pages to the system. Code that runs again is mapped again from the page cache
// by a minor fault for each 64 KiB. Does nothing in a program that is not
// linked statically.
void ReleaseStartupMemory();

}  // namespace troika

#endif  // TROIKA_BASE_STARTUP_MEMORY_H_
