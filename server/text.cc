#include "server/text.h"

namespace troika {

void CutText(size_t max_bytes, std::string* text) {
  if (text->size() <= max_bytes) return;
  size_t end = max_bytes;
  while (end > 0 && ((*text)[end] & 0xC0) == 0x80) --end;
  text->resize(end);
}

}  // namespace troika
