"""The index of tasks: lost, locked, behind, and on a disk that is full."""
import ctypes
import json
import os
import shutil
import sqlite3
import threading
import time

from world import WorldTest, wait_for

CLONE_NEWNS = 0x00020000
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18


def mount(source, target, kind, flags, data=''):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source.encode(), target.encode(), kind.encode(),
                  ctypes.c_ulong(flags), data.encode()) != 0:
        raise OSError(ctypes.get_errno(), f'mount {target}')


def umount(target):
    ctypes.CDLL(None).umount2(target.encode(), 2)


def own_mounts():
    """Whether we can have mounts that nobody else sees."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        return False
    try:
        mount('none', '/', '', MS_REC | MS_PRIVATE)
    except OSError:
        return False
    return True


class IndexTest(WorldTest):
    def end_without_index(self):
        """Kills the server, whose index is lost."""
        self.world.kill()
        self.lose_index()

    def lose_index(self):
        for name in os.listdir(self.world.home):
            if name.startswith('index.sqlite'):
                os.remove(os.path.join(self.world.home, name))

    def listed(self):
        return [t['id'] for t in self.world.api('GET', '/tasks')['tasks']]

    def loaded(self):
        wait_for(lambda: self.world.ask('GET', '/healthz').json['loading'] == 0,
                 'logs to be read')

    def copy(self, task, count):
        """Many more tasks that are like that one."""
        folder = f'{self.world.home}/tasks'
        with open(f'{folder}/{task}/log.v1', 'rb') as log:
            head, rest = log.read().split(b'\n', 1)
        for i in range(count):
            copy = task[:-4] + f'{i:04d}'
            os.mkdir(f'{folder}/{copy}')
            with open(f'{folder}/{copy}/log.v1', 'wb') as log:
                log.write(head.replace(task.encode(), copy.encode()) + b'\n'
                          + rest)


class KeysTest(IndexTest):
    def test_one_task_a_key_while_the_index_is_locked(self):
        world = self.world
        world.start()
        other = sqlite3.connect(world.home + '/index.sqlite', timeout=30,
                                isolation_level=None)
        other.execute('BEGIN IMMEDIATE')
        request = world.request('ok', idempotencyKey='once')
        ids = [world.api('POST', '/tasks', request)['id'] for _ in range(3)]
        world.wait_state(ids[0], 'done')
        ids.append(world.api('POST', '/tasks', request)['id'])
        self.assertEqual(len(set(ids)), 1)
        self.assertEqual(self.listed(), ids[:1])
        # A server that is killed now has written nothing of it.
        world.kill()
        other.execute('ROLLBACK')
        other.close()
        world.start()
        self.assertEqual(world.api('POST', '/tasks', request)['id'], ids[0])

    def test_one_task_a_key_when_the_index_is_lost(self):
        world = self.world
        world.start()
        requests = [world.request('say Hi.\nok', idempotencyKey=f'key {i}')
                    for i in range(30)]
        ids = [world.api('POST', '/tasks', r)['id'] for r in requests]
        for task in ids:
            world.wait_state(task, 'done')
        self.end_without_index()
        world.start()
        again = {}
        threads = [threading.Thread(target=lambda i=i: again.setdefault(
            i, world.api('POST', '/tasks', requests[i])['id']))
            for i in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([again[i] for i in range(30)], ids)
        self.loaded()
        self.assertEqual(self.listed(), ids[::-1])


class LoadTest(IndexTest):
    def test_a_task_can_be_asked_for_before_it_is_read(self):
        world = self.world
        world.start()
        tasks = world.create_done(count=20)
        before = world.api('GET', '/tasks')
        self.end_without_index()
        world.start()
        # Whatever has been read by now.
        new = world.create('ok')
        self.assertEqual(world.task(tasks[0])['state'], 'done')
        self.assertEqual(world.task(tasks[10])['state'], 'done')
        world.wait_state(new, 'done')
        self.loaded()
        self.assertEqual(world.api('GET', '/tasks')['tasks'][1:],
                         before['tasks'])

    def test_a_server_that_is_killed_goes_on_where_it_was(self):
        world = self.world
        world.start()
        [task] = world.create_done()
        self.end_without_index()
        self.copy(task, 1000)

        def count():
            try:
                with sqlite3.connect(world.home + '/index.sqlite') as db:
                    return db.execute('SELECT count(*) FROM task').fetchone()[0]
            except sqlite3.OperationalError:
                return 0

        rows = 0
        for _ in range(3):
            world.start()
            wait_for(lambda: count() > rows, 'more rows')
            world.kill()
            self.assertGreater(count(), rows)
            rows = count()
            if rows > 900:
                break
        world.start()
        self.loaded()
        wait_for(lambda: world.ask('GET', '/metrics').body.count(
            b'troika_tasks{state="done"} 1001'), 'all')

    def test_an_index_that_is_damaged_within(self):
        world = self.world
        world.start()
        tasks = world.create_done(count=10)
        world.kill()
        index = world.home + '/index.sqlite'
        with sqlite3.connect(index) as db:
            db.execute('PRAGMA wal_checkpoint(TRUNCATE)')
        for end in ('-wal', '-shm'):
            if os.path.exists(index + end):
                os.remove(index + end)
        with open(index, 'r+b') as file:
            file.seek(4096)
            file.write(os.urandom(os.path.getsize(index) - 4096))
        world.start()
        # Until the damage is found, a page that holds it can't be read.
        wait_for(lambda: world.ask('GET', '/api/v1/tasks').status == 200 and
                 self.listed() == tasks[::-1], 'all tasks')
        self.assertIn('index.sqlite.broken-1', os.listdir(world.home))

    def test_what_cant_be_read_now_is_not_lost(self):
        """A queued and an ended task whose folders can't be opened."""
        world = self.world
        world.start('--max-running', '1')
        [ended] = world.create_done('ok')
        running = world.create('hang')
        world.wait_state(running, 'starting', 'running')
        queued = [world.create('say Hi.\nok') for _ in range(2)]
        for lose in (False, True):
            world.kill()
            if lose:
                self.lose_index()
            hidden = [queued[0], ended]
            for task in hidden:
                folder = f'{world.home}/tasks/{task}'
                os.rename(folder, f'{world.root}/{task}')
                os.symlink(task, folder)  # ELOOP, also for root.
            world.start('--max-running', '1')
            self.loaded()
            trouble = wait_for(lambda: world.task(queued[0]).get('trouble'),
                               'the trouble to be shown')
            self.assertIn(queued[0], trouble)
            self.assertNotIn(world.task(queued[0])['state'],
                             ('failed', 'done'))
            self.assertIn(queued[0], self.listed())
            for task in hidden:
                folder = f'{world.home}/tasks/{task}'
                os.remove(folder)
                os.rename(f'{world.root}/{task}', folder)
            wait_for(lambda: world.task(queued[0]).get('queuePosition') == 1,
                     'it to be queued where it was')
            self.assertFalse(world.task(queued[0]).get('trouble'))
            wait_for(lambda: world.task(ended)['state'] == 'done'
                     and not world.task(ended).get('trouble'), 'the other')
        world.api('POST', f'/tasks/{running}/stop', {'grace': '0.1s'})
        done = [world.wait_state(t, 'done') for t in queued]
        self.assertLess(done[0]['startedAt'], done[1]['startedAt'])


