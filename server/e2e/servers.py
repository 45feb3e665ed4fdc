"""Servers that stop, are killed, follow each other, or must not start."""
import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time

from world import WorldTest, wait_for

# A CLI that runs the commands of the file $COMMANDS when the file $GO is there,
# and writes their exit codes and output to $SAID.
AGENT = '''#!/usr/bin/env python3
import json, os, subprocess, sys, time
if '--version' in sys.argv:
    print('codex-cli 0.166.0'); sys.exit()
sys.stdin.read()
print(json.dumps({'type': 'thread.started', 'thread_id': 't'}), flush=True)
print(json.dumps({'type': 'turn.started'}), flush=True)
while not os.path.exists(os.environ['GO']):
    time.sleep(0.02)
said = []
for command in json.loads(os.environ['COMMANDS']):
    started = time.monotonic()
    ran = subprocess.run(command, shell=True, capture_output=True, text=True,
                         stdin=subprocess.DEVNULL)
    said.append([ran.returncode, ran.stdout + ran.stderr,
                 time.monotonic() - started])
with open(os.environ['SAID'] + '.new', 'w') as file:
    json.dump(said, file)
os.rename(os.environ['SAID'] + '.new', os.environ['SAID'])
print(json.dumps({'type': 'item.completed', 'item': {
    'id': 'item_0', 'type': 'agent_message', 'text': 'Done.'}}))
print(json.dumps({'type': 'turn.completed', 'usage': {'input_tokens': 1,
    'cached_input_tokens': 0, 'output_tokens': 1}}))
'''


def is_running(pid):
    try:
        with open(f'/proc/{pid}/stat') as stat:
            return stat.read().rsplit(')', 1)[1].split()[0] not in 'ZX'
    except OSError:
        return False


