// Small things about texts.
#ifndef TROIKA_SERVER_TEXT_H_
#define TROIKA_SERVER_TEXT_H_

#include <cstddef>
#include <string>

namespace troika {

// No longer than that, and not within a character.
void CutText(size_t max_bytes, std::string* text);

}  // namespace troika

#endif  // TROIKA_SERVER_TEXT_H_