class QueueTest(IndexTest):
    def test_viewers_are_told_of_their_position(self):
        world = self.world
        world.start('--max-running', '1')
        running = [world.create('hang') for _ in range(3)]
        world.wait_state(running[0], 'starting', 'running')
        last = world.create('ok')
        stream = world.stream(f'/tasks/{last}/events')

        def at(position):
            return lambda e: e['event'] == 'task' and json.loads(
                e['data']).get('queuePosition') == position

        stream.until(at(3))
        for position in (2, 1):
            first = running.pop(0)
            world.api('POST', f'/tasks/{first}/stop', {'grace': '0s'})
            stream.until(at(position))
        world.api('POST', f'/tasks/{running[0]}/stop', {'grace': '0s'})
        stream.until(lambda e: e['event'] == 'task' and json.loads(
            e['data'])['state'] == 'done')


class RetentionTest(IndexTest):
    def size(self, task):
        folder = f'{self.world.home}/tasks/{task}'
        return sum(os.path.getsize(f'{folder}/{name}')
                   for name in os.listdir(folder)
                   if os.path.isfile(f'{folder}/{name}'))

    def test_all_files_count(self):
        world = self.world
        world.start()
        tasks = []
        for _ in range(3):  # One after the other: the first is the oldest.
            tasks += world.create_done('flood 100 100\nok')
        world.kill(15)
        # The logs of all would fit.
        room = self.size(tasks[1]) + self.size(tasks[2]) + 100
        logs = sum(os.path.getsize(f'{world.home}/tasks/{t}/log.v1')
                   for t in tasks)
        self.assertLess(logs, room)
        world.start('--keep-bytes', str(room))
        wait_for(lambda: self.listed() == tasks[:0:-1], 'the oldest to go')
        wait_for(lambda: sorted(world.folders())
                 == tasks[1:], 'its folder to go')

    def test_many_at_once_hold_nobody_up(self):
        world = self.world
        world.start()
        [task] = world.create_done()
        self.end_without_index()
        self.copy(task, 600)
        world.start('--keep-for', '1ms')
        self.loaded()
        wait_for(lambda: not self.listed(), 'all to go')
        wait_for(lambda: not world.folders(), 'the folders')


