"""Hooks: what is told of tasks by commands and webhooks, over killed servers."""
import base64
import collections
import glob
import hashlib
import hmac
import http.server
import json
import os
import random
import threading
import time

import budgets
from world import WorldTest, wait_for

SECRET = 'a shared secret'
ASK = 'ask Bash {"command":"make"}\nsay Made.\nok'
# Harness and options of a wire that can ask.
ASKING = {'codex': {'wire': 'app_server', 'skipGitCheck': True},
          'claude': {}, 'gemini': {'wire': 'acp', 'editMode': 'ask'}}


class Receiver:
    """An HTTP server on loopback that keeps what is posted to it."""

    def __init__(self, port=0, statuses=()):
        self.posts = []
        statuses = list(statuses)
        posts = self.posts

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                status = statuses.pop(0) if statuses else 200
                posts.append((status, self.headers, body))
                self.send_response(status)
                if status == 202:  # Its body is cut.
                    self.send_header('Content-Length', '100')
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', port),
                                                      Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.02,),
                         daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def ids(self):
        return [headers['webhook-id'] for _, headers, _ in self.posts]


class HooksTest(WorldTest):
    def setUp(self):
        super().setUp()
        self.world.env['TROIKA_BIN'] = self.programs['troika']
        self.told_file = os.path.join(self.world.root, 'told')

    def receiver(self, **options):
        receiver = Receiver(**options)
        self.addCleanup(receiver.close)
        return receiver

    def configure(self, text):
        folder = os.path.join(self.world.root, '.config', 'troika')
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, 'new'), 'w') as file:
            file.write(text)
        os.rename(os.path.join(folder, 'new'),
                  os.path.join(folder, 'config.toml'))

    def keeper(self, *events, name='keeper'):
        """A hook whose command keeps its stdin."""
        return (f'[hook.{name}]\non = {json.dumps(list(events))}\n'
                f'command = ["sh", "-c", "cat >> {self.told_file}"]\n')

    def webhook(self, port, *events, name='web'):
        return (f'[hook.{name}]\non = {json.dumps(list(events))}\n'
                f'url = "http://127.0.0.1:{port}/hook?x=1"\n'
                f'secret = "{SECRET}"\n')

    def told(self):
        if not os.path.exists(self.told_file):
            return []
        with open(self.told_file) as file:
            return [json.loads(line) for line in file]

    def told_of(self, task):
        return [t['event'] for t in self.told() if t['task']['id'] == task]

    def hooks(self):
        return self.world.api('GET', '/hooks')

    def pending(self):
        return [d for d in self.hooks()['deliveries'] if not d['givenUp']]

    def wait_pending(self, condition):
        return wait_for(lambda: [d for d in self.pending() if condition(d)],
                        'a delivery that waits')

    def lose(self, name):
        for path in glob.glob(os.path.join(self.world.home, name + '*')):
            os.unlink(path)

    def check_signature(self, headers, body):
        signed = '.'.join([headers['webhook-id'], headers['webhook-timestamp'],
                           body.decode()])
        digest = hmac.new(SECRET.encode(), signed.encode(), hashlib.sha256)
        self.assertEqual(headers['webhook-signature'],
                         'v1,' + base64.b64encode(digest.digest()).decode())
        self.assertLess(abs(time.time() - int(headers['webhook-timestamp'])),
                        300)

    def test_a_hook_that_hangs_holds_no_starter(self):
        self.world.start()
        self.configure(f'[hook.slow]\non = ["done"]\ncommand = ["sh", "-c", '
                       f'"echo x >> {self.told_file}; sleep 60"]\n'
                       'timeout = "10m"\n')
        self.hooks()
        self.world.create_done()
        wait_for(lambda: os.path.exists(self.told_file), 'the hook')
        # It reads what the server says to its end.
        self.world.restart()
        wait_for(lambda: os.path.getsize(self.told_file) == 4, 'another try')
        self.assertEqual(len(self.pending()), 1)

    def test_a_status_is_enough(self):
        receiver = self.receiver(statuses=[202])
        self.world.start()
        self.configure(self.webhook(receiver.port, 'done'))
        self.hooks()
        self.world.create_done()
        wait_for(lambda: self.hooks()['hooks'][0]['delivered'] == '1',
                 'the delivery')
        self.assertEqual(len(receiver.posts), 1)

    def test_every_event_of_every_harness(self):
        world = self.world
        receiver = self.receiver()
        self.configure(
            self.keeper('asking', 'budget', 'done', 'failed', 'interrupted') +
            self.webhook(receiver.port, 'asking', 'failed'))
        world.start()
        tasks = {}
        for harness, options in ASKING.items():
            secret = {'MY_API_KEY': 'sesame-sesame'}
            tasks[harness] = [
                world.create('say key sesame-sesame\nok', harness=harness,
                             env=secret, title=f'done {harness}',
                             budget={'turns': 1}),
                world.create('fail broken', harness=harness),
                world.create(ASK, harness=harness, options=options),
                world.create('say One.\nhang', harness=harness)]
        for harness, (done, failed, asks, hangs) in tasks.items():
            with self.subTest(harness):
                wait_for(lambda: 'asking' in self.told_of(asks), 'asking')
                wait_for(lambda: 'failed' in self.told_of(failed), 'failed')
                wait_for(lambda: 'done' in self.told_of(done), 'done')
                world.wait_state(hangs, 'running')
                world.api('POST', f'/tasks/{hangs}/interrupt', {})
                wait_for(lambda: 'interrupted' in self.told_of(hangs),
                         'interrupted')
                world.api('POST', f'/tasks/{done}/input', {'text': 'more'})
                wait_for(lambda: 'budget' in self.told_of(done), 'budget')
                told = [t for t in self.told() if t['task']['id'] == done]
                self.assertEqual(told[0]['text'], 'key [redacted]')
                self.assertEqual(told[0]['task']['title'], f'done {harness}')
                self.assertEqual(told[0]['task']['harness'], harness)
                self.assertEqual(told[0]['task']['cwd'], world.work)
                self.assertEqual(told[0]['task']['outcome'], 'done')
                self.assertEqual(told[0]['task']['turn'], 1)
                self.assertEqual(told[1]['asked']['kind'], 'budget')
                told = [t for t in self.told() if t['task']['id'] == asks]
                self.assertIn('make', told[0]['text'])
                self.assertEqual(told[0]['asked']['id'],
                                 world.task(asks)['approvals'][0]['id'])
                self.assertEqual(told[0]['asked']['kind'], 'command_line')
                told = [t for t in self.told() if t['task']['id'] == failed]
                self.assertIn('broken', told[0]['text'])
        wait_for(lambda: not self.pending(), 'all deliveries')
        counts = collections.Counter(t['id'] for t in self.told())
        self.assertEqual(set(counts.values()), {1})
        wanted = {t['id'] for t in self.told()
                  if t['event'] in ('asking', 'failed')}
        self.assertEqual(sorted(receiver.ids()), sorted(wanted))
        for _, headers, body in receiver.posts:
            self.check_signature(headers, body)
            self.assertEqual(json.loads(body)['id'], headers['webhook-id'])
        metrics = world.ask('GET', '/metrics').body.decode()
        self.assertIn('troika_hooks_pending 0', metrics)
        self.assertIn('troika_hook_deliveries_total{outcome="delivered"} '
                      f'{len(counts) + len(wanted)}', metrics)

    def test_down_then_failing_then_up_over_a_kill_and_a_removal(self):
        world = self.world
        probe = Receiver()
        port = probe.port
        probe.close()
        self.configure(self.webhook(port, 'done'))
        world.start()
        task = world.create_done()[0]
        waits = self.wait_pending(lambda d: d['attempts'] > 0)
        self.assertIn('onnect', waits[0]['error'])
        shown = world.troika('hooks').stdout
        self.assertIn(waits[0]['id'], shown)
        self.assertNotIn('x=1', shown)
        # What was noticed outlives the server and the task.
        world.restart()
        world.api('DELETE', f'/tasks/{task}')
        receiver = self.receiver(port=port, statuses=[500])
        wait_for(lambda: not self.pending(), 'the delivery')
        self.assertEqual([status for status, _, _ in receiver.posts],
                         [500, 200])
        self.assertEqual(set(receiver.ids()), {waits[0]['id']})
        for _, headers, body in receiver.posts:
            self.check_signature(headers, body)

    def test_a_server_that_is_killed(self):
        world = self.world
        go = os.path.join(world.root, 'go')
        ids = os.path.join(world.root, 'ids')
        self.configure(
            '[hook.slow]\non = ["done"]\ncommand = ["sh", "-c", '
            f'"echo $TROIKA_EVENT_ID >> {ids}; test -e {go} || exec sleep 20"]'
            '\n' + self.keeper('done', 'failed'))
        world.start()

        def told():
            with open(ids) as file:
                return file.read().split()
        first = world.create_done()[0]
        wait_for(lambda: os.path.exists(ids) and told(), 'the first attempt')
        # It was delivered, and that was not recorded. Meanwhile another task
        # ends while there is no server.
        other = world.create('sleep 700\nsay Hi.\nok')
        world.wait_state(other, 'running', 'starting')
        world.kill()
        time.sleep(1)
        with open(go, 'w'):
            pass
        world.start()
        wait_for(lambda: self.told_of(other) == ['done'], 'the other task')
        wait_for(lambda: not self.pending(), 'all deliveries')
        slow = [i for i in told() if i.startswith(first)]
        self.assertEqual(len(slow), 2)
        self.assertEqual(len(set(slow)), 1)
        # Nothing is told again, whatever else is lost.
        before = len(self.told()), len(told())
        world.kill()
        self.lose('index.sqlite')
        world.start()
        wait_for(lambda: world.ask('GET', '/healthz').json['loading'] == 0,
                 'the index')
        self.assertFalse(self.pending())
        self.assertEqual((len(self.told()), len(told())), before)

    def test_a_server_that_is_killed_at_any_moment(self):
        world = self.world
        self.configure(self.keeper('done'))
        world.start()
        tasks = [world.create(f'sleep {90 * i}\nsay Hi.\nok')
                 for i in range(1, 9)]
        for i in range(6):
            time.sleep(random.uniform(0, 0.25))
            world.restart()
        wait_for(lambda: {t['task']['id'] for t in self.told()} == set(tasks),
                 'all tasks')
        wait_for(lambda: not self.pending(), 'all deliveries')
        # A task may be told twice, but never by two ids.
        self.assertEqual(len({t['id'] for t in self.told()}), len(tasks))

    def test_a_command_that_hangs(self):
        world = self.world
        pids = os.path.join(world.root, 'pids')
        self.configure(
            '[hook.hangs]\non = ["done"]\ntimeout = "1s"\ncommand = ["sh", '
            f'"-c", "sleep 77 & echo $! >> {pids}; echo oops >&2; wait"]\n' +
            self.keeper('done'))
        world.start()
        task = world.create_done()[0]
        wait_for(lambda: self.told_of(task), 'the other hook')
        waits = self.wait_pending(lambda d: d['attempts'] > 0)
        self.assertIn('took longer than 1s', waits[0]['error'])
        with open(pids) as file:
            pid = file.readline().strip()
        wait_for(lambda: not os.path.exists(f'/proc/{pid}'), 'its processes')
        # A hook that is removed is forgotten after a minute.
        self.configure(self.keeper('done'))
        self.assertEqual([h['name'] for h in self.hooks()['hooks']],
                         ['keeper'])
        self.assertEqual(len(self.pending()), 1)

    def test_a_flood(self):
        world = self.world
        self.configure(self.keeper('cancelled'))
        world.start('--max-running', '1')
        world.wait_state(world.create('hang'), 'running', 'starting')
        request = json.dumps(world.request('say Hi.\nok'))
        connection = world.connect()
        self.addCleanup(connection.close)

        def post(path, body):
            connection.request('POST', '/api/v1' + path, body=body,
                               headers={'Content-Type': 'application/json'})
            return json.loads(connection.getresponse().read())
        tasks = [post('/tasks', request)['id'] for _ in range(300)]
        for task in tasks:
            post(f'/tasks/{task}/interrupt', '{}')
        wait_for(lambda: self.hooks()['hooks'][0]['delivered'] == '300',
                 'all of them')
        self.assertEqual(sorted(t['task']['id'] for t in self.told()),
                         sorted(tasks))

    def test_what_rules_answer_is_not_told(self):
        world = self.world
        self.configure(self.keeper('asking', 'done'))
        world.start()
        os.makedirs(os.path.join(world.home, 'policy'), exist_ok=True)
        with open(os.path.join(world.home, 'policy', 'my.rules'), 'w') as file:
            file.write('prefix_rule(pattern = ["make"])\n'
                       'edit_rule(paths = ["**"], decision = "allow")\n')
        ask = {'harness': 'claude', 'options': {'editMode': 'ask'}}
        made = world.create(ASK, **ask)
        wait_for(lambda: self.told_of(made), 'the turn')
        self.assertEqual(self.told_of(made), ['done'])
        # No rule allows a change of hooks.
        edit = {'file_path': f'{world.work}/troika/config.toml',
                'content': '[hook.x]'}
        asks = world.create(f'ask Write {json.dumps(edit)}\nok', **ask)
        told = world.wait_state(asks, 'awaiting_approval')
        wait_for(lambda: world.task(asks)['approvals'][0]['explanation'],
                 'the reason')
        self.assertIn('rules or hooks',
                      world.task(asks)['approvals'][0]['explanation'])
        wait_for(lambda: self.told_of(asks) == ['asking'], 'the question')
        self.assertEqual(told['approvals'][0]['kind'], 'edit')
        line = {'command': "make .config//./tro'i'ka/./config.toml"}
        asks = world.create(f'ask Bash {json.dumps(line)}\nok', **ask)
        world.wait_state(asks, 'awaiting_approval')

    def test_only_what_happens_from_then_on_and_no_agent(self):
        world = self.world
        world.start()
        world.create_done(count=3)
        self.assertEqual(world.troika('hooks').stdout,
                         'no hooks: docs/hooks.md shows how to configure some\n')
        self.configure(self.keeper('done'))
        self.assertEqual(self.hooks()['hooks'][0]['name'], 'keeper')
        requests = [('GET', '/hooks', None),
                    ('POST', '/hooks/keeper/test', None)]
        task = world.create('', env={
            'ASK': json.dumps(requests),
            'TROIKA_CODEX_BIN': budgets.BudgetsTest.agent(self)})
        said = json.loads(world.wait_state(task, 'done')['result']['text'])
        self.assertEqual([s[0] for s in said], [403, 403], said)
        wait_for(lambda: self.told_of(task), 'the task')
        self.assertEqual(len(self.told()), 1)
        world.kill()
        self.lose('hooks.v1')
        self.lose('index.sqlite')
        world.start()
        wait_for(lambda: world.ask('GET', '/healthz').json['loading'] == 0,
                 'the index')
        self.assertFalse(self.pending())
        self.assertEqual(len(self.told()), 1)

    def test_tests_and_errors(self):
        world = self.world
        receiver = self.receiver(statuses=[302])
        self.configure(
            self.webhook(receiver.port, 'done') + self.keeper('done') +
            '[hook.bad]\ncommand = ["sh", "-c", "echo no such key >&2; exit 3"]')
        world.start()
        tested = world.troika('hooks', 'test', 'web')
        self.assertEqual(tested.returncode, 1)
        self.assertIn('HTTP status 302, and redirects are not followed',
                      tested.stderr)
        tested = world.troika('hooks', 'test', 'web')
        self.assertEqual(tested.returncode, 0, tested.stderr)
        self.assertIn('delivered test-', tested.stdout)
        self.check_signature(*receiver.posts[-1][1:])
        self.assertEqual(json.loads(receiver.posts[-1][2])['event'], 'test')
        tested = world.troika('hooks', 'test', 'bad')
        self.assertIn('no such key', tested.stderr)
        self.assertEqual(world.troika('hooks', 'test', 'none').returncode, 2)
        shown = world.troika('config').stdout
        self.assertIn(f'done: http://127.0.0.1:{receiver.port}/…', shown)
        # A broken file is said, and the hooks stay as they were.
        self.configure('[hook.web]\n')
        listed = world.troika('hooks')
        self.assertEqual(listed.returncode, 1)
        self.assertIn('config.toml:1: [hook.web] needs either', listed.stderr)
        self.assertIn('config.toml:1: [hook.web] needs either',
                      world.troika('doctor').stdout)
        task = world.create_done()[0]
        wait_for(lambda: self.told_of(task), 'the hooks of before')
