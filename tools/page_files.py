#!/usr/bin/env python3
"""Hashes the sources of the page, and puts the built page into a program.

  page_files.py hash              print the hash of the sources
  page_files.py recorded          print the hash that web/page.tar was packed with
  page_files.py pack HASH         pack web/dist, built from sources of that hash, into
                                  web/page.tar
  page_files.py embed OUT FILE…   write the C++ source OUT, which has the files of
                                  web/page.tar, if its hash is that of the sources
                                  among FILE…; else a page that says that it was
                                  not built

Paths are relative to the root of the repository, which is the current folder.
"""

import gzip
import hashlib
import io
import os
import pathlib
import sys
import tarfile

DIST = "web/dist"
PACKED = "web/page.tar"
# The first member of the archive.
RECORDED = "sources.sha256"
PROTO = "dto/troika.proto"
# What is in web/ and does not make the page another.
OUTSIDE = ("web/dist/", "web/node_modules/", "web/src/api/gen/")
OTHERS = (PACKED, "web/BUILD.bazel", "web/embedded_page.h", "web/page_test.cc",
          "web/.gitignore")

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}

MISSING = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Troika</title>
<p>This troika-server was built without its page. Build it with ./dev build,
which builds the page first.</p>
</html>
"""


def is_source(name):
    return (name == PROTO or name.startswith("web/")
            and not name.startswith(OUTSIDE) and name not in OTHERS
            and ".test." not in name)


def source_hash(names):
    total = hashlib.sha256()
    for name in sorted(filter(is_source, set(names))):
        content = pathlib.Path(name).read_bytes()
        total.update(f"{name} {len(content)}\n".encode() + content)
    return total.hexdigest()


def present_files():
    names = [PROTO]
    for folder, folders, files in os.walk("web"):
        folders[:] = [name for name in folders
                      if not f"{folder}/{name}/".startswith(OUTSIDE)]
        names += [f"{folder}/{name}" for name in files]
    return names


def read_packed():
    """Returns the recorded hash and {path: bytes}; an empty hash if there is none."""
    try:
        with tarfile.open(PACKED) as archive:
            files = {member.name: archive.extractfile(member).read()
                     for member in archive if member.isfile()}
    except (OSError, tarfile.TarError):
        return "", {}
    return files.pop(RECORDED, b"").decode(), files


def pack(version):
    names = sorted(path.relative_to(DIST).as_posix()
                   for path in pathlib.Path(DIST).rglob("*") if path.is_file())
    names = [name for name in names if not name.startswith(".")]
    new = f"{PACKED}.{os.getpid()}"
    with tarfile.open(new, "w") as archive:
        for name, data in [(RECORDED, version.encode())] + [
                (name, pathlib.Path(DIST, name).read_bytes()) for name in names]:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    # At once, because a build may read it now.
    os.replace(new, PACKED)


def literal(data):
    """Returns a C++ expression for the bytes."""
    lines = []
    for start in range(0, len(data), 64):
        line = "".join(
            chr(byte) if chr(byte).isalnum() and byte < 128 else f"\\{byte:03o}"
            for byte in data[start:start + 64])
        lines.append(f'"{line}"')
    text = "\n".join(lines) or '""'
    return f"absl::string_view({text}, {len(data)})"


def entry(path, data):
    packed = gzip.compress(data, 9, mtime=0)
    if len(packed) >= len(data):
        packed = b""
    kind = TYPES.get(pathlib.PurePath(path).suffix, "application/octet-stream")
    digest = hashlib.sha256(data).hexdigest()[:16]
    return (f'{{"{path}", "{kind}", "{digest}",\n{literal(data)},\n'
            f"{literal(packed)}}},\n")


def embed(out, names):
    version = source_hash(names)
    recorded, files = read_packed() if PACKED in names else ("", {})
    if recorded != version or "index.html" not in files:
        version, files = "", {"index.html": MISSING}
    entries = [entry("/" + name, data) for name, data in sorted(files.items())]
    pathlib.Path(out).write_text(
        '#include "web/embedded_page.h"\n\nnamespace troika {\n\n'
        "absl::Span<const PageFile> PageFiles() {\n"
        "static constexpr PageFile kFiles[] = {\n" + "".join(entries) +
        "};\nreturn kFiles;\n}\n\nabsl::string_view PageVersion() {\n"
        f'return "{version[:16]}";\n}}\n\n}}  // namespace troika\n')


def main():
    command, *arguments = sys.argv[1:]
    if command == "hash":
        print(source_hash(present_files()))
    elif command == "recorded":
        print(read_packed()[0])
    elif command == "pack":
        pack(arguments[0])
    elif command == "embed":
        embed(arguments[0], arguments[1:])
    else:
        sys.exit(__doc__)


main()
