"""What the server has for the page, and who gets it (docs/security.md)."""
import gzip
import http.client
import json
import os
import re
import signal
import threading
import unittest
import urllib.parse

import agents
from world import PATIENCE, Stream, World, WorldTest, wait_for

PNG = b'\x89PNG\r\n\x1a\nrest'


class Browser:
    """A browser that has exchanged a code for a session."""

    def __init__(self, world, url, agent='Firefox'):
        parts = urllib.parse.urlsplit(url)
        self.world = world
        self.host = parts.netloc
        self.origin = f'http://{parts.netloc}'
        self.cookie = self.key = ''
        code = parts.fragment.removeprefix('code=')
        answer = self.ask('POST', '/page/sessions', headers={
            'Authorization': f'Code {code}', 'User-Agent': agent})
        self.answer = answer
        if answer.status == 201:
            self.session = answer.json
            self.key = self.session['key']
            self.cookie = answer.headers['Set-Cookie'].split(';')[0]

    def connect(self):
        return http.client.HTTPConnection(self.host, timeout=PATIENCE)

    def headers(self, method, more=None):
        headers = {'Sec-Fetch-Site': 'same-origin'}
        if method != 'GET':
            headers['Origin'] = self.origin
        if self.cookie:
            headers.update({'Cookie': self.cookie, 'X-Troika-Key': self.key})
        headers.update(more or {})
        return {k: v for k, v in headers.items() if v is not None}

    def ask(self, method, path, body=None, headers=None):
        return self.world.ask(method, '/api/v1' + path, body,
                              self.headers(method, headers), self.connect())

    def stream(self, query=''):
        connection = self.connect()
        connection.request('GET', f'/api/v1/stream?{query}', headers=self.headers(
            'GET', {'Accept': 'text/event-stream'}))
        response = connection.getresponse()
        if response.status != 200:
            raise AssertionError(f'{response.status} {response.read()}')
        return Stream(connection, response)


