#!/usr/bin/env bash
# conformance.sh [FLAG…] [HARNESS[@VERSION]…]: runs the real CLIs through Troika
# against a scripted model; by default all versions of tools/clis.lock and the
# newest ones. The last line is "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

help() {
  cat <<'TEXT'
./dev conformance [FLAG…] [HARNESS[@VERSION]…]

Runs the real CLIs through Troika against a scripted model, and compares what
works with docs/compatibility.md. Without names: all versions of tools/clis.lock
and the newest ones of npm, which takes about 15 minutes.

  --update        write docs/compatibility.md instead of comparing with it
  --only WORD     only scenarios whose name holds it
  --jobs N        how many at once (3)
  --keep          leave all folders of the run, and say where
  --record DIR    keep the agents' streams there, as files for testdata/
  --report FILE   passed, failed and skipped scenarios, as JSON
  --config NAME   how the programs are built (opt)

With TROIKA_E2E=1, start, follow-up, interrupt and list run on your own account,
too, with the CLIs on your PATH.
TEXT
}

config=opt flags=() names=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --update | --keep) flags+=("$1") ;;
    --only | --jobs | --report | --record)
      [[ $# -gt 1 ]] || die "conformance: $1 needs a value"
      flags+=("$1" "$2")
      shift
      ;;
    --config)
      [[ $# -gt 1 ]] || die "conformance: $1 needs a value"
      config=$2
      shift
      ;;
    -h | --help) help; exit ;;
    -*) help >&2; die "conformance: no such flag: $1" ;;
    *) names+=("$1") ;;
  esac
  shift
done
[[ ${#names[@]} -gt 0 ]] || names=(all codex@newest claude@newest gemini@newest)
need "${TEST_PACKAGES[@]}"

build_programs "$config" \
  //cli:troika //server:troika-server //relay:troika-relay \
  //testing/model:troika-model \
  //testing/fake:fake_codex //testing/fake:fake_gemini

say "fetching the CLIs: ${names[*]}"
# A CLI that can't be installed counts as a failure; the others still run.
clis=
for name in "${names[@]}"; do
  lines=$(tools/clis install "$name") || flags+=(--missing "$name")
  clis+=$lines$'\n'
done
say "running the scenarios"
exec python3 testing/conformance/main.py --table docs/compatibility.md \
  "${flags[@]}" "${programs[@]}" \
  < <(sort -u <<<"$clis" | sed '/^$/d')
