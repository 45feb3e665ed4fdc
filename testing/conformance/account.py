"""Runs the user's own CLIs on the user's own account if TROIKA_E2E=1."""
import os
import traceback

import clis
from world import Server, wait_for

STEPS = ('start', 'follow-up', 'interrupt', 'list')
PATIENCE = 180


class Account:
    def __init__(self, server, harness, work):
        self.server = server
        self.harness = harness
        self.work = work
        self.task = None

    def create(self, prompt):
        return self.server.api('POST', '/tasks', {
            'harness': self.harness, 'prompt': prompt, 'cwd': self.work,
            'env': self.server.env, 'options': {'skipGitCheck': True}
            if self.harness == 'codex' else {}})['id']

    def ended(self, task, turns=1):
        def look():
            now = self.server.task(task)
            return now['turns'] >= turns and now['state'] in (
                'idle', 'done', 'failed', 'interrupted') and now
        return wait_for(look, f'the end of {task}', PATIENCE)

    def well(self, task, word, turns=1):
        now = self.ended(task, turns)
        if now['result']['isError'] or word not in now['result']['text']:
            raise AssertionError(f'no {word} in {now["result"]}')

    def start(self):
        self.task = self.create(
            'Remember the word pineapple. Reply with that word only.')
        self.well(self.task, 'pineapple')

    def follow_up(self):
        self.server.api('POST', f'/tasks/{self.task}/input', {
            'text': 'Reply only with the word that you remember.'})
        self.well(self.task, 'pineapple', turns=2)

    def interrupt(self):
        task = self.create('Write a story of ten thousand words about rain.')
        wait_for(lambda: self.server.task(task)['state'] == 'running' and
                 any('init' in e for e in self.server.events(task)),
                 'the agent', PATIENCE)
        self.server.api('POST', f'/tasks/{task}/interrupt')
        now = self.ended(task)
        if now['state'] != 'interrupted' and not now['result']['isError']:
            raise AssertionError(f'not interrupted: {now}')

    def list(self):
        tasks = self.server.api('GET', f'/tasks?harnesses={self.harness}')
        if self.task not in [t['id'] for t in tasks['tasks']]:
            raise AssertionError(f'{self.task} is not listed: {tasks}')


def play(run):
    """Counts the steps as skipped unless TROIKA_E2E=1 is set."""
    if os.environ.get('TROIKA_E2E') != '1':
        run.skipped += [f'{harness} account {step}' for harness in clis.KINDS
                        for step in STEPS]
        return
    root = os.path.join(run.root, 'account')
    os.mkdir(root)
    server = Server(run.programs, root)
    server.env = {**os.environ, **server.env, 'HOME': os.environ['HOME']}
    server.start()
    try:
        facts = {h['id']: h for h in server.api('GET', '/harnesses')[
            'harnesses']}
        for harness in clis.KINDS:
            play_harness(run, server, harness, facts[harness])
    finally:
        server.kill()


def play_harness(run, server, harness, fact):
    account = Account(server, harness, server.work)
    ready = fact['path'] and fact.get('loggedIn', True)
    if not ready:
        print(f'{harness}: {fact["hint"]}')
    for step in STEPS:
        name = f'{harness} account {step}'
        if not ready:
            run.skipped.append(name)
            continue
        try:
            getattr(account, step.replace('-', '_'))()
            run.passed.append(name)
            print(f'{name}: yes')
        except Exception:  # The other CLIs go on.
            run.failed.append(name)
            print(f'FAILED {name}\n{traceback.format_exc()}')
    for task in server.api('GET', f'/tasks?harnesses={harness}')['tasks']:
        server.ask('POST', f'/api/v1/tasks/{task["id"]}/stop', {})
