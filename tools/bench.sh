#!/usr/bin/env bash
# bench.sh NAME [--json …]: builds a benchmark, optimized, and runs it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

case ${1:-} in
  parse) shift ;;
  *) die "bench takes a name: parse" ;;
esac
need "${BENCH_PACKAGES[@]}"
say "building the benchmark, optimized"
run_bazel build --config=opt //bench:parse_bench
say "measuring 100 MB of each harness, five rounds; about a minute"
bazel-bin/bench/parse_bench "$@" bench/node_baseline.js
