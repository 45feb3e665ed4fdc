#!/usr/bin/env bash
# package_test.sh: installs the Debian package on a bare Debian 12 and walks a
# newcomer's path there: doctor, a task of the real Codex with a scripted model,
# the server killed, and the next turn. Needs root. The base system is made once,
# in ~/.cache/troika/debian12.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh
source tools/staging.sh

[[ $# -eq 0 ]] || die "package-test takes no arguments"
[[ $EUID -eq 0 ]] || die "package-test makes a Debian of its own: run it as root"
need "${BUILD_PACKAGES[@]}" debootstrap
tools/package.sh
package=$PWD/dist/troika_$(version)_$(dpkg --print-architecture).deb
run_bazel build --config=opt //testing/model:troika-model
tools/clis install codex >/dev/null
codex=$(find "$(dirname "$(tools/clis path codex)")/.." -path '*linux*' \
  -name codex -type f -size +1M -perm /111 | head -n 1)
[[ -n $codex ]] || die "the codex that tools/clis installed has no program"

base=${XDG_CACHE_HOME:-$HOME/.cache}/troika/debian12
if [[ ! -e $base/made ]]; then
  say "making a bare Debian 12 in $base"
  rm -rf "$base"
  mkdir -p "$base"
  mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources \
    2>/dev/null | head -n 1)
  debootstrap --variant=minbase --include=ca-certificates,git bookworm \
    "$base/root" ${mirror:+"$mirror"} >"$base/log" 2>&1 ||
    { tail -n 5 "$base/log" >&2 && die "debootstrap failed"; }
  cp /etc/apt/apt.conf.d/* "$base/root/etc/apt/apt.conf.d/" 2>/dev/null || true
  touch "$base/made"
fi

work=$(mktemp -d)
model=
trap '[[ -z $model ]] || kill "$model" 2>/dev/null || true
  rm -rf "$work"' EXIT
cp -a "$base/root" "$work/root"
cp /etc/resolv.conf /etc/hosts "$work/root/etc/"
cp "$package" "$work/root/troika.deb"
cp "$codex" "$work/root/usr/local/bin/codex"

cat >"$work/script" <<'TEXT'
answer
  expect prompt say hello
  say Hello, newcomer.
answer
  expect prompt and again
  say Hello again.
answer always
  say ok
TEXT
bazel-bin/testing/model/troika-model --script "$work/script" >"$work/url" &
model=$!
for _ in $(seq 100); do
  [[ ! -s $work/url ]] || break
  sleep 0.1
done
url=$(head -n 1 "$work/url")

mkdir -p "$work/root/root/.codex" "$work/root/root/project"
cat >"$work/root/root/.codex/config.toml" <<TEXT
model = "gpt-5.2-codex"
model_provider = "loopback"
check_for_update_on_startup = false
[model_providers.loopback]
name = "loopback"
base_url = "$url/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
TEXT
cat >"$work/root/newcomer" <<'TEXT'
set -euo pipefail
fail() { echo "package-test: $*" >&2; exit 1; }
export HOME=/root USER=root LOOPBACK_KEY=none DEBIAN_FRONTEND=noninteractive
dpkg-query -W -f '${Package}\n' >/before
apt-get update -qq
apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 /troika.deb
dpkg-query -W -f '${Package}\n' | grep -vxFf /before | grep -vx troika >/pulled
! grep -E -- '-dev$|^(gcc|g\+\+|clang|bazel|nodejs|python3)' /pulled ||
  fail "the package pulls more than libraries"
echo "pulled $(wc -l </pulled) packages"
troika version
[[ -e /usr/share/man/man1/troika-run.1.gz ]] || fail "no man page"
grep -q '^ExecStart=/usr/bin/troika serve$' /usr/lib/systemd/user/troika.service
bash -c 'source /usr/share/bash-completion/completions/troika
  COMP_WORDS=(troika ru); COMP_CWORD=1; _troika; [[ ${COMPREPLY[0]} == run ]]'
cd /root/project && git init -q
troika doctor
troika run codex "say hello" | tee /said
grep -q "Hello, newcomer." /said || fail "no answer"
for process in /proc/[0-9]*; do
  [[ $(readlink "$process/exe") != */troika-server ]] ||
    kill -9 "${process##*/}"
done
troika send latest "and again" | tee /said
grep -q "Hello again." /said || fail "no second answer"
troika tasks
dpkg -r troika >/dev/null
[[ ! -e /usr/bin/troika ]] || fail "dpkg -r leaves the program"
echo "1 passed, 0 failed"
TEXT
say "a newcomer's path on a bare Debian 12"
unshare --mount --pid --fork --kill-child bash -c '
  set -e
  mount --make-rprivate /
  mount --bind "$0" "$0" && cd "$0" && mkdir -p old
  mount --rbind /sys sys && mount --rbind /dev dev && mount -t proc proc proc
  pivot_root . old && umount -l /old && mount -t tmpfs tmpfs /tmp
  exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    TERM=dumb bash /newcomer' "$work/root"
