#!/usr/bin/env python3
"""Tests tools/clis with an npm that needs no network."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent
MACHINE = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}[os.uname().machine]
LOCK = f"""\
# A comment, and an empty line.

claude 2.1.0 current sha512-claude {MACHINE}:sha512-claude-native
codex 0.1.0 - sha512-codex
codex 0.2.0 current sha512-codex {MACHINE}:sha512-codex-native
gemini 0.3.0 current sha512-gemini
node 22.0.0 - - {MACHINE}:sha512-node
"""

# Files in its folder, which the test writes, tell it what to do wrong.
FAKE_NPM = """\
#!/usr/bin/env python3
import json, os, pathlib, sys, time
here = pathlib.Path(sys.argv[0]).parent
with open(here / "calls", "a") as calls:
    print(*sys.argv[1:], file=calls)
def told(name):
    return (here / name).read_text() if (here / name).exists() else ""
if sys.argv[1] == "view":
    print(json.dumps({"dist-tags.latest": "0.9.0",
                      "dist.integrity": "sha512-seen"}.get(sys.argv[3], {})))
    sys.exit()
folder = pathlib.Path(sys.argv[sys.argv.index("--prefix") + 1])
wanted = json.loads((folder / "package.json").read_text())["dependencies"]
(folder / "node_modules").mkdir(exist_ok=True)
while told("gate") and not told("go"):
    time.sleep(0.01)
if told("fail") and told("fail").split()[1] in " ".join(wanted):
    left = int(told("fail").split()[0])
    if left:
        (here / "fail").write_text(f"{left - 1} {told('fail').split()[1]}")
        sys.exit("npm ERR! code ECONNRESET\\nnpm ERR! the line went dead")
installed = {}
for name, spec in wanted.items():
    package = folder / "node_modules" / name
    package.mkdir(parents=True)
    harness = next(harness for harness in ("codex", "claude", "gemini", "node")
                   if harness in name)
    integrity = f"sha512-{harness}"
    if name.endswith(("x64", "arm64")) and harness != "node":
        integrity += "-native"
    installed["node_modules/" + name] = {
        "integrity": told("integrity") or integrity}
    (package / "package.json").write_text(
        json.dumps({"bin": {harness: "bin/p"}}))
    (package / "bin").mkdir()
    (package / "bin/p").write_text(
        f"#!/bin/sh\\necho {harness} >>{here}/ran\\n"
        + (told("program") or f"echo {harness}-cli v{spec} $(command -v node)"))
    (package / "bin/p").chmod(0o755)
    if harness == "node":
        (package / "bin/p").rename(package / "bin/node")
        (package / "package.json").write_text('{"bin": {"node": "bin/node"}}')
    if harness == "claude" and len(wanted) > 1 and name == next(iter(wanted)):
        (package / "install.cjs").write_text("")
(folder / "node_modules/.package-lock.json").write_text(
    json.dumps({"packages": installed}))
