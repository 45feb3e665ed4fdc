#include "base/startup_memory.h"

#include <link.h>
#include <malloc.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace troika {
namespace {

// Unmaps the pages of a segment that is never written to.
void UnmapSegment(uintptr_t start, uintptr_t size) {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = (start + page - 1) / page * page;
  const uintptr_t end = (start + size) / page * page;
  if (first >= end) return;
  // A failure costs nothing but the memory.
  (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

// Called for the program itself, which is the only object of a static one.
int UnmapObject(dl_phdr_info* info, size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0) {
      UnmapSegment(info->dlpi_addr + segment.p_vaddr, segment.p_memsz);
    }
  }
  return 0;
}

}  // namespace

void ReleaseStartupMemory() {
  const bool is_static = getauxval(AT_BASE) == 0;  // No dynamic linker.
  if (is_static) dl_iterate_phdr(UnmapObject, nullptr);
  malloc_trim(0);
}

}  // namespace troika
