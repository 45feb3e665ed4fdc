#!/usr/bin/env python3
"""`troika` alone: the dashboard in a real terminal, which tmux plays."""
import os
import re
import signal
import sys
import time

sys.dont_write_bytecode = True

from terminals import PROGRAMS, Pane, TerminalTest, main  # noqa: E402

GOLDENS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       'dashboard_goldens')
ASKS = 'y(es), n(o)'
# After this, what is asked has not just changed.
SETTLING = 0.8
# The keys of the list and the timeline are shown.
BROWSES = '? keys'


class DashboardCase(TerminalTest):
    def dashboard(self, *arguments, env=None):
        pane = self.pane(*arguments, env=env)
        pane.screen = lambda: self.tmux('capture-pane', '-p', '-t', pane.name)
        pane.until(BROWSES)
        return pane

    def run_task(self, prompt, script):
        ran = self.troika('run', 'claude', '--edit-mode', 'auto_edit',
                          '--interactive', '--detach', prompt,
                          env=self.script(script))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout.strip()

    def select(self, pane, title):
        """Goes to the task with this title, which must be listed."""
        while True:
            screen = pane.wait(
                lambda text: re.search('^▸ ', text, re.M) and title in text,
                f'no {title!r}')
            rows = re.findall('^([▸ ]) [?✘●…✔■⊘·] (.*)', screen, re.M)
            here = [i for i, row in enumerate(rows) if row[0] == '▸'][0]
            there = [i for i, row in enumerate(rows)
                     if row[1].startswith(title)][0]
            if here == there:
                pane.until(f'── {title}')
                return
            pane.key(*['j' if there > here else 'k'] * abs(there - here))
            pane.wait(lambda text, old=screen: text != old, 'nothing changed')

    def enter(self, pane, sign, text):
        """Types a line, and sends it again if it just got another meaning."""
        def is_typed(screen):
            # The timeline may show the same line.
            return f'{sign} {text}' in screen.rstrip().split('\n')[-5:]

        pane.type(text)
        pane.wait(is_typed, f'no line {text!r}')
        pane.key('Enter')
        screen = pane.wait(
            lambda now: not is_typed(now) or 'Enter again' in now,
            f'{text!r} was not taken')
        if is_typed(screen):
            time.sleep(SETTLING)
            pane.key('Enter')
            pane.wait(lambda now: not is_typed(now),
                      f'{text!r} was not taken again')


class ScreensTest(DashboardCase):
    def check(self, pane, name):
        """Compares the screen with a golden, but for times."""
        path = os.path.join(GOLDENS, f'{name}.txt')

        def shown(text):
            text = re.sub(r' +\d+[smh]( │|$)', r' TIME\1', text, flags=re.M)
            text = re.sub(r'(\d+m ?)?\d+(\.\d)?s\b', 'TIME', text)
            text = re.sub('[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]', '⠋', text)
            return '\n'.join(row.rstrip() for row in text.split('\n'))

        if os.environ.get('UPDATE_GOLDENS'):
            with open(path, 'w') as file:
                file.write(shown(pane.screen()))
            return
        with open(path) as file:
            golden = file.read()
        pane.wait(lambda text: shown(text) == golden,
                  f'the screen is not {name}:\n{golden}\nbut')

    def test_screens(self):
        steps = '\\n'.join(f'- step {i}' for i in range(30))
        self.run_task('clean the build folder',
                      f'say {steps}\nrun ls => build src\n'
                      'ask Bash {"command":"rm -r build\\nls"}\nok\n')
        self.run_task('upgrade the compiler', 'fail The model is gone.\n')
        self.run_task('write release notes', 'say **Done**, and done.\nok\n')
        pane = self.dashboard()
        pane.until('1 needs you · 1 failed · 1 ended', 'choices: ')
        self.check(pane, 'list')
        pane.key('?')
        pane.until('any key goes back')
        self.check(pane, 'keys')
        pane.key('q')
        pane.until(BROWSES)
        pane.key('a')
        pane.until(ASKS)
        self.check(pane, 'approval')
        pane.key('Escape')
        pane.until(BROWSES)
        self.tmux('resize-window', '-t', pane.name, '-x', '120', '-y', '26')
        pane.until('│ • step 29')
        self.check(pane, 'wide')
        self.tmux('resize-window', '-t', pane.name, '-x', '39', '-y', '9')
        pane.until('The terminal is too small', '40×10')
        self.tmux('resize-window', '-t', pane.name, '-x', '50', '-y', '12')
        pane.until('▸ ? clean the build folder')
        pane.key('Tab')
        pane.until('choices: ')
        pane.key('q')
        pane.until('ended with 0')


