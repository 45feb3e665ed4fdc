# shellcheck shell=bash disable=SC2034
# Shared by ./dev and the scripts in this folder; sourced from the root.

# Debian 12 packages, by purpose.
BUILD_PACKAGES=(
  g++ bazel-bootstrap bazel-rules-java libabsl-dev libre2-dev rapidjson-dev
  libgtest-dev libgmock-dev libprotobuf-dev protobuf-compiler libxxhash-dev
  libbenchmark-dev libmd-dev libevent-dev libsqlite3-dev libtomlplusplus-dev
  libcurl4-openssl-dev libedit-dev python3 git
)
# The sanitizers' configurations use clang.
TEST_PACKAGES=("${BUILD_PACKAGES[@]}" clang libclang-rt-14-dev lld tmux)
BENCH_PACKAGES=("${BUILD_PACKAGES[@]}" nodejs)
FORMAT_PACKAGES=(clang-format git)
LINT_PACKAGES=(
  "${BUILD_PACKAGES[@]}" "${FORMAT_PACKAGES[@]}" clang-tidy shellcheck
)

say() { printf '==> %s\n' "$*" >&2; }
die() {
  printf 'dev: %s\n' "$*" >&2
  exit 2
}

# need PACKAGE…: installs missing packages.
need() {
  local package missing=() as_root=()
  command -v dpkg-query >/dev/null ||
    die "this is built with Debian 12's packages, and there is no dpkg here"
  for package; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == \
      installed ]] || missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null ||
      die "missing, and neither root nor sudo to install it:" \
        "apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  say "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq </dev/null >&2
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends \
    -o Dpkg::Use-Pty=0 "${missing[@]}" </dev/null >&2
}

# run_bazel COMMAND …: runs bazel; without a terminal it prints less.
run_bazel() {
  local verb=$1
  shift
  local progress=()
  [[ -t 2 ]] || progress=(--curses=no --color=no --show_progress_rate_limit=20)
  bazel "$verb" "${progress[@]}" "$@"
}

cxx_files() { git ls-files -- '*.cc' '*.h'; }
