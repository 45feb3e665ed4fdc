// Reads files of frozen bytes, for tests.
#ifndef TROIKA_RELAY_FROZEN_BYTES_TESTING_H_
#define TROIKA_RELAY_FROZEN_BYTES_TESTING_H_

#include <fstream>
#include <map>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"

namespace troika::relay {

// Reads the named byte strings of a file: a name on a line of its own, then
// lines of hexadecimal bytes that begin with a space. Lines with a '#' are
// comments.
inline std::map<std::string, std::string> FrozenBytes(const std::string& path) {
  std::map<std::string, std::string> found;
  std::ifstream file(path);
  std::string name;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] != ' ') {
      name = line;
    } else {
      found[name] +=
          absl::HexStringToBytes(absl::StrReplaceAll(line, {{" ", ""}}));
    }
  }
  return found;
}

}  // namespace troika::relay

#endif  // TROIKA_RELAY_FROZEN_BYTES_TESTING_H_
