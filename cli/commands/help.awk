# Makes a header of docs/cli.md: the text block of each "## troika NAME" becomes
# kNAMEHelp.
BEGIN { print "#pragma once\n#include \"absl/strings/string_view.h\"\n\nnamespace troika::cli {" }
/^## troika / { name = toupper(substr($3, 1, 1)) substr($3, 2) }
/^```$/ { if (inside) print ")HELP\";"; inside = 0 }
inside { print }
/^```text$/ {
  printf "inline constexpr absl::string_view k%sHelp = R\"HELP(", name
  inside = 1
}
END { print "}  // namespace troika::cli" }
