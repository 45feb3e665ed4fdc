#!/usr/bin/env bash
# test.sh [plain]: all tests with sanitizers, and those of the relay, which is
# then the static program that users have, also without. With "plain": all tests
# of whole programs without sanitizers.
# The last line is "N passed, N failed".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

case ${1:-} in
  "") phases=(static asan) ;;
  plain) phases=(plain) ;;
  *) die "test takes nothing, or plain; for one test: bazel test //base/..." ;;
esac
need "${BUILD_PACKAGES[@]}"

reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT

for phase in "${phases[@]}"; do
  flags=(--config=asan)
  [[ $phase == asan ]] ||
    flags=(--test_tag_filters="$phase" --build_tests_only)
  say "testing: $phase"
  # The count below says what failed; it must not end the run here.
  run_bazel test //... --keep_going "${flags[@]}" \
    --experimental_convenience_symlinks=ignore \
    --build_event_json_file="$reports/$phase" || true
done
python3 tools/count_tests.py "${phases[@]/#/$reports/}"
