#!/usr/bin/env bash
# Runs clang-format, clang-tidy and shellcheck on all tracked files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

[[ $# -eq 0 ]] || die "lint takes no arguments"
need "${LINT_PACKAGES[@]}"
bad=()

say "clang-format"
./dev fmt --check || bad+=(clang-format)

say "shellcheck"
mapfile -t scripts < <(git grep -lI '^#!/usr/bin/env bash')
shellcheck -x "${scripts[@]}" || bad+=(shellcheck)

say "building, as clang-tidy reads generated headers"
run_bazel build //...
run_bazel aquery 'mnemonic("CppCompile", //...)' --output=jsonproto |
  python3 tools/compile_commands.py compile_commands.json

mapfile -t sources < <(cxx_files | grep '\.cc$')
say "clang-tidy on ${#sources[@]} files"
# shellcheck disable=SC2016  # The inner shell expands $1.
printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c '
  echo "    $1" >&2
  exec clang-tidy --quiet -p . --header-filter="$PWD/[a-z]" "$1" \
    2> >(grep -v "warnings generated" >&2)' _ || bad+=(clang-tidy)

[[ ${#bad[@]} -eq 0 ]] || die "found something: ${bad[*]}"
say "nothing found"
