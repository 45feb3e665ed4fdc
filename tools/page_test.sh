#!/usr/bin/env bash
# page_test.sh [FLAG…]: the page's unit tests, then its end-to-end tests in
# Debian's chromium on the real server. The last line is "N passed, N failed, N
# skipped".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

help() {
  cat <<'TEXT'
./dev page-test [FLAG…]

Tests the page: units by Vitest, then everything in chromium on the real server,
with the demo agent, fakes, and Codex on a scripted model.

  --only WORD     only end-to-end tests whose name contains it, and no units
  --report FILE   passed, failed and skipped tests, as JSON
  --config NAME   how the programs are built (asan)
TEXT
}

# Pictures and measures are those of optimized programs, unless --config is given.
config='' only='' report='' run=run
while [[ $# -gt 0 ]]; do
  case $1 in
    --only | --report | --config)
      [[ $# -gt 1 ]] || die "page-test: $1 needs a value"
      printf -v "${1#--}" %s "$2"
      shift
      ;;
    --shots) run=shots ;;
    --bench) run=bench ;;
    -h | --help) help; exit ;;
    *) help >&2; die "page-test: no such flag: $1" ;;
  esac
  shift
done
if [[ -z $config ]]; then
  [[ $run == run ]] && config=asan || config=opt
fi
need "${TEST_PACKAGES[@]}" "${PAGE_TEST_PACKAGES[@]}"
tools/page.sh

build_programs "$config" \
  //cli:troika //server:troika-server //relay:troika-relay \
  //testing/demo:troika-demo-agent //testing/model:troika-model \
  //testing/fake:fake_codex //testing/fake:fake_claude \
  //testing/fake:fake_gemini

said=$(tools/clis packages testing/page)
{ read -r node && read -r packages; } <<<"$said"
CODEX_PROGRAM=$(tools/clis install codex | tail -n 1 | cut -d ' ' -f 3-)
export CODEX_PROGRAM
units=$(mktemp)
folder=$(mktemp -d)
trap 'rm -rf "$units" "$folder"' EXIT
cp testing/page/*.mjs "$folder"
ln -s "$packages" "$folder/node_modules"

if [[ $run == run && -z $only ]]; then
  say "unit tests of the page"
  (cd web && PATH="${node%/*}:$PATH" node_modules/.bin/vitest run \
    --reporter=default --reporter=json --outputFile.json="$units") >&2 || true
fi
if [[ $run == shots ]]; then
  export TROIKA_PAGE_SHOTS=$PWD/docs/images
  mkdir -p "$TROIKA_PAGE_SHOTS"
fi
say "the page in chromium"
code=0
"$node" "$folder/$run.mjs" --only "$only" --report "$report" \
  --units "$units" "${programs[@]}" || code=$?
if [[ $run == shots && $code -eq 0 ]]; then
  pngquant --force --ext .png 96 docs/images/*.png
fi
exit "$code"
