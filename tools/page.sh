#!/usr/bin/env bash
# page.sh [--force]: builds the page into web/page.tar, unless it is that of the
# present sources. Brings Node 22 and the packages of web/package-lock.json.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

force=
case ${1:-} in
  "") ;;
  --force) force=1 ;;
  *) die "page takes nothing, or --force" ;;
esac
need "${PAGE_PACKAGES[@]}"
command -v npm >/dev/null || need npm

sources=$(python3 tools/page_files.py hash)
if [[ -z $force && $(python3 tools/page_files.py recorded) == "$sources" ]]; then
  exit 0
fi

say "building the page"
said=$(tools/clis packages web) || die "the page needs packages of npm (see" \
  "above): run this once where npm's registry can be reached"
{ read -r node && read -r packages; } <<<"$said"
# One's own node_modules stay.
if [[ ! -e web/node_modules || -L web/node_modules ]]; then
  ln -sfn "$packages" web/node_modules
fi
(
  cd web
  export PATH="${node%/*}:$PWD/node_modules/.bin:$PATH"
  node --run build
) >&2 || die "the page could not be built"
[[ $(python3 tools/page_files.py hash) == "$sources" ]] ||
  die "sources of the page have changed while it was built: try again"
python3 tools/page_files.py pack "$sources"
