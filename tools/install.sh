#!/usr/bin/env bash
# install.sh install|uninstall [--prefix DIR]: puts the optimized programs, man
# pages, completions and the systemd user unit below DIR (default ~/.local), or
# removes them. DIR/share/troika/files lists what was installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh
source tools/staging.sh

verb=$1
shift
prefix=$HOME/.local
while [[ $# -gt 0 ]]; do
  case $1 in
    --prefix) prefix=${2:?--prefix needs a folder} && shift 2 ;;
    --prefix=*) prefix=${1#*=} && shift ;;
    *) die "$verb takes --prefix DIR, not $1" ;;
  esac
done
mkdir -p "$prefix" || die "$prefix can't be made: choose another --prefix"
prefix=$(cd "$prefix" && pwd)
list=$prefix/share/troika/files

# Only files of an earlier installation, and folders that are empty then.
remove_files() {
  local file
  while IFS= read -r file; do
    [[ $file != /* && $file != *..* ]] || continue
    rm -f "$prefix/$file"
    rmdir -p --ignore-fail-on-non-empty "$prefix/$(dirname "$file")" \
      2>/dev/null || true
  done
}

case $verb in
  install)
    ./dev build
    mkdir -p "$(dirname "$list")"
    stage "" "$prefix" >"$list.new"
    # Files that an older version had, and this one has no more.
    if [[ -e $list ]]; then
      grep -vxFf "$list.new" "$list" | remove_files || true
    fi
    mv "$list.new" "$list"
    say "installed troika $(version) in $prefix/bin"
    case :$PATH: in
      *:"$prefix/bin":*) ;;
      *) say "add it to your PATH: export PATH=$prefix/bin:\$PATH" ;;
    esac
    say "a server that runs keeps its old program until it is restarted;" \
      "the agents go on, and the new one takes them over"
    ;;
  uninstall)
    [[ -e $list ]] || die "there is no installation in $prefix: no $list"
    remove_files <"$list"
    rm -f "$list"
    rmdir --ignore-fail-on-non-empty "$(dirname "$list")"
    say "removed troika from $prefix; your tasks stay in" \
      "${TROIKA_HOME:-~/.local/state/troika}"
    ;;
esac