class ServersTest(WorldTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.end_server)

    def end_server(self):
        """One that a command started."""
        if os.path.exists(self.world.home + '/server.sock'):
            pid = self.world.lock_pid()
            if is_running(pid):
                os.kill(pid, signal.SIGKILL)

    def program(self, text):
        path = self.world.script(text)
        os.chmod(path, 0o755)
        return path

    def listens(self):
        try:
            return self.world.ask('GET', '/healthz').status == 200
        except OSError:
            return False

    def run_agent(self, commands, kill_server=True):
        """What the commands said to an agent whose server was killed."""
        world = self.world
        go = os.path.join(world.root, 'go')
        said = os.path.join(world.root, 'said')
        task = world.create('', env={
            'GO': go, 'SAID': said, 'COMMANDS': json.dumps(commands),
            'TROIKA_CODEX_BIN': self.program(AGENT)})
        world.wait_state(task, 'running')
        if kill_server:
            world.kill()
        open(go, 'w').close()
        wait_for(lambda: os.path.exists(said), 'the agent')
        with open(said) as file:
            return task, json.load(file)

    def test_an_agent_starts_no_server(self):
        world = self.world
        world.start()
        troika, server = (self.programs[n] for n in ('troika', 'troika-server'))
        prompt = f'{troika} run codex --detach hello'
        asks = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'tools/list'})
        task, said = self.run_agent([
            f'{troika} tasks', prompt, f'{troika} serve --listen none',
            f'{server} --auto', f'setsid -f -w {troika} tasks',
            f'(setsid -f {server} --auto --idle-exit 60s & ) ; sleep 1; '
            f'{troika} show latest',
            f'cd / && HOME=/nowhere {troika} tasks',
            # It replies with the error, and ends well with its input.
            f"echo '{asks}' | {troika} mcp; exit 1"])
        for code, text, seconds in said:
            self.assertEqual(code, 1, text)
            self.assertIn(f'an agent (of task {task}) may not start one', text)
            self.assertIn('run `troika serve`, or any other troika command',
                          text)
            self.assertLess(seconds, 15)
        self.assertFalse(self.listens())
        # The user's command starts one, and the task is as it was.
        self.assertEqual(world.troika('tasks').returncode, 0)
        self.assertTrue(self.listens())
        self.assertEqual(world.wait_state(task, 'done')['result']['text'],
                         'Done.')

    def test_an_agent_uses_the_server_that_runs(self):
        world = self.world
        world.start()
        troika = self.programs['troika']
        other = os.path.join(world.root, 'other')
        task, said = self.run_agent([
            f'{troika} tasks',
            # A folder that nobody else uses, as the tests of Troika have.
            f'TROIKA_HOME={other} {troika} tasks',
            f'cat {other}/server.lock'], kill_server=False)
        self.assertEqual([s[0] for s in said], [0, 0, 0], said)
        world.wait_state(task, 'done')
        nested = int(said[2][1].split(',')[0].split()[1])
        wait_for(lambda: not is_running(nested), 'its server to end with it')
        self.assertTrue(self.listens())

    def hang(self):
        """Has the server ask a CLI that does not answer."""
        world = self.world
        pid_file = os.path.join(world.root, 'probe')
        hangs = self.program(f'#!/bin/sh\necho $$ > {pid_file}.new\n'
                             f'mv {pid_file}.new {pid_file}\nsleep 300\n')

        def ask():
            try:
                world.ask('POST', '/api/v1/tasks', world.request(
                    'ok', env={'TROIKA_CODEX_BIN': hangs}))
            except OSError:
                pass
            except http.client.HTTPException:
                pass
        thread = threading.Thread(target=ask)
        thread.start()
        self.addCleanup(thread.join)
        wait_for(lambda: os.path.exists(pid_file), 'the CLI to be asked')
        with open(pid_file) as file:
            return int(file.read())

    def test_a_stop_does_not_wait_for_a_cli(self):
        world = self.world
        world.start()
        probe = self.hang()
        started = time.monotonic()
        self.assertEqual(world.kill(signal.SIGTERM), 0)
        took = time.monotonic() - started
        print(f'stopped in {took * 1000:.0f} ms')
        self.assertLess(took, 5)
        wait_for(lambda: not is_running(probe), 'the CLI to end')
        self.assertFalse(os.path.exists(world.home + '/serve.json'))

    def test_a_second_signal_ends_at_once(self):
        world = self.world
        world.start()
        self.hang()
        world.server.send_signal(signal.SIGTERM)
        wait_for(lambda: not os.path.exists(world.home + '/server.sock'),
                 'the stop to begin')
        self.assertEqual(world.kill(signal.SIGINT), -signal.SIGINT)

    def test_commands_go_on_while_servers_stop(self):
        world = self.world
        self.assertEqual(world.troika('tasks').returncode, 0)
        ended = threading.Event()
        results = []

        def ask():
            while not ended.is_set():
                results.append(world.troika('tasks'))
        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(4):
                wait_for(self.listens, 'a server')
                pid = world.lock_pid()
                os.kill(pid, signal.SIGTERM)
                wait_for(lambda: not is_running(pid), 'its end')
        finally:
            ended.set()
            for thread in threads:
                thread.join()
        for result in results:
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_serve_takes_over_from_a_server_that_started_by_itself(self):
        world = self.world
        self.assertEqual(world.troika('tasks').returncode, 0)
        automatic = world.lock_pid()
        self.assertIn(', automatic, ', world.lock())
        task = world.create('say One.\nsleep 4000\nsay Two.\nok')
        tail = subprocess.Popen(
            [self.programs['troika'], 'tail', task, '-f'], env=world.env,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        stream = world.stream(f'/tasks/{task}/events')
        stream.until(lambda e: e['event'] == 'message' and 'One.' in e['data'])
        started = time.monotonic()
        world.start(listen='127.0.0.1:0')
        print(f'took over in {(time.monotonic() - started) * 1000:.0f} ms')
        # The old one may still answer what has begun.
        wait_for(lambda: not is_running(automatic), 'its end')
        self.assertEqual(world.lock_pid(), world.server.pid)
        said, _ = tail.communicate(timeout=60)
        self.assertEqual(tail.returncode, 0, said)
        self.assertEqual((said.count('One.'), said.count('Two.')), (1, 1), said)
        self.assertEqual(world.lock_pid(), world.server.pid)

    def test_serve_leaves_another_serve_alone(self):
        world = self.world
        world.start(listen='127.0.0.1:0')
        second = world.troika('serve', '--listen', 'none')
        self.assertEqual(second.returncode, 1)
        self.assertIn(f'(pid {world.server.pid}) at http://127.0.0.1:'
                      f'{world.port()} serves {world.home}', second.stderr)
        self.assertIn(f'kill {world.server.pid}', second.stderr)
        self.assertIsNone(world.server.poll())

    def test_a_socket_that_is_removed_is_made_again(self):
        world = self.world
        world.start()
        task = world.create_done()[0]
        os.unlink(os.path.join(world.home, 'server.sock'))
        # The command waits for the server, and starts no other.
        listed = world.troika('tasks')
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn(task, listed.stdout)
        self.assertEqual(world.lock_pid(), world.server.pid)
        self.assertIsNone(world.server.poll())

    def tcp(self, port):
        try:
            return self.world.ask(
                'GET', '/api/v1/tasks', None,
                {'Authorization': 'Bearer ' + self.world.token()},
                http.client.HTTPConnection('127.0.0.1', port, timeout=30)
            ).status
        except ConnectionError:
            return 0

    def test_the_place_of_a_killed_server_is_taken(self):
        world = self.world
        world.start('--max-running', '1', listen='127.0.0.1:0')
        port = world.port()
        world.kill()
        self.assertEqual(self.tcp(port), 0)
        first = world.troika('tasks')
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn('the server was killed; another one with the same flags '
                      'has taken its place and serves '
                      f'http://127.0.0.1:{port}', first.stderr)
        self.assertNotIn('killed', world.troika('tasks').stderr)
        self.assertEqual(self.tcp(port), 200)
        # With its limits.
        running = world.create('hang')
        world.wait_state(running, 'starting', 'running')
        self.assertEqual(world.task(world.create('ok'))['state'], 'queued')
        # And again, however often.
        os.kill(world.lock_pid(), signal.SIGKILL)
        wait_for(lambda: self.tcp(port) == 0, 'its end')
        self.assertIn('has taken its place', world.troika('tasks').stderr)
        self.assertEqual(self.tcp(port), 200)
        # It makes way, as any server that started by itself.
        stands_in = world.lock_pid()
        world.start(listen=f'127.0.0.1:{port}')
        # The old one may still answer what has begun.
        wait_for(lambda: not is_running(stands_in), 'its end')
        self.assertEqual(self.tcp(port), 200)
        world.api('POST', f'/tasks/{running}/stop', {'grace': '0.1s'})
        # One that was told to stop has no heir.
        world.kill(signal.SIGTERM)
        self.assertNotIn('killed', world.troika('tasks').stderr)
        self.assertEqual(self.tcp(port), 0)

    def test_a_port_that_is_taken_meanwhile(self):
        world = self.world
        world.start(listen='127.0.0.1:0')
        port = world.port()
        world.kill()
        with socket.create_server(('127.0.0.1', port)):
            said = world.troika('tasks')
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertIn('is not reachable by TCP: listen on 127.0.0.1 port '
                          f'{port}: another program has this port', said.stderr)
        self.assertTrue(self.listens())
