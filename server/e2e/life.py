"""Tasks through relay, server and streams: their life, and their server's death.
"""
import json
import os
import shutil
import signal
import subprocess
import threading
import time

from world import WorldTest, wait_for

# About a second of work that can be told apart from any other.
COUNTS = '\n'.join(f'say step {i}\nsleep 40' for i in range(25)) + '\nok\n'


def is_task(state):
    return lambda e: e['event'] == 'task' and json.loads(
        e['data'])['state'] == state


class LifeTest(WorldTest):
    def check_stream(self, task, events):
        """Every event once, in order, and the same as on the pages."""
        messages = [e for e in events if e['event'] == 'message']
        ids = [tuple(map(int, e['id'].split('.'))) for e in messages]
        self.assertEqual(ids, sorted(set(ids)))
        self.assertEqual([json.loads(e['data']) for e in messages],
                         self.world.events(task))

    def test_a_task_from_its_start_to_its_end(self):
        world = self.world
        world.start()
        made = world.api('POST', '/tasks', world.request(
            'say Hello.\nrun ls => a b exit 0\nsay Bye.\nok', title='T',
            labels={'team': 'web'}))
        self.assertEqual(list(made)[0], 'id')
        task = made['id']
        stream = world.stream(f'/tasks/{task}/events')
        events = stream.until(is_task('done'))
        stream.close()
        self.assertEqual(events[0]['event'], 'hello')
        self.assertIn('ready', [e['event'] for e in events])
        self.check_stream(task, events)
        done = world.task(task)
        self.assertEqual((done['title'], done['exitCode'], done['turns']),
                         ('T', 0, 1))
        self.assertEqual(done['result']['text'], 'Bye.')
        self.assertEqual(done['lastEventId'],
                         world.events(task)[-1]['id'])
        # As lists, filters and the sum of all see it.
        for query in ('', '?states=done', '?harnesses=codex', '?text=DO+IT',
                      '?labels=team=web', f'?cwd={world.work}'):
            tasks = world.api('GET', '/tasks' + query)['tasks']
            self.assertEqual([t['id'] for t in tasks], [task], query)
        for query in ('?states=failed', '?labels=team=x', '?text=nothing'):
            self.assertEqual(world.api('GET', '/tasks' + query)['tasks'], [])
        usage = world.api('GET', '/usage')
        self.assertEqual(usage['total']['tasks'], 1)
        self.assertGreater(int(usage['total']['tokens']['outputTokens']), 0)
        # What stands behind an event.
        tool = [e for e in world.events(task) if 'toolResult' in e][0]
        whole = world.api('GET', f'/tasks/{task}/events/{tool["id"]}')
        self.assertEqual(whole, tool)
        raw = world.api('GET',
                        f'/tasks/{task}/raw/{tool["id"].split(".")[0]}')
        self.assertEqual(raw['stream'], 'out')
        self.assertIn('a b', raw['text'])
        self.assertEqual(world.task('latest')['id'], task)
        self.assertEqual(world.task(task[:10])['id'], task)
        # And it is gone.
        watcher = world.stream(f'/tasks/{task}/events')
        watcher.until(is_task('done'))
        world.api('DELETE', f'/tasks/{task}', status=204)
        self.assertEqual(watcher.next()['event'], 'gone')
        # But not what it has used.
        self.assertEqual(world.api('GET', '/usage'), usage)
        self.assertIsNone(watcher.next())
        world.api('GET', f'/tasks/{task}', status=404)
        wait_for(lambda: world.folders() == [], 'the folder')

    def test_folders_are_prepared_for_tasks_to_come(self):
        world = self.world
        world.start()
        folder = os.path.join(world.home, 'tasks', '.prepared')

        def prepared():
            return sorted(os.listdir(folder)) if os.path.exists(folder) else []

        world.wait_state(world.create('ok'), 'done')
        wait_for(lambda: len(prepared()) == 2, 'two folders')
        first = prepared()
        # Those of a server that was killed are not used.
        world.restart()
        world.wait_state(world.create('ok'), 'done')
        wait_for(lambda: len(prepared()) == 2 and
                 not set(prepared()) & set(first), 'other folders')
        inodes = {os.stat(os.path.join(folder, name)).st_ino
                  for name in prepared()}

        def takes_one():
            task = world.create('ok')
            world.wait_state(task, 'done')
            place = os.path.join(world.home, 'tasks', task)
            return os.stat(place).st_ino in inodes

        # The server may not know yet that they are made.
        wait_for(takes_one, 'a task in a prepared folder')
        self.assertEqual(len(world.api('GET', '/tasks')['tasks']),
                         len(world.folders()))

    def test_long_texts_are_cut_and_can_be_had_whole(self):
        world = self.world
        world.start()
        task = world.create('long-line 200000\nok')
        world.wait_state(task, 'done')
        cut = [e for e in world.events(task) if e.get('cut')]
        self.assertTrue(cut)
        event = cut[0]
        field = event['cut'][0]['field']
        whole = world.api('GET', f'/tasks/{task}/events/{event["id"]}')
        payload = [v for v in whole.values() if isinstance(v, dict)][0]
        self.assertEqual(len(payload[field].encode()),
                         int(event['cut'][0]['size']))
        self.assertFalse(whole.get('cut'))

    def test_a_killed_server_is_not_noticed(self):
        world = self.world
        world.start()
        task = world.create(COUNTS)
        stream = world.stream(f'/tasks/{task}/events')
        events = stream.until(
            lambda e: e['event'] == 'message' and 'step 3' in e['data'])
        for step in ('step 8', 'step 14', 'step 20'):
            world.restart()
            last = [e for e in events if e['id']][-1]['id']
            stream = world.stream(f'/tasks/{task}/events', after=last)
            events += stream.until(
                lambda e, step=step: e['event'] == 'message'
                and step in e['data'])
        events += stream.until(is_task('done'))
        self.assertNotIn('reset', [e['event'] for e in events])
        self.check_stream(task, events)
        texts = [json.loads(e['data'])['text']['text'] for e in events
                 if e['event'] == 'message' and '"text":{' in e['data']]
        self.assertEqual(texts, [f'step {i}' for i in range(25)])

    def test_fifty_tasks_survive_their_server(self):
        world = self.world
        world.start('--max-running', '50')
        harnesses = (['codex', 'claude', 'gemini'] * 17)[:50]
        tasks = [world.create(COUNTS, harness=h) for h in harnesses]
        streams = [world.stream(f'/tasks/{t}/events') for t in tasks]
        seen = [s.until(lambda e: e['event'] == 'ready') for s in streams]
        world.restart('--max-running', '50')

        def follow(i):
            last = [e['id'] for e in seen[i] if e['id']]
            stream = world.stream(f'/tasks/{tasks[i]}/events',
                                  after=last[-1] if last else None)
            # Claude's process waits for more.
            last_state = 'idle' if harnesses[i] == 'claude' else 'done'
            seen[i] += stream.until(is_task(last_state))
            stream.close()

        threads = [threading.Thread(target=follow, args=[i])
                   for i in range(len(tasks))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for task, events in zip(tasks, seen):
            self.check_stream(task, events)
            self.assertIn('step 24', ''.join(e['data'] for e in events))

    def test_the_index_is_made_again_from_the_logs(self):
        world = self.world
        world.start()
        tasks = [world.create('say Hi.\nok', title=f'task {i}')
                 for i in range(5)]
        tasks.append(world.create('fail It broke.'))
        for task in tasks:
            world.wait_state(task, 'done', 'failed')
        before = world.api('GET', '/tasks')
        events = {t: world.events(t) for t in tasks}
        world.kill()
        for name in os.listdir(world.home):
            if name.startswith('index.sqlite'):
                os.remove(os.path.join(world.home, name))
        for task in tasks[:3]:
            os.remove(f'{world.home}/tasks/{task}/events.v1')
        with open(f'{world.home}/tasks/{tasks[3]}/events.v1', 'r+b') as file:
            file.truncate(os.path.getsize(file.name) - 30)
        world.start()
        wait_for(lambda: len(world.api('GET', '/tasks')['tasks']) == 6, 'rows')
        wait_for(lambda: world.ask('GET', '/healthz').json['loading'] == 0,
                 'logs to be read')
        self.assertEqual(world.api('GET', '/tasks'), before)
        self.assertEqual({t: world.events(t) for t in tasks}, events)

    def test_a_sandbox_that_cant_work_is_told(self):
        world = self.world
        broken = os.path.join(world.root, 'codex')
        probes = os.path.join(world.root, 'probes')
        error = 'bwrap: No permissions to create a new namespace'
        with open(broken, 'w') as file:
            file.write('#!/bin/sh\nif [ "$1" = sandbox ]; then\n'
                       f'  echo probed >> {probes}; echo "{error}" >&2; exit 1\n'
                       f'fi\nexec {world.programs["fake_codex"]} "$@"\n')
        os.chmod(broken, 0o755)
        world.env['TROIKA_CODEX_BIN'] = broken
        world.start()
        found = {h['id']: h for h in world.api('GET', '/harnesses')['harnesses']}
        self.assertIn(error, found['codex']['sandboxError'])
        self.assertFalse(found['claude'].get('sandboxError'))
        for mode, told in (('research', True), ('full_auto', True),
                           ('dangerous', False)):
            task = world.create(f'run ls => {error} exit 1\nsay Done.\nok',
                                options={'editMode': mode})
            now = world.wait_state(task, 'done')
            self.assertIn('sandbox', now['result']['hint'])
            notices = [e['notice']['text'] for e in world.events(task)
                       if 'notice' in e]
            self.assertEqual(
                [n for n in notices if "can't set up its sandbox" in n],
                [found['codex']['sandboxError']] if told else [])
        with open(probes) as file:
            self.assertEqual(file.read(), 'probed\n')

    def test_the_same_key_makes_one_task(self):
        world = self.world
        world.start()
        request = world.request('say Hi.\nok', idempotencyKey='once')
        ids = []
        threads = [threading.Thread(target=lambda: ids.append(
            world.api('POST', '/tasks', request)['id'])) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        world.restart()
        ids.append(world.api('POST', '/tasks', request)['id'])
        self.assertEqual(len(ids), 6)
        self.assertEqual(len(set(ids)), 1)

    def test_changes_of_all_tasks(self):
        world = self.world
        world.start()
        stream = world.stream('/events')
        self.assertEqual(stream.next()['event'], 'ready')
        task = world.create('say Hi.\nok')
        events = stream.until(is_task('done'))
        self.assertEqual({json.loads(e['data'])['id'] for e in events}, {task})
        states = [json.loads(e['data'])['state'] for e in events]
        self.assertEqual(states[-1], 'done')
        again = world.stream('/events', after=events[0]['id'])
        self.assertEqual(again.next()['event'], 'ready')
        # The stream keeps the last change of each task.
        self.assertEqual(again.until(is_task('done')), events[-1:])
        world.restart()
        late = world.stream('/events', after=events[-1]['id'])
        self.assertEqual(late.next()['event'], 'reset')

    def test_what_is_lost_is_marked(self):
        world = self.world
        world.start('--max-running', '1')
        running = world.create('hang')
        world.wait_state(running, 'starting', 'running')
        queued = world.create('ok')
        damaged = world.create('ok')
        world.kill()
        shutil.rmtree(f'{world.home}/tasks/{queued}')
        os.remove(f'{world.home}/tasks/{damaged}/log.v1')
        world.start('--max-running', '1')

        def failed(task):
            # Until its log has been looked for, it may not be found.
            answer = world.ask('GET', f'/api/v1/tasks/{task}')
            found = answer.status == 200 and answer.json['state'] == 'failed'
            return answer.json if found else None
        self.assertIn('removed', wait_for(lambda: failed(queued),
                                          'its end')['reason'])
        self.assertIn('log', wait_for(lambda: failed(damaged),
                                      'its end')['reason'])
        world.api('POST', f'/tasks/{running}/stop', {'grace': '0.1s'})
        world.wait_state(running, 'interrupted')

    def test_old_tasks_are_forgotten_only_when_asked(self):
        world = self.world
        world.start()
        tasks = []
        for _ in range(3):  # One after the other: the first is the oldest.
            tasks.append(world.create('flood 100 100\nok'))
            world.wait_state(tasks[-1], 'done')
        running = world.create('hang')
        world.wait_state(running, 'starting', 'running')
        world.restart()
        # The last one may have had no row yet, and is found by its folder.
        wait_for(lambda: len(world.api('GET', '/tasks')['tasks']) == 4,
                 'all tasks')
        folder = f'{world.home}/tasks/{tasks[2]}'
        size = sum(os.path.getsize(f'{folder}/{name}')
                   for name in os.listdir(folder))
        world.restart('--keep-bytes', str(int(size * 1.5)))
        left = lambda: [t['id'] for t in world.api('GET', '/tasks')['tasks']]
        wait_for(lambda: left() == [running, tasks[2]], 'the newest to stay')
        time.sleep(0.1)
        world.restart('--keep-for', '100ms')
        wait_for(lambda: left() == [running], 'only what lives to stay')
        wait_for(lambda: world.folders() == [running],
                 'the folders to go')
        world.api('POST', f'/tasks/{running}/stop', {'grace': '0.1s'})

    def test_one_server_a_folder(self):
        world = self.world
        world.start()
        second = subprocess.run(
            [self.programs['troika-server'], '--listen', 'none'],
            env=world.env, capture_output=True, text=True, timeout=30)
        self.assertEqual(second.returncode, 1)
        self.assertIn(f'pid {world.server.pid}', second.stderr)
        self.assertEqual(world.kill(signal.SIGTERM), 0)
        world.start()

    def test_a_server_that_nobody_needs_leaves(self):
        world = self.world
        world.start('--auto', '--idle-exit', '1s')
        task = world.create('sleep 7000\nok')
        time.sleep(6)
        self.assertIsNone(world.server.poll())
        self.assertEqual(world.server.wait(40), 0)
        world.start('--auto')
        world.wait_state(task, 'done')
        shutil.rmtree(world.home)
        self.assertEqual(world.server.wait(40), 1)
