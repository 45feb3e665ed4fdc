// The database of terminals. Apart, because <term.h> defines macros such as
// `columns` and `lines`.
#ifndef TROIKA_CLI_DASHBOARD_TERMINFO_H_
#define TROIKA_CLI_DASHBOARD_TERMINFO_H_

namespace troika::cli {

// Whether the database has the terminal that TERM names. Without it, newterm()
// of ncurses fails and leaks memory.
bool KnowsTerminal(int fd);

}  // namespace troika::cli

#endif  // TROIKA_CLI_DASHBOARD_TERMINFO_H_
