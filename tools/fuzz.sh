#!/usr/bin/env bash
# fuzz.sh [SECONDS] [TARGET…]: fuzzes each target (default: all) for SECONDS
# (default: 60) under ASan and UBSan. New inputs stay in the user's cache for
# the next run. Prints a line per target; fails if one found a crash.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

seconds=60
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
  seconds=$1
  shift
fi
need "${TEST_PACKAGES[@]}"
targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then
  mapfile -t targets < <(bazel query 'attr(tags, "\bfuzz\b", //...)')
fi
[[ ${#targets[@]} -gt 0 ]] || die "no fuzz targets"

say "building ${targets[*]}"
run_bazel build --config=fuzz "${targets[@]}"
bin=$(bazel info --config=fuzz bazel-bin 2>/dev/null)

# fuzz //PACKAGE:NAME: runs one target and prints its line.
fuzz() {
  local label=${1#//} work program stat status=0 seeds=()
  local path=${label/://}
  work=${XDG_CACHE_HOME:-$HOME/.cache}/troika/fuzz/${path//\//_}
  mkdir -p "$work"/{corpus,found}
  # A copy, because the next build may replace the program.
  program=$work/program
  cp -f "$bin/$path" "$program"
  mapfile -t seeds < <(find "$bin/$path.runfiles" \
    \( -path '*/testdata/*' -o -path '*_corpus/*' \) ! -type d \
    -printf '%h\n' | sort -u)
  "$program" -max_total_time="$seconds" -max_len=16384 -timeout=10 \
    -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$work/found/" \
    "$work/corpus" "${seeds[@]}" >"$work/log" 2>&1 || status=$?
  stat=$(awk '/^stat::number_of_executed_units/ {n = $2}
    /^stat::average_exec_per_sec/ {rate = $2}
    /cov: / {for (i = 1; i < NF; ++i) if ($i == "cov:") cov = $(i + 1)}
    END {printf "%d runs, %d a second, coverage %d", n, rate, cov}' "$work/log")
  if [[ $status -eq 0 ]]; then
    printf 'ok      %s: %s\n' "$1" "$stat"
    return
  fi
  local input stem=${path%_fuzz}
  input=$(sed -n 's/.*Test unit written to //p' "$work/log" | tail -1)
  printf 'FAILED  %s: %s\n' "$1" "$stat"
  printf '  what happened:  %s\n' "$work/log"
  printf '  the input:      %s\n' "${input:-none was written}"
  printf '  to run it:      %s %s\n' "$program" "$input"
  printf '  to keep it:     cp %s %s_corpus/WHAT_IS_IN_IT\n' "$input" "$stem"
  return 1
}

failed=0
for target in "${targets[@]}"; do
  say "fuzzing $target for $seconds s"
  fuzz "$target" || failed=1
done
exit "$failed"
