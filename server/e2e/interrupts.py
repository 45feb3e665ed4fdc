"""Interrupts in the first moments of a task, on every wire."""
import fcntl
import os
import time

from world import WorldTest, wait_for

# Harness and options of each wire.
WIRES = {
    'exec': ('codex', {'wire': 'exec', 'skipGitCheck': True}),
    'app_server': ('codex', {'wire': 'app_server', 'skipGitCheck': True}),
    'claude': ('claude', {}),
    'gemini': ('gemini', {'wire': 'stream_json'}),
    'acp': ('gemini', {'wire': 'acp'}),
}
# Milliseconds that a fake needs before it reads its first line.
START = 300
# Seconds after which the interrupt of a CLI that reads must have had its effect.
EFFECT = 1
ENDED = ('idle', 'done', 'failed', 'interrupted', 'cancelled')


class InterruptsTest(WorldTest):
    def create(self, wire, script, **fields):
        harness, options = WIRES[wire]
        return self.world.create(script, harness=harness, options=options,
                                 **fields)

    def wait_ended(self, task, seconds):
        """Returns the task once its turn has ended, and how long that took."""
        began = time.monotonic()
        while True:
            now = self.world.task(task)
            took = time.monotonic() - began
            if now['state'] in ENDED:
                return now, took
            self.assertLess(took, seconds, f'{now}')
            time.sleep(0.01)

    def check_nothing_is_left(self, tasks):
        """No process of the tasks lives, and the lock of each log is free."""
        world = self.world
        for task in tasks:
            if world.task(task)['state'] == 'idle':
                world.ask('POST', f'/api/v1/tasks/{task}/stop',
                          {'grace': '0.2s'})
        for task in tasks:
            world.wait_state(task, 'done', 'interrupted', 'cancelled')

        def is_free(task):
            with open(f'{world.home}/tasks/{task}/log.v1', 'r+b') as log:
                try:
                    fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    return False
                return True
        for task in tasks:
            wait_for(lambda: is_free(task), f'the lock of {task}')
        wait_for(lambda: not fakes(world.root), 'the fakes to end')

    def test_before_the_agent_reads(self):
        world = self.world
        world.start()
        tasks = []
        for wire in WIRES:
            with self.subTest(wire):
                task = self.create(
                    wire, f'== start\nsleep {START}\n== turn 1\nhang')
                tasks.append(task)
                world.api('POST', f'/tasks/{task}/interrupt', {})
                now, _ = self.wait_ended(task, START / 1000 + EFFECT)
                self.assertIn(now['state'],
                              ('idle', 'interrupted', 'cancelled'))
        self.check_nothing_is_left(tasks)

    def test_behind_the_prompt_of_a_process_that_waits(self):
        """The agent reads prompt and interrupt at once."""
        world = self.world
        world.start()
        tasks = []
        for wire in ('app_server', 'claude', 'acp'):
            with self.subTest(wire):
                task = self.create(wire, '== turn 1\nsay One.\nok\n'
                                   '== turn 2\nhang\n== turn 3\nsay Three.\nok')
                tasks.append(task)
                world.wait_state(task, 'idle')
                world.api('POST', f'/tasks/{task}/input', {'text': 'more'})
                world.api('POST', f'/tasks/{task}/interrupt', {})
                now, _ = self.wait_ended(task, EFFECT)
                self.assertEqual((now['state'], now['outcome']),
                                 ('idle', 'interrupted'))
                # The interrupt does not reach the next turn.
                world.api('POST', f'/tasks/{task}/input', {'text': 'again'})
                wait_for(lambda: world.task(task)['turns'] == 3, 'the turn')
                now, _ = self.wait_ended(task, 10)
                self.assertEqual((now['outcome'], now['result']['text']),
                                 ('done', 'Three.'))
        self.check_nothing_is_left(tasks)

    def test_for_an_input(self):
        """`send --interrupt` in the first moments does not wait."""
        world = self.world
        world.start()
        tasks = []
        for wire in WIRES:
            with self.subTest(wire):
                task = self.create(
                    wire, f'== start\nsleep {START}\n== prompt left\n'
                    'say Left.\nok\n== turn 1\nhang',
                    env={'TROIKA_FAKE_STATE': f'{world.root}/fake-{wire}'})
                tasks.append(task)
                began = time.monotonic()
                world.api('POST', f'/tasks/{task}/input',
                          {'text': 'to the left', 'mode': 'interrupt'})
                wait_for(lambda: world.task(task).get('result', {}).get(
                    'text') == 'Left.', 'the answer')
                # Some wires need another process for it.
                self.assertLess(time.monotonic() - began,
                                2 * (START / 1000 + EFFECT))
        self.check_nothing_is_left(tasks)

    def test_a_hundred_at_once_leave_nothing_behind(self):
        world = self.world
        world.start('--max-running', '20')
        tasks = []
        for i in range(100):
            task = self.create(list(WIRES)[i % len(WIRES)], 'hang')
            tasks.append(task)
            # From the start of the process to its turn.
            time.sleep((i * 7 % 50) / 1000)
            world.ask('POST', f'/api/v1/tasks/{task}/interrupt', {})
        for task in tasks:
            now, _ = self.wait_ended(task, 30)
            self.assertIn(now['state'], ('idle', 'interrupted', 'cancelled'))
        self.check_nothing_is_left(tasks)


def fakes(root):
    """Returns the processes of agents whose tasks are below a folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/environ', 'rb') as file:
                variables = file.read().split(b'\0')
            with open(f'/proc/{pid}/comm') as file:
                name = file.read().strip()
        except OSError:
            continue  # It has ended.
        script = b'TROIKA_FAKE_SCRIPT=' + root.encode()
        if any(v.startswith(script) for v in variables):
            found.append(f'{pid} {name}')
    return found
