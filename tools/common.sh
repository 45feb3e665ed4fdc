# shellcheck shell=bash disable=SC2034
# Shared by ./dev and the scripts in this folder; sourced from the root.

# Debian 12 packages, by purpose.
BUILD_PACKAGES=(
  g++ bazel-bootstrap bazel-rules-java libabsl-dev libre2-dev rapidjson-dev
  libgtest-dev libgmock-dev libprotobuf-dev protobuf-compiler libxxhash-dev
  libbenchmark-dev libmd-dev libevent-dev libsqlite3-dev libtomlplusplus-dev
  libcurl4-openssl-dev libedit-dev libmd4c-dev libncurses-dev python3
  git
)
# The sanitizers' configurations use clang.
TEST_PACKAGES=("${BUILD_PACKAGES[@]}" clang libclang-rt-14-dev lld tmux zsh)
# For the page, besides Node 22 and npm's packages, which tools/clis brings.
PAGE_PACKAGES=(python3 protobuf-compiler)
PAGE_TEST_PACKAGES=("${PAGE_PACKAGES[@]}" chromium fonts-dejavu-core pngquant)
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

# missing PACKAGE…: prints those that are not installed.
missing() {
  local package
  for package; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == \
      installed ]] || printf '%s\n' "$package"
  done
}

# need PACKAGE…: installs missing packages. Scripts that run at the same time take
# turns, and apt waits for others that install something.
need() {
  local packages as_root=()
  command -v dpkg-query >/dev/null ||
    die "this is built with Debian 12's packages, and there is no dpkg here"
  [[ -n $(missing "$@") ]] || return 0
  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null ||
      die "missing, and neither root nor sudo to install it: apt-get install" \
        "$(missing "$@" | paste -sd ' ')"
    as_root=(sudo)
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  (
    flock 9
    mapfile -t packages < <(missing "$@")
    [[ ${#packages[@]} -gt 0 ]] || exit 0
    say "installing ${packages[*]}"
    "${as_root[@]}" apt-get update -qq </dev/null >&2 9>&-
    "${as_root[@]}" apt-get install -y -qq --no-install-recommends \
      -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "${packages[@]}" \
      </dev/null >&2 9>&-
  ) 9>"${TMPDIR:-/tmp}/troika-packages-$UID.lock"
}

# run_bazel COMMAND …: runs bazel; without a terminal it prints less.
run_bazel() {
  local verb=$1
  shift
  local progress=()
  [[ -t 2 ]] || progress=(--curses=no --color=no --show_progress_rate_limit=20)
  bazel "$verb" "${progress[@]}" "$@"
}

# build_programs CONFIG //FOLDER:NAME…: builds programs, and puts their paths into
# the array `programs`. The targets are named by their packages, whose folders hold
# the files.
build_programs() {
  local config=$1 bin
  shift
  say "building the programs: $config"
  run_bazel build "--config=$config" --experimental_convenience_symlinks=ignore "$@"
  bin=$(bazel info "--config=$config" bazel-bin)
  programs=("${@#//}")
  programs=("${programs[@]/:/\/}")
  programs=("${programs[@]/#/$bin/}")
}

cxx_files() { git ls-files -- '*.cc' '*.h'; }
