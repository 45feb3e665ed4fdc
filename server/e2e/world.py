"""A server in a folder of its own, and how to talk with it."""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

PATIENCE = 40


def wait_for(condition, what, patience=PATIENCE):
    """Returns what the condition returns, once that is true."""
    end = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f'waited {patience} s for {what}')
        time.sleep(0.005)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__('troika', timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        # The path may be longer than a socket's address.
        folder = os.open(os.path.dirname(self.path), os.O_RDONLY)
        try:
            self.sock.connect(
                f'/proc/self/fd/{folder}/{os.path.basename(self.path)}')
        finally:
            os.close(folder)


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)


class Stream:
    """Server-sent events, each a dict of event, id and data."""

    def __init__(self, connection, response):
        self.connection = connection
        self.response = response
        self.buffer = b''

    def next(self):
        """The next event; None at the end of the stream."""
        while b'\n\n' not in self.buffer:
            chunk = self.response.read1(65536)
            if not chunk:
                return None
            self.buffer += chunk
        frame, self.buffer = self.buffer.split(b'\n\n', 1)
        event = {'event': 'message', 'id': None, 'data': None}
        for line in frame.decode().split('\n'):
            if line.startswith(':'):
                continue
            name, _, value = line.partition(': ')
            event[name] = value
        if event['data'] is None:
            return self.next()
        return event

    def until(self, condition):
        """Events up to the one that the condition holds for."""
        events = []
        while True:
            event = self.next()
            if event is None:
                raise AssertionError('the stream has ended')
            events.append(event)
            if condition(event):
                return events

    def close(self):
        self.connection.close()


class Server:
    """A state folder, and perhaps a server that runs in it."""

    def __init__(self, programs, root=None):
        self.programs = programs
        self.root = root or tempfile.mkdtemp()
        self.home = os.path.join(self.root, 'home')
        self.work = os.path.join(self.root, 'work')
        os.mkdir(self.work)
        self.server = None
        self.errors = os.path.join(self.root, 'stderr')
        self.env = {
            'PATH': os.environ['PATH'],
            'HOME': self.root,
            'TROIKA_HOME': self.home,
            'TROIKA_RELAY_BIN': programs['troika-relay'],
            'TROIKA_SERVER_BIN': programs['troika-server'],
            'ASAN_OPTIONS': 'detect_leaks=0',
        }

    def close(self):
        self.kill()
        # What still runs ends with its folder.
        shutil.rmtree(self.root, ignore_errors=True)

    # The server.

    def start(self, *flags, listen='none'):
        with open(self.errors, 'ab') as errors:
            ready, tell = os.pipe()
            os.set_inheritable(tell, True)
            self.server = subprocess.Popen(
                [self.programs['troika-server'], '--listen', listen,
                 f'--ready-fd={tell}', *flags],
                env=self.env, stderr=errors, pass_fds=[tell],
                start_new_session=True)
            os.close(tell)
            with os.fdopen(ready) as said:
                told = said.read()
        if not told.endswith('ok\n'):
            self.server.wait()
            raise AssertionError(f'the server said: {told}')

    def kill(self, how=signal.SIGKILL):
        if self.server is None:
            return None
        self.server.send_signal(how)
        code = self.server.wait(PATIENCE)
        self.server = None
        return code

    def restart(self, *flags):
        self.kill()
        self.start(*flags)

    def lock(self):
        with open(os.path.join(self.home, 'server.lock')) as lock:
            return lock.read().strip()

    def lock_pid(self):
        """The server of our folder, whoever started it."""
        return int(self.lock().split(',')[0].split()[1])

    def port(self):
        return int(self.lock().rsplit(':', 1)[1])

    def troika(self, *args, **options):
        """Runs the command line, which starts a server if none runs."""
        return subprocess.run(
            [self.programs['troika'], *args], env=self.env, timeout=90,
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            **options)

    def token(self):
        with open(os.path.join(self.home, 'token')) as token:
            return token.read().strip()

    # Requests.

    def connect(self):
        return UnixConnection(os.path.join(self.home, 'server.sock'))

    def ask(self, method, path, body=None, headers=None, connection=None):
        connection = connection or self.connect()
        headers = dict(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers.setdefault('Content-Type', 'application/json')
        try:
            connection.request(method, path, body=body, headers=headers)
        except BrokenPipeError:
            pass  # It was answered before it had read all.
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def api(self, method, path, body=None, status=None):
        answer = self.ask(method, '/api/v1' + path, body)
        wanted = [status] if status else [200, 201, 204]
        if answer.status not in wanted:
            raise AssertionError(
                f'{method} {path}: {answer.status} {answer.body[:2000]}')
        return answer.json if answer.body else None

    def stream(self, path, after=None):
        connection = self.connect()
        headers = {'Accept': 'text/event-stream'}
        if after:
            headers['Last-Event-ID'] = after
        connection.request('GET', '/api/v1' + path, headers=headers)
        response = connection.getresponse()
        if response.status != 200:
            raise AssertionError(f'{path}: {response.status}')
        return Stream(connection, response)

    # Tasks.

    def folders(self):
        """Returns what is in the folder of tasks, but for prepared folders."""
        return [name for name in os.listdir(os.path.join(self.home, 'tasks'))
                if name != '.prepared']

    def task(self, task):
        return self.api('GET', f'/tasks/{task}')

    def wait_state(self, task, *states):
        def in_state():
            now = self.task(task)
            return now if now['state'] in states else None
        return wait_for(in_state, f'{task} to be {" or ".join(states)}')

    def events(self, task):
        """All events that there are, page by page."""
        events, after = [], ''
        while True:
            page = self.api('GET', f'/tasks/{task}/events?page_size=100{after}')
            events += page['events']
            if not page['nextPageToken']:
                return events
            after = f'&after={page["nextPageToken"]}'


class World(Server):
    """A server with fakes in place of the CLIs."""

    def __init__(self, programs):
        super().__init__(programs)
        for name in ('codex', 'claude', 'gemini'):
            self.env[f'TROIKA_{name.upper()}_BIN'] = programs[f'fake_{name}']

    def script(self, text):
        handle, path = tempfile.mkstemp(dir=self.root)
        with os.fdopen(handle, 'w') as file:
            file.write(text)
        return path

    def request(self, script, harness='codex', prompt='do it', env=None,
                **fields):
        variables = dict(self.env)
        variables['TROIKA_FAKE_SCRIPT'] = self.script(script)
        variables.update(env or {})
        return {'harness': harness, 'prompt': prompt, 'cwd': self.work,
                'env': variables, **fields}

    def create(self, script, **fields):
        return self.api('POST', '/tasks', self.request(script, **fields))['id']

    def create_done(self, script='say Hi.\nok', count=1, **fields):
        """Tasks that have ended, in the order in which they were made."""
        tasks = [self.create(script, **fields) for _ in range(count)]
        for task in tasks:
            self.wait_state(task, 'done')
        return tasks


class WorldTest(unittest.TestCase):
    programs = {}

    def setUp(self):
        self.world = World(self.programs)
        self.addCleanup(self.world.close)
