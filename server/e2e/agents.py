"""What the processes of an agent may ask of the server that runs it."""
import json
import os
import time
import unittest

from world import World, wait_for


class AgentTest(unittest.TestCase):
    """What the processes of an agent may do."""
    programs = {}

    AGENT = '''#!/usr/bin/env python3
import json, os, subprocess, sys
if '--version' in sys.argv:
    print('codex-cli 0.166.0'); sys.exit()
if 'exec' not in sys.argv:
    sys.exit(2)  # As for the probe of the sandbox.
sys.stdin.read()
sys.path.insert(0, %(folder)r)
from world import World
world = World({k: '' for k in %(names)r})
world.home = %(home)r
asked = json.loads(os.environ['ASK'])
# A process of its own session is still the agent's.
print(json.dumps({'type': 'thread.started', 'thread_id': 't'}))
print(json.dumps({'type': 'turn.started'}))
said = []
for method, path, body in asked:
    answer = world.ask(method, '/api/v1' + path, body)
    said.append([answer.status, answer.body.decode()])
print(json.dumps({'type': 'item.completed', 'item': {
    'id': 'item_0', 'type': 'agent_message', 'text': json.dumps(said)}}))
print(json.dumps({'type': 'turn.completed', 'usage': {'input_tokens': 1,
    'cached_input_tokens': 0, 'output_tokens': 1}}))
'''

    def setUp(self):
        self.world = World(self.programs)
        self.addCleanup(self.world.close)

    def agent(self, text=AGENT):
        """A CLI that asks the server what the variable ASK says."""
        path = self.world.script(text % {
            'folder': os.path.dirname(os.path.abspath(__file__)),
            'names': list(self.programs), 'home': self.world.home})
        os.chmod(path, 0o755)
        return path

    def test_it_gets_no_more_than_it_has(self):
        world = self.world
        world.start()
        agent = self.agent()
        asks = world.create('ask Bash {"command":"x"}\nok', harness='claude',
                            options={'editMode': 'auto_edit'})
        approval = world.wait_state(asks, 'awaiting_approval')['approvals'][0]
        child = world.request('say Hi.\nok')
        requests = [
            ('POST', '/tasks', child),
            ('POST', '/tasks', {**child, 'options': {'editMode': 'dangerous'}}),
            ('POST', '/tasks', {**child, 'options': {'config': ['a=b']}}),
            ('POST', f'/tasks/{asks}/respond',
             {'id': approval['id'], 'approval': {'allow': True}}),
            ('DELETE', f'/tasks/{asks}', None),
            ('GET', '/sessions', None),
            ('POST', '/sessions/some/import', {}),
            ('GET', '/tasks', None),
        ]
        task = world.create('', env={'ASK': json.dumps(requests),
                                     'TROIKA_CODEX_BIN': agent},
                            options={'editMode': 'auto_edit'})
        said = json.loads(world.wait_state(task, 'done')['result']['text'])
        self.assertEqual([s[0] for s in said], [201] + 6 * [403] + [200])
        made = json.loads(said[0][1])
        self.assertEqual(made['parentId'], task)
        self.assertIn('agent may not', said[3][1])
        self.assertEqual(world.task(asks)['state'], 'awaiting_approval')
        world.api('POST', f'/tasks/{asks}/stop', {'grace': '0.1s'})

    def test_it_does_not_choose_its_rules(self):
        world = self.world
        folder = os.path.join(world.home, 'policy')
        os.makedirs(folder)
        with open(folder + '/my.rules', 'w') as file:
            file.write('prefix_rule(pattern = ["git", "push"], '
                       'decision = "forbidden", justification = "no")\n')
        own = world.script('prefix_rule(pattern = ["make"], '
                           'decision = "forbidden", justification = "own")\n')
        world.start()
        child = {**world.request(
            'ask Bash {"command":"make"}\nsay Did it.\nok',
            harness='claude', options={'editMode': 'ask'})}
        task, said = self.run_agent([
            ('GET', '/policy', None),
            ('POST', '/policy/trust', {'folder': folder, 'digest': 'x'}),
            ('POST', '/policy/untrust', {'folder': folder}),
            ('POST', '/tasks', {**child, 'policy': [own]}),
            ('POST', '/tasks', child)],
            policy=[own], options={'editMode': 'full_auto'},
            env={'TROIKA_FAKE_SCRIPT': world.script(
                'ask Bash {"command":"make"}\nsay Did it.\nok')})
        self.assertEqual([s[0] for s in said], 4 * [403] + [201], said)
        for refusal in said[:4]:
            self.assertIn('agent may not', refusal[1])
        # The rules of its own task hold for those that it starts.
        made = json.loads(said[4][1])['id']
        wait_for(lambda: world.api('GET', f'/tasks/{made}/decisions')[
            'decisions'], 'a decision')
        done = world.wait_state(made, 'idle', 'done')
        self.assertEqual(done['result']['text'], 'I may not use Bash: own')

    def test_it_does_not_use_the_rules_of_others(self):
        world = self.world
        world.start()
        lax = world.script('prefix_rule(pattern = ["make", "deploy"])\n')
        other = world.create('say One.\nok', harness='claude',
                             options={'editMode': 'ask'}, policy=[lax])
        world.wait_state(other, 'idle')
        _, said = self.run_agent(
            [('POST', f'/tasks/{other}/input', {'text': 'run make deploy'})],
            options={'editMode': 'full_auto'})
        self.assertEqual(said[0][0], 403, said)
        self.assertIn('rules that its own task does not have', said[0][1])

    def test_it_starts_agents_only_so_deep(self):
        world = self.world
        world.start()
        agent = self.agent()
        request = world.request('say Deep.\nok')
        for _ in range(5):
            request = {**request, 'env': {
                **world.env, 'TROIKA_CODEX_BIN': agent,
                'ASK': json.dumps([('POST', '/tasks', request)])}}
        world.api('POST', '/tasks', request)
        def tasks():
            found = world.api('GET', '/tasks')['tasks']
            return found if all(t['state'] == 'done' for t in found) else None
        wait_for(lambda: len(tasks() or []) == 4, 'four generations')
        time.sleep(0.3)
        self.assertEqual(len(world.api('GET', '/tasks')['tasks']), 4)

    # How an agent may try not to be known as one.
    HIDING = '''
import time
def ask_deep(ask, connection, levels=150):
    if levels == 0:
        return ask(connection)
    child = os.fork()
    if child == 0:
        ask_deep(ask, connection, levels - 1)
        os._exit(0)
    os.waitpid(child, 0)

def ask_when_gone(ask, connection):
    child = os.fork()
    if child == 0:
        connection.connect()
        connector = os.getpid()
        if os.fork() == 0:
            while os.path.exists(f'/proc/{connector}'):
                time.sleep(0.005)
            ask(connection)
        os._exit(0)
    os.waitpid(child, 0)

def ask_hidden(hide, method, path, body):
    back, tell = os.pipe()
    def ask(connection):
        answer = world.ask(method, path, body, connection=connection)
        os.write(tell, json.dumps(
            [answer.status, answer.body.decode()]).encode())
    child = os.fork()
    if child == 0:
        try:
            hide(ask, world.connect())
        finally:
            os._exit(0)
    os.close(tell)
    with os.fdopen(back) as file:
        return json.load(file)
'''

    def run_agent(self, requests, text=None, **fields):
        """What the API said to an agent."""
        world = self.world
        agent = self.agent(text or self.AGENT)
        env = {'ASK': json.dumps(requests), 'TROIKA_CODEX_BIN': agent,
               **fields.pop('env', {})}
        task = world.create('', env=env, **fields)
        return task, json.loads(
            world.wait_state(task, 'done')['result']['text'])

    def test_it_can_not_hide(self):
        world = self.world
        world.start()
        kept = world.create('ok')
        world.wait_state(kept, 'done')
        for hide in ('ask_deep', 'ask_when_gone'):
            head, loop = self.AGENT.split('said = []\n')
            text = (head + self.HIDING + 'said = []\n' + loop.replace(
                "answer = world.ask(method, '/api/v1' + path, body)",
                f"said.append(ask_hidden({hide}, method, '/api/v1' + path, "
                'body))').replace(
                    '    said.append([answer.status, answer.body.decode()])\n',
                    ''))
            _, said = self.run_agent([
                ('POST', '/tasks', {**world.request('ok'), 'options': {
                    'editMode': 'dangerous'}}),
                ('DELETE', f'/tasks/{kept}', None),
                ('GET', f'/tasks/{kept}', None)], text)
            self.assertEqual([s[0] for s in said], [403, 403, 200], hide)
        self.assertEqual(len(world.api('GET', '/tasks')['tasks']), 3)

    def test_it_runs_no_program_of_its_choice(self):
        world = self.world
        world.start()
        trace = os.path.join(world.root, 'trace')
        chosen = world.script(f'#!/bin/sh\necho ran >> {trace}\n')
        os.chmod(chosen, 0o755)
        folder = os.path.join(world.root, 'bin')
        os.mkdir(folder)
        os.symlink(chosen, folder + '/codex')
        child = world.request('ok')
        task, said = self.run_agent([
            ('POST', '/tasks', {**child, 'env': {
                **child['env'], 'TROIKA_CODEX_BIN': chosen}}),
            ('POST', '/tasks', {**child, 'env': {'PATH': folder}})])
        self.assertEqual([s[0] for s in said], [201, 201])

        def all_done():
            tasks = world.api('GET', '/tasks?page_size=100')['tasks']
            return all(t['state'] == 'done' for t in tasks) and tasks
        wait_for(all_done, 'all tasks to end')
        self.assertFalse(os.path.exists(trace))
        # They ran as their parent does.
        self.assertEqual(world.task(json.loads(said[0][1])['id'])['parentId'],
                         task)

    def test_modes_are_compared_by_what_they_can_do(self):
        """full_auto of codex is sandboxed, and that of the others is not."""
        world = self.world
        world.start()
        child = world.request('ok')
        _, said = self.run_agent([
            ('POST', '/tasks', {**child, 'harness': 'claude', 'options': {
                'editMode': 'full_auto'}}),
            ('POST', '/tasks', {**child, 'harness': 'gemini', 'options': {
                'editMode': 'full_auto'}}),
            ('POST', '/tasks', {**child, 'options': {
                'sandbox': 'danger-full-access'}}),
            ('POST', '/tasks', {**child, 'options': {
                'sandbox': 'workspace-write'}})],
            options={'editMode': 'full_auto'})
        self.assertEqual([s[0] for s in said], [403, 403, 403, 201], said)
        self.assertIn('run commands without a sandbox', said[0][1])
        self.assertIn('edit_mode research or ask or auto_edit', said[0][1])

    def test_it_stays_in_its_folder_and_gets_no_options(self):
        world = self.world
        world.start()
        child = world.request('ok')
        os.symlink('/', world.work + '/up')
        written = os.path.join(world.work, 'written')
        bad = [{'cwd': '/'}, {'cwd': world.work + '/..'},
               {'cwd': world.work + '/up'}, {'resumeSession': 'latest'},
               {'options': {'lastMessageFile': written}},
               {'options': {'extraDirs': ['/']}},
               {'options': {'skipGitCheck': True}},
               {'options': {'baseInstructions': '/etc/passwd'}},
               {'options': {'images': ['/etc/passwd']}},
               {'options': {'webSearch': True}}]
        _, said = self.run_agent(
            [('POST', '/tasks', {**child, **fields}) for fields in bad],
            options={'editMode': 'full_auto'})
        for fields, (status, text) in zip(bad, said):
            self.assertEqual(status, 403, f'{fields} {text}')
        self.assertIn('last_message_file', said[4][1])
        self.assertEqual(len(world.api('GET', '/tasks')['tasks']), 1)

    def test_it_steers_only_what_is_its_own_or_no_freer(self):
        world = self.world
        world.start()
        free = world.create('ok', options={'editMode': 'dangerous'})
        native = world.create('ok', options={'sandbox': 'workspace-write'})
        equal = world.create('ok')
        away = world.api('POST', '/tasks', {
            **world.request('ok', options={'skipGitCheck': True}),
            'cwd': world.root})['id']
        for task in (free, native, equal, away):
            world.wait_state(task, 'done')
        other = world.create('hang')
        world.wait_state(other, 'running', 'starting')
        prompt = {'prompt': 'go'}
        _, said = self.run_agent([
            ('POST', f'/tasks/{free}/input', {'text': 'go'}),
            ('POST', f'/tasks/{free}/resume', prompt),
            ('POST', f'/tasks/{native}/resume', prompt),
            ('POST', f'/tasks/{away}/resume', prompt),
            ('POST', f'/tasks/{equal}/input', {
                'text': 'go', 'images': ['/etc/passwd']}),
            ('POST', f'/tasks/{other}/stop', None),
            ('POST', f'/tasks/{other}/interrupt', None),
            ('POST', f'/tasks/{equal}/input', {'text': 'go'}),
            ('POST', '/tasks', world.request('ok')),
            ('POST', '/tasks/latest/stop', {'grace': '0.1s'})])
        self.assertEqual([s[0] for s in said[:9]], [403] * 7 + [200, 201],
                         said)
        # Its own one may have ended by itself.
        self.assertIn(said[9][0], (200, 409), said)
        self.assertEqual([world.task(t)['turns'] for t in (free, native, away)],
                         [1, 1, 1])
        self.assertIn(world.task(other)['state'], ('running', 'starting'))
        world.api('POST', f'/tasks/{other}/stop', {'grace': '0.1s'})
