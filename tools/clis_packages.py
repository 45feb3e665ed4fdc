"""Installs the npm packages of a lock file, for tests that run them.

They are installed in ~/.cache/troika/clis/packages/NAME/HASH, by the hash of the
lock file. `npm ci` is not used: it refuses lock files that leave out optional
packages for other platforms.
"""

import hashlib
import json
import os
import pathlib
import shutil
import tempfile
import time

from clis_install import ROOT, Trouble, alone, need_npm, npm, say


class Packages:
    """The packages of FOLDER/package-lock.json."""

    def __init__(self, folder):
        self.source = pathlib.Path(folder).resolve()
        self.lock_file = self.source / "package-lock.json"
        try:
            text = self.lock_file.read_bytes()
        except OSError as error:
            raise Trouble(f"{self.lock_file} can't be read: {error}") from error
        self.locked = json.loads(text)["packages"]
        self.version = hashlib.sha256(text).hexdigest()[:16]
        self.folder = ROOT / "packages" / self.source.name / self.version
        self.name = f"the packages of {self.source.name}"

    def check(self, folder):
        """Raises Trouble if a package is not the one of the lock file."""
        hidden = folder / "node_modules" / ".package-lock.json"
        for name, found in json.loads(hidden.read_text())["packages"].items():
            wanted = self.locked.get(name, {}).get("integrity")
            if found.get("inBundle"):
                continue  # A part of the package that brought it.
            if not wanted or found.get("integrity") != wanted:
                raise Trouble(
                    f"{self.name}: {name} is not the package that was pinned: "
                    f"its integrity is {found.get('integrity')}, that of "
                    f"{self.lock_file} is {wanted}; nothing was installed")

    def fetch(self, program):
        began = time.monotonic()
        say(f"{self.name}: installing")
        new = pathlib.Path(tempfile.mkdtemp(
            prefix=f".{self.version}.new-", dir=self.folder.parent))
        try:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(self.source / name, new / name)
            npm("install", "--ignore-scripts", "--prefix", str(new),
                folder=new, about=self.name, program=program)
            self.check(new)
            new.chmod(0o755)
            os.rename(new, self.folder)
        except (OSError, ValueError, KeyError) as error:
            raise Trouble(f"{self.name}: {error!r}") from error
        finally:
            shutil.rmtree(new, ignore_errors=True)
        say(f"{self.name}: installed in {time.monotonic() - began:.0f} s")


def provide_packages(folder, program=("npm",)):
    """Installs the packages with this npm unless they are there. Returns where
    they are."""
    packages = Packages(folder)
    with alone(packages):
        if not packages.folder.exists():
            need_npm()
            packages.fetch(program)
    return packages.folder / "node_modules"