class QueueTest(DashboardCase):
    def test_a_queued_task_shows_what_waits(self):
        # As many as may run at once, and two more.
        tasks = [self.run_task(f'task number {i}', 'hang\n')
                 for i in range(12)]
        pane = self.dashboard()
        pane.until('10 running · 2 queued')
        self.tmux('resize-window', '-t', pane.name, '-x', '80', '-y', '50')
        self.select(pane, 'task number 11')
        pane.until('❯ task number 11', 'waits in the queue, at place 2')
        self.troika('stop', tasks[10])
        pane.until('at place 1')
        pane.key('q')
        pane.until('ended with 0')
        for task in tasks:
            self.troika('stop', task)


class DashboardTest(DashboardCase):
    def test_what_agents_ask_is_answered_in_place(self):
        pane = self.dashboard()
        raw = os.path.join(self.root, 'raw')
        self.tmux('pipe-pane', '-t', pane.name, f'cat >> {raw}')
        task = self.run_task(
            'ask me', 'ask Bash {"command":"ls -la"}\nsay Listed.\n'
            'ask Bash {"command":"make"}\n')
        other = self.run_task('elsewhere', 'question Which? | red | green\n'
                                           'say Fine.\nok\n')
        pane.until('ask me', 'elsewhere')
        self.select(pane, 'ask me')
        pane.key('a')
        pane.until('allow Bash (1 line, 6 bytes)? ls -la', ASKS)
        self.enter(pane, '?', 'y')
        pane.until('Listed.', 'a answer', BROWSES)
        self.select(pane, 'ask me')
        pane.key('a')
        pane.until('allow Bash (1 line, 4 bytes)? make', ASKS)
        self.enter(pane, '?', 'n')
        pane.until('why not?')
        self.enter(pane, '?', 'use ninja')
        pane.until('✘ denied: Bash: use ninja')
        # The next one that asks is found from anywhere.
        pane.key('a')
        pane.until('2. green', 'your own words')
        self.enter(pane, '?', '2')
        pane.until('→ green', 'Fine.')
        for one in (task, other):
            self.wait_state(one, 'idle')
        with open(raw, 'rb') as file:
            bell = file.read()
        self.assertIn(b'\a\x1b]9;troika: the agent asks: ask me\a', bell)
        self.assertIn(b'\x1b]777;notify;troika;the agent asks: elsewhere\a',
                      bell)
        pane.key('C-c')
        pane.until('ended with 0')

    def wait_state(self, task, state):
        waited = self.troika('wait', task)
        self.assertEqual(self.state(task)['state'], state, waited.stderr)

    def test_a_task_from_its_start_to_its_end(self):
        script = self.script('say Hello there.\nok\n'
                             '== prompt again\nsay I go on.\nhang\n')
        pane = self.dashboard(env=script)
        pane.key('n')
        pane.until('New task', 'claude')
        pane.type('greet me first')
        pane.key('Tab')
        pane.until('▸ harness')
        pane.type('cl')
        pane.until('‹ claude ›')
        pane.key('Down')
        pane.until('▸ folder')
        pane.key('Tab')
        pane.type('a')
        pane.until('‹ ask ›')
        pane.key('Enter')
        pane.until('▸ prompt')
        pane.key('Enter')
        pane.until('▸ ✔ greet me first', 'Hello there.', '✔ done')
        pane.key('i')
        pane.until('Enter sends')
        pane.type('half')
        pane.key('Escape')
        pane.until('your message is kept')
        pane.key('i')
        pane.until('❯ half')
        pane.key('C-c')
        self.enter(pane, '❯', 'once again')
        pane.until('I go on.', '▸ ● greet me first', 'x interrupt')
        pane.key('x')
        pane.until('interrupt the turn of "greet me first"?')
        pane.key('n')
        pane.until('nothing was done')
        pane.key('x')
        pane.key('y')
        pane.until('■ interrupted by user', '▸ ■ greet me first')
        pane.key('s')
        pane.until('stop the agent of')
        pane.key('y')
        pane.wait(lambda text: 's stop' not in text, 'still not stopped')
        # A filter, attaching, and the way back.
        self.run_task('some other thing', 'say Other.\nok\n')
        pane.until('some other thing')
        pane.key('/')
        pane.type('greet')
        pane.wait(lambda text: 'some other thing' not in text, 'not filtered')
        pane.key('Enter')
        pane.until('/greet', BROWSES)
        pane.key('Enter')
        pane.until('attached to task', 'Hello there.')
        pane.key('C-]')
        pane.until('/greet', BROWSES, '▸ ■ greet me first')
        pane.key('Escape')
        pane.until('some other thing')
        pane.key('q')
        pane.until('ended with 0')

    def test_a_server_that_is_killed(self):
        self.run_task('before it', 'say Before.\nok\n')
        pane = self.dashboard()
        pane.until('before it')
        for pid in self.servers():
            os.kill(pid, signal.SIGKILL)
        # The dashboard starts another, and goes on with it.
        pane.wait(lambda _: self.servers(), 'no server')
        self.run_task('after it', 'say After.\nhang\n')
        pane.until('after it', 'before it')
        self.select(pane, 'after it')
        pane.until('After.')
        pane.key('q')
        pane.until('ended with 0')

    def test_a_server_that_hangs_makes_a_task_once(self):
        pane = self.dashboard(env=self.script('say Made.\nok\n'))
        pane.key('n')
        pane.until('New task', 'claude')
        pane.key('Tab')
        pane.until('▸ harness')
        pane.type('cl')
        pane.until('‹ claude ›')
        pane.key('Tab', 'Tab', 'Tab')
        pane.until('▸ prompt')
        servers = self.servers()
        for pid in servers:
            os.kill(pid, signal.SIGSTOP)
        try:
            pane.type('created only once')
            pane.until('created only once')
            pane.key('Enter')
            pane.until(BROWSES)
            pane.key('n')
            pane.until('New task')
            pane.type('another prompt')
            pane.until('another prompt')
            pane.key('Escape')
            pane.until('the task is made when it does')
        finally:
            for pid in servers:
                os.kill(pid, signal.SIGCONT)
        pane.until('▸ ✔ created only once', 'Made.')
        listed = self.troika('tasks', '--json', '--text', 'created only once')
        self.assertEqual(len(listed.stdout.splitlines()), 1, listed.stdout)
        pane.key('n')
        pane.until('▸ prompt    another prompt')
        pane.key('Escape')
        pane.until(BROWSES)
        pane.key('q')
        pane.until('1 text that you had begun was not sent', 'ended with 0')

    def test_marks_of_other_scripts_are_shown(self):
        title = 'ที่นี่ हिन्दी שָׁלוֹם'
        self.run_task(title, 'say Fine.\nok\n')
        pane = self.dashboard()
        # It finds the title in the list, and above the timeline.
        self.select(pane, title)
        pane.key('q')
        pane.until('ended with 0')

    def test_hostile_text_stays_text(self):
        title = 'x\x1b]0;pwned\x07\x1b[2J\u202eevil 漢字e\u0301'
        self.run_task(title, 'say Out\x1b]0;said\x07\u202eput\nok\n')
        pane = self.dashboard()
        raw = os.path.join(self.root, 'hostile')
        self.tmux('pipe-pane', '-t', pane.name, f'cat >> {raw}')
        self.select(pane, 'x␛]0;pwned')
        pane.until('␛[2J\ufffdevil 漢字e\u0301')
        pane.until('put')
        pane.key('C-l')
        self.tmux('resize-window', '-t', pane.name, '-x', '110', '-y', '24')
        pane.until(' │ ')
        pane.key('q')
        pane.until('ended with 0')
        with open(raw, 'rb') as file:
            sent = file.read()
        self.assertIn(b'pwned', sent)
        self.assertNotIn(b'\x1b]0;pwned', sent)
        self.assertNotIn(b'\x1b]0;said', sent)
        self.assertNotIn('\u202e'.encode(), sent)

    def test_signals_and_other_terminals(self):
        self.run_task('only one', 'say One.\nok\n')
        plain = self.dashboard(env={'NO_COLOR': '1'})
        coded = self.tmux('capture-pane', '-p', '-e', '-t', plain.name)
        self.assertNotRegex(coded, '\x1b\\[3[1-6]m')
        for name, code in (('TERM', 143), ('HUP', 129)):
            pane = self.dashboard()
            pid = self.tmux('list-panes', '-t', pane.name, '-F', '#{pane_pid}')
            children = f'/proc/{pid.strip()}/task/{pid.strip()}/children'
            with open(children) as file:
                child = int(file.read().split()[0])
            os.kill(child, getattr(signal, f'SIG{name}'))
            # The terminal's own screen is back.
            text = pane.until(f'ended with {code}')
            self.assertNotIn(BROWSES, text)
        self.tmux('new-session', '-d', '-s', 'shell', '-x', '80', '-y', '24',
                  '-c', self.work, '/bin/bash', '--norc', '-i')
        self.addCleanup(self.tmux, 'kill-session', '-t', 'shell')
        shell = Pane(self.tmux, 'shell')
        shell.line('$')
        shell.type(PROGRAMS['troika'])
        shell.key('Enter')
        shell.until(BROWSES)
        shell.key('C-z')
        shell.until('Stopped')
        shell.line('$')
        shell.type('stty -a')
        shell.key('Enter')
        shell.until('isig icanon ')
        shell.type('fg')
        shell.key('Enter')
        shell.until(BROWSES)
        shell.key('q')
        shell.line('$')
        # Without a shell that could continue it, it goes on.
        alone = self.dashboard()
        alone.key('C-z')
        alone.key('?')
        alone.until('any key goes back')
        alone.key('q')
        alone.until(BROWSES)
        alone.key('q')
        alone.until('ended with 0')
        # A script that has started it stops, too.
        shell.type(f"sh -c '{PROGRAMS['troika']}; echo after it'")
        shell.key('Enter')
        shell.until(BROWSES)
        shell.key('C-z')
        shell.line('$')
        shell.type('fg')
        shell.key('Enter')
        shell.until(BROWSES)
        shell.key('q')
        shell.until('\nafter it')
        dumb = self.pane(env={'TERM': 'dumb'})
        dumb.until('TERM is dumb', 'usage: troika COMMAND', 'ended with 2')
        unknown = self.pane(env={'TERM': 'none-such'})
        unknown.until('TERM is none-such', 'ended with 2')
        refused = self.troika('dashboard')
        self.assertEqual(refused.returncode, 2)
        self.assertIn('is not a terminal', refused.stderr)
        alone = self.troika()
        self.assertEqual(alone.returncode, 2)
        self.assertIn('usage: troika COMMAND', alone.stderr)


if __name__ == '__main__':
    main()
