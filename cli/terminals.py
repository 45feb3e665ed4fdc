"""A real terminal for tests, which tmux plays, and a server with fake agents."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PATIENCE = 60
PROGRAMS = {}


class Pane:
    """A program in a window of tmux."""

    def __init__(self, tmux, name):
        self.tmux = tmux
        self.name = name

    def screen(self):
        """What the window shows, and what has scrolled out of it."""
        return self.tmux('capture-pane', '-p', '-J', '-S', '-', '-t', self.name)

    def wait(self, condition, what):
        end = time.monotonic() + PATIENCE
        while True:
            text = self.screen()
            if condition(text):
                return text
            if time.monotonic() > end:
                raise AssertionError(f'{what} in:\n{text}')
            time.sleep(0.05)

    def until(self, *wanted):
        return self.wait(lambda text: all(one in text for one in wanted),
                         f'no {wanted!r}')

    def without(self, *unwanted):
        return self.wait(lambda text: not any(one in text for one in unwanted),
                         f'{unwanted!r}')

    def line(self, wanted):
        """Waits until the last row is this."""
        return self.wait(
            lambda text: text.rstrip().split('\n')[-1].rstrip() == wanted,
            f'no line {wanted!r}')

    def type(self, text):
        self.tmux('send-keys', '-t', self.name, '-l', text)

    def key(self, *keys):
        self.tmux('send-keys', '-t', self.name, *keys)

    def paste(self, text):
        self.tmux('set-buffer', '-b', 'paste', text)
        self.tmux('paste-buffer', '-p', '-b', 'paste', '-t', self.name)

    def enter(self, text):
        """Types a line and sends it, again if it just got another meaning."""
        def refusals(screen):
            return screen.count('press Enter again')

        def is_typed(screen):
            return screen.rstrip().endswith(text)

        self.type(text)
        before = refusals(self.wait(is_typed, f'no line {text!r}'))
        self.key('Enter')
        while True:
            screen = self.wait(
                lambda now: refusals(now) > before or not is_typed(now),
                f'{text!r} was not taken')
            if not is_typed(screen):
                return
            before = refusals(screen)
            self.key('Enter')


class TerminalTest(unittest.TestCase):
    """Has a server with fake agents, and tmux for the commands of troika."""

    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp()
        cls.work = os.path.join(cls.root, 'work')
        os.mkdir(cls.work)
        cls.socket = os.path.join(cls.root, 'tmux')
        cls.env = {
            'PATH': os.environ['PATH'], 'HOME': cls.root, 'TERM': 'screen',
            'LC_ALL': 'C.UTF-8', 'SHELL': '/bin/sh', 'PS1': '$ ',
            'TROIKA_HOME': os.path.join(cls.root, 'troika'),
            'TROIKA_SERVER_BIN': PROGRAMS['troika-server'],
            'TROIKA_RELAY_BIN': PROGRAMS['troika-relay'],
            'TROIKA_CLAUDE_BIN': PROGRAMS['fake_claude'],
        }
        cls.windows = 0
        # Without a window tmux would end, perhaps while a test opens one.
        cls.tmux('new-session', '-d', '-s', 'keeper', 'sleep', '1000')

    @classmethod
    def tearDownClass(cls):
        subprocess.run(['tmux', '-S', cls.socket, 'kill-server'], env=cls.env,
                       stderr=subprocess.DEVNULL)
        for pid in cls.servers():
            os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + PATIENCE
        while cls.servers() and time.monotonic() < end:
            time.sleep(0.05)
        shutil.rmtree(cls.root, ignore_errors=True)

    @classmethod
    def servers(cls):
        """The servers of our state folder."""
        mark = f'TROIKA_HOME={cls.env["TROIKA_HOME"]}'.encode()
        found = []
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open(f'/proc/{pid}/comm') as file:
                    name = file.read().strip()
                if name != 'troika-server':
                    continue
                with open(f'/proc/{pid}/environ', 'rb') as file:
                    if mark in file.read().split(b'\0'):
                        found.append(int(pid))
            except OSError:
                continue
        return found

    @classmethod
    def tmux(cls, *arguments):
        return subprocess.run(
            ['tmux', '-S', cls.socket, '-f', '/dev/null', *arguments],
            env=cls.env, capture_output=True, text=True, check=True,
            timeout=PATIENCE).stdout

    def troika(self, *arguments, env=None):
        return subprocess.run(
            [PROGRAMS['troika'], *arguments], env={**self.env, **(env or {})},
            cwd=self.work, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=PATIENCE)

    def pane(self, *arguments, env=None):
        """Runs troika in a window, which then shows how it ended."""
        type(self).windows += 1
        name = f's{self.windows}'
        assignments = [f'{key}={value}' for key, value in (env or {}).items()]
        self.tmux('new-session', '-d', '-s', name, '-x', '80', '-y', '24',
                  '-c', self.work, 'env', *assignments, '/bin/sh', '-c',
                  '"$@"; echo "ended with $?"; sleep 1000', 'sh',
                  PROGRAMS['troika'], *arguments)
        self.addCleanup(self.tmux, 'kill-session', '-t', name)
        return Pane(self.tmux, name)

    def script(self, text):
        handle, path = tempfile.mkstemp(dir=self.root)
        with os.fdopen(handle, 'w') as file:
            file.write(text)
        return {'TROIKA_FAKE_SCRIPT': path}

    def start(self, script):
        """Starts a task in the background; returns its id."""
        ran = self.troika('run', 'claude', '--edit-mode', 'auto_edit',
                          '--interactive', '--detach', 'begin',
                          env=self.script(script))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout.strip()

    @staticmethod
    def timeline(pane):
        """What the pane shows of the task, without words to its own user."""
        return [row for row in pane.screen().rstrip().split('\n')
                if row and not row.startswith('troika:')]

    def state(self, task):
        return json.loads(self.troika('show', task, '--json').stdout)


def main():
    """Runs the tests of the script that is run, with the programs it is given."""
    PROGRAMS.update(
        {os.path.basename(path): os.path.abspath(path) for path in sys.argv[1:]})
    unittest.main(argv=sys.argv[:1], verbosity=2)
