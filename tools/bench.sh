#!/usr/bin/env bash
# bench.sh NAME [FLAG…]: builds an optimized benchmark and runs it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

name=${1:-}
[[ $# -eq 0 ]] || shift
case $name in
  parse) rival=(bench/node_baseline.js) ;;
  relay) rival=(bench/relay_baseline.py) ;;
  server | scale | sessions | policy) rival=() ;;
  peers) ;;
  page) exec tools/page_test.sh --bench "$@" ;;
  *) die "bench takes a name: parse, relay, server, scale, sessions, policy, page, peers" ;;
esac
need "${BENCH_PACKAGES[@]}"
if [[ $name == peers ]]; then
  case " $* " in
    *" --help "* | *" --from "*) ;;
    *)
      say "building the programs, optimized"
      run_bazel build --config=opt \
        //bench/peers:all //:troika-server //:troika-relay
      say "measuring both servers in turn, in rounds; about ten minutes"
      ;;
  esac
  exec bench/peers/peers.py "$@"
fi
say "building the benchmark, optimized"
run_bazel build --config=opt "//bench:${name}_bench"
say "measuring, in rounds; some minutes"
"bazel-bin/bench/${name}_bench" "$@" "${rival[@]}"
