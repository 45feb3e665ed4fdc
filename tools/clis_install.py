"""Installs the versions for tools/clis by npm, each in a folder of its own.

A version is assembled in a hidden folder beside its final one, and moved there
once it is known to match its pin and to run.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

TOOLS = pathlib.Path(__file__).resolve().parent
ROOT = pathlib.Path(
    os.environ.get("TROIKA_CLIS")
    or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    / "troika" / "clis").absolute()
PACKAGES = {
    "claude": "@anthropic-ai/claude-code",
    "codex": "@openai/codex",
    "gemini": "@google/gemini-cli",
}
PLATFORM = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}.get(
    platform.machine(), f"linux-{platform.machine()}")
TRIES = 3
# Errors that a retry would not change.
HOPELESS = ("E404", "ETARGET", "EINTEGRITY", "EBADPLATFORM", "ENOSPC", "EACCES")


class Trouble(Exception):
    """An error of one version, for the user; the other versions are installed."""


def say(text):
    print(f"==> {text}", file=sys.stderr, flush=True)


class Pin:
    """A line of the lock file, or a version that is not in it."""

    def __init__(self, harness, version, current="-", integrity="-", *others):
        self.harness, self.version = harness, version
        self.current = current == "current"
        self.integrity = None if integrity == "-" else integrity
        self.platforms = dict(other.split(":", 1) for other in others)
        self.folder = ROOT / harness / version
        self.name = f"{harness} {version}"

    def packages(self):
        """Returns {name: (npm's specification, integrity)} to install."""
        package = PACKAGES.get(self.harness)
        ours = self.platforms.get(PLATFORM)
        if self.platforms and not ours:
            raise Trouble(f"{self.name} has no program for {PLATFORM}")
        if self.harness == "node":
            return {f"node-{PLATFORM}": (self.version, ours)}
        wanted = {package: (self.version, self.integrity)}
        if ours:
            # Installed by name, because npm silently skips an optional package
            # that is not available or needs another Node.
            wanted[f"{package}-{PLATFORM}"] = (
                platform_spec(self, PLATFORM), None if ours == "-" else ours)
        return wanted


def platform_spec(pin, where):
    """Codex's programs are versions of one package, under other names."""
    if pin.harness == "codex":
        return f"npm:{PACKAGES['codex']}@{pin.version}-{where}"
    return pin.version


def read_lock():
    lines = (TOOLS / "clis.lock").read_text().splitlines()
    return [Pin(*line.split()) for line in lines
            if line.strip() and not line.startswith("#")]


def need_npm():
    if not shutil.which("npm"):
        done = subprocess.run(
            ["bash", "-c", "source tools/common.sh && need npm"],
            cwd=TOOLS.parent, stdout=sys.stderr)
        if done.returncode != 0:
            raise Trouble("there is no npm; install it and run this again")


def npm(*arguments, about, folder=None, program=("npm",)):
    """Returns npm's output. Retries errors that may be the network's."""
    command = [*program, *arguments, "--loglevel=error", "--no-audit", "--no-fund",
               "--no-progress", "--no-update-notifier", "--global=false"]
    for attempt in range(1, TRIES + 1):
        with tempfile.TemporaryFile("w+") as errors, (
                contextlib.ExitStack()) as stack:
            process = subprocess.Popen(
                command, cwd=folder or TOOLS, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=errors, text=True)
            stack.callback(process.kill)
            output = patiently(process, about)
            errors.seek(0)
            complaint = errors.read().strip()
        if process.returncode == 0:
            return output
        print(complaint, file=sys.stderr)
        code = re.search(r"\bcode (E\w+)", complaint)
        if attempt == TRIES or (code and code[1] in HOPELESS):
            break
        say(f"{about}: npm ended with {code[1] if code else 'an error'}; "
            f"trying again")
        time.sleep(attempt)
    if code and code[1] in ("E404", "ETARGET"):
        raise Trouble(f"{about}: npm has no such package or version")
    raise Trouble(f"{about}: `npm {' '.join(arguments[:2])}` ended with "
                  f"{process.returncode}; see above, check the network and "
                  f"`npm ping`, and run this again")


def patiently(process, about):
    """Returns the output of a process; says every 15 s that it still runs."""
    began = time.monotonic()
    while True:
        try:
            return process.communicate(timeout=15)[0]
        except subprocess.TimeoutExpired:
            say(f"{about}: still running after {time.monotonic() - began:.0f} s")


def view(package, *fields):
    text = npm("view", package, *fields, "--json", about=package)
    return json.loads(text) if text.strip() else None


def unpinned(harness, version):
    """Makes a pin without integrities, from npm's data about the version."""
    package = PACKAGES[harness]
    optional = view(f"{package}@{version}", "optionalDependencies") or {}
    prefix = f"{package}-linux-"
    return Pin(harness, version, "-", "-",
               *(f"{name[len(package) + 1:]}:-" for name in sorted(optional)
                 if name.startswith(prefix) and not name.endswith("-musl")))


@contextlib.contextmanager
def alone(pin):
    """Holds a lock against other installs of the same version, and removes the
    remains of those that were killed."""
    pin.folder.parent.mkdir(parents=True, exist_ok=True)
    with open(pin.folder.parent / f".{pin.version}.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"{pin.name}: waiting for another install of it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        for leftover in pin.folder.parent.glob(f".{pin.version}.new-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        yield


def program_of(folder, pin):
    """Returns an installed package's program, from its package.json."""
    name = next(iter(pin.packages()))
    package = folder / "node_modules" / name
    bins = json.loads((package / "package.json").read_text())["bin"]
    return package / (bins if isinstance(bins, str) else bins[pin.harness])


def watched(folder, pin):
    """Returns {path: size and time} of the program and native executables."""
    files = {program_of(folder, pin)}
    for name in pin.packages():
        for path in (folder / "node_modules" / name).rglob("*"):
            if path.is_file() and path.stat().st_size > 1 << 20 and (
                    os.access(path, os.X_OK)):
                files.add(path)
    return {str(path.relative_to(folder)):
            [path.stat().st_size, path.stat().st_mtime_ns]
            for path in sorted(files)}


def said_version(program, path):
    """Returns the program's --version; raises Trouble if it does not run.

    Its stderr is ignored: errors tend to contain its folder, and so the
    expected version.
    """
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, HOME=home, PATH=path,
                           DISABLE_AUTOUPDATER="1")
        try:
            run = subprocess.run(
                [program, "--version"], env=environment, timeout=60, cwd=home,
                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                errors="replace")
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Trouble(f"its program does not run: {error}") from error
    if run.returncode != 0:
        raise Trouble(f"its program answers --version with exit code "
                      f"{run.returncode}: {run.stderr.strip()}")
    return run.stdout.strip()


def says_its_version(program, pin, path):
    """Raises Trouble unless the program runs and prints the pin's version."""
    try:
        said = said_version(program, path)
    except Trouble as trouble:
        raise Trouble(f"{pin.name}: {trouble}") from trouble
    if pin.version not in re.findall(r"\d+\.\d+\.\d+[-.\w]*", said):
        raise Trouble(f"{pin.name}: its program answers --version with: {said}")


def stamp_of(folder, pin):
    return {"packages": pin.packages(), "files": watched(folder, pin)}


def is_there(pin, path):
    """Whether a version is installed completely; fast if unchanged."""
    stamp = pin.folder / "stamp.json"
    try:
        was = json.loads(stamp.read_text())
        now = json.loads(json.dumps(stamp_of(pin.folder, pin)))
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if was == now:
        return True
    if was.get("packages") != now["packages"]:
        return False
    try:
        says_its_version(program_of(pin.folder, pin), pin, path)
    except Trouble as trouble:
        say(f"{trouble}; installing it again")
        return False
    with tempfile.NamedTemporaryFile(
            "w", dir=pin.folder, prefix=".stamp-", delete=False) as new:
        new.write(json.dumps(now))
    os.replace(new.name, stamp)
    return True


def check_integrity(folder, pin):
    """Compares the packages that npm fetched and verified with the lock."""
    lock = json.loads(
        (folder / "node_modules" / ".package-lock.json").read_text())
    for name, (_, wanted) in pin.packages().items():
        package = lock["packages"].get(f"node_modules/{name}", {})
        found = package.get("integrity")
        if wanted and found != wanted:
            raise Trouble(
                f"{pin.name}: {name} is not the package that was pinned: its "
                f"integrity is {found}, that of tools/clis.lock is {wanted}; "
                f"nothing was installed. If this is meant to be, put into "
                f"the lock what `tools/clis pin {pin.harness}@{pin.version}` "
                f"prints")


def fetch(pin, path):
    """Installs a missing version. The caller must hold the lock of alone()."""
    began = time.monotonic()
    say(f"{pin.name}: installing")
    wanted = pin.packages()
    new = pathlib.Path(tempfile.mkdtemp(
        prefix=f".{pin.version}.new-", dir=pin.folder.parent))
    try:
        specs = {name: spec for name, (spec, _) in wanted.items()}
        (new / "package.json").write_text(
            json.dumps({"private": True, "dependencies": specs}))
        # No script of a package runs before its integrity has been checked.
        npm("install", "--ignore-scripts", "--prefix", str(new), folder=new,
            about=f"{pin.name} ({', '.join(wanted)})")
        check_integrity(new, pin)
        package = new / "node_modules" / next(iter(wanted))
        if (package / "install.cjs").exists():
            # Claude's postinstall script, which installs the native program.
            run = subprocess.run(
                ["node", "install.cjs"], cwd=package, text=True,
                env=dict(os.environ, PATH=path), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if run.returncode != 0:
                raise Trouble(f"{pin.name}: its install.cjs ended with "
                              f"{run.returncode}: {run.stdout.strip()}")
        says_its_version(program_of(new, pin), pin, path)
        (new / "stamp.json").write_text(json.dumps(stamp_of(new, pin)))
        new.chmod(0o755)
        if pin.folder.exists():
            os.rename(pin.folder, tempfile.mkdtemp(
                prefix=f".{pin.version}.new-", dir=pin.folder.parent))
        os.rename(new, pin.folder)
    except (OSError, ValueError, KeyError) as error:
        raise Trouble(f"{pin.name}: {error!r}") from error
    finally:
        for leftover in pin.folder.parent.glob(f".{pin.version}.new-*"):
            shutil.rmtree(leftover, ignore_errors=True)
    say(f"{pin.name}: installed in {time.monotonic() - began:.0f} s")


def provide(pin, path):
    """Installs a version unless it is installed already."""
    with alone(pin):
        if not is_there(pin, path):
            need_npm()
            fetch(pin, path)
