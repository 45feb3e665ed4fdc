"""What goes wrong around a server, and must not get any further."""
import json
import os
import shutil
import signal
import socket
import sqlite3
import threading
import time

from world import WorldTest, wait_for

SECRET = 'sk-very-secret-0123456789-abcdefghij'


class FaultsTest(WorldTest):
    def test_pipelined_commands(self):
        """Answers that come later bring no handler into another's call."""
        world = self.world
        world.start()
        task = world.create('flood 20000 300\nok')
        world.wait_state(task, 'done')
        world.kill()
        os.remove(f'{world.home}/tasks/{task}/events.v1')
        for second in ('POST /api/v1/tasks/%s/interrupt', 'DELETE '
                       '/api/v1/tasks/%s', 'GET /api/v1/tasks/%s/events'):
            world.start()
            connection = world.connect()
            connection.connect()
            first = f'GET /api/v1/tasks/{task}/events?page_size=1'
            connection.sock.sendall(''.join(
                f'{line} HTTP/1.1\r\nHost: a\r\n\r\n'
                for line in (first, second % task, 'GET /healthz')).encode())
            wait_for(lambda: b'"loading"' in connection.sock.recv(1 << 20),
                     'the last answer')
            connection.close()
            self.assertIsNone(world.server.poll())
            world.kill()
            path = f'{world.home}/tasks/{task}/events.v1'
            if os.path.exists(path):
                os.remove(path)

    def test_an_environment_that_is_lost(self):
        """Nobody knows then what is secret, so no text is shown."""
        world = self.world
        world.start()
        env = {'MYSQL_PWD': 'hunter2', 'DATABASE_URL': 'db://u:in-a-url@host/'}
        task = world.create('say hunter2 in-a-url\nsay Plain words.\nok',
                            env=env)
        world.wait_state(task, 'done')
        folder = f'{world.home}/tasks/{task}'

        def shown():
            return json.dumps([world.events(task), world.task(task)])
        self.assertIn('Plain words.', shown())
        self.assertNotIn('hunter2', shown())
        self.assertNotIn('in-a-url', shown())
        for lose in (lambda path: os.truncate(path, 10),
                     lambda path: os.truncate(path, 0), os.remove):
            world.kill()
            lose(folder + '/env')
            os.remove(folder + '/events.v1')
            os.remove(world.home + '/index.sqlite')
            world.start()
            wait_for(lambda: world.task(task)['state'] == 'done', 'the task')
            self.assertNotIn('Plain words.', shown())
            self.assertNotIn('hunter2', shown())
            self.assertIn('[withheld]', shown())
            self.assertIn('environment', world.task(task)['trouble'])
            raw = world.ask('GET', f'/api/v1/tasks/{task}/raw/4')
            self.assertNotIn('hunter2', raw.body.decode())

    def test_an_index_that_is_locked(self):
        world = self.world
        world.start()
        task = world.create('sleep 1000\nsay Hi.\nok')
        world.wait_state(task, 'starting', 'running')
        other = sqlite3.connect(world.home + '/index.sqlite', timeout=30,
                                isolation_level=None)
        other.execute('BEGIN IMMEDIATE')
        self.assertEqual(world.wait_state(task, 'done')['state'], 'done')
        started = time.monotonic()
        self.assertEqual(world.ask('GET', '/healthz').status, 200)
        self.assertLess(time.monotonic() - started, 5)
        other.execute('ROLLBACK')
        wait_for(lambda: [t['state'] for t in world.api('GET', '/tasks')[
            'tasks']] == ['done'], 'the row')

    def test_a_task_is_started_with_its_own_cli(self):
        """Whichever task starts first when another one has just been made."""
        world = self.world
        world.start('--max-running', '1')
        marks = f'{world.root}/marks'
        os.mkdir(marks)

        def create(i):
            harness = ('codex', 'gemini')[i % 2]
            cli = world.script(
                '#!/bin/sh\n'
                f'[ "$1" = --version ] || : > {marks}/$TASK_MARK-{i}\n'
                f'exec {world.programs["fake_" + harness]} "$@"\n')
            os.chmod(cli, 0o755)
            return world.create('ok', harness=harness, env={
                'TASK_MARK': str(i), f'TROIKA_{harness.upper()}_BIN': cli})

        tasks = []
        threads = [threading.Thread(
            target=lambda i=i: [tasks.append(create(j))
                                for j in range(i, 40, 4)]) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for task in tasks:
            ended = world.wait_state(task, 'done', 'failed')
            self.assertEqual(ended['state'], 'done', ended['reason'])
        self.assertEqual(sorted(os.listdir(marks)),
                         sorted(f'{i}-{i}' for i in range(40)))

    def test_two_logs_with_one_key(self):
        world = self.world
        world.start()
        task = world.create('ok', idempotencyKey='once')
        world.wait_state(task, 'done')
        world.kill()
        index = world.home + '/index.sqlite'
        for end in ('', '-wal', '-shm'):
            if os.path.exists(index + end):
                os.remove(index + end)
        # As if a server that did not know of the first had made it.
        second = task[:-1] + ('0' if task[-1] != '0' else '1')
        shutil.copytree(f'{world.home}/tasks/{task}',
                        f'{world.home}/tasks/{second}')
        os.remove(f'{world.home}/tasks/{second}/events.v1')
        with open(f'{world.home}/tasks/{second}/log.v1', 'r+b') as log:
            head = log.readline()
            log.seek(0)
            log.write(head.replace(task.encode(), second.encode()))
        world.start()
        wait_for(lambda: len(world.api('GET', '/tasks')['tasks']) == 2, 'both')
        again = wait_for(lambda: (lambda a: a.json if a.status == 201 else None)(
            world.ask('POST', '/api/v1/tasks', world.request(
                'ok', idempotencyKey='once'))), 'the key to be known')
        self.assertIn(again['id'], (task, second))

    def test_a_restart_keeps_the_limit(self):
        world = self.world
        world.start('--max-running', '2')
        running = [world.create('flood 20000 300\nhang') for _ in range(2)]
        for task in running:
            world.wait_state(task, 'running')
        queued = [world.create('hang') for _ in range(4)]
        for _ in range(3):
            world.restart('--max-running', '2')
            wait_for(lambda: world.ask('GET', '/healthz').json['loading'] == 0,
                     'all to be read')
            states = [world.task(t)['state'] for t in queued]
            self.assertEqual(states, ['queued'] * 4)
        for task in running + queued:
            world.api('DELETE', f'/tasks/{task}', status=409)
        for task in queued + running:
            world.api('POST', f'/tasks/{task}/stop', {'grace': '0.1s'})

    def test_idle_processes_are_bounded(self):
        world = self.world
        world.start('--max-running', '2')
        tasks = [world.create('say Hi.\nok', harness='claude')
                 for _ in range(5)]
        for task in tasks:
            world.wait_state(task, 'idle', 'done')
        wait_for(lambda: [world.task(t)['state'] for t in tasks].count('idle')
                 == 2, 'the oldest to be closed')
        # Two run at a time, so one that began later may be idle for longer.
        self.assertEqual(world.task(tasks[0])['state'], 'done')

    def test_a_cli_that_hangs_keeps_nobody_waiting(self):
        world = self.world
        world.start()
        hangs = world.script('#!/bin/sh\nsleep 30\n')
        os.chmod(hangs, 0o755)
        threads = [threading.Thread(target=lambda: world.ask(
            'POST', '/api/v1/tasks', world.request(
                'ok', env={'TROIKA_CODEX_BIN': hangs}))) for _ in range(4)]
        for thread in threads:
            thread.start()
        started = time.monotonic()
        world.wait_state(world.create('ok', harness='claude'), 'idle')
        self.assertLess(time.monotonic() - started, 10)
        for thread in threads:
            thread.join()

    def test_a_secret_at_a_cut(self):
        world = self.world
        world.start()
        for before in range((32 << 10) - 40, 32 << 10, 7):
            task = world.create(f'say {"x" * before}{SECRET}\nok',
                                env={'OPENAI_API_KEY': SECRET})
            world.wait_state(task, 'done')
            shown = json.dumps(world.events(task)) + json.dumps(
                world.task(task)) + json.dumps(world.api('GET', '/tasks'))
            self.assertNotIn(SECRET[:8], shown)

    def test_a_deleted_task_is_told(self):
        world = self.world
        world.start()
        task = world.create('ok')
        world.wait_state(task, 'done')
        stream = world.stream('/events')
        stream.until(lambda e: e['event'] == 'ready')
        world.api('DELETE', f'/tasks/{task}')
        told = stream.until(lambda e: e['event'] == 'gone')[-1]
        self.assertEqual(json.loads(told['data']), {'id': task})

    def test_a_log_that_is_cut_while_it_is_read(self):
        world = self.world
        world.start()
        task = world.create('say Hi.\nhang')
        world.wait_state(task, 'running')
        stream = world.stream(f'/tasks/{task}/events')
        stream.until(lambda e: e['event'] == 'ready')
        with open(f'{world.home}/tasks/{task}/log.v1', 'r+b') as log:
            log.truncate(100)
        world.kill()
        world.start()
        answer = world.ask('GET', f'/api/v1/tasks/{task}/events')
        self.assertIn(answer.status, (200, 404, 409, 500))
        self.assertEqual(world.ask('GET', '/healthz').status, 200)

    def test_events_of_a_log_that_was_cut_are_not_shown(self):
        world = self.world
        world.start()
        task = world.create_done('say One.\nsay Two.\nok')[0]
        path = f'{world.home}/tasks/{task}/log.v1'
        before = [e['id'] for e in world.events(task)]
        world.kill(signal.SIGTERM)
        size = os.path.getsize(path)
        with open(path, 'r+b') as log:
            log.truncate(size * 2 // 3)
        world.start()
        after = [e['id'] for e in world.events(task)]
        self.assertLess(len(after), len(before))
        # The end of a cut log is told.
        common = [one for one, other in zip(before, after) if one == other]
        self.assertGreater(len(common), 1)

    def test_a_cache_with_nuls_is_made_again(self):
        world = self.world
        world.start()
        task = world.create_done('say One.\nsay Two.\nok')[0]
        before = world.events(task)
        world.kill(signal.SIGTERM)
        with open(f'{world.home}/tasks/{task}/events.v1', 'r+b') as cache:
            cache.seek(400)
            cache.write(bytes(50))
        world.start()
        self.assertEqual(world.events(task), before)

    def test_a_large_cache_with_nuls_is_made_again(self):
        world = self.world
        world.start()
        task = world.create_done('long-line 40000\n' * 200 + 'ok')[0]
        before = world.events(task)
        world.kill(signal.SIGTERM)
        path = f'{world.home}/tasks/{task}/events.v1'
        self.assertGreater(os.path.getsize(path), 5 << 20)
        with open(path, 'r+b') as cache:
            cache.seek(1 << 20)
            cache.write(bytes(50))
        world.start()
        # Whoever comes upon them has it made again.
        url = f'/api/v1/tasks/{task}/events?page_size=1000'
        wait_for(lambda: world.ask('GET', url).status == 200, 'the events')
        self.assertEqual(world.events(task), before)

    def own_relays(self):
        """Has the server run relays that are told from those of other tests."""
        program = f'{self.world.root}/troika-relay'
        shutil.copy(self.programs['troika-relay'], program)
        self.world.env['TROIKA_RELAY_BIN'] = program

    def relays(self, name, spare):
        """Returns our relays or guards that have a task, or none yet."""
        found = []
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                program = os.readlink(f'/proc/{pid}/exe')
                with open(f'/proc/{pid}/comm') as file:
                    comm = file.read().strip()
                held = [os.readlink(f'/proc/{pid}/fd/{fd}')
                        for fd in os.listdir(f'/proc/{pid}/fd')]
            except OSError:
                continue  # It has ended.
            has_task = any(path.endswith('log.v1') for path in held)
            if (program.startswith(self.world.root) and comm == name and
                    has_task != spare):
                found.append(int(pid))
        return found

    def only_relay(self, name, spare):
        """The same if there is just one: others may be about to end."""
        found = self.relays(name, spare)
        return found if len(found) == 1 else []

    def test_a_stopped_spare_relay_costs_no_task(self):
        world = self.world
        self.own_relays()
        world.start()
        world.create_done()
        spare, = wait_for(lambda: self.only_relay('troika-relay', True),
                          'a spare relay')
        time.sleep(0.2)  # Until it has said that it waits.
        os.kill(spare, signal.SIGSTOP)
        began = time.monotonic()
        task = world.create('say Hi.\nok')
        done = world.wait_state(task, 'done', 'failed')
        self.assertEqual(done['state'], 'done', done)
        took = time.monotonic() - began
        self.assertGreater(took, 0.25, 'the spare was not used')
        self.assertLess(took, 5)
        # The agent was started once.
        steps = [e['lifecycle']['kind'] for e in world.events(task)
                 if 'lifecycle' in e]
        self.assertEqual(steps.count('spawned'), 1, steps)
        self.assertNotIn('start_failed', steps)
        self.assertNotIn(spare, self.relays('troika-relay', True))
        # The next ones start as ever.
        world.create_done(count=2)

    def test_a_stopped_guard_keeps_no_task_alive(self):
        world = self.world
        self.own_relays()
        world.start()
        task = world.create('say Hi.\nhang')
        world.wait_state(task, 'running')
        guard, = self.relays('troika-guard', False)
        os.kill(guard, signal.SIGSTOP)
        began = time.monotonic()
        world.api('POST', f'/tasks/{task}/stop', {'grace': '0s'})
        world.wait_state(task, 'interrupted')
        self.assertLess(time.monotonic() - began, 8)
        wait_for(lambda: not self.relays('troika-guard', False) and
                 not self.relays('troika-relay', False), 'the end of all')

    def test_slow_clients_and_half_open_ones(self):
        world = self.world
        world.start(listen='127.0.0.1:0')
        slow = [socket.create_connection(('127.0.0.1', world.port()))
                for _ in range(50)]
        for sock in slow:
            sock.sendall(b'GET /healthz HTTP/1.1\r\nHo')
        task = world.create('say Hi.\nok')
        streams = [world.stream(f'/tasks/{task}/events') for _ in range(50)]
        for stream in streams[:25]:
            stream.close()
        world.wait_state(task, 'done')
        for stream in streams[25:]:
            stream.until(lambda e: e['event'] == 'task' and '"done"' in e[
                'data'])
        for sock in slow:
            sock.close()
