#!/usr/bin/env bash
# package.sh: makes a Debian package and a tarball of the optimized programs in
# dist/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh
source tools/staging.sh

[[ $# -eq 0 ]] || die "package takes no arguments"
need "${BUILD_PACKAGES[@]}" dpkg-dev
./dev build

arch=$(dpkg --print-architecture)
name=troika_$(version)_$arch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
mkdir -p dist

# The shared libraries that the programs are linked with, by their packages.
depends() {
  mkdir -p "$work/shlibs/debian"
  echo "Source: troika" >"$work/shlibs/debian/control"
  (cd "$work/shlibs" && dpkg-shlibdeps -O "$1" 2>/dev/null) |
    sed -n 's/^shlibs:Depends=//p'
}

stage "$work/deb" /usr >/dev/null
strip "$work"/deb/usr/bin/troika "$work"/deb/usr/libexec/troika/*
mkdir "$work/deb/DEBIAN"
cat >"$work/deb/DEBIAN/control" <<TEXT
Package: troika
Version: $(version)
Architecture: $arch
Maintainer: Troika <troika@localhost>
Installed-Size: $(du -sk "$work/deb/usr" | cut -f1)
Depends: $(depends "$work/deb/usr/bin/troika")
Suggests: nodejs, npm
Section: devel
Priority: optional
Description: tasks for Claude Code, Codex CLI and Gemini CLI
 Runs coding agents as tasks that survive the terminal: one command, one
 timeline and one API for all of them.
TEXT
dpkg-deb --root-owner-group -Zxz --build "$work/deb" "dist/$name.deb" >/dev/null

folder=troika-$(version)-linux-$arch
stage "$work" "/$folder" >/dev/null
strip "$work/$folder/bin/troika" "$work/$folder"/libexec/troika/*
# The archive may be unpacked anywhere, so the unit looks in ~/.local.
sed -i 's|^ExecStart=.*|ExecStart=%h/.local/bin/troika serve|' \
  "$work/$folder/lib/systemd/user/troika.service"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner \
  --mtime="@$SOURCE_DATE_EPOCH" -czf "dist/$folder.tar.gz" "$folder"
say "dist/$name.deb and dist/$folder.tar.gz"
