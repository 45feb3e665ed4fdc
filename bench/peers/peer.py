"""Installs the peer from npm beside the repository, pinned."""

import base64
import hashlib
import os
import pathlib
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from clis_install import PLATFORM, ROOT, Trouble, need_npm, npm, say  # noqa: E402

VERSION = "0.4.2"
# npm's dist.integrity of the package for each platform, which has the program.
INTEGRITY = {
    "linux-x64": "sha512-H9Rbqq0DRkCHvakzefJUDrDa2y+vJjlYd5/tefzKbQ34locE13TGNyg"
                 "RLxdEVXpBECjK9wVdBwTVEphQNsOcjw==",
    "linux-arm64": "sha512-TGmTUexMoubmWQyTeaOJu0rDVl2h0Ifh1pZ0ceZy7u/6Eoqs2n46C"
                   "bfQtasUxZJf10uxPgRyzEDhcdDrTYVQUA==",
}


def integrity(archive):
    digest = hashlib.sha512(archive.read_bytes()).digest()
    return "sha512-" + base64.b64encode(digest).decode()


def install():
    """Returns the path of the peer's program; installs it if it is missing."""
    program = ROOT.parent / "peers" / f"sandbox-agent-{VERSION}"
    if program.exists():
        return program
    if PLATFORM not in INTEGRITY:
        raise Trouble(f"sandbox-agent has no program for {PLATFORM}")
    need_npm()
    package = f"@sandbox-agent/cli-{PLATFORM}@{VERSION}"
    say(f"installing {package}")
    program.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        npm("pack", package, "--pack-destination", folder, about=package)
        archive = next(pathlib.Path(folder).glob("*.tgz"))
        if integrity(archive) != INTEGRITY[PLATFORM]:
            raise Trouble(f"{package}: its integrity is {integrity(archive)}, "
                          f"and not the pinned {INTEGRITY[PLATFORM]}")
        with tarfile.open(archive) as files:
            files.extract("package/bin/sandbox-agent", folder)
        new = pathlib.Path(folder, "package/bin/sandbox-agent")
        new.chmod(0o755)
        os.replace(new, program)
    return program