class FullDiskTest(IndexTest):
    """Needs mounts of its own: root, or nothing is tried."""

    def setUp(self):
        if not own_mounts():
            self.skipTest('no mounts of our own here')
        super().setUp()

    def fill(self, path):
        file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            while True:
                os.write(file, b'x' * 4096)
        except OSError:
            os.close(file)

    def test_a_server_starts_and_stops_tasks_on_a_full_disk(self):
        world = self.world
        os.mkdir(world.home, 0o700)
        mount('tmpfs', world.home, 'tmpfs', 0, 'size=16m')
        self.addCleanup(umount, world.home)
        self.addCleanup(world.kill)
        world.start()
        [ended] = world.create_done()
        running = world.create('say Hi.\nhang')
        world.wait_state(running, 'running')
        for lose in ('nothing', 'shm', 'index', 'token'):
            world.kill()
            if os.path.exists(world.home + '/full'):
                os.remove(world.home + '/full')
            if lose == 'shm':
                world.start()
                self.loaded()
                world.kill(15)
            if lose == 'index':
                self.lose_index()
            if lose == 'token':
                os.remove(world.home + '/token')
            self.fill(world.home + '/full')
            world.start()
            wait_for(lambda: self.listed() == [running, ended],
                     f'the list, without {lose}')
            self.assertEqual(world.task(ended)['state'], 'done')
            self.assertEqual(world.task(running)['state'], 'running')
        world.api('POST', f'/tasks/{running}/stop', {'grace': '0.1s'})
        os.remove(world.home + '/full')
        world.wait_state(running, 'interrupted')
        wait_for(lambda: [t['state'] for t in world.api('GET', '/tasks')[
            'tasks']] == ['interrupted', 'done'], 'the rows')

    def test_stop_works_with_events_that_cant_be_written(self):
        world = self.world
        world.start()
        task = world.create(
            'say Hi.\nok\n== turn 2\nflood 60000 300\nhang',
            harness='claude', env={'TROIKA_FAKE_STATE': world.root + '/state'})
        world.wait_state(task, 'idle')
        world.kill()
        disk = f'{world.root}/disk'
        os.mkdir(disk)
        mount('tmpfs', disk, 'tmpfs', 0, 'size=1m')
        self.addCleanup(umount, disk)
        events = f'{world.home}/tasks/{task}/events.v1'
        shutil.copy(events, f'{disk}/events.v1')
        self.fill(f'{disk}/full')
        mount(f'{disk}/events.v1', events, '', MS_BIND)
        self.addCleanup(umount, events)
        self.addCleanup(world.kill)
        world.start()
        world.api('POST', f'/tasks/{task}/input', {'text': 'more'})
        log = f'{world.home}/tasks/{task}/log.v1'
        wait_for(lambda: os.path.getsize(log) > 20 << 20, 'the flood')
        time.sleep(1)
        world.api('POST', f'/tasks/{task}/stop', {'grace': '0.1s'})
        world.wait_state(task, 'interrupted', 'failed', 'done')
