"""MCP clients: on the pipe of `troika mcp`, and over HTTP."""
import json
import os
import resource
import signal
import subprocess
import time

from mcp_world import ASKS, META, McpWorldTest
from world import PATIENCE, wait_for


class McpTest(McpWorldTest):
    def test_a_session_of_each_harness(self):
        client = self.client('run ls => a\nsay Hi.\nusage 10 5 3\nok')
        names = [tool['name'] for tool in
                 client.request('tools/list')['result']['tools']]
        for harness in ('codex', 'claude', 'gemini'):
            self.assertIn(f'{harness}_start', names)
            session = self.start(client, harness)
            status = client.do(f'{harness}_status', sessionId=session, wait=30)
            self.assertEqual(
                (status['status'], status['result'], status['turnCount'],
                 status['more']), ('done', 'Hi.', 1, False))
            self.assertIn('a', status['recentOutput'].split('\n'))
            self.assertEqual(status['itemEvents'][0]['itemType'],
                             'command_execution')
            self.assertEqual(status['usage']['outputTokens'], 3)
            again = client.do(f'{harness}_status', sessionId=session,
                              cursor=status['cursor'])
            self.assertEqual((again['itemEvents'], again['recentOutput']),
                             ([], ''))
            self.assertEqual(
                client.do(f'{harness}_say', sessionId=session,
                          message='more')['sessionId'], session)
            status = client.do(f'{harness}_status', sessionId=session, wait=30)
            self.assertEqual(status['turnCount'], 2)
            listed = client.do(f'{harness}_list')
            self.assertGreaterEqual(listed['usage']['outputTokens'], 3)
        self.assertEqual(client.close(), 0)

    def test_wrong_arguments_are_named(self):
        client = self.client()
        for arguments, text in (
                ({}, 'prompt: is required'),
                ({'prompt': ''}, 'prompt: must not be empty'),
                ({'prompt': 1}, 'prompt: must be a string'),
                ({'prompt': 'x', 'model': []}, 'model: must be a string'),
                ({'prompt': 'x', 'sandbox': 'none'}, 'sandbox: must be one of'),
                ({'prompt': 'x', 'config': 'a=b'}, 'config: must be an object'),
                ({'prompt': 'x', 'images': 'a.png'}, 'images: must be an array'),
                ({'prompt': 'x', 'fullAuto': 'yes'}, 'fullAuto: must be true'),
                ({'prompt': 'x', 'promt': 'y'}, 'promt: there is no such field'),
                ({'prompt': 'x', 'fullAuto': True, 'sandbox': 'read-only'},
                 'fullAuto: leave out sandbox')):
            self.assertIn(text, client.fail('codex_start', **arguments))
        self.assertIn('wait: must be an integer from 0 to 45',
                      client.fail('codex_status', sessionId='x', wait=46))
        self.assertIn('there is no session',
                      client.fail('codex_status', sessionId='x'))
        self.assertIn('cursor: must be', client.fail(
            'codex_status', sessionId='x', cursor='y'))
        self.assertIn('Unknown tool', client.request(
            'tools/call', {'name': 'nope'})['error']['message'])
        # What is no message gets an error, and the next one is served.
        client.send('{"jsonrpc"')
        client.send('[]')
        client.send('{"jsonrpc":"2.0","id":"x"}')
        client.send('"' + 'x' * (17 << 20) + '"')
        self.assertEqual([client.end(None)['error']['code'] for _ in range(3)],
                         [-32700, -32600, -32700])
        self.assertEqual(client.end('x')['error']['code'], -32600)
        self.assertEqual(client.request('ping')['result'], {})

    def test_people_are_asked_by_forms(self):
        client = self.client(ASKS, capabilities={'elicitation': {}})
        session = self.start(client, 'claude')
        form = client.asked.get(timeout=PATIENCE)
        self.assertEqual(form['method'], 'elicitation/create')
        self.assertEqual(form['params']['message'],
                         'Claude wants to execute: ls -l')
        waits = client.begin_call('claude_status', sessionId=session, wait=30)
        time.sleep(0.4)  # A person is not faster.
        client.reply(form, action='accept', content={'decision': 'approve'})
        self.assertEqual(
            client.end(waits)['result']['structuredContent']['result'],
            'Did it.')

    def test_programs_and_nonsense_leave_it_open(self):
        for result in ({'action': 'decline'}, {'action': 'cancel'},
                       {'action': 'accept', 'content': {'decision': 'approve'}}):
            client = self.client(ASKS, capabilities={'elicitation': {}})
            session = self.start(client, 'claude')
            client.reply(client.asked.get(timeout=PATIENCE), **result)
            status = client.do('claude_status', sessionId=session, wait=30)
            question = status['pendingQuestion']
            self.assertEqual(
                (status['status'], question['type']),
                ('awaiting_approval', 'command_approval'))
            answer = {'sessionId': session, 'id': question['id']}
            self.assertIn('needs 1 of them', client.fail(
                'claude_respond', answers=['approve', 'deny'], **answer))
            self.assertIn('"maybe" is none of', client.fail(
                'claude_respond', answers=['maybe'], **answer))
            client.do('claude_respond', answers=['deny : a: b '], **answer)
            self.assertIn('was answered already', client.fail(
                'claude_respond', answers=['approve'], **answer))
            # The same answer again is the same call again.
            client.do('claude_respond', answers=['deny: a: b'], **answer)
            status = client.do('claude_status', sessionId=session, wait=30)
            self.assertEqual((status['status'], status['denials']),
                             ('done', [{'tool': 'Bash', 'reason': 'a: b'}]))
            self.assertTrue(client.asked.empty())

    def test_a_form_that_others_have_answered_is_withdrawn(self):
        client = self.client(ASKS, capabilities={'elicitation': {}})
        self.start(client, 'claude')
        form = client.asked.get(timeout=PATIENCE)
        task = self.world.api('GET', '/tasks')['tasks'][0]['id']
        asked = self.world.task(task)['approvals'][0]['id']
        self.world.api('POST', f'/tasks/{task}/respond',
                       {'id': asked, 'approval': {'allow': True}})
        notice = client.notices.get(timeout=PATIENCE)
        self.assertEqual(
            (notice['method'], notice['params']['requestId']),
            ('notifications/cancelled', form['id']))
        # Its answer comes too late and does nothing.
        client.reply(form, action='accept', content={'decision': 'deny'})
        self.world.wait_state(task, 'idle')
        self.assertEqual(self.world.task(task)['outcome'], 'done')

    def test_stateless_clients(self):
        client = self.client(ASKS)

        def send(tool, more=None, **arguments):
            return client.request('tools/call', {
                'name': tool, 'arguments': arguments, '_meta': META,
                **(more or {})})

        def call(tool, more=None, **arguments):
            return send(tool, more, **arguments)['result']

        found = client.request('server/discover', {'_meta': META})['result']
        self.assertIn('2026-07-28', found['supportedVersions'])
        tools = client.request('tools/list', {'_meta': META})['result']
        self.assertEqual((tools['resultType'], tools['ttlMs'],
                          tools['cacheScope']), ('complete', 0, 'private'))
        begun = call('claude_start', prompt='go')['structuredContent']
        session = begun['sessionId']
        asked = call('claude_status', sessionId=session, wait=30)
        self.assertEqual(asked['resultType'], 'input_required')
        time.sleep(0.4)
        forged = send('claude_status', {
            'requestState': 'forged', 'inputResponses': {
                'answer': {'action': 'accept',
                           'content': {'decision': 'approve'}}}},
            sessionId=session)
        self.assertIn('requestState', forged['error']['message'])
        done = call('claude_status', {
            'requestState': asked['requestState'], 'inputResponses': {
                'answer': {'action': 'accept', 'content': {
                    'decision': 'deny', 'reason': 'no: never'}}}},
            sessionId=session, wait=30)
        self.assertEqual(done['structuredContent']['denials'],
                         [{'tool': 'Bash', 'reason': 'no: never'}])
        self.assertEqual(client.request('ping', {'_meta': META})['error'][
            'code'], -32601)
        self.assertEqual(
            client.request('tasks/get', {'taskId': 'x', '_meta': META})[
                'error']['code'], -32021)
        # With the tasks extension, what waits becomes a task.
        tasks = json.loads(json.dumps(META))
        tasks['io.modelcontextprotocol/clientCapabilities']['extensions'] = {
            'io.modelcontextprotocol/tasks': {}}
        slow = self.client('sleep 300\n' + ASKS)
        begun = slow.request('tools/call', {
            'name': 'claude_start', 'arguments': {'prompt': 'go'},
            '_meta': tasks})['result']['structuredContent']
        task = slow.request('tools/call', {
            'name': 'claude_status', '_meta': tasks,
            'arguments': {'sessionId': begun['sessionId'], 'wait': 9}})['result']
        self.assertEqual((task['resultType'], task['status']),
                         ('task', 'working'))

        def get(wanted):
            def look():
                now = slow.request('tasks/get', {
                    'taskId': task['taskId'], '_meta': tasks})['result']
                return now if now['status'] == wanted else None
            return wait_for(look, wanted)

        form = list(get('input_required')['inputRequests'])[-1]
        time.sleep(0.4)
        slow.request('tasks/update', {
            'taskId': task['taskId'], '_meta': tasks, 'inputResponses': {
                form: {'action': 'accept',
                       'content': {'decision': 'approve'}}}})
        result = get('completed')['result']['structuredContent']
        self.assertEqual(result['result'], 'Did it.')

    def test_a_killed_server_costs_nothing(self):
        self.world.env['TROIKA_FAKE_SCRIPT'] = self.world.script('say Hi.\nok')
        client = self.client('sleep 1500\nsay Slept.\nok')
        session = self.start(client, 'claude')
        waits = client.begin_call('claude_status', sessionId=session, wait=40)
        time.sleep(0.3)
        os.kill(self.world.lock_pid(), signal.SIGKILL)
        status = client.end(waits)['result']['structuredContent']
        self.assertEqual((status['status'], status['result']),
                         ('done', 'Slept.'))
        # A call that was sent to a server that died before it replied.
        os.kill(self.world.lock_pid(), signal.SIGSTOP)
        starts = client.begin_call('claude_start', prompt='again')
        time.sleep(0.2)
        os.kill(self.world.lock_pid(), signal.SIGKILL)
        client.end(starts)
        self.assertEqual(len(self.world.api('GET', '/tasks')['tasks']), 2)
        os.kill(self.world.lock_pid(), signal.SIGTERM)

    def test_sessions_outlive_their_client(self):
        self.world.start()
        client = self.client('sleep 2000\nsay Slept.\nok')
        session = self.start(client, 'claude')
        bound = self.start(client, 'claude', bound=True)
        client.process.kill()
        other = self.client()
        entry = wait_for(lambda: [
            one for one in other.do('claude_list')['sessions']
            if one['sessionId'] == session], 'the session')[0]
        self.assertEqual((entry['isActive'], entry['activeStatus']),
                         (True, 'active'))
        self.assertEqual(other.do('claude_status', sessionId=session,
                                  wait=30)['result'], 'Slept.')
        # One that says goodbye ends what was bound to it at once.
        client = self.client('hang')
        mine = self.start(client, 'claude')
        bound = self.start(client, 'claude', bound=True)
        client.close()
        self.assertEqual(other.do('claude_status', sessionId=bound,
                                  wait=30)['status'], 'interrupted')
        self.assertEqual(other.do('claude_status', sessionId=mine)['status'],
                         'active')

    def test_limits_and_cancelled_calls(self):
        self.world.start()
        client = self.client('hang', env={'MAX_SESSIONS': '1'})
        session = self.start(client, 'claude')
        self.assertIn('at most 1 may', client.fail('claude_start', prompt='x'))
        self.assertIn('busy', client.fail('claude_say', sessionId=session,
                                          message='x'))
        waits = client.begin_call('claude_status', sessionId=session, wait=45)
        time.sleep(0.2)
        for _ in range(2):  # Also one that has ended.
            client.send({'jsonrpc': '2.0', 'method': 'notifications/cancelled',
                         'params': {'requestId': waits}})
        for _ in range(2):  # Also one that was interrupted.
            self.assertEqual(
                client.do('claude_interrupt', sessionId=session)['status'],
                'interrupted')
        self.assertTrue(client.box(waits).empty())
        client.process.terminate()
        self.assertEqual(client.process.wait(PATIENCE), 128 + 15)

    def test_more_calls_than_descriptors(self):
        client = self.client()
        client.request('ping')
        resource.prlimit(client.process.pid, resource.RLIMIT_NOFILE,
                         (700, 700))
        calls = [client.begin('ping') for _ in range(900)]
        for call in calls:
            self.assertEqual(client.end(call)['result'], {})

    def test_progress_is_told(self):
        self.world.start()
        client = self.client('run make => ok\nsleep 400\nsay Done.\nok')
        session = self.start(client, 'claude')
        client.end(client.begin('tools/call', {
            'name': 'claude_status', '_meta': {'progressToken': 0},
            'arguments': {'sessionId': session, 'wait': 30}}))
        notice = client.notices.get(timeout=PATIENCE)
        self.assertEqual((notice['method'], notice['params']['progressToken']),
                         ('notifications/progress', 0))
        self.assertIn('make', notice['params']['message'])

    def test_the_environment_is_completed(self):
        for name in ('OPENAI_API_KEY', 'CODEX_API_KEY', 'GEMINI_API_KEY'):
            self.world.env[name] = 'of-the-server'
        self.world.start()
        for name in ('OPENAI_API_KEY', 'CODEX_API_KEY', 'GEMINI_API_KEY'):
            del self.world.env[name]
        dump = os.path.join(self.world.root, 'dump')
        client = self.client(f'dump-env {dump}\nok',
                             env={'PATH': '/client', 'CODEX_API_KEY': ''})
        begun = client.do('codex_start', prompt='x', skipGitRepoCheck=True)
        self.assertIn('PATH, OPENAI_API_KEY', begun['notices'][0])
        client.do('codex_status', sessionId=begun['sessionId'], wait=30)
        with open(dump) as file:
            env = dict(one.split('=', 1)
                       for one in file.read().split('\0') if one)
        self.assertTrue(env['PATH'].startswith('/client:'), env['PATH'])
        self.assertIn(self.world.env['PATH'].split(':')[0],
                      env['PATH'].split(':'))
        self.assertEqual(env['OPENAI_API_KEY'], 'of-the-server')
        # Neither over what the client has set, nor for another harness.
        self.assertEqual(env.get('CODEX_API_KEY', ''), '')
        self.assertNotIn('GEMINI_API_KEY', env)

    def test_http(self):
        self.world.env['TROIKA_FAKE_SCRIPT'] = self.world.script('say Hi.\nok')
        self.world.start()
        opened = self.http({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize',
                            'params': {'protocolVersion': '2025-11-25',
                                       'capabilities': {},
                                       'clientInfo': {'name': 'http'}}})
        session = opened.headers['Mcp-Session-Id']
        ping = {'jsonrpc': '2.0', 'id': 2, 'method': 'ping'}
        self.world.restart()
        self.assertEqual(self.http(ping, session=session).json['result'], {})
        self.http({'jsonrpc': '2.0', 'method': 'notifications/initialized'},
                  status=202, session=session)
        start = {'jsonrpc': '2.0', 'id': 3, 'method': 'tools/call', 'params': {
            'name': 'claude_start', 'arguments': {
                'prompt': 'go', 'workingDirectory': self.world.work}}}
        begun = self.http(start, session=session).json['result'][
            'structuredContent']
        self.world.wait_state(begun['taskId'], 'idle', 'done')
        listed = self.http({'jsonrpc': '2.0', 'id': 4,
                            'method': 'resources/list'}).json['result']
        uri = listed['resources'][0]['uri']
        self.assertEqual(uri, f'troika://task/{begun["taskId"]}')
        read = {'jsonrpc': '2.0', 'id': 5, 'method': 'resources/read'}
        text = self.http({**read, 'params': {'uri': uri}}).json['result'][
            'contents'][0]['text']
        self.assertIn('Hi.', text)
        for missing in ('troika://task/nope', 'http://x', uri + '?after=x'):
            self.assertEqual(
                self.http({**read, 'params': {'uri': missing}}).json['error'],
                {'code': -32002, 'message': f'Resource not found: {missing}',
                 'data': {'uri': missing}})
        gone = self.world.ask('DELETE', '/mcp',
                              headers={'Mcp-Session-Id': session})
        self.assertEqual(gone.status, 204)
        self.http(ping, status=404, session=session)
        self.http(ping, status=404, session='nonsense')
        self.http('{', status=400)
        # Headers and message must agree.
        modern = {'jsonrpc': '2.0', 'id': 6, 'method': 'tools/list',
                  'params': {'_meta': META}}
        for headers, code in (({}, -32020),
                              ({'MCP_Protocol_Version': '2026-07-28'}, -32020),
                              ({'MCP_Protocol_Version': '2026-07-28',
                                'Mcp_Method': 'ping'}, -32020)):
            self.assertEqual(self.http(modern, status=400, **headers).json[
                'error']['code'], code)
        self.http(modern, MCP_Protocol_Version='2026-07-28',
                  Mcp_Method='tools/list')
        self.http({**modern, 'method': 'nope'}, status=404,
                  MCP_Protocol_Version='2026-07-28', Mcp_Method='nope')

    AGENT = '''#!/usr/bin/env python3
import json, os, subprocess, sys
if '--version' in sys.argv:
    print('codex-cli 0.166.0'); sys.exit()
if 'exec' not in sys.argv:
    sys.exit(2)
sys.stdin.read()
print(json.dumps({'type': 'thread.started', 'thread_id': 't'}))
print(json.dumps({'type': 'turn.started'}), flush=True)
lines = [json.dumps({'jsonrpc': '2.0', 'id': i, 'method': 'tools/call',
                     'params': one}) for i, one in enumerate(%(calls)r)]
said = subprocess.run([%(troika)r, 'mcp'], input='\\n'.join(lines) + '\\n',
                      capture_output=True, text=True).stdout
print(json.dumps({'type': 'item.completed', 'item': {
    'id': 'item_0', 'type': 'agent_message', 'text': said}}))
print(json.dumps({'type': 'turn.completed', 'usage': {'input_tokens': 1,
    'cached_input_tokens': 0, 'output_tokens': 1}}))
'''

    def test_an_agent_keeps_its_role(self):
        world = self.world
        world.env['TROIKA_FAKE_SCRIPT'] = world.script('say Hi.\nok')
        world.start()
        asks = world.create(ASKS, harness='claude',
                            options={'editMode': 'auto_edit'})
        waiting = world.wait_state(asks, 'awaiting_approval')
        session = {'sessionId': waiting['sessionId']}
        calls = [
            {'name': 'claude_respond', 'arguments': {
                **session, 'id': waiting['approvals'][0]['id'],
                'answers': ['approve']}},
            {'name': 'claude_list', 'arguments': {}},
            {'name': 'claude_fork', 'arguments': {**session, 'prompt': 'x'}},
            {'name': 'claude_interrupt', 'arguments': session},
            {'name': 'claude_status', 'arguments': session},
            {'name': 'claude_start', 'arguments': {'prompt': 'x'}},
            {'name': 'claude_start', 'arguments': {
                'prompt': 'x', 'approvalPolicy': 'bypassPermissions'}},
            {'name': 'claude_start', 'arguments': {
                'prompt': 'x', 'baseInstructions': 'Obey.'}}]
        agent = world.script(self.AGENT % {
            'calls': calls, 'troika': world.programs['troika']})
        os.chmod(agent, 0o755)
        task = world.create('', options={'skipGitCheck': True},
                            env={'TROIKA_CODEX_BIN': agent})
        said = {}
        for line in world.wait_state(task, 'done')['result'][
                'text'].splitlines():
            reply = json.loads(line)
            said[reply['id']] = reply['result']
        refused = 'an agent may not'
        for i in (0, 1, 2, 3, 6, 7):
            self.assertTrue(said[i]['isError'], said[i])
            self.assertIn(refused, said[i]['content'][0]['text'])
        self.assertEqual(said[4]['structuredContent']['status'],
                         'awaiting_approval')
        begun = world.task(said[5]['structuredContent']['taskId'])
        self.assertEqual((begun['parentId'], begun['editMode']),
                         (task, 'research'))
        self.assertEqual(world.task(asks)['state'], 'awaiting_approval')

    # Ends the client that the label of its user's task names.
    IMPOSTOR = '''#!/usr/bin/env python3
import json, socket, sys
if '--version' in sys.argv:
    print('codex-cli 0.166.0'); sys.exit()
if 'exec' not in sys.argv:
    sys.exit(2)
sys.stdin.read()
print(json.dumps({'type': 'thread.started', 'thread_id': 'x'}))
print(json.dumps({'type': 'turn.started'}), flush=True)
server = socket.socket(socket.AF_UNIX)
server.connect(%(socket)r)
server.sendall(b'DELETE /mcp HTTP/1.1\\r\\nHost: localhost\\r\\n'
               b'Mcp-Session-Id: %(client)s\\r\\nConnection: close'
               b'\\r\\n\\r\\n')
said = server.recv(4096).decode()
print(json.dumps({'type': 'item.completed', 'item': {
    'id': 'item_0', 'type': 'agent_message', 'text': said}}))
print(json.dumps({'type': 'turn.completed', 'usage': {'input_tokens': 1,
    'cached_input_tokens': 0, 'output_tokens': 1}}))
'''

    def test_an_agent_is_no_client_of_its_user(self):
        world = self.world
        world.start()
        client = self.client('sleep 60000\nok')
        session = self.start(client, 'claude', bound=True)
        bound = client.do('claude_status', sessionId=session)['taskId']
        named = world.task(bound)['labels']['mcp.connection']
        agent = world.script(self.IMPOSTOR % {
            'socket': os.path.join(world.home, 'server.sock'),
            'client': named})
        os.chmod(agent, 0o755)
        task = world.create('', options={'skipGitCheck': True},
                            env={'TROIKA_CODEX_BIN': agent})
        said = world.wait_state(task, 'done')['result']['text']
        self.assertIn('HTTP/1.1 20', said)
        found = world.task(bound)
        self.assertEqual(found['state'], 'running', found.get('reason'))

    # Delegates by the CLI that runs it, and so on.
    DELEGATE = '''#!/usr/bin/env python3
import json, os, subprocess, sys
if '--version' in sys.argv:
    print('codex-cli 0.166.0'); sys.exit()
if 'exec' not in sys.argv:
    sys.exit(2)
sys.stdin.read()
print(json.dumps({'type': 'thread.started', 'thread_id': str(os.getpid())}))
print(json.dumps({'type': 'turn.started'}), flush=True)
call = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call',
    'params': {'name': 'codex_start', 'arguments': {'prompt': 'deeper'}}})
said = subprocess.run([%(troika)r, 'mcp'], input=call + '\\n',
                      capture_output=True, text=True).stdout
print(json.dumps({'type': 'item.completed', 'item': {
    'id': 'item_0', 'type': 'agent_message', 'text': said}}))
print(json.dumps({'type': 'turn.completed', 'usage': {'input_tokens': 1,
    'cached_input_tokens': 0, 'output_tokens': 1}}))
'''

    def test_agents_delegate_only_so_deep(self):
        world = self.world
        world.start()
        agent = world.script(self.DELEGATE % {
            'troika': world.programs['troika']})
        os.chmod(agent, 0o755)
        subprocess.run(['git', 'init', '-q', world.work], check=True)
        world.create('', env={'TROIKA_CODEX_BIN': agent})

        def tasks():
            found = world.api('GET', '/tasks')['tasks']
            return len(found) == 4 and all(
                t['state'] == 'done' for t in found) and found
        deepest = wait_for(tasks, 'four generations')[0]
        refused = json.loads(deepest['result']['text'])['result']
        self.assertTrue(refused['isError'], refused)
        self.assertIn('deep', refused['content'][0]['text'])
