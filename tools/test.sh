#!/usr/bin/env bash
# test.sh [plain|tsan]: runs all tests with sanitizers, those of the relay also
# without (with the static program that users have), then the official MCP clients,
# the page in a browser, and the current versions of the real CLIs. "plain" runs all
# tests of whole programs without sanitizers, "tsan" the tests of code with threads
# under ThreadSanitizer.
# The last line is "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

case ${1:-} in
  "") phases=(static asan) ;;
  plain | tsan) phases=("$1") ;;
  *) die "test takes nothing, plain or tsan; for one test: bazel test //base/..." ;;
esac
need "${TEST_PACKAGES[@]}"

reports=$(mktemp -d)
fetching=
trap '[[ -z $fetching ]] || kill "$fetching" 2>/dev/null || true
  rm -rf "$reports"' EXIT

# The CLIs and clients are fetched during the build.
if [[ ${phases[*]} == *asan* ]]; then
  { tools/clis install && tools/clis packages testing/mcp &&
    tools/clis packages testing/page; } >/dev/null &
  fetching=$!
fi

# The server has the page in it.
tools/page.sh
THREADED=(//base/... //client/... //http/... //server/... //store/...)

for phase in "${phases[@]}"; do
  targets=(//...)
  case $phase in
    asan) flags=(--config=asan) ;;
    tsan)
      # ThreadSanitizer makes tests several times slower.
      flags=(--config=tsan --build_tests_only --test_timeout=300)
      targets=("${THREADED[@]}")
      ;;
    *) flags=(--test_tag_filters="$phase" --build_tests_only) ;;
  esac
  say "testing: $phase"
  # Failures are counted below and must not end the run here. Tests of programs
  # mostly wait, so more of them run at once than there are cores (docs/decisions.md);
  # they run again if they fail, and are listed as flaky then.
  run_bazel test "${targets[@]}" --keep_going "${flags[@]}" \
    --jobs='HOST_CPUS*3' --local_cpu_resources='HOST_CPUS*1.5' \
    --local_test_jobs='HOST_CPUS*2' \
    --flaky_test_attempts='//(cli|relay|server|task)[:/].*@2' \
    --experimental_convenience_symlinks=ignore \
    --build_event_json_file="$reports/$phase" || true
done
if [[ -n $fetching ]]; then
  wait "$fetching" || say "the CLIs could not be fetched; trying again"
  fetching=
  phases+=(mcp_clients page conformance)
  tools/mcp_clients.sh --report "$reports/mcp_clients" || true
  tools/page_test.sh --report "$reports/page" || true
  tools/conformance.sh --config asan --report "$reports/conformance" \
    codex claude gemini || true
fi
python3 tools/count_tests.py "${phases[@]/#/$reports/}"
