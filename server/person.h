// Names the person who makes a request, for the log.
#ifndef TROIKA_SERVER_PERSON_H_
#define TROIKA_SERVER_PERSON_H_

#include <string>

#include "http/message.h"

namespace troika {

struct Person {
  // Name of the user who connected to the Unix socket, or "token" for whoever
  // has the token.
  std::string user;
  // The program: what it calls itself, or else its process's name.
  std::string client;
};

// Reads small files of /proc and /etc.
Person PersonOf(const http::Request& request);

}  // namespace troika

#endif  // TROIKA_SERVER_PERSON_H_
