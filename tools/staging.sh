# shellcheck shell=bash
# Lays out the installed files; sourced from the root after tools/common.sh.

version() { sed -n 's/.*kVersion = "\(.*\)".*/\1/p' base/version.h; }

# unit_folder PREFIX: where systemd looks for a user's units of that prefix.
unit_folder() {
  case $1 in
    "$HOME"/*) echo share/systemd/user ;;
    *) echo lib/systemd/user ;;
  esac
}

# put MODE FILE TARGET: replaces the target at once, also while it runs.
put() {
  mkdir -p "$(dirname "$3")"
  install -m "$1" "$2" "$3.new"
  mv -f "$3.new" "$3"
}

# stage ROOT PREFIX: puts all files below ROOT/PREFIX and prints their paths
# below PREFIX. ROOT is empty for an installation on this machine.
stage() {
  local root=$1 prefix=$2 made file
  made=$(mktemp -d)
  python3 tools/help_pages.py docs/cli.md "$(version)" "$made"
  gzip -9n "$made"/man1/*.1
  sed "s|@bin@|$prefix/bin|" tools/troika.service >"$made/troika.service"
  stage_one() {
    put "$1" "$2" "$root$prefix/$3" && echo "$3"
  }
  stage_one 755 bazel-bin/server/troika-server libexec/troika/troika-server
  stage_one 755 bazel-bin/relay/troika-relay libexec/troika/troika-relay
  stage_one 755 bazel-bin/cli/troika bin/troika
  for file in "$made"/man1/*.gz; do
    stage_one 644 "$file" "share/man/man1/${file##*/}"
  done
  stage_one 644 "$made/troika.bash" share/bash-completion/completions/troika
  stage_one 644 "$made/troika.zsh" share/zsh/site-functions/_troika
  stage_one 644 "$made/troika.fish" share/fish/vendor_completions.d/troika.fish
  stage_one 644 "$made/troika.service" "$(unit_folder "$prefix")/troika.service"
  stage_one 644 LICENSE share/doc/troika/copyright
  rm -rf "$made"
}
