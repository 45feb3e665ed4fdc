"""What strangers, mistakes and too much of everything meet."""
import http.client
import json
import os
import re
import socket

from world import WorldTest

SECRET = 'sk-very-secret-0123456789'


class LimitsTest(WorldTest):
    def tcp(self, method='GET', path='/api/v1/tasks', body=None, **headers):
        world = self.world
        connection = http.client.HTTPConnection('127.0.0.1', world.port(),
                                                timeout=30)
        named = {k.replace('_', '-'): v for k, v in headers.items()}
        return world.ask(method, path, body, named, connection)

    def check_error(self, answer, status, code=None):
        self.assertEqual(answer.status, status, answer.body)
        error = answer.json
        self.assertEqual(sorted(error), ['code', 'message'])
        self.assertTrue(error['message'])
        if code:
            self.assertEqual(error['code'], code)

    def test_tokens(self):
        world = self.world
        world.start(listen='127.0.0.1:0')
        self.assertEqual(os.stat(world.home + '/token').st_mode & 0o777, 0o600)
        good = 'Bearer ' + world.token()
        self.assertEqual(self.tcp(Authorization=good).status, 200)
        for wrong in ('', 'Bearer ', 'Bearer x', good[:-1], good + 'x',
                      'Basic ' + world.token(), good.upper()):
            self.check_error(self.tcp(Authorization=wrong), 401,
                             'unauthenticated')
        self.check_error(self.tcp(), 401)
        for path in ('/healthz', '/openapi.json', '/'):
            self.assertEqual(self.tcp(path=path).status, 200)
        for path in ('/metrics', '/nothing', '/api/v1/nothing'):
            self.check_error(self.tcp(path=path), 401)
        self.assertEqual(
            self.tcp(path='/metrics', Authorization=good).status, 200)
        # Replaced while we run.
        os.remove(world.home + '/token')
        self.check_error(self.tcp(Authorization=good), 401)
        with open(world.home + '/token', 'w') as file:
            os.chmod(world.home + '/token', 0o600)
            file.write('another-token-of-some-length')
        self.check_error(self.tcp(Authorization=good), 401)
        self.assertEqual(self.tcp(
            Authorization='Bearer another-token-of-some-length').status, 200)

    def test_other_names_and_pages(self):
        world = self.world
        world.start(listen='127.0.0.1:0')
        good = 'Bearer ' + world.token()
        for host in ('evil.example', 'localhost.evil.example',
                     '127.0.0.1.evil.example', '10.1.2.3'):
            self.check_error(self.tcp(Authorization=good, Host=host), 403,
                             'permission_denied')
            self.check_error(self.tcp(path='/healthz', Host=host), 403)
        for host in ('localhost', 'localhost:1', '[::1]:4747'):
            self.assertEqual(
                self.tcp(Authorization=good, Host=host).status, 200)
        for origin in ('https://evil.example', 'null', 'http://localhost.evil',
                       'file://localhost'):
            self.check_error(self.tcp(Authorization=good, Origin=origin), 403)
        self.check_error(self.tcp(Authorization=good,
                                  Origin='http://localhost:4747'), 403)
        self.assertEqual(self.tcp(
            Authorization=good,
            Origin=f'http://127.0.0.1:{world.port()}').status, 200)

    def test_binding_elsewhere_must_be_meant(self):
        with self.assertRaisesRegex(AssertionError, '^the server said: $'):
            self.world.start(listen='0.0.0.0:0')
        with open(self.world.errors) as errors:
            self.assertIn('--allow-remote', errors.read())

    def test_paths_lead_nowhere_else(self):
        world = self.world
        world.start()
        task = world.create('ok')
        world.wait_state(task, 'done')
        escapes = ['..', '%2e%2e', '..%2f..', '%2fetc', 'a%00b', '.', '%',
                   '..%2f' + task, 'a/../../b', '\\..', '%c0%ae']
        for bad in escapes:
            for path in (f'/api/v1/tasks/{bad}', f'/api/v1/tasks/{bad}/events',
                         f'/api/v1/tasks/{bad}/input',
                         f'/api/v1/tasks/{task}/events/{bad}',
                         f'/api/v1/tasks/{task}/raw/{bad}'):
                for method in ('GET', 'POST', 'DELETE'):
                    answer = world.ask(method, path)
                    self.assertIn(answer.status, (400, 404, 405), path)
                    self.assertEqual(sorted(answer.json), ['code', 'message'])

    def test_requests_that_make_no_sense(self):
        world = self.world
        world.start()
        good = world.request('ok')
        bad = [
            (b'{', 400), (b'[]', 400), (b'\xff\xfe', 400), (b'"x"', 400),
            (b'[' * 100000, 400), (b'{"harness":7}', 400),
            ({**good, 'unknownField': 1}, 400),
            ({**good, 'harness': 'nobody'}, 400), ({}, 400),
            ({**good, 'cwd': 'relative'}, 400),
            ({**good, 'cwd': '/no/such/folder'}, 404),
            ({**good, 'prompt': '  '}, 400),
            ({**good, 'prompt': 'x' * (9 << 20)}, 400),
            ({**good, 'timeouts': {'turn': '-1s'}}, 400),
            ({**good, 'options': {'images': ['/no/such.png']}}, 404),
            ({**good, 'options': {'editMode': 'wild'}}, 400),
            ({**good, 'labels': {'': 'x'}}, 400),
            ({**good, 'env': {'A=B': 'x'}}, 400),
            ({**good, 'title': 'x' * 100000}, 400),
        ]
        for body, status in bad:
            if isinstance(body, dict):
                body = json.dumps(body)
            answer = world.ask('POST', '/api/v1/tasks', body,
                               {'Content-Type': 'application/json'})
            self.check_error(answer, status)
        self.check_error(world.ask('POST', '/api/v1/tasks', 'a=b', {
            'Content-Type': 'application/x-www-form-urlencoded'}), 415,
            'unsupported_media_type')
        self.check_error(world.ask('PUT', '/api/v1/tasks'), 405,
                         'method_not_allowed')
        self.check_error(world.ask('GET', '/nothing'), 404, 'not_found')
        self.check_error(world.ask('GET', '/api/v1/events'), 406,
                         'not_acceptable')
        for query in ('page_size=-1', 'page_size=x', 'states=odd', 'nothing=1',
                      'text=%', 'page_size=99999'):
            self.check_error(world.ask('GET', '/api/v1/tasks?' + query), 400)
        for query in ('after=x', 'page_size=-1', 'after=1.x'):
            self.check_error(
                world.ask('GET', '/api/v1/tasks/x/events?' + query), 404)
        self.assertEqual(world.api('GET', '/tasks')['tasks'], [])

    def test_too_much_of_everything(self):
        world = self.world
        world.start('--max-queued', '1', '--max-running', '1')
        json_type = {'Content-Type': 'application/json'}
        self.check_error(world.ask('POST', '/api/v1/tasks', b'x' * (25 << 20),
                                   json_type), 413)
        self.check_error(world.ask('GET', '/api/v1/' + 'x' * 9000), 414)
        self.check_error(world.ask('GET', '/healthz', headers={
            'X-Much': 'x' * 40000}), 431)
        self.check_error(world.ask('GET', '/healthz', headers={
            f'X-{i}': 'x' for i in range(150)}), 431)
        done = world.create('ok')
        world.wait_state(done, 'done')
        running = world.create('hang')
        world.wait_state(running, 'starting', 'running')
        queued = world.create('ok')
        self.check_error(world.ask('POST', f'/api/v1/tasks/{done}/input',
                                   {'text': 'more'}), 429)
        answer = world.ask('POST', '/api/v1/tasks', world.request('ok'))
        self.check_error(answer, 429, 'resource_exhausted')
        world.api('POST', f'/tasks/{running}/stop', {'grace': '0.1s'})
        world.wait_state(queued, 'done')

    def test_broken_requests_end_nothing(self):
        world = self.world
        world.start(listen='127.0.0.1:0')
        for raw in (b'\r\n\r\n', b'GET\r\n\r\n', b'\0' * 1000,
                    b'GET / HTTP/9.9\r\n\r\n', b'GET /\r\n\r\n',
                    b'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
                    b'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked'
                    b'\r\n\r\nzz\r\n', b'x' * 100000):
            with socket.create_connection(('127.0.0.1', world.port())) as sock:
                sock.settimeout(30)
                try:
                    sock.sendall(raw)
                    sock.shutdown(socket.SHUT_WR)
                    while sock.recv(65536):
                        pass
                except ConnectionError:
                    pass
        self.assertEqual(world.ask('GET', '/healthz').status, 200)

    def test_every_route_is_described(self):
        world = self.world
        world.start()
        document = world.ask('GET', '/openapi.json').json
        self.assertEqual(document['openapi'], '3.1.0')
        for path, methods in document['paths'].items():
            there = re.sub('{(id|stream|name)}', 'x', path).replace(
                '{event}', '1.0').replace(
                '{record}', '1')
            for method in methods:
                answer = world.ask(method.upper(), there)
                # It is a route: what is missing is the task, or the session.
                self.assertNotEqual(answer.status, 405, path)
                if answer.status == 404:
                    self.assertRegex(answer.json['message'],
                                     'no (task|session|stream|hook) x', path)
                self.assertNotEqual(answer.status, 500, path)
            for other in {'get', 'post', 'delete', 'put', 'patch'} - set(
                    methods):
                answer = world.ask(other.upper(), there)
                self.assertEqual(answer.status, 405, f'{other} {path}')

    def test_binary_is_the_same_as_json(self):
        world = self.world
        world.start()
        task = world.create('say Hi.\nok')
        world.wait_state(task, 'done')
        for path in ('/harnesses', '/tasks', f'/tasks/{task}', '/usage',
                     f'/tasks/{task}/events', f'/tasks/{task}/events/1.0'):
            answer = world.ask('GET', '/api/v1' + path, headers={
                'Accept': 'application/x-protobuf'})
            self.assertEqual(answer.status, 200, path)
            self.assertEqual(answer.headers['Content-Type'],
                             'application/x-protobuf')
            self.assertTrue(answer.body)

    def test_secrets_are_seen_nowhere(self):
        world = self.world
        world.start()
        task = world.create(
            f'say The key is {SECRET}.\nstderr {SECRET}\n'
            f'run echo {SECRET} => {SECRET} exit 0\nfail bad key {SECRET}',
            prompt=f'use {SECRET}', title=f'about {SECRET}',
            env={'OPENAI_API_KEY': SECRET},
            options={'config': ['model_providers.x.api_key=hidden-in-config-1']})
        world.wait_state(task, 'failed')
        shown = [world.ask('GET', '/api/v1' + path).body for path in (
            '/tasks', f'/tasks/{task}', f'/tasks/{task}/events',
            f'/tasks/{task}/raw/1', '/usage')]
        last = int(world.events(task)[-1]['id'].split('.')[0])
        shown += [world.ask('GET', f'/api/v1/tasks/{task}/raw/{n}').body
                  for n in range(1, last + 1)]
        shown += [world.ask('GET', f'/api/v1/tasks/{task}/events/{e["id"]}').body
                  for e in world.events(task)]
        self.assertIn(b'[redacted]', b''.join(shown))
        world.kill()
        for name in os.listdir(world.home):
            if os.path.isfile(os.path.join(world.home, name)):
                with open(os.path.join(world.home, name), 'rb') as file:
                    shown.append(file.read())
        for path in (world.errors, f'{world.home}/tasks/{task}/events.v1'):
            with open(path, 'rb') as file:
                shown.append(file.read())
        for text in shown:
            self.assertNotIn(SECRET.encode(), text)
            self.assertNotIn(b'hidden-in-config-1', text)
        for name in ('env', 'log.v1', 'events.v1'):
            mode = os.stat(f'{world.home}/tasks/{task}/{name}').st_mode
            self.assertEqual(mode & 0o077, 0, name)

    def test_harnesses(self):
        world = self.world
        world.env['TROIKA_GEMINI_BIN'] = '/no/such/gemini'
        world.env['OPENAI_API_KEY'] = 'sk-0123456789'
        world.start()
        found = {h['id']: h for h in world.api('GET', '/harnesses')['harnesses']}
        self.assertEqual(sorted(found), ['claude', 'codex', 'gemini'])
        codex = found['codex']
        self.assertTrue(codex['version'])
        self.assertTrue(codex['loggedIn'])
        self.assertTrue(codex['capabilities']['resume'])
        self.assertEqual(codex['editModes'],
                         ['research', 'auto_edit', 'full_auto', 'dangerous',
                          'ask', 'native'])
        self.assertFalse(found['claude'].get('loggedIn'))
        self.assertTrue(found['claude']['hint'])
        self.assertEqual(found['gemini']['path'], '')
        self.assertIn('TROIKA_GEMINI_BIN', found['gemini']['hint'])

    def test_errors_hold_no_secrets(self):
        world = self.world
        world.start()
        good = world.request('ok', env={'OPENAI_API_KEY': SECRET})
        text = json.dumps(good)
        for body in ({**good, 'options': {'config': ['api_key' + SECRET]}},
                     {**good, 'cwd': '/no/' + SECRET},
                     {**good, 'harness': SECRET},
                     {**good, 'options': {'images': [SECRET]}},
                     {**good, 'other': {'OPENAI_API_KEY': SECRET}},
                     text[:-1] + ',}',
                     text.replace(f'"{SECRET}"', f'["{SECRET}"]')):
            if isinstance(body, dict):
                body = json.dumps(body)
            answer = world.ask('POST', '/api/v1/tasks', body,
                               {'Content-Type': 'application/json'})
            self.assertIn(answer.status, (400, 404), answer.body)
            self.check_error(answer, answer.status)
            self.assertNotIn(SECRET.encode(), answer.body)

    def test_errors_are_binary_where_that_is_asked_for(self):
        world = self.world
        world.start(listen='127.0.0.1:0')
        binary = {'Accept': 'application/x-protobuf'}
        answers = [world.ask('GET', '/nothing', headers=binary),
                   world.ask('PUT', '/api/v1/tasks', headers=binary),
                   world.ask('GET', '/api/v1/tasks/x', headers=binary),
                   world.ask('GET', '/api/v1/events', headers=binary),
                   world.ask('GET', '/healthz?x=1', headers=binary),
                   self.tcp(**binary)]
        self.assertEqual([a.status for a in answers],
                         [404, 405, 404, 406, 400, 401])
        for answer in answers:
            self.assertEqual(answer.headers['Content-Type'],
                             'application/x-protobuf')
            # The first field, a text: the code.
            self.assertEqual(answer.body[:1], b'\x0a')

    def test_an_end_without_grace(self):
        world = self.world
        world.start()
        task = world.create('hang')
        world.wait_state(task, 'running', 'starting')
        world.api('POST', f'/tasks/{task}/stop', {'grace': '-1s'}, status=400)
        world.api('POST', f'/tasks/{task}/stop', {'grace': '0s'})
        world.wait_state(task, 'interrupted')
        for path in ('input', 'resume'):
            world.api('POST', f'/tasks/{task}/{path}',
                      {'idempotencyKey': 'a\nb'}, status=400)
