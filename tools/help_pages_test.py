#!/usr/bin/env python3
"""Tests man pages and completions that help_pages.py makes of docs/cli.md."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import help_pages  # noqa: E402

SAMPLE = """# The command line

## troika run

```text
usage: troika run HARNESS [PROMPT|-] [FLAG...]

Gives an agent a task: it works on it. More.

  --edit-mode MODE  research (default), ask
  --web-search      allow searching; or --no-web-search
  -i, --interactive  talk to it, with a
                    second line
  --image FILE      an image

Exit code: 0; 1 if it
failed.

Examples:
  .hidden -- "a\\b" …
```
"""


def complete(folder, *words):
    """Returns what bash would offer for the last word."""
    script = (f"source {folder}/troika.bash; COMP_WORDS=(\"$@\"); "
              "COMP_CWORD=$(($# - 1)); _troika; printf '%s\\n' \"${COMPREPLY[@]}\"")
    with tempfile.TemporaryDirectory() as home:
        run = subprocess.run(
            ["bash", "-c", script, "bash", *words], text=True, check=True,
            stdout=subprocess.PIPE, env={"HOME": home, "PATH": "/usr/bin:/bin"})
    return run.stdout.split()


class HelpPagesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make(self, source):
        subprocess.run([sys.executable, ROOT / "tools/help_pages.py", source,
                        "1.2.3", self.folder], check=True)

    def make_sample(self):
        source = self.folder / "cli.md"
        source.write_text(SAMPLE)
        self.make(source)

    def test_flags_have_all_names_and_texts(self):
        command, = help_pages.read_commands(SAMPLE)
        self.assertEqual(command.summary, "Gives an agent a task")
        self.assertEqual(command.operand, "harness")
        self.assertEqual(
            [(flag.names, flag.value) for flag in command.flags],
            [(["--edit-mode"], "MODE"),
             (["--web-search", "--no-web-search"], ""),
             (["-i", "--interactive"], ""), (["--image"], "FILE")])
        self.assertEqual(command.flags[2].text, "talk to it, with a second line")

    def test_man_page_has_sections_and_escapes(self):
        self.make_sample()
        page = (self.folder / "man1/troika-run.1").read_text()
        for part in ('"troika 1.2.3"', ".SH EXIT STATUS\n0; 1 if it\nfailed.",
                     "\\fB\\-\\-image\\fR \\fIFILE\\fR",
                     '\\&.hidden \\-\\- "a\\eb" \\[u2026]'):
            self.assertIn(part, page)

    def test_bash_completes_commands_flags_and_values(self):
        self.make_sample()
        self.assertEqual(complete(self.folder, "troika", "r"), ["run"])
        self.assertEqual(complete(self.folder, "troika", "run", "c"),
                         ["codex", "claude"])
        self.assertEqual(complete(self.folder, "troika", "run", "--no"),
                         ["--no-web-search"])
        self.assertIn("auto_edit", complete(
            self.folder, "troika", "run", "--edit-mode", ""))

    def test_every_command_of_the_document_has_a_page(self):
        self.make(ROOT / "docs/cli.md")
        names = [line.split()[2] for line in
                 (ROOT / "docs/cli.md").read_text().splitlines()
                 if line.startswith("## troika ")]
        self.assertGreater(len(names), 20)
        for name in names:
            self.assertTrue((self.folder / f"man1/troika-{name}.1").exists())
            self.assertIn(name, complete(self.folder, "troika", name))

    def test_pages_and_scripts_are_valid(self):
        self.make(ROOT / "docs/cli.md")
        checks = {"bash": ["bash", "-n", "troika.bash"],
                  "zsh": ["zsh", "-n", "troika.zsh"],
                  "fish": ["fish", "-n", "troika.fish"]}
        for shell, check in checks.items():
            if shutil.which(shell):
                subprocess.run(check, cwd=self.folder, check=True)
        if shutil.which("groff"):
            for page in (self.folder / "man1").iterdir():
                run = subprocess.run(
                    ["groff", "-man", "-Tutf8", "-ww", "-z", page],
                    stderr=subprocess.PIPE, text=True)
                self.assertEqual(run.stderr, "", page)


if __name__ == "__main__":
    unittest.main()
