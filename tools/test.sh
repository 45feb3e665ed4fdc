#!/usr/bin/env bash
# All tests with sanitizers, and those with the tag "plain" also without: tests
# of whole programs, which are then as users have them, the static relay too.
# The last line is "N passed, N failed".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

[[ $# -eq 0 ]] || die "test takes no arguments; for one: bazel test //base/..."
need "${BUILD_PACKAGES[@]}"

reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT

for config in plain asan; do
  flags=(--config="$config")
  [[ $config == asan ]] ||
    flags=(--test_tag_filters=plain --build_tests_only)
  say "testing: $config"
  # The count below says what failed; it must not end the run here.
  run_bazel test //... --keep_going "${flags[@]}" \
    --experimental_convenience_symlinks=ignore \
    --build_event_json_file="$reports/$config.json" || true
done
python3 tools/count_tests.py "$reports"/{plain,asan}.json