class PageTest(WorldTest):
    def start(self, port=0):
        self.world.start(listen=f'127.0.0.1:{port}')

    def url(self):
        opened = self.world.troika('open', '--print')
        self.assertEqual(opened.returncode, 0, opened.stderr)
        self.assertRegex(opened.stdout,
                         r'^http://127\.0\.0\.1:\d+/#code=[\w-]{43}\n$')
        return opened.stdout.strip()

    def browser(self, agent='Firefox'):
        browser = Browser(self.world, self.url(), agent)
        self.assertEqual(browser.answer.status, 201, browser.answer.body)
        return browser

    # Login.

    def test_a_code_is_good_once(self):
        self.start()
        url = self.url()
        browser = Browser(self.world, url)
        self.assertEqual(browser.answer.status, 201)
        cookie = browser.answer.headers['Set-Cookie']
        for part in ('HttpOnly', 'SameSite=Strict', 'Path=/'):
            self.assertIn(part, cookie)
        self.assertEqual(browser.ask('GET', '/tasks').status, 200)
        again = Browser(self.world, url)
        self.assertEqual(again.answer.status, 401)
        self.assertIn('troika open', again.answer.json['message'])
        self.assertNotIn('Set-Cookie', again.answer.headers)

    def test_wrong_codes_are_limited(self):
        self.start()
        url = self.url()
        wrong = url[:-1] + ('A' if url[-1] != 'A' else 'B')
        said = [Browser(self.world, wrong).answer.status for _ in range(25)]
        self.assertEqual(said[:20], 20 * [401])
        self.assertEqual(said[20:], 5 * [429])
        self.assertEqual(Browser(self.world, url).answer.status, 201)

    def test_codes_are_made_over_the_socket_only(self):
        self.start()
        url = self.url()
        host = urllib.parse.urlsplit(url).netloc
        answer = self.world.ask(
            'POST', '/api/v1/page/codes', None,
            {'Authorization': f'Bearer {self.world.token()}'},
            http.client.HTTPConnection(host))
        self.assertEqual(answer.status, 403, answer.body)
        answer = self.browser().ask('POST', '/page/codes')
        self.assertEqual(answer.status, 403, answer.body)
        self.world.env['TROIKA_URL'] = f'http://{host}'
        self.world.env['TROIKA_TOKEN'] = self.world.token()
        opened = self.world.troika('open', '--print')
        self.assertEqual(opened.returncode, 2, opened)

    def test_a_session_needs_cookie_key_and_origin(self):
        self.start()
        browser = self.browser()
        other = self.browser()
        port = self.world.port()
        for status, method, headers in [
                (200, 'GET', {}),
                (200, 'GET', {'Sec-Fetch-Site': None}),
                (200, 'GET', {'Sec-Fetch-Site': 'none'}),
                (401, 'GET', {'X-Troika-Key': None}),
                (401, 'GET', {'X-Troika-Key': other.key}),
                (401, 'GET', {'Cookie': None}),
                (401, 'GET', {'Cookie': 'troika_session_1=x'}),
                (403, 'GET', {'Sec-Fetch-Site': 'same-site'}),
                (403, 'GET', {'Sec-Fetch-Site': 'cross-site'}),
                (403, 'GET', {'Host': 'evil.example'}),
                (403, 'GET', {'Origin': 'http://127.0.0.1:1'}),
                (403, 'POST', {'Origin': None}),
                (403, 'POST', {'Origin': 'null'}),
                (403, 'POST', {'Origin': 'http://127.0.0.1:1'}),
                (403, 'POST', {'Origin': f'http://localhost:{port}'}),
                (401, 'POST', {'X-Troika-Key': None}),
                (400, 'POST', {})]:
            answer = browser.ask(method, '/tasks',
                                 {} if method == 'POST' else None, headers)
            self.assertEqual(answer.status, status, (method, headers))
        # No session without an Origin, whatever the code.
        bare = Browser(self.world, self.url())
        bare.cookie = bare.key = ''
        code = self.url().split('code=')[1]
        answer = bare.ask('POST', '/page/sessions', headers={
            'Authorization': f'Code {code}', 'Origin': None})
        self.assertEqual(answer.status, 403)

    def test_sessions_are_listed_revoked_and_survive_the_server(self):
        self.start()
        port = self.world.port()
        first, second = self.browser('One'), self.browser('Two')
        path = f'{self.world.home}/page_sessions'
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        with open(path) as file:
            text = file.read()
        for secret in (first.key, first.cookie.split('=')[1]):
            self.assertNotIn(secret, text)
        self.world.kill()
        self.start(port)
        listed = first.ask('GET', '/page/sessions').json['sessions']
        self.assertEqual([(s['browser'], s['current'], s['key'])
                          for s in listed],
                         [('Two', False, ''), ('One', True, '')])
        said = self.world.troika('open', '--sessions')
        self.assertIn(first.session['id'], said.stdout)
        stream = first.stream()
        revoked = self.world.troika('open', '--revoke', first.session['id'])
        self.assertEqual(revoked.returncode, 0, revoked.stderr)
        # The stream ends at once and shows nothing of what happens later.
        self.world.create('say Hi.\nok')
        rest = stream.response.read()
        self.assertNotIn(b'event: task', rest.split(b'event: ready')[-1])
        self.assertEqual(first.ask('GET', '/tasks').status, 401)
        self.assertEqual(second.ask('GET', '/tasks').status, 200)
        self.assertEqual(
            second.ask('DELETE', '/page/sessions/current').status, 204)
        self.assertEqual(second.ask('GET', '/tasks').status, 401)
        again = self.world.troika('open', '--revoke', first.session['id'])
        self.assertEqual(again.returncode, 2, again)

    def test_a_server_of_a_command_listens_when_it_is_opened(self):
        url = self.url()  # Starts it.
        pid = self.world.lock_pid()
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        browser = Browser(self.world, url)
        self.assertEqual(browser.ask('GET', '/tasks').status, 200)
        self.assertEqual(self.url().split('/#')[0], url.split('/#')[0])

    def test_a_server_without_tcp_says_so(self):
        self.world.start()
        opened = self.world.troika('open', '--print')
        self.assertEqual(opened.returncode, 2)
        self.assertIn('--listen none', opened.stderr)

    # The page itself.

    def test_files_need_no_session_and_allow_nothing_foreign(self):
        self.start()
        get = lambda path, method='GET', **headers: self.world.ask(
            method, path, None, {k.replace('_', '-'): v
                                 for k, v in headers.items()},
            http.client.HTTPConnection('127.0.0.1', self.world.port()))
        page = get('/')
        self.assertEqual(page.status, 200)
        self.assertIn('text/html', page.headers['Content-Type'])
        self.assertEqual(page.headers['Cache-Control'], 'no-cache')
        self.assertEqual(page.headers['X-Content-Type-Options'], 'nosniff')
        self.assertEqual(page.headers['Referrer-Policy'], 'no-referrer')
        policy = page.headers['Content-Security-Policy']
        self.assertIn("frame-ancestors 'none'", policy)
        self.assertNotIn('unsafe', policy)
        html = page.body.decode()
        self.assertNotRegex(html, r'(src|href)="(https?:)?//')
        self.assertNotRegex(html, r'<script(?![^>]*src=)[^>]*>')
        self.assertNotRegex(html, r'\son\w+=|<style|\sstyle=')
        packed = get('/', Accept_Encoding='gzip, br')
        self.assertEqual(packed.headers['Content-Encoding'], 'gzip')
        self.assertEqual(gzip.decompress(packed.body), page.body)
        self.assertEqual(
            get('/', If_None_Match=page.headers['ETag']).status, 304)
        head = get('/', 'HEAD')
        self.assertEqual((head.status, head.body), (200, b''))
        self.assertEqual(get('/tasks/abc').body, page.body)
        for path in re.findall(r'(?:src|href)="(/[^"]+)"', html):
            asset = get(path)
            self.assertEqual(asset.status, 200, path)
            if path.startswith('/assets/'):
                self.assertIn('immutable', asset.headers['Cache-Control'])
        for path in ('/nothing', '/tasks', '/assets/', '/.vite/manifest.json',
                     '/sources.sha256'):
            self.assertEqual(get(path).status, 401, path)
        self.assertEqual(get('/', 'POST').status, 401)
        self.assertEqual(get('/', Host='evil.example').status, 403)
        self.assertEqual(get('/openapi.json').status, 200)

    # Streams.

    def follow(self, browser, tasks, state, done):
        """Reads streams from where `state` is, until `done` says so."""
        while not done.is_set():
            query = [('watch', f'{task}:{state["after"].get(task, "")}')
                     for task in tasks] + [('list', state['list'])]
            try:
                stream = browser.stream(urllib.parse.urlencode(query))
            except (OSError, http.client.HTTPException):
                continue
            state['streams'] += 1
            try:
                while not done.is_set():
                    frame = stream.next()
                    if frame is None:
                        break
                    self.take(frame, state)
                    if state['ended'] == set(tasks):
                        return stream.close()
            except OSError:
                pass
            stream.close()

    @staticmethod
    def take(frame, state):
        data = json.loads(frame['data'])
        if frame['event'] == 'message':
            state['events'].setdefault(data['taskId'], []).append(data['id'])
            state['after'][data['taskId']] = data['id']
        elif frame['event'] in ('ready', 'reset', 'task', 'gone'):
            state['list'] = frame['id']
        elif frame['event'] == 'watch_task' and data['state'] == 'done':
            state['ended'].add(data['id'])

    def test_nothing_is_lost_or_doubled_when_the_server_is_killed(self):
        self.start()
        port = self.world.port()
        browser = self.browser()
        script = '\n'.join(f'say {i}\nsleep 15' for i in range(150)) + '\nok'
        tasks = [self.world.create(script) for _ in range(3)]
        states = [{'list': '', 'after': {}, 'events': {}, 'ended': set(),
                   'streams': 0} for _ in range(10)]
        done = threading.Event()
        readers = [threading.Thread(target=self.follow,
                                    args=(browser, tasks, state, done))
                   for state in states]
        for reader in readers:
            reader.start()
        self.addCleanup(done.set)
        for count in (20, 120):
            wait_for(lambda: all(
                sum(len(ids) for ids in list(state['events'].values())) > count
                for state in states), f'{count} events in all streams')
            self.world.kill()
            self.start(port)
        for reader in readers:
            reader.join(PATIENCE)
            self.assertFalse(reader.is_alive())
        for task in tasks:
            ids = [event['id'] for event in self.world.events(task)]
            for state in states:
                self.assertGreaterEqual(state['streams'], 2)
                self.assertEqual(state['events'][task], ids)

    def test_a_stream_watches_other_tasks_when_told(self):
        self.start()
        browser = self.browser()
        first, second = self.world.create_done(count=2)
        stream = browser.stream()
        hello = json.loads(stream.next()['data'])
        self.assertEqual(sorted(hello), ['heartbeatSeconds', 'page', 'parser',
                                         'stream', 'version'])
        path = f'/stream/{hello["stream"]}/watch'
        self.assertEqual(browser.ask('POST', path, {
            'watch': [{'taskId': first}, {'taskId': 'nobody'}]}).status, 204)
        frames = stream.until(lambda f: f['event'] == 'watch_task')
        kinds = [f['event'] for f in frames]
        self.assertIn('watch_error', kinds)
        last = json.loads(next(f['data'] for f in frames
                               if f['event'] == 'watch_ready'))['lastEventId']
        self.assertEqual(browser.ask('POST', path, {
            'unwatch': [first],
            'watch': [{'taskId': second, 'after': 'x'}]}).status, 400)
        self.assertEqual(browser.ask('POST', path, {
            'unwatch': [first],
            'watch': [{'taskId': second, 'after': last}]}).status, 204)
        frames = stream.until(lambda f: f['event'] == 'watch_task')
        self.assertEqual([f['event'] for f in frames if f['id'] is None],
                         ['watch_ready', 'watch_task'])
        # The list tells what is new and what is gone.
        third, = self.world.create_done()
        stream.until(lambda f: f['event'] == 'task'
                     and json.loads(f['data'])['id'] == third)
        self.assertEqual(browser.ask('DELETE', f'/tasks/{second}').status, 204)
        frames = stream.until(lambda f: f['event'] == 'watch_gone')
        self.assertEqual(json.loads(frames[-1]['data']), {'taskId': second})
        stream.response.close()
        stream.close()
        wait_for(lambda: browser.ask('POST', path, {}).status == 404,
                 'the end of the stream')

    # Reading.

    def test_transcripts(self):
        self.start()
        browser = self.browser()
        task, = self.world.create_done('\n'.join(
            f'say Line {i}' for i in range(300)) + '\nok', prompt='count')
        ids = [event['id'] for event in self.world.events(task)]
        seen, before = [], 'end'
        while before:
            page = browser.ask('GET', f'/tasks/{task}/events?before={before}'
                                      '&page_size=70').json
            seen = [event['id'] for event in page['events']] + seen
            before = page['previousPageToken']
            self.assertEqual(page['lastEventId'], ids[-1])
        self.assertEqual(seen, ids)
        turns = browser.ask('GET', f'/tasks/{task}/turns').json
        self.assertEqual(turns['events'], str(len(ids)))
        self.assertEqual([(t['turn'], t['prompt']) for t in turns['turns']],
                         [(1, 'count')])
        self.assertIn(turns['turns'][0]['eventId'], ids)
        found = browser.ask('GET', f'/tasks/{task}/search?text=LINE+299').json
        self.assertTrue(set(found['eventIds']) <= set(ids))
        self.assertGreaterEqual(len(found['eventIds']), 1)
        for query in ('', 'text=', 'text=x&page_size=0x'):
            self.assertEqual(browser.ask(
                'GET', f'/tasks/{task}/search?{query}').status, 400)
        lines = browser.ask('GET', f'/tasks/{task}/export?format=jsonl')
        self.assertEqual([json.loads(line)['id'] for line in
                          lines.body.decode().splitlines()], ids)
        self.assertIn(f'troika-{task}.jsonl',
                      lines.headers['Content-Disposition'])
        text = browser.ask('GET', f'/tasks/{task}/export?format=markdown')
        self.assertIn('## Turn 1\n\n> count\n', text.body.decode())
        self.assertIn('\nLine 299\n', text.body.decode())
        self.assertEqual(browser.ask(
            'GET', f'/tasks/{task}/export?format=pdf').status, 400)

    def test_folders_and_usage_by_day(self):
        self.start()
        browser = self.browser()
        self.world.create_done(count=2)
        folder, = browser.ask('GET', '/folders').json['folders']
        self.assertEqual((folder['path'], folder['tasks']),
                         (self.world.work, 2))
        created = self.world.api('GET', '/tasks')['tasks'][0]['createdAt']
        rows = browser.ask('GET', '/usage?by_day=true').json['rows']
        self.assertEqual(sum(row['tasks'] for row in rows), 2)
        self.assertIn(created[:10], [row['day'] for row in rows])
        rows = browser.ask('GET', '/usage').json['rows']
        self.assertEqual([row['day'] for row in rows], [''])
        self.assertEqual(browser.ask(
            'GET', '/usage?by_day=true&utc_offset_minutes=9999').status, 400)

    def test_images_are_uploaded_for_requests(self):
        self.start()
        browser = self.browser()
        send = lambda body, kind: browser.ask('POST', '/uploads', body,
                                              {'Content-Type': kind})
        upload = send(PNG, 'image/png')
        self.assertEqual(upload.status, 201, upload.body)
        path = upload.json['path']
        self.assertTrue(path.startswith(self.world.home + '/uploads/'))
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        with open(path, 'rb') as file:
            self.assertEqual(file.read(), PNG)
        self.assertEqual(send(b'<script>', 'image/png').status, 400)
        self.assertEqual(send(b'', 'image/png').status, 400)
        self.assertEqual(send(PNG, 'text/html').status, 415)
        self.assertEqual(send(PNG, 'application/json').status, 415)
        self.assertEqual(send(PNG + bytes(10 << 20), 'image/png').status, 400)
        request = self.world.request('say Hi.\nok', options={'images': [path]})
        made = browser.ask('POST', '/tasks', request)
        self.assertEqual(made.status, 201, made.body)
        self.world.wait_state(made.json['id'], 'done')


class AgentPageTest(unittest.TestCase):
    programs = {}

    def test_an_agent_can_neither_log_in_nor_upload(self):
        world = World(self.programs)
        self.addCleanup(world.close)
        world.start(listen='127.0.0.1:0')
        requests = [('POST', '/page/codes', None),
                    ('GET', '/page/sessions', None),
                    ('DELETE', '/page/sessions/all', None),
                    ('POST', '/page/sessions', None),
                    ('POST', '/uploads', None),
                    ('GET', '/folders', None)]
        helper = agents.AgentTest()
        helper.world = world
        helper.programs = self.programs
        agent = helper.agent()
        task = world.create('', env={'ASK': json.dumps(requests),
                                     'TROIKA_CODEX_BIN': agent},
                            options={'editMode': 'auto_edit'})
        said = json.loads(world.wait_state(task, 'done')['result']['text'])
        self.assertEqual([s[0] for s in said], 5 * [403] + [200])
        self.assertIn('agent may not', said[0][1])
