#include "cli/dashboard/terminfo.h"

#include <ncurses.h>
#include <term.h>

namespace troika::cli {

bool KnowsTerminal(int fd) {
  int error = 0;
  if (setupterm(nullptr, fd, &error) != OK) return false;
  del_curterm(cur_term);
  return true;
}

}  // namespace troika::cli