"""

# Does not run install.cjs, but lists the scripts it is given in "scripts".
FAKE_NODE = """\
#!/bin/sh
[ "$1" != --version ] || exec echo v%s
echo "$1 in $PWD" >>%s/scripts
"""


def until(condition):
    deadline = time.monotonic() + 30
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("the condition was not met within 30 s")
        time.sleep(0.01)


class ClisTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name).resolve()
        self.bin, self.cache = root / "bin", root / "the cache"
        self.tools = root / "tools"
        for made in (self.bin, self.tools):
            made.mkdir()
        for name in ("clis", "clis_install.py", "clis_packages.py"):
            shutil.copy(TOOLS / name, self.tools)
        (self.tools / "clis.lock").write_text(LOCK)
        self.program("npm", FAKE_NPM)
        self.program("node", FAKE_NODE % ("22.1.0", self.bin))

    def program(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def start(self, *arguments):
        process = subprocess.Popen(
            [self.tools / "clis", *arguments], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
            env={"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.tools),
                 "TROIKA_CLIS": str(self.cache)})
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def clis(self, *arguments, code=0):
        """Runs tools/clis; returns its stdout and stderr."""
        process = self.start(*arguments)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, errors)
        return output, errors

    def lines(self, name):
        path = self.bin / name
        return path.read_text().splitlines() if path.exists() else []

    def installs(self):
        return [c for c in self.lines("calls") if c.startswith("install")]

    def said(self, path):
        return subprocess.run(
            [path.strip()], stdout=subprocess.PIPE, text=True, check=True,
            env={"PATH": f"{self.bin}:/usr/bin:/bin"}).stdout

    def hidden(self, harness="codex"):
        return [path.name for path in (self.cache / harness).iterdir()
                if ".new-" in path.name]

    def test_installs_the_current_versions(self):
        output, _ = self.clis("install")
        self.assertEqual(output.splitlines(), [
            f"{name} {version} {self.cache}/{name}/{version}/bin/{name}"
            for name, version in (
                ("claude", "2.1.0"), ("codex", "0.2.0"), ("gemini", "0.3.0"))])
        for line in output.splitlines():
            harness, version, path = line.split(" ", 2)
            self.assertIn(f"{harness}-cli v{version}", self.said(path))
        self.assertIn("--ignore-scripts", self.installs()[0])
        self.assertIn("--no-audit --no-fund", " ".join(self.installs()))
        self.assertEqual(len(self.lines("scripts")), 1)
        self.assertIn("install.cjs in", self.lines("scripts")[0])

    def test_what_is_there_is_neither_fetched_nor_run_again(self):
        self.clis("install", "all")
        self.assertEqual(len(self.installs()), 4)
        ran = self.lines("ran")
        output, errors = self.clis("install", "all")
        self.assertEqual(len(output.splitlines()), 4)
        self.assertEqual(errors, "")
        self.assertEqual(len(self.installs()), 4)
        self.assertEqual(self.lines("ran"), ran)

    def test_the_platforms_package_is_asked_for_by_name(self):
        self.clis("install", "codex", "claude")
        for harness, version, name, spec in (
                ("codex", "0.2.0", f"@openai/codex-{MACHINE}",
                 f"npm:@openai/codex@0.2.0-{MACHINE}"),
                ("claude", "2.1.0", f"@anthropic-ai/claude-code-{MACHINE}",
                 "2.1.0")):
            package = self.cache / harness / version / "package.json"
            self.assertEqual(
                json.loads(package.read_text())["dependencies"][name], spec)

    def test_path_and_list(self):
        output, _ = self.clis("list")
        self.assertEqual(output.split("\n")[:3], [
            "claude  2.1.0     current", "codex   0.1.0",
            "codex   0.2.0     current"])
        output, errors = self.clis("path", "codex@0.1.0", code=1)
        self.assertEqual(output, "")
        self.assertIn("run `tools/clis install codex@0.1.0`", errors)
        self.clis("install", "codex@0.1.0")
        output, _ = self.clis("path", "codex@0.1.0")
        self.assertIn("codex-cli v0.1.0", self.said(output))
        output, _ = self.clis("list")
        self.assertIn("codex   0.1.0     installed\n", output)

    def test_what_makes_no_sense_is_refused(self):
        for arguments, told in (
                (["install", "emacs"], "no such harness: emacs; there are"),
                (["install", "codex@7.0.0"], "which has 0.1.0, 0.2.0"),
                (["install", "node"], "no such harness: node"),
                (["path", "codex@../x"], "not in tools/clis.lock"),
                (["path"], "unknown command line: path"),
                (["sing"], "unknown command line: sing")):
            with self.subTest(arguments):
                self.assertIn(told, self.clis(*arguments, code=2)[1])
        self.assertEqual(self.lines("calls"), [])

    def test_a_program_that_does_not_run_is_not_installed(self):
        for program, told in (
                ("echo 0.1.0 >&2; exit 3", "exit code 3: 0.1.0"),
                ("echo v0.1.0-beta", "with: v0.1.0-beta"),
                ("echo codex-cli 0.7.0", "with: codex-cli 0.7.0")):
            with self.subTest(program):
                (self.bin / "program").write_text(program)
                output, errors = self.clis("install", "codex@0.1.0", code=1)
                self.assertEqual(output, "")
                self.assertIn("codex 0.1.0: its program answers --version",
                              errors)
                self.assertIn(told, errors)
                self.assertFalse((self.cache / "codex/0.1.0").exists())
                self.assertEqual(self.hidden(), [])
        (self.bin / "program").unlink()
        self.clis("install", "codex@0.1.0")

    def test_what_broke_later_is_installed_again(self):
        path = self.clis("install", "codex@0.1.0")[0].split(" ", 2)[2].strip()
        program = pathlib.Path(path).resolve()
        for text in ("#!/bin/sh\nexit 1\n", "#!/bin/sh\necho 0.2.0\n", ""):
            with self.subTest(text):
                program.write_text(text)
                self.assertIn("installing it again",
                              self.clis("install", "codex@0.1.0")[1])
                self.assertIn("codex-cli v0.1.0", self.said(path))
        (self.cache / "codex/0.1.0/stamp.json").unlink()
        self.clis("path", "codex@0.1.0", code=1)
        self.clis("install", "codex@0.1.0")
        self.assertEqual(len(self.installs()), 5)

    def test_a_touched_program_that_is_good_stays(self):
        path = self.clis("install", "codex@0.1.0")[0].split(" ", 2)[2].strip()
        os.utime(path, (1, 1))
        self.clis("install", "codex@0.1.0")
        self.assertEqual(len(self.installs()), 1)

    def test_a_changed_package_is_refused_before_it_runs(self):
        (self.bin / "integrity").write_text("sha512-evil")
        _, errors = self.clis("install", "codex", code=1)
        self.assertIn("@openai/codex is not the package that was pinned: its "
                      "integrity is sha512-evil, that of tools/clis.lock is "
                      "sha512-codex;", errors)
        self.assertEqual(self.lines("ran"), [])
        self.assertEqual(len(self.installs()), 1)
        self.assertFalse((self.cache / "codex/0.2.0").exists())

    def test_a_changed_platform_package_is_refused(self):
        (self.tools / "clis.lock").write_text(
            LOCK.replace("sha512-codex-native", "sha512-other"))
        _, errors = self.clis("install", "codex", code=1)
        self.assertIn(f"@openai/codex-{MACHINE} is not the package", errors)
        self.assertEqual(self.lines("ran"), [])

    def test_a_new_integrity_in_the_lock_installs_again(self):
        self.clis("install", "gemini")
        (self.tools / "clis.lock").write_text(
            LOCK.replace("sha512-gemini", "sha512-renewed"))
        self.clis("path", "gemini", code=1)
        (self.bin / "integrity").write_text("sha512-renewed")
        self.clis("install", "gemini")
        self.assertEqual(len(self.installs()), 2)

    def test_a_failed_download_is_tried_again_twice(self):
        (self.bin / "fail").write_text("2 codex")
        _, errors = self.clis("install", "codex")
        self.assertEqual(errors.count("ECONNRESET; trying again"), 2)

    def test_a_download_that_never_comes_is_told_and_the_others_go_on(self):
        (self.bin / "fail").write_text("9 codex")
        output, errors = self.clis("install", "codex", "gemini", code=1)
        self.assertTrue(output.startswith("gemini 0.3.0 "), output)
        self.assertIn("the line went dead", errors)
        self.assertIn(f"clis: codex 0.2.0 (@openai/codex, @openai/codex-"
                      f"{MACHINE}): `npm install", errors)
        self.assertEqual(len(self.installs()), 4)

    def test_an_install_that_was_killed_is_done_again(self):
        (self.bin / "gate").write_text("shut")
        killed = self.start("install", "codex")
        until(self.installs)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        self.assertEqual(len(self.hidden()), 1)
        self.clis("path", "codex", code=1)
        (self.bin / "go").write_text("now")
        output, _ = self.clis("install", "codex")
        self.assertIn("codex-cli", self.said(output.split(" ", 2)[2]))
        self.assertEqual(self.hidden(), [])

    def test_an_install_that_is_ended_cleans_up(self):
        (self.bin / "gate").write_text("shut")
        ended = self.start("install", "codex")
        until(self.installs)
        ended.terminate()
        ended.communicate(timeout=30)
        self.assertEqual(ended.returncode, 128 + signal.SIGTERM)
        self.assertEqual(self.hidden(), [])
        self.assertFalse((self.cache / "codex/0.2.0").exists())

    def test_two_at_once_install_once(self):
        (self.bin / "gate").write_text("shut")
        first = self.start("install", "codex")
        until(self.installs)
        second = self.start("install", "codex")
        self.assertIn("waiting for another install of it",
                      second.stderr.readline())
        (self.bin / "go").write_text("now")
        outputs = {process.communicate(timeout=60)[0]
                   for process in (first, second)}
        self.assertEqual(len(outputs), 1)
        self.assertIn("codex 0.2.0 ", outputs.pop())
        self.assertEqual(len(self.installs()), 1)

    def test_an_old_node_gets_a_new_one_beside_it(self):
        path = self.clis("install", "codex")[0].split(" ", 2)[2].strip()
        self.assertIn(str(self.bin / "node"), self.said(path))
        self.program("node", FAKE_NODE % ("18.19.0", self.bin))
        self.clis("path", "codex", code=1)
        _, errors = self.clis("install", "codex")
        self.assertIn("node is missing here or older than 20", errors)
        brought = self.cache / f"node/22.0.0/node_modules/node-{MACHINE}/bin"
        self.assertIn(str(brought / "node"), self.said(path))
        self.assertEqual(self.clis("path", "codex")[0].strip(), path)
        self.assertEqual(len(self.installs()), 2)
        # A newer Node on PATH does not replace the installed one.
        self.program("node", FAKE_NODE % ("24.0.0", self.bin))
        self.clis("install", "codex")
        self.assertIn(str(brought / "node"), self.said(path))

    def test_the_wrapper_becomes_the_program(self):
        self.program("node", FAKE_NODE % ("18.19.0", self.bin))
        path = self.clis("install", "codex")[0].split(" ", 2)[2].strip()
        program = (self.cache / "codex/0.2.0/node_modules/@openai/codex/bin/p")
        program.write_text('#!/bin/sh\necho $$ "$@"\n')
        process = subprocess.Popen([path, "a b", "c"], text=True,
                                   stdout=subprocess.PIPE)
        self.assertEqual(process.communicate()[0], f"{process.pid} a b c\n")

    def test_newest_asks_npm_and_is_not_pinned(self):
        output, errors = self.clis("install", "gemini@newest")
        self.assertIn("gemini 0.9.0 is npm's latest, and is not pinned", errors)
        self.assertTrue(output.startswith("gemini 0.9.0 "), output)
        path, _ = self.clis("path", "gemini@0.9.0")
        self.assertIn("gemini-cli v0.9.0", self.said(path))

    def packages(self, integrity):
        """Returns a folder with a lock file that has one package."""
        folder = self.tools / "clients"
        folder.mkdir(exist_ok=True)
        (folder / "package.json").write_text(
            json.dumps({"dependencies": {"codex-client": "1.0.0"}}))
        (folder / "package-lock.json").write_text(json.dumps({"packages": {
            "node_modules/codex-client": {"integrity": integrity}}}))
        return str(folder)

    def test_packages_of_a_lock_file_come_with_a_node(self):
        folder = self.packages("sha512-codex")
        node, packages = self.clis("packages", folder)[0].splitlines()
        self.assertIn("node-cli v22.0.0", self.said(node))
        self.assertTrue(pathlib.Path(packages, "codex-client").is_dir())
        self.assertIn("--ignore-scripts", self.installs()[1])
        self.clis("packages", folder)
        self.assertEqual(len(self.installs()), 2)

    def test_other_packages_than_those_of_the_lock_file_are_refused(self):
        errors = self.clis("packages", self.packages("sha512-other"), code=1)[1]
        self.assertIn("is not the package that was pinned", errors)
        self.assertEqual(self.hidden("packages/clients"), [])
        errors = self.clis("packages", str(self.cache), code=1)[1]
        self.assertIn("package-lock.json can't be read", errors)

    def test_pin_prints_a_line_for_the_lock(self):
        self.assertEqual(self.clis("pin", "gemini@0.9.0")[0],
                         "gemini 0.9.0 - sha512-seen\n")


if __name__ == "__main__":
    unittest.main()
