// Events as lines for people: golden files and debugging.
//
//   3.1 toolUse id=item_2 name=Bash input={"command":"ls"}
//   4.0 toolResult toolUseId=item_2 output="a b\n" exitCode=0
//
// Fields at their default are left out.
#ifndef TROIKA_DTO_TEXT_H_
#define TROIKA_DTO_TEXT_H_

#include <string>

#include "agent/message.h"

namespace troika {

// Exactly one line, without its end. A string over 300 bytes is cut, and its
// length and hash stand for the rest.
std::string EventText(const Message& message);

}  // namespace troika

#endif  // TROIKA_DTO_TEXT_H_
