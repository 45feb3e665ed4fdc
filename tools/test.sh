#!/usr/bin/env bash
# All tests, plain and with sanitizers. The last line is "N passed, N failed".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

[[ $# -eq 0 ]] || die "test takes no arguments; for one: bazel test //base/..."
need "${BUILD_PACKAGES[@]}"

reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT

for config in plain asan; do
  flags=()
  [[ $config == plain ]] || flags=(--config="$config")
  say "testing: $config"
  # The count below says what failed; it must not end the run here.
  run_bazel test //... --keep_going "${flags[@]}" \
    --experimental_convenience_symlinks=ignore \
    --build_event_json_file="$reports/$config.json" || true
done
python3 tools/count_tests.py "$reports"/{plain,asan}.json
