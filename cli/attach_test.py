#!/usr/bin/env python3
"""`troika attach` and `troika run -i` in a real terminal, which tmux plays."""
import os
import signal
import sys
import time

sys.dont_write_bytecode = True

from terminals import PROGRAMS, Pane, TerminalTest, main  # noqa: E402

ASKS = 'y(es), n(o)'


class AttachTest(TerminalTest):
    def test_the_list_changes_in_place(self):
        first = self.start('say One.\nok\n')
        pane = self.pane('tasks', '-f', '--limit', '5')
        pane.until('TITLE', first)
        second = self.start('ask Bash {"command":"ls"}\nok\n')
        text = pane.until(second, 'awaiting approval')
        self.assertEqual(text.count('TITLE'), 1, text)
        self.troika('respond', second, '--allow')
        pane.without('awaiting approval')
        self.troika('rm', '--force', second)
        text = pane.without(second)
        self.assertEqual((text.count('TITLE'), text.count(first)), (1, 1), text)

    def test_what_is_shown_is_rendered_and_folded(self):
        lines = ''.join(f'line {i}\\n' for i in range(1, 61))
        pane = self.pane(
            'run', 'claude', '--edit-mode', 'full_auto', 'do it',
            env=self.script(f'run seq => {lines}\n'
                            'write a.txt one\\ntwo\\n\n'
                            'say # Head\\n\\n- **bold** word\nok\n'))
        text = pane.until('✔ done', 'ended with 0')
        task = text.split('troika: task ')[1].split('\n')[0].strip()
        self.assertIn(f'… 54 lines more: troika show {task} ', text)
        self.assertNotIn('line 54\n', text)
        self.assertIn('line 55\n', text)
        self.assertIn('● Write  a.txt  +2 −0', text)
        self.assertIn('  │ + one\n  │ + two\n', text)
        self.assertIn('\nHead\n\n• bold word\n', text)
        self.assertIn('  1 file changed, +2 −0: a.txt', text)
        self.assertIn(' · full_auto', text)
        self.assertNotIn('❯ do it', text)
        event = text.split(f'troika show {task} ')[1].split('\n')[0].strip()
        whole = self.troika('show', task, event).stdout
        self.assertIn('line 1\n', whole)
        self.assertIn('line 60\n', whole)
        full = self.pane('tail', task, '--full').until('ended with 0')
        self.assertIn('line 7\n', full)
        self.assertNotIn('lines more', full)

    def test_a_conversation(self):
        pane = self.pane(
            'run', '-i', 'claude', '--edit-mode', 'auto_edit',
            env=self.script('say Hello there.\nok\n'
                            '== prompt second\nsay The second answer.\nok\n'
                            '== prompt zwei\nsay Many lines.\nok\n'))
        pane.until('What is the agent to do?')
        pane.enter('the first prompt')
        text = pane.until('attached to task', '❯ the first prompt',
                          'Hello there.', '✔ done')
        task = text.split('attached to task ')[1].split(':')[0]
        self.assertNotIn('What is the agent to do?', text)
        pane.line('❯')
        # The turn has ended, and the terminal takes the next prompt.
        pane.enter('the second prompt')
        pane.until('The second answer.')
        pane.line('❯')
        pane.paste('eins\nzwei 漢字\ndrei')
        pane.until('❯ eins\n  zwei 漢字\n  drei')
        pane.key('Enter')
        pane.until('Many lines.')
        inputs = self.state(task)['inputs']
        self.assertEqual(inputs[-1]['text'], 'eins\nzwei 漢字\ndrei')
        pane.line('❯')
        pane.key('Up')
        pane.until('❯ eins\n  zwei 漢字\n  drei\n')
        pane.key('C-c')
        pane.line('❯')
        pane.type('one\\')
        pane.key('Enter')
        pane.type('two')
        pane.line('  two')
        pane.key('C-c')
        pane.line('❯')
        pane.type('/nonsense')
        pane.key('Enter')
        pane.until('there is no command /nonsense')
        pane.key('C-c')
        pane.enter('/help')
        pane.until('/steer TEXT', 'begins with a slash')
        pane.key('C-]')
        pane.until('come back with: troika attach ' + task, 'ended with 0')
        # Attached again, it shows the same, and earlier lines are known.
        again = self.pane('attach', 'latest')
        again.until('Hello there.', 'The second answer.', 'Many lines.')
        again.line('❯')
        again.key('Up', 'Up')
        again.line('  drei')
        again.key('C-c')
        again.line('❯')
        again.key('C-d')
        again.until('ended with 0')
        history = os.path.join(self.env['TROIKA_HOME'], 'input_history')
        self.assertEqual(os.stat(history).st_mode & 0o777, 0o600)

    def test_approvals_and_questions(self):
        task = self.start('ask Bash {"command":"ls -la"}\nsay Listed.\n'
                          'ask Bash {"command":"rm -r build"}\n'
                          'question Which colour? | red | green\n'
                          'ask Bash {"command":"make"}\nok\n')
        pane = self.pane('attach', task)
        pane.until('allow Bash (1 line, 6 bytes)? ls -la', ASKS)
        pane.enter('perhaps')
        pane.until('type y to allow it')
        pane.enter('y')
        pane.until('✔ allowed: Bash', 'Listed.')
        # Answered elsewhere, while a line is half typed.
        pane.until('allow Bash (1 line, 11 bytes)? rm -r build')
        pane.key('Tab')
        pane.line('❯')
        pane.type('half a message')
        pane.line('❯ half a message')
        self.assertEqual(
            self.troika('respond', task, '--allow').returncode, 0)
        pane.until('it was answered elsewhere, by user',
                   'Which colour?', '2. green')
        pane.without('? rm -r build')
        pane.line('❯ half a message')
        pane.key('Tab')
        pane.line('?')
        pane.enter('2')
        pane.until('→ green')
        # The message is still there; then a denial with its reason.
        pane.until('allow Bash (1 line, 4 bytes)? make')
        pane.line('❯ half a message')
        pane.key('C-c')
        pane.until(ASKS)
        pane.enter('n')
        pane.until('why not?')
        pane.enter('use ninja')
        pane.until('✘ denied: Bash: use ninja')
        pane.key('C-]')
        pane.until('ended with 0')

    def test_two_terminals_and_an_interrupt(self):
        task = self.start('say I begin.\nsleep 300\nsay I work.\nhang\n'
                          '== prompt again\nsay Here again.\nok\n')
        one, two = self.pane('attach', task), self.pane('attach', task)
        one.until('attached to task')
        one.type('half typed')
        for pane in (one, two):
            pane.until('I begin.', 'I work.', 'running')
        one.line('❯ half typed')
        # Clears the line, then interrupts.
        one.key('C-c')
        one.line('❯')
        one.key('C-c')
        for pane in (one, two):
            pane.until('■ interrupted by user: Ctrl-C')
        one.until('interrupting the turn; Ctrl-C again detaches')
        one.wait(lambda text: ' running ' not in text, 'still running')
        two.enter('and again')
        for pane in (one, two):
            pane.until('❯ and again', 'Here again.')
        for pane in (one, two):
            pane.line('❯')
        self.assertEqual(self.timeline(one), self.timeline(two))
        two.key('C-c')
        two.until('no turn runs')
        two.key('C-c')
        two.until('ended with 0')
        self.assertEqual(self.state(task)['state'], 'idle')
        one.key('C-]')
        one.until('ended with 0')

    def test_a_server_that_is_killed(self):
        task = self.start('say I begin.\nsleep 1500\nsay I go on.\nok\n'
                          '== prompt after\nsay After it.\nok\n')
        pane = self.pane('attach', task)
        pane.until('I begin.')
        pane.type('after the')
        for pid in self.servers():
            os.kill(pid, signal.SIGKILL)
        pane.until('the server was gone; connected again', 'I go on.')
        pane.line('❯ after the')
        pane.enter(' crash')
        text = pane.until('After it.')
        for once in ('I begin.', 'I go on.', '❯ after the crash'):
            self.assertEqual(text.count(once), 1, text)
        pane.key('C-]')
        pane.until('ended with 0')

    def test_input_waits_for_a_server(self):
        task = self.start('say I begin.\nok\n== prompt later\nsay Got it.\nok\n')
        pane = self.pane('attach', task, env={'TROIKA_NO_AUTOSTART': '1'})
        pane.until('I begin.', '✔ done')
        for pid in self.servers():
            os.kill(pid, signal.SIGKILL)
        pane.until('there is no server; connecting again')
        pane.enter('for later')
        pane.until('there is no server; what you type is sent when it is back')
        self.assertEqual(self.state(task)['turns'], 1)
        pane.until('Got it.')
        self.assertEqual(self.state(task)['turns'], 2)
        pane.key('C-]')
        pane.until('ended with 0')

    def test_a_server_that_hangs(self):
        task = self.start('say I begin.\nok\n== prompt while\nsay Got it.\nok\n')
        pane = self.pane('attach', task)
        pane.until('I begin.', '✔ done')
        servers = self.servers()
        for pid in servers:
            os.kill(pid, signal.SIGSTOP)
        try:
            pane.enter('while it hangs')
            pane.until('the server has not answered for')
            # Keys are taken meanwhile.
            pane.type('next line')
            pane.line('❯ next line')
            pane.key('C-c')
            pane.line('❯')
        finally:
            for pid in servers:
                os.kill(pid, signal.SIGCONT)
        pane.until('Got it.')
        pane.without('has not answered')
        self.assertEqual(self.state(task)['turns'], 2)
        for pid in servers:
            os.kill(pid, signal.SIGSTOP)
        try:
            pane.enter('the last line')
            pane.key('C-]')
            pane.until('1 input was not sent, because the server does not',
                       'ended with 0')
        finally:
            for pid in servers:
                os.kill(pid, signal.SIGCONT)

    def attached(self, task):
        """The process of `troika attach TASK`."""
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open(f'/proc/{pid}/cmdline', 'rb') as file:
                    words = file.read().split(b'\0')
            except OSError:
                continue
            if words[:1] == [PROGRAMS['troika'].encode()] and (
                    task.encode() in words):
                return int(pid)
        raise AssertionError(f'nobody is attached to {task}')

    def test_a_job_of_a_shell(self):
        task = self.start('say A short text.\nok\n')
        self.tmux('new-session', '-d', '-s', 'shell', '-x', '80', '-y', '24',
                  '-c', self.work, '/bin/bash', '--norc', '-i')
        self.addCleanup(self.tmux, 'kill-session', '-t', 'shell')
        pane = Pane(self.tmux, 'shell')
        pane.line('$')
        pane.type(f'{PROGRAMS["troika"]} attach {task}')
        pane.key('Enter')
        for stop in (signal.SIGTSTP, signal.SIGSTOP):
            pane.until('✔ done')
            pane.line('❯')
            self.tmux('clear-history', '-t', 'shell')
            os.kill(self.attached(task), stop)
            pane.until('Stopped')
            pane.line('$')
            pane.key('Enter')
            pane.type('stty -a; clear')
            pane.line('$ stty -a; clear')
            pane.type('; fg')
            pane.key('Enter')
            pane.line('❯')
            # Keys come at once, and are shown once.
            pane.type('half')
            pane.line('❯ half')
            pane.key('C-c')
            pane.line('❯')
            pane.key('C-l')
            self.troika('send', task, 'again')
        for end in (signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
            pane.line('❯')
            os.kill(self.attached(task), end)
            pane.line('$')
            pane.type('clear; stty -a | grep -o -e "-*icanon" -e "-*echo "')
            pane.key('Enter')
            text = pane.until('icanon', 'echo')
            self.assertNotIn('-icanon', text.split('\n', 1)[1])
            self.assertNotIn('-echo', text.split('\n', 1)[1])
            pane.type(f'clear; {PROGRAMS["troika"]} attach {task}')
            pane.key('Enter')
        pane.line('❯')
        pane.key('C-]')
        pane.line('$')

    def test_a_terminal_without_a_shell(self):
        task = self.start('say A short text.\nok\n')
        pane = self.pane('attach', task)
        pane.until('✔ done')
        pane.line('❯')
        # Nobody could continue it, so it goes on.
        os.kill(self.attached(task), signal.SIGTSTP)
        pane.type('half')
        pane.line('❯ half')
        pane.key('C-c')
        pane.line('❯')
        pane.key('C-]')
        pane.until('ended with 0')

    def test_an_escape_and_a_paste_without_end(self):
        task = self.start('say A short text.\nok\n')
        pane = self.pane('attach', task)
        pane.until('✔ done')
        pane.key('Escape')
        # Longer than the bytes of one key are apart.
        time.sleep(0.5)
        pane.type('xyz')
        pane.line('❯ xyz')
        pane.key('-H', '1b', '5b', '32', '30', '30', '7e')
        pane.type(' pasted')
        pane.line('❯ xyz pasted')
        pane.type('!')
        pane.line('❯ xyz pasted!')
        pane.key('C-c')
        pane.line('❯')
        pane.key('C-]')
        pane.until('ended with 0')

    def test_another_size(self):
        task = self.start('say A short text.\nok\n')
        pane = self.pane('attach', task)
        pane.until('✔ done')
        words = ' '.join(f'word{i}' for i in range(12))
        pane.type(words)
        pane.until('word11')
        self.tmux('set-option', '-t', pane.name, 'window-size', 'manual')
        for width, height in ((40, 12), (60, 30), (30, 10), (80, 24)):
            self.tmux('resize-window', '-t', pane.name, '-x', str(width),
                      '-y', str(height))
            want = words.replace(' ', '')
            pane.wait(
                lambda text: want in ''.join(
                    text.split('❯')[-1].split()), 'no whole line')
        text = pane.screen()
        self.assertEqual(text.count('word5'), 1, text)
        self.assertEqual(text.count('A short text.'), 1, text)
        pane.key('C-c')
        pane.line('❯')
        pane.key('C-]')
        pane.until('ended with 0')

    def test_what_is_longer_than_the_screen_takes_a_word(self):
        command = '\\n'.join(f'echo line-{i}-' for i in range(60))
        task = self.start('ask Bash {"command":"%s"}\nok\n' % command)
        pane = self.pane('attach', task)
        text = pane.until('the word allow', 'longer than the screen')
        for i in range(60):
            self.assertIn(f'echo line-{i}-', text)
        pane.enter('y')
        pane.until('not all of it was shown')
        pane.enter('allow')
        pane.until('✔ allowed')
        pane.key('C-]')
        pane.until('ended with 0')

    def test_other_command_lines(self):
        task = self.start('say Hi.\nok\n')
        refused = self.troika('attach', task)
        self.assertEqual(refused.returncode, 2)
        for words in ('standard input is not a terminal', 'troika tail TASK -f',
                      'troika send TASK'):
            self.assertIn(words, refused.stderr)
        dumb = self.pane('attach', task, env={'TERM': 'dumb'})
        dumb.until('TERM is dumb', 'ended with 2')
        # Without a name it is the newest one of the folder.
        pane = self.pane('attach')
        pane.until(f'task {task} in {self.work}: begin', 'Hi.')
        pane.key('C-]')
        pane.until('ended with 0')
        left = self.pane('run', '-i', 'claude')
        left.until('What is the agent to do?')
        left.key('C-c')
        left.until('ended with 130')


if __name__ == '__main__':
    main()
