"""MCP clients that do much at once, come back, or do not read."""
import json
import os
import signal
import time

from mcp_world import ASKS, META, McpWorldTest
from world import PATIENCE, wait_for

HEADERS = {'MCP_Protocol_Version': '2026-07-28', 'Mcp_Method': 'tools/call'}


class McpFaultsTest(McpWorldTest):
    def results(self, client, calls):
        """The results of calls, those that succeeded first."""
        results = [client.end(call)['result'] for call in calls]
        good = [r['structuredContent'] for r in results if not r['isError']]
        bad = [r['content'][0]['text'] for r in results if r['isError']]
        return good, bad

    def stateless(self, client, tool, more=None, **arguments):
        reply = client.request('tools/call', {
            'name': tool, 'arguments': arguments, '_meta': META,
            **(more or {})})
        return reply['result']

    def answer(self, decision):
        return {'inputResponses': {'answer': {
            'action': 'accept', 'content': {'decision': decision}}}}

    def test_no_more_sessions_begin_at_once_than_may(self):
        self.world.start('--max-running', '100')
        client = self.client('hang', env={'MAX_SESSIONS': '4'})
        good, bad = self.results(client, [
            client.begin_call('claude_start', prompt='x') for _ in range(20)])
        self.assertEqual(len(good), 4, bad)
        for text in bad:
            self.assertIn('at most 4 may', text)
        # One that ends makes room for one.
        client.do('claude_interrupt', sessionId=good[0]['sessionId'])
        client.do('claude_status', sessionId=good[0]['sessionId'], wait=30)
        good, bad = self.results(client, [
            client.begin_call('claude_start', prompt='x') for _ in range(5)])
        self.assertEqual(len(good), 1, bad)

    def test_one_of_many_says_begins_a_turn(self):
        self.world.start()
        client = self.client('== prompt more\nsleep 1500\nsay More.\nok\n'
                             '== prompt go\nsay Hi.\nok',
                             env={'MAX_SESSIONS': '1'})
        sessions = []
        for _ in range(2):
            sessions.append(self.start(client, 'claude'))
            client.do('claude_status', sessionId=sessions[-1], wait=30)
        good, bad = self.results(client, [
            client.begin_call('claude_say', sessionId=sessions[0],
                              message='more') for _ in range(6)])
        self.assertEqual(len(good), 1, bad)
        # Those that came later found it working, or no place for another.
        for text in bad:
            self.assertRegex(text, 'busy: a turn of session|at most 1 may')
        self.assertIn('at most 1 may', client.fail(
            'claude_say', sessionId=sessions[1], message='more'))
        status = client.do('claude_status', sessionId=sessions[0], wait=30)
        self.assertEqual((status['result'], status['turnCount']),
                         ('More.', 2))
        # What runs can be steered, and a done one is not interrupted.
        client.do('claude_say', sessionId=sessions[0], message='more')
        client.do('claude_say', sessionId=sessions[0], message='and',
                  steer=True)
        self.assertEqual(client.do('claude_interrupt', sessionId=sessions[1])[
            'status'], 'done')

    def test_a_say_that_is_repeated_counts_once(self):
        self.world.env['TROIKA_FAKE_SCRIPT'] = self.world.script('say Hi.\nok')
        client = self.client('== prompt more\nsleep 1500\nsay More.\nok\n'
                             '== prompt go\nsay Hi.\nok')
        session = self.start(client, 'claude')
        client.do('claude_status', sessionId=session, wait=30)
        # The turn begins, and the server is killed before its reply.
        os.kill(self.world.lock_pid(), signal.SIGSTOP)
        says = client.begin_call('claude_say', sessionId=session,
                                 message='more')
        time.sleep(0.2)
        os.kill(self.world.lock_pid(), signal.SIGKILL)
        self.assertFalse(client.end(says)['result']['isError'])
        status = client.do('claude_status', sessionId=session, wait=30)
        self.assertEqual((status['result'], status['turnCount']),
                         ('More.', 2))

    def test_an_approval_with_kills_between_its_steps(self):
        """The server is killed during each step, the pipe before the answer."""
        self.world.env['TROIKA_FAKE_SCRIPT'] = self.world.script(ASKS)
        client = self.client(ASKS)
        for killed in range(8):
            client.request('ping')
            steps = iter(range(4))

            def step(tool, **arguments):
                call = client.begin_call(tool, **arguments)
                if next(steps) == killed % 4:
                    time.sleep(0.02 * (killed // 4))
                    os.kill(self.world.lock_pid(), signal.SIGKILL)
                result = client.end(call)['result']
                self.assertFalse(result['isError'], result['content'][0])
                return result['structuredContent']

            session = {'sessionId': step('claude_start',
                                         prompt='go')['sessionId']}
            status = step('claude_status', wait=30, **session)
            client.process.kill()
            client = self.client(ASKS)
            step('claude_respond', id=status['pendingQuestion']['id'],
                 answers=['approve'], **session)
            status = step('claude_status', wait=30, **session)
            self.assertEqual((status['status'], status['result'],
                              status['turnCount']), ('done', 'Did it.', 1))
        client.request('tools/list')
        listed = client.do('claude_list')['sessions']
        self.assertEqual(len({one['sessionId'] for one in listed}), 8)
        os.kill(self.world.lock_pid(), signal.SIGTERM)

    def native_session(self, number):
        folder = os.path.join(self.world.root, '.claude', 'projects', '-work')
        os.makedirs(folder, exist_ok=True)
        session = f'0000000{number}-aaaa-4aaa-8aaa-aaaaaaaaaaaa'
        path = os.path.join(folder, session + '.jsonl')
        with open(path, 'w') as file:
            file.write(json.dumps({
                'type': 'user', 'uuid': 'u', 'sessionId': session,
                'cwd': self.world.work, 'version': '2.1.325',
                'timestamp': '2026-11-01T10:00:00.000Z',
                'message': {'role': 'user', 'content': f'n{number}'}}) + '\n')
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
        return session

    def test_lists_come_in_parts(self):
        self.world.start()
        client = self.client('hang')
        native = [self.native_session(i) for i in range(4)]
        live = sorted(self.start(client, 'claude') for _ in range(3))
        for limit in (1, 2, 3, 5, 50):
            listed, cursor = [], {}
            for _ in range(20):
                page = client.do('claude_list', limit=limit, **cursor)
                self.assertLessEqual(len(page['sessions']), limit)
                listed += [one['sessionId'] for one in page['sessions']]
                if 'cursor' not in page:
                    break
                cursor = {'cursor': page['cursor']}
            self.assertEqual(listed, live + native[::-1], f'limit {limit}')
        self.assertIn('cursor: ', client.fail('claude_list', cursor='x'))
        self.assertTrue(client.fail(
            'claude_start', prompt='hi', workingDirectory='/nope').startswith(
                'workingDirectory: the folder /nope'))

    def test_a_question_is_answered_once(self):
        self.world.start()
        client = self.client('question Which? | red | blue\nsay Done.\nok')
        session = self.start(client, 'claude')
        status = client.do('claude_status', sessionId=session, wait=30)
        question = status['pendingQuestion']
        self.assertEqual(question['questions'],
                         [{'question': 'Which?', 'options': ['red', 'blue']}])
        answer = {'sessionId': session, 'id': question['id']}
        client.do('claude_respond', answers=['red'], **answer)
        self.assertIn('answered already', client.fail(
            'claude_respond', answers=['blue'], **answer))
        client.do('claude_respond', answers=['red'], **answer)
        self.assertIn('answered already', client.fail(
            'claude_respond', answers=['approve'], **answer))

    def test_forms_hold_over_a_restart(self):
        self.world.env['TROIKA_FAKE_SCRIPT'] = self.world.script(ASKS)
        self.world.start()
        client = self.client(ASKS)
        session = self.stateless(client, 'claude_start', prompt='go')[
            'structuredContent']['sessionId']
        asked = self.stateless(client, 'claude_status', sessionId=session,
                               wait=30)
        self.assertEqual(asked['resultType'], 'input_required')
        self.world.restart()
        time.sleep(0.4)  # A person is not faster.
        done = self.stateless(
            client, 'claude_status', {'requestState': asked['requestState'],
                                      **self.answer('approve')},
            sessionId=session, wait=30)
        self.assertEqual(done['structuredContent']['result'], 'Did it.')
        # A state of an answered question does nothing, and one of another
        # session is refused.
        again = self.stateless(
            client, 'claude_status', {'requestState': asked['requestState'],
                                      **self.answer('deny')},
            sessionId=session)
        self.assertEqual(again['structuredContent']['status'], 'done')
        other = self.start(client, 'claude')
        refused = client.request('tools/call', {
            'name': 'claude_status', 'arguments': {'sessionId': other},
            '_meta': META, 'requestState': asked['requestState'],
            **self.answer('approve')})
        self.assertIn('requestState', refused['error']['message'])

    def test_forms_of_some_clients_cost_others_nothing(self):
        self.world.start()
        client = self.client(ASKS, capabilities={'elicitation': {}})
        session = self.start(client, 'claude')
        form = client.asked.get(timeout=PATIENCE)
        call = {'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call', 'params': {
            'name': 'claude_status', 'arguments': {'sessionId': session},
            '_meta': META}}
        for _ in range(1001):
            asked = self.http(call, Mcp_Name='claude_status', **HEADERS).json[
                'result']
            self.assertEqual(asked['resultType'], 'input_required')
        client.reply(form, action='accept', content={'decision': 'approve'})
        status = client.do('claude_status', sessionId=session, wait=30)
        self.assertEqual((status['status'], status['result']),
                         ('done', 'Did it.'))

    def test_changes_are_told_to_those_who_listen(self):
        self.world.start()
        gemini = os.path.join(self.world.root, 'fake_gemini')
        client = self.client('say Hi.\nok', env={'TROIKA_GEMINI_BIN': gemini})
        first = self.start(client, 'claude')
        task = client.do('claude_status', sessionId=first, wait=30)['taskId']
        uri = f'troika://task/{task}'
        listen = client.begin('subscriptions/listen', {
            '_meta': META, 'notifications': {
                'toolsListChanged': True, 'promptsListChanged': True,
                'resourcesListChanged': True,
                'resourceSubscriptions': [uri, 'troika://task/nope', 7]}})

        def told(method):
            while True:
                notice = client.notices.get(timeout=PATIENCE)
                meta = notice['params']['_meta']
                self.assertEqual(
                    meta['io.modelcontextprotocol/subscriptionId'], listen)
                if notice['method'] == f'notifications/{method}':
                    return notice['params']

        self.assertEqual(
            told('subscriptions/acknowledged')['notifications'],
            {'toolsListChanged': True, 'resourcesListChanged': True,
             'resourceSubscriptions': [uri]})
        self.start(client, 'claude')
        told('resources/list_changed')
        client.do('claude_say', sessionId=first, message='more')
        self.assertEqual(told('resources/updated')['uri'], uri)
        # The subscription goes on with the next server.
        self.world.restart()
        told('subscriptions/acknowledged')
        names = [tool['name'] for tool in
                 client.request('tools/list')['result']['tools']]
        self.assertNotIn('gemini_start', names)
        os.symlink(self.programs['fake_gemini'], gemini)
        told('tools/list_changed')
        client.send({'jsonrpc': '2.0', 'method': 'notifications/cancelled',
                     'params': {'requestId': listen, '_meta': META}})
        self.assertEqual(client.request('ping')['result'], {})

    def test_calls_that_wait_end_with_the_server(self):
        self.world.env['ASAN_OPTIONS'] = 'detect_leaks=1'
        self.world.start()
        client = self.client('hang', env={'ASAN_OPTIONS': 'detect_leaks=0'})
        session = self.start(client, 'claude')
        client.begin_call('claude_status', sessionId=session, wait=45)
        client.begin('subscriptions/listen', {'_meta': META, 'notifications': {
            'toolsListChanged': True}})
        client.notices.get(timeout=PATIENCE)
        code = self.world.kill(signal.SIGTERM)
        with open(self.world.errors) as errors:
            said = errors.read()
        self.assertEqual(code, 0, said)
        self.assertNotIn('LeakSanitizer', said)
        self.world.env['ASAN_OPTIONS'] = 'detect_leaks=0'

    def test_jobs_come_in_parts(self):
        self.world.start()
        client = self.client('say Hi.\nok')
        jobs = [client.do('call_claude', prompt='x', cwd=self.world.work)[
            'job_id'] for _ in range(5)]
        for limit in (1, 2, 5):
            listed, cursor = [], {}
            for _ in range(9):
                page = client.do('call_jobs', limit=limit, **cursor)
                listed += [job['job_id'] for job in page['jobs']]
                self.assertEqual(page['more'], 'cursor' in page)
                if not page['more']:
                    break
                cursor = {'cursor': page['cursor']}
            self.assertEqual(listed, jobs[::-1])
        self.assertIn('cursor: must be', client.fail('call_jobs', cursor='../'))
