#!/usr/bin/env bash
# bench.sh NAME [--json …]: builds an optimized benchmark and runs it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

name=${1:-}
[[ $# -eq 0 ]] || shift
case $name in
  parse) rival=(bench/node_baseline.js) ;;
  relay) rival=(bench/relay_baseline.py) ;;
  server | scale) rival=() ;;
  *) die "bench takes a name: parse, relay, server, scale" ;;
esac
need "${BENCH_PACKAGES[@]}"
say "building the benchmark, optimized"
run_bazel build --config=opt "//bench:${name}_bench"
say "measuring, in rounds; some minutes"
"bazel-bin/bench/${name}_bench" "$@" "${rival[@]}"
