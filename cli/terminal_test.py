#!/usr/bin/env python3
"""What a person sees and types on a terminal, with the built programs."""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

PATIENCE = 60
ROWS, COLUMNS = 24, 80
DENIED = 4  # The exit code of a turn in which something was denied.
ASKS = 'y(es), n(o)'
WRITE = ('1', '64')  # Its number on x86-64 and on ARM.
PROGRAMS = {}


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, arguments, env, cwd):
        self.master, slave = pty.openpty()
        self.name = os.ttyname(slave)
        fcntl.ioctl(slave, termios.TIOCSWINSZ,
                    struct.pack('HHHH', ROWS, COLUMNS, 0, 0))

        def control():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            arguments, env=env, cwd=cwd, stdin=slave, stdout=slave,
            stderr=slave, start_new_session=True, preexec_fn=control)
        os.close(slave)
        self.text = ''
        self.bytes = b''

    def read(self, patience):
        ready, _, _ = select.select([self.master], [], [], patience)
        if not ready:
            return False
        try:
            chunk = os.read(self.master, 65536)
        except OSError:
            return False
        self.bytes += chunk
        self.text = self.bytes.decode(errors='replace').replace('\r\n', '\n')
        return bool(chunk)

    def until(self, wanted, start=0):
        """Waits for a text after `start`; returns where it ends."""
        end = time.monotonic() + PATIENCE
        while wanted not in self.text[start:]:
            if time.monotonic() > end or (
                    not self.read(1) and self.process.poll() is not None):
                raise AssertionError(f'no {wanted!r} in:\n{self.text}')
        return self.text.index(wanted, start) + len(wanted)

    def type(self, keys):
        os.write(self.master, keys.encode())

    def resize(self, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ,
                    struct.pack('HHHH', ROWS, columns, 0, 0))

    def fill(self):
        """Writes to the terminal as much as it takes while nobody reads."""
        slave = os.open(self.name, os.O_WRONLY | os.O_NOCTTY |
                        os.O_NONBLOCK)
        try:
            while True:
                os.write(slave, b'x' * 4096)
        except BlockingIOError:
            pass
        finally:
            os.close(slave)

    def is_blocked_in_write(self):
        """Whether it is in write(2), which it leaves at once if it can."""
        def call():
            with open(f'/proc/{self.process.pid}/syscall') as file:
                return file.read().split()[0]

        if call() not in WRITE:
            return False
        time.sleep(0.3)
        return call() in WRITE

    def wait(self):
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.1)
        while self.read(0):
            pass
        return self.process.wait(1)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)


class TerminalTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp()
        cls.work = os.path.join(cls.root, 'work')
        os.mkdir(cls.work)
        cls.env = {
            'PATH': os.environ['PATH'], 'HOME': cls.root, 'TERM': 'dumb',
            'TROIKA_HOME': os.path.join(cls.root, 'troika'),
            'TROIKA_SERVER_BIN': PROGRAMS['troika-server'],
            'TROIKA_RELAY_BIN': PROGRAMS['troika-relay'],
            'TROIKA_CLAUDE_BIN': PROGRAMS['fake_claude'],
        }
        cls.server = subprocess.Popen(
            [PROGRAMS['troika-server'], '--listen', 'none'], env=cls.env,
            stderr=subprocess.DEVNULL, start_new_session=True)

    @classmethod
    def tearDownClass(cls):
        cls.server.send_signal(signal.SIGTERM)
        cls.server.wait(PATIENCE)
        shutil.rmtree(cls.root, ignore_errors=True)

    def troika(self, *arguments):
        return subprocess.run(
            [PROGRAMS['troika'], *arguments], env=self.env, cwd=self.work,
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=PATIENCE)

    def terminal(self, *arguments, env=None):
        terminal = Terminal([PROGRAMS['troika'], *arguments],
                            {**self.env, **(env or {})}, self.work)
        self.addCleanup(terminal.close)
        return terminal

    def script(self, *asked):
        handle, path = tempfile.mkstemp(dir=self.root)
        with os.fdopen(handle, 'w') as file:
            for tool, tool_input in asked:
                file.write(f'ask {tool} {json.dumps(tool_input)}\n')
            file.write('say All done.\nok\n')
        return path

    def run_task(self, *asked, env=None):
        """`troika run` of an agent that asks for this."""
        terminal = self.terminal(
            'run', 'claude', '--edit-mode', 'auto_edit', 'do it',
            env={'TROIKA_FAKE_SCRIPT': self.script(*asked), **(env or {})})
        at = terminal.until('troika: task ')
        terminal.until('\n', at)
        terminal.task = terminal.text[at:].split('\n')[0]
        return terminal

    def state(self, task):
        return json.loads(self.troika('show', task, '--json').stdout)['state']

    def test_the_end_of_a_long_command_is_seen(self):
        command = 'echo hi' + ' ' * 300 + '&& touch /tmp/hidden'
        terminal = self.run_task(('Bash', {'command': command}))
        asked = terminal.until(ASKS)
        shown = terminal.text[:asked]
        self.assertIn(f'  │ {command}\n', shown.replace('\n  ┆ ', ''))
        self.assertIn(f'allow Bash (1 line, {len(command)} bytes)?', shown)
        self.assertIn('&& touch /tmp/hidden', shown.split('\n')[-2])
        for row in shown.split('\n'):
            self.assertLessEqual(len(row), COLUMNS, row)
        self.assertIn('touch /tmp/hidden',
                      self.troika('show', terminal.task).stdout)
        terminal.type('Yes\n')
        self.assertEqual(terminal.wait(), 0)
        self.assertIn('✔ allowed: Bash', terminal.text)

    def test_only_offered_words_are_answers(self):
        terminal = self.run_task(('Bash', {'command': 'ls'}))
        at = terminal.until(ASKS)
        for word in ('sure', 'ok', '', 'yess', 'nope', '1', 'allow', 'y n'):
            terminal.type(word + '\n')
            at = terminal.until('type y to allow it', at)
            at = terminal.until(ASKS, at)
        self.assertEqual(self.state(terminal.task), 'awaiting_approval')
        terminal.type(' No \n')
        terminal.until('why not?', at)
        terminal.type('use make\n')
        self.assertEqual(terminal.wait(), DENIED)
        self.assertIn('denied: Bash: use make', terminal.text)

    def deny(self, terminal, at=0, reason=''):
        terminal.type('n\n')
        terminal.until('why not?', at)
        terminal.type(reason + '\n')
        self.assertEqual(terminal.wait(), DENIED)

    def test_the_user_is_called(self):
        terminal = self.run_task(('Bash', {'command': 'ls'}),
                                 env={'TERM': 'xterm'})
        terminal.until(ASKS)
        self.assertEqual(terminal.text.count('\a\x1b]9;troika: the agent asks: '
                                             'do it\a\x1b]777;notify;'), 1)
        terminal.type('y\n')
        self.assertEqual(terminal.wait(), 0)
        # A short turn ends without a sound.
        self.assertEqual(terminal.text.count('\x1b]9;'), 1)

    def test_the_reason_of_a_denial_may_be_left_out(self):
        terminal = self.run_task(('Bash', {'command': 'ls'}))
        self.deny(terminal, terminal.until(ASKS))
        self.assertIn('✘ denied: Bash\n', terminal.text)

    def test_what_was_typed_is_told_if_another_answers(self):
        terminal = self.run_task(('Bash', {'command': 'ls'}))
        at = terminal.until(ASKS)
        responds = self.terminal('respond', terminal.task)
        ats = {terminal: at, responds: responds.until(ASKS)}
        for one, at in ats.items():
            one.type('n\n')
            at = one.until('why not?', at)
            one.type('use the staging data')
            ats[one] = one.until('use the staging data', at)
        self.assertEqual(
            self.troika('respond', terminal.task, '--allow').returncode, 0)
        terminal.until('✔ allowed: Bash', ats[terminal])
        for one, at in ats.items():
            one.until('what you had typed: use the staging data', at)
            self.assertEqual(one.wait(), 0)

    def test_scripts_edits_and_writes_have_their_lines(self):
        script = 'set -e\n\trm -rf build\n\nmake'
        terminal = self.run_task(
            ('Bash', {'command': script, 'description': 'Build'}),
            ('Edit', {'file_path': '/w/a.cc', 'old_string': 'int a;\nint b;',
                      'new_string': 'int a;\nint c;'}),
            ('Write', {'file_path': '/w/b', 'content': 'one\ntwo\n'}),
            ('mcp__db__run', {'sql': 'a\nb', 'n': 12345678901234567890}))
        wanted = [
            '  │ set -e\n  │ ␉rm -rf build\n  │ \n  │ make\n  description: Build',
            '  file_path: /w/a.cc\n  │   int a;\n  │ - int b;\n  │ + int c;',
            '  file_path: /w/b\n  │ one\n  │ two',
            '  │   "sql": "a\\n\n  │     b",\n  │   "n": 12345678901234567890']
        at = 0
        for text in wanted:
            asked = terminal.until(ASKS, at)
            self.assertIn(text, terminal.text[at:asked])
            self.assertIn(text, self.troika('show', terminal.task).stdout)
            self.assertIn(text, self.troika('tail', terminal.task).stdout)
            at = asked
            terminal.type('y\n')
        self.assertEqual(terminal.wait(), 0)

    def test_no_control_character_reaches_the_terminal(self):
        command = ('echo \x1b[2K\r\x08\x00\x9b \u202e\u2066\u200b\ufeff\t'
                   'p\u0430ypal x  ')
        terminal = self.run_task(('Bash', {'command': command}))
        asked = terminal.until(ASKS)
        self.assertIn(
            '  │ echo ␛[2K␍␈␀<U+009B> <U+202E><U+2066><U+200B><U+FEFF>␉'
            'p<U+0430>ypal x␠␠', re.sub('\n  ┆ ', '', terminal.text[:asked]))
        for character in '\x1b\x08\x00\x9b\u202e\u2066\u200b\ufeff':
            self.assertNotIn(character, terminal.text)
        terminal.type('y\n')
        self.assertEqual(terminal.wait(), 0)

    def test_what_is_longer_than_the_screen_is_paged(self):
        lines = [f'echo line-{i}-' for i in range(100)]
        terminal = self.run_task(('Bash', {'command': '\n'.join(lines)}))
        terminal.until('— more')
        self.assertNotIn('line-50-', terminal.text)
        self.assertNotIn(ASKS, terminal.text)
        # It is not asked yet, so nothing can be answered.
        terminal.type('y')
        while ASKS not in terminal.text:
            terminal.type(' ')
            terminal.read(0.3)
        asked = terminal.until(ASKS)
        shown = re.findall(r'  │ echo line-(\d+)-', terminal.text[:asked])
        self.assertEqual([int(n) for n in shown], list(range(100)))
        self.assertEqual(self.state(terminal.task), 'awaiting_approval')
        terminal.type('y\n')
        self.assertEqual(terminal.wait(), 0)

    def test_who_has_not_read_all_types_a_word(self):
        terminal = self.run_task(('Bash', {'command': 'x\n' * 100}))
        terminal.until('— more')
        terminal.type('q')
        at = terminal.until('the word allow')
        terminal.type('y\n')
        at = terminal.until('not all of it was shown', at)
        terminal.until('the word allow: ', at)
        self.assertEqual(self.state(terminal.task), 'awaiting_approval')
        terminal.type('allow\n')
        self.assertEqual(terminal.wait(), 0)
        self.assertIn('✔ allowed', terminal.text)

    def test_what_the_server_cuts_is_read_whole(self):
        command = 'x' * 40000 + ' && touch /tmp/hidden'
        terminal = self.run_task(('Bash', {'command': command}))
        terminal.until('— more')
        while ASKS not in terminal.text:
            terminal.type(' ')
            terminal.read(0.2)
        rows = re.findall(r'  [│┆] (.*)', terminal.text)
        self.assertIn(command, ''.join(rows))
        self.assertIn('1 line, 40021 bytes', terminal.text)
        tail = self.troika('tail', terminal.task).stdout
        self.assertIn(command, tail)
        self.assertIn('touch /tmp/hidden',
                      self.troika('show', terminal.task).stdout)
        self.deny(terminal)

    def test_the_end_of_the_input_is_no_answer(self):
        terminal = self.run_task(('Bash', {'command': 'ls'}))
        terminal.until(ASKS)
        terminal.type('\x04')
        terminal.until(f'troika respond {terminal.task}')
        self.assertEqual(self.state(terminal.task), 'awaiting_approval')
        self.troika('respond', terminal.task, '--deny', '--reason', 'later')
        self.assertEqual(terminal.wait(), DENIED)
        self.assertIn('denied: Bash: later', terminal.text)

    def test_what_is_answered_elsewhere_is_withdrawn(self):
        terminal = self.run_task(('Bash', {'command': 'ls'}),
                                 ('Bash', {'command': 'rm -rf /w'}))
        at = terminal.until(ASKS)
        # Half an answer, which must not count for the next question.
        terminal.type('y')
        time.sleep(0.2)
        self.assertEqual(
            self.troika('respond', terminal.task, '--allow').returncode, 0)
        at = terminal.until('✔ allowed: Bash', at)
        at = terminal.until(ASKS, at)
        terminal.type('\n')
        terminal.until('type y to allow it', at)
        self.assertEqual(self.state(terminal.task), 'awaiting_approval')
        self.deny(terminal, at)

    def test_respond_shows_and_asks(self):
        script = self.script(('Write', {'file_path': '/w/b',
                                        'content': 'one\ntwo\n'}))
        self.env['TROIKA_FAKE_SCRIPT'] = script
        task = self.troika('run', 'claude', '--edit-mode', 'auto_edit',
                           '--detach', 'do it').stdout.strip()
        end = time.monotonic() + PATIENCE
        while self.state(task) != 'awaiting_approval':
            self.assertLess(time.monotonic(), end)
        refused = self.troika('respond', task)
        self.assertEqual(refused.returncode, 2)
        self.assertIn('on a terminal', refused.stderr)
        terminal = self.terminal('respond', task)
        asked = terminal.until(ASKS)
        self.assertIn('  file_path: /w/b\n  │ one\n  │ two',
                      terminal.text[:asked])
        terminal.type('y\n')
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(self.terminal('respond', task).wait(), 2)

    def test_keys_typed_before_the_question_are_no_answer(self):
        terminal = self.run_task(('Bash', {'command': 'ls'}))
        at = terminal.until(ASKS)
        self.troika('interrupt', terminal.task)
        terminal.wait()
        script = self.script(('Bash', {'command': 'ls'}))
        with open(script) as file:
            text = 'sleep 1500\n' + file.read()
        with open(script, 'w') as file:
            file.write(text)
        terminal = self.terminal('run', 'claude', '--edit-mode', 'auto_edit',
                                 'do it', env={'TROIKA_FAKE_SCRIPT': script})
        terminal.until('auto_edit')
        terminal.type('y\ny\n')
        at = terminal.until(ASKS)
        time.sleep(0.3)
        terminal.read(0.1)
        self.assertNotIn('✔ allowed', terminal.text)
        self.deny(terminal, at)
        self.assertIn('✘ denied', terminal.text)

    def test_a_terminal_that_reads_nothing_holds_nobody(self):
        task = self.run_task().task
        for command in (['dashboard'], ['attach', task]):
            terminal = self.terminal(*command, env={'TERM': 'xterm'})
            terminal.until('do it')
            raw = termios.tcgetattr(terminal.master)[3]
            self.assertEqual(raw & termios.ICANON, 0)
            terminal.fill()
            end = time.monotonic() + PATIENCE
            columns = 200
            while not terminal.is_blocked_in_write():
                self.assertLess(time.monotonic(), end)
                columns = 390 - columns  # Another size is drawn anew.
                terminal.resize(columns)
                time.sleep(0.04)
            terminal.process.send_signal(signal.SIGTERM)
            self.assertEqual(terminal.process.wait(PATIENCE), 143)
            modes = termios.tcgetattr(terminal.master)[3]
            self.assertNotEqual(modes & termios.ICANON, 0)

    def test_a_narrower_list_is_drawn_over_the_rows_it_had(self):
        self.run_task(('Bash', {'command': 'ls'})).until(ASKS)
        terminal = self.terminal('tasks', '-f', '--limit', '1',
                                 env={'TERM': 'xterm'})
        at = terminal.until('claude')
        # The terminal wraps the title's row, which is over 20 columns wide.
        terminal.resize(20)
        up = re.compile('\x1b\\[([0-9]+)A')
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            moved = [int(rows) for rows in up.findall(terminal.text[at:])]
            if moved and max(moved) > 2:
                return
            terminal.read(1)
        self.fail(f'moved up by {moved} rows only')


if __name__ == '__main__':
    PROGRAMS.update(
        {os.path.basename(path): os.path.abspath(path) for path in sys.argv[1:]})
    unittest.main(argv=sys.argv[:1], verbosity=2)
