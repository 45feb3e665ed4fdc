"""Rules that answer approvals: on all wires, over restarts, and who made them."""
import json
import os
import stat
import time

from world import WorldTest, wait_for

RULES = '''
prefix_rule(pattern = ["git", ["status", "diff"]])
prefix_rule(pattern = ["git", "push"], decision = "forbidden",
            justification = "a person pushes")
'''
HARNESSES = ('claude', 'codex', 'gemini')


def asks(*commands):
    return ''.join(f'ask Bash {json.dumps({"command": command})}\n'
                   for command in commands) + 'say Did it.\nok'


class PolicyTest(WorldTest):
    def setUp(self):
        super().setUp()
        os.makedirs(os.path.join(self.world.work, '.git'))
        self.write(os.path.join(self.world.home, 'policy/my.rules'), RULES)

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as file:
            file.write(text)

    def create(self, script, harness='claude', **fields):
        options = {'editMode': 'ask', **fields.pop('options', {})}
        return self.world.create(script, harness=harness, options=options,
                                 **fields)

    def decisions(self, task):
        return self.world.api('GET', f'/tasks/{task}/decisions')['decisions']

    def decided(self, task, by):
        """Waits for the first decision by this one, delivered."""
        return wait_for(
            lambda: next((d for d in self.decisions(task) if d['by'] == by
                          and d['delivery'] == 'delivered'), None),
            f'{task} to be decided by {by}')

    def test_one_file_for_all_harnesses(self):
        world = self.world
        world.start()
        tasks = {}
        for harness in HARNESSES:
            for command in ('git status -s', 'git push',
                            'git diff && git push', 'make all'):
                tasks[harness, command] = self.create(asks(command), harness)
        for (harness, command), task in tasks.items():
            if command == 'make all':
                now = world.wait_state(task, 'awaiting_approval')
                approval = now['approvals'][0]
                wait_for(lambda: world.task(task)['approvals'][0]['explanation'],
                         'an explanation')
                self.assertTrue(approval['proposedRules'], harness)
                world.api('POST', f'/tasks/{task}/respond', {
                    'id': approval['id'], 'approval': {'allow': True}})
                decision = self.decided(task, 'user')
                self.assertEqual(decision['choice'], 'approve')
                self.assertTrue(decision['user'])
                self.assertEqual(decision['via'], 'api')
                continue
            decision = self.decided(task, 'rule')
            self.assertEqual(decision['kind'], 'command_line')
            self.assertIn(command.split()[0], decision['subject'])
            rule = decision['rules'][0]
            self.assertTrue(rule['file'].endswith('/policy/my.rules'), rule)
            if command == 'git status -s':
                self.assertEqual(decision['choice'], 'approve')
                self.assertEqual(rule['line'], 2)
                done = world.wait_state(task, 'idle', 'done')
                self.assertEqual(done['result']['text'], 'Did it.', harness)
            else:
                self.assertIn(decision['choice'], ('deny', 'cancel'))
                self.assertEqual(decision['text'], 'a person pushes')
                self.assertEqual(rule['decision'], 'forbidden')
        told = world.troika('why', tasks['claude', 'git push']).stdout
        self.assertIn('git push', told)
        self.assertIn('denied by a rule', told)
        self.assertIn('my.rules:3: prefix_rule(', told)
        event = self.decisions(tasks['claude', 'make all'])[0]['eventId']
        told = world.troika('why', tasks['claude', 'make all'], event)
        self.assertIn('allowed by ', told.stdout, told.stderr)
        self.assertEqual(
            world.troika('why', tasks['claude', 'git push'], '99.0').returncode,
            2)

    def test_decided_once_over_kills(self):
        """The server is killed at many instants around the decision."""
        world = self.world
        world.start()
        for delay in (0, 0.02, 0.05, 0.1, 0.15):
            for harness in HARNESSES:
                task = self.create(asks('git status', 'git diff'), harness)
            time.sleep(delay)
            world.restart()
        for task in world.api('GET', '/tasks')['tasks']:
            done = world.wait_state(task['id'], 'idle', 'done')
            self.assertEqual(done['result']['text'], 'Did it.')
            told = [(d['by'], d['choice'], d['delivery'])
                    for d in self.decisions(task['id'])]
            self.assertEqual(told, 2 * [('rule', 'approve', 'delivered')])

    def test_always(self):
        world = self.world
        world.start()
        task = self.create(asks('make all', 'make all'))
        world.wait_state(task, 'awaiting_approval')
        shown = world.troika('show', task).stdout
        self.assertIn('--always N', shown)
        bad = world.ask('POST', f'/api/v1/tasks/{task}/respond', {
            'id': world.task(task)['approvals'][0]['id'],
            'approval': {'always': 'prefix_rule(pattern = ["sh"])'}})
        self.assertEqual(bad.status, 400, bad.body)
        taken = world.troika('respond', task, '--always')
        self.assertEqual(taken.returncode, 0, taken.stderr)
        self.assertIn('this becomes a rule: prefix_rule(', taken.stderr)
        # The same is not asked again, neither here nor in a new task.
        done = world.wait_state(task, 'idle', 'done')
        self.assertEqual(done['result']['text'], 'Did it.')
        first, second = self.decisions(task)
        self.assertEqual((first['by'], second['by']), ('user', 'rule'))
        self.assertIn('"make"', first['always'])
        path = os.path.join(world.home, 'policy/user.rules')
        with open(path) as file:
            text = file.read()
        self.assertIn(f'from task {task}\n', text)
        self.assertIn(first['always'] + '\n', text)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        again = self.create(asks('make all'), 'gemini')
        world.wait_state(again, 'idle', 'done')
        self.assertEqual(self.decisions(again)[0]['rules'][0]['file'], path)

    def test_trust(self):
        world = self.world
        world.start()
        rules = os.path.join(world.work, '.troika/p.rules')
        self.write(rules, 'prefix_rule(pattern = ["make"])\n')
        before = self.create(asks('make'))
        world.wait_state(before, 'awaiting_approval')
        self.assertTrue(any(
            'troika policy trust' in e['notice']['text']
            for e in world.events(before) if 'notice' in e))
        listed = world.api('GET', f'/policy?cwd={world.work}')['folders']
        project = next(f for f in listed if f['origin'] == 'project')
        self.assertEqual(project['trust'], 'untrusted')
        wrong = world.ask('POST', '/api/v1/policy/trust', {
            'folder': project['folder'], 'digest': 'x'})
        self.assertEqual(wrong.status, 409, wrong.body)
        world.api('POST', '/policy/trust', {
            'folder': project['folder'], 'digest': project['digest']})
        after = self.create(asks('make'))
        world.wait_state(after, 'idle', 'done')
        self.assertEqual(self.decisions(after)[0]['rules'][0]['file'], rules)
        # A change counts only where it is stricter.
        self.write(rules, 'prefix_rule(pattern = ["make"], '
                          'decision = "forbidden")\n'
                          'prefix_rule(pattern = ["curl"])\n')
        changed = self.create(asks('curl x'))
        world.wait_state(changed, 'awaiting_approval')
        denied = self.create(asks('make'))
        self.decided(denied, 'rule')
        self.assertEqual(self.decisions(denied)[0]['choice'], 'deny')
        world.api('POST', '/policy/untrust', {'folder': project['folder']})
        asked = self.create(asks('make'))
        world.wait_state(asked, 'awaiting_approval')
        for task in (before, changed, asked):
            world.api('POST', f'/tasks/{task}/stop', {'grace': '0.1s'})

    def test_modes_in_which_rules_can_not_hold(self):
        world = self.world
        world.start()
        free = {'editMode': 'full_auto'}
        refused = world.ask('POST', '/api/v1/tasks', world.request(
            'ok', harness='claude', options=free, requirePolicy=True))
        self.assertEqual(refused.status, 409, refused.body)
        self.assertIn('use edit_mode ask', refused.json['message'])
        task = world.create('say Hi.\nok', harness='claude', options=free)
        world.wait_state(task, 'idle', 'done')
        self.assertTrue(any("can't hold" in e['notice']['text']
                            for e in world.events(task) if 'notice' in e))
        held = self.create('say Hi.\nok', requirePolicy=True)
        self.assertTrue(world.wait_state(held, 'idle', 'done')['requirePolicy'])
        changed = world.ask('POST', f'/api/v1/tasks/{held}/stop', {})
        self.assertEqual(changed.status, 200)
        world.wait_state(held, 'done', 'interrupted')
        world.api('POST', f'/tasks/{held}/resume', {
            'prompt': 'go', 'editMode': 'full_auto'})
        failed = world.wait_state(held, 'failed')
        self.assertIn('require_policy', failed['reason'])
        run = world.troika('run', 'claude', '--require-policy', '--edit-mode',
                           'dangerous', '--cwd', world.work, 'x')
        self.assertEqual(run.returncode, 2, run.stderr)
        # With rules that only allow, nothing is to be held.
        os.remove(os.path.join(world.home, 'policy/my.rules'))
        own = world.script('prefix_rule(pattern = ["ls"])\n')
        task = world.create('say Hi.\nok', harness='claude', options=free,
                            policy=[own], requirePolicy=True)
        self.assertEqual(world.wait_state(task, 'idle', 'done')['policy'],
                         [{'file': own, 'origin': 'task', 'error': '',
                           'text': ''}])
        broken = world.script('broken(')
        bad = world.ask('POST', '/api/v1/tasks', world.request(
            'ok', policy=[broken]))
        self.assertEqual(bad.status, 400)
        self.assertIn(f'{broken}:1:', bad.json['message'])
