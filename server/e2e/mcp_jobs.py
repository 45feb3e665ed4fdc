"""The MCP tools for jobs and for one answer: call_*, gpt5_codex."""
import glob
import json
import os
import threading

from world import WorldTest, wait_for

META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': {'name': 'tester', 'version': '1'},
    'io.modelcontextprotocol/clientCapabilities': {},
}


class ToolError(Exception):
    def __init__(self, result):
        super().__init__(result['content'][0]['text'])
        self.result = result


class JobsTest(WorldTest):
    def start(self, script, *flags, version=None):
        """Starts the server; over HTTP its environment is that of jobs."""
        world = self.world
        world.env['TROIKA_FAKE_SCRIPT'] = world.script(script)
        world.env['TROIKA_FAKE_STATE'] = os.path.join(world.root, 'state')
        if version:
            world.env['TROIKA_FAKE_VERSION'] = version
        os.mkdir(os.path.join(world.work, '.git'))
        world.start(*flags)

    def rpc(self, method, params, headers=None):
        headers = {'Content-Type': 'application/json',
                   'Accept': 'application/json, text/event-stream',
                   'MCP-Protocol-Version': '2026-07-28',
                   'Mcp-Method': method, **(headers or {})}
        answer = self.world.ask('POST', '/mcp', json.dumps({
            'jsonrpc': '2.0', 'id': 1, 'method': method,
            'params': {**params, '_meta': META}}), headers)
        text = answer.body.decode()
        if 'event-stream' in answer.headers.get('Content-Type', ''):
            lines = [l[6:] for l in text.split('\n') if l.startswith('data: ')]
            return json.loads(lines[-1])
        return json.loads(text)

    def call(self, tool, **arguments):
        reply = self.rpc('tools/call', {'name': tool, 'arguments': arguments},
                         {'Mcp-Name': tool})
        self.assertIn('result', reply, reply)
        result = reply['result']
        self.assertLess(len(json.dumps(result.get('structuredContent', {}))),
                        40000)
        if result.get('isError') and 'structuredContent' not in result:
            raise ToolError(result)
        return result

    def job(self, tool='call_codex', **arguments):
        arguments.setdefault('prompt', 'do it')
        arguments.setdefault('cwd', self.world.work)
        begun = self.call(tool, **arguments)['structuredContent']
        self.assertEqual(begun['status'], 'queued')
        return begun['job_id']

    def ended(self, job, **arguments):
        shown = self.call('call_status', job_id=job, wait=40,
                          **arguments)['structuredContent']
        self.assertNotIn(shown['status'], ('queued', 'running'))
        return shown

    def test_a_job_of_each_harness(self):
        self.start('say Hello.\nok')
        for harness, mode in (('codex', 'full_auto'), ('claude', 'auto_edit'),
                              ('gemini', 'auto_edit')):
            shown = self.ended(self.job(f'call_{harness}'))
            self.assertEqual(
                (shown['status'], shown['response'], shown['tool_name'],
                 shown['task_name'], shown['edit_mode'], shown['timeout_ms'],
                 shown['tool_timeout_ms'], shown['agent_instance']),
                ('completed', 'Hello.', f'call_{harness}', f'call_{harness}',
                 mode, 60000, 300000, 'tester'))
            self.assertTrue(shown['session_id'])
            self.assertGreaterEqual(shown['duration_ms'], 0)
            self.assertNotIn('stream_events', shown)
        jobs = self.call('call_jobs')['structuredContent']['jobs']
        self.assertEqual([j['tool_name'] for j in jobs],
                         ['call_gemini', 'call_claude', 'call_codex'])
        jobs = self.call('call_jobs', tool_name='call_claude', status='completed',
                         limit=5)['structuredContent']['jobs']
        self.assertEqual([j['response'] for j in jobs], ['Hello.'])
        self.assertEqual(self.call('call_jobs', status='failed')[
            'structuredContent']['jobs'], [])

    def test_jobs_outlive_the_server(self):
        self.start('say A.\nsleep 600\nsay B.\nok')
        job = self.job(task_name='slow one')
        self.world.wait_state(job, 'running')
        self.world.restart()
        shown = self.ended(job)
        self.assertEqual((shown['status'], shown['response'],
                          shown['task_name']), ('completed', 'B.', 'slow one'))

    def test_a_default_model_that_is_missing_gives_way(self):
        self.start('say A.\nok', version='0.166.0')
        job = self.job()
        self.ended(job)
        self.assertTrue([e for e in self.world.events(job) if 'has no model '
                         'gpt-5.2-codex' in e.get('notice', {}).get('text', '')])
        # One that is asked for is passed.
        job = self.job(model='gpt-5.2-codex')
        self.assertEqual(self.ended(job)['model'], 'gpt-5.2-codex')

    def test_failures_say_what_went_wrong(self):
        self.start('== prompt auth\nstderr 401 Unauthorized\nexit 3\n'
                   '== prompt slow\nsay Begun.\nhang\n'
                   '== prompt tool\nstart-run sleep 99\nhang\n'
                   '== prompt much\nflood 3000 100\nhang\n'
                   '== prompt empty\nstderr Something broke.\nexit 0')
        shown = self.ended(self.job(prompt='auth'))
        self.assertEqual((shown['status'], shown['exit_code']), ('failed', 3))
        self.assertIn('401', shown['stderr'])
        self.assertIn('log in', shown['hint'])
        shown = self.ended(self.job(prompt='slow', timeout_ms=400))
        self.assertEqual(shown['status'], 'failed')
        self.assertIn('timeout', shown['error'])
        shown = self.ended(self.job(prompt='tool', tool_timeout_ms=300))
        self.assertIn('the tool Bash', shown['error'])
        shown = self.ended(self.job(prompt='much', output_limit_bytes=50000))
        self.assertIn('50000 bytes', shown['error'])
        shown = self.ended(self.job(prompt='empty'))
        self.assertEqual(shown['status'], 'failed')
        self.assertIn('Something broke.', shown['stderr'])

    def test_cancel_and_what_is_unknown(self):
        self.start('say A.\nhang', '--max-running', '1')
        running = self.job()
        self.world.wait_state(running, 'running')
        queued = self.job()
        self.assertEqual(self.call('call_status', job_id=queued)[
            'structuredContent']['status'], 'queued')
        for job in (queued, running):
            done = self.call('call_cancel', job_id=job)['structuredContent']
            self.assertEqual(done, {'job_id': job, 'status': 'cancelled'})
            self.assertEqual(self.ended(job)['status'], 'cancelled')
            with self.assertRaisesRegex(ToolError, 'has ended already'):
                self.call('call_cancel', job_id=job)
        other = self.world.create_done('say A.\nok')[0]
        for job in ('nothing', '0' * 20, other, '../x'):
            for tool in ('call_status', 'call_cancel'):
                with self.assertRaisesRegex(ToolError, 'job_id: there is no'):
                    self.call(tool, job_id=job)

    def test_wrong_arguments_are_named(self):
        self.start('ok')
        work = self.world.work
        for tool, arguments, field in (
                ('call_codex', {'cwd': work}, 'prompt'),
                ('call_codex', {'prompt': 'x'}, 'cwd'),
                ('call_codex', {'prompt': '', 'cwd': work}, 'prompt'),
                ('call_codex', {'prompt': 'x', 'cwd': 'relative'}, 'cwd'),
                ('call_codex', {'prompt': 'x', 'cwd': work, 'timeout_ms': 0},
                 'timeout_ms'),
                ('call_codex', {'prompt': 'x', 'cwd': work, 'edit_mode': 'all'},
                 'edit_mode'),
                ('call_codex', {'prompt': 'x', 'cwd': work,
                                'continue_latest': True,
                                'resume_session_id': 's'}, 'continue_latest'),
                ('call_gemini', {'prompt': 'x', 'cwd': work,
                                 'outputSchema': {}}, 'outputSchema'),
                ('call_jobs', {'limit': 0}, 'limit'),
                ('gpt5_codex', {'cwd': work}, 'task'),
                ('gpt5_codex', {'task': 'x', 'cwd': work,
                                'bypass_sandbox': True,
                                'edit_mode': 'auto_edit'}, 'bypass_sandbox'),
                ('gpt5_codex', {'task': 'x', 'cwd': work,
                                'files_glob': ['../*']}, 'out of the folder'),
        ):
            reply = self.rpc('tools/call',
                             {'name': tool, 'arguments': arguments},
                             {'Mcp-Name': tool})
            self.assertIn(field, json.dumps(reply))
            self.assertTrue('error' in reply or reply['result']['isError'])
        self.assertEqual(self.world.folders(), [])

    def test_streams_and_long_answers_come_in_parts(self):
        answer = 'x' * 30000 + 'y' * 30000
        self.start(f'run ls => {"z" * 9000} exit 0\nsay {answer}\nok')
        job = self.job(expose_stream=True)
        shown = self.ended(job)
        text, events = shown['response'], shown['stream_events']
        for _ in range(20):
            if not shown['more']:
                break
            shown = self.ended(job, cursor=shown['cursor'])
            text += shown.get('response', '')
            events += shown['stream_events']
        self.assertEqual(text, answer)
        ids = [e['id'] for e in events]
        self.assertEqual(ids, [e['id'] for e in self.world.events(job)])
        job = self.job(fire_and_forget=True, expose_stream=True)
        shown = self.ended(job)
        self.assertNotIn('response', shown)
        self.assertNotIn('stream_events', shown)

    def test_one_shot_answers_and_saves(self):
        self.start('say Looked.\nrun make => x exit 2\nsay The answer.\nok')
        with open(os.path.join(self.world.work, 'a.txt'), 'w') as file:
            file.write('inlined text')
        result = self.call('gpt5_codex', task='Look at it', cwd=self.world.work,
                           files_glob=['*.txt', '*.md'])
        shown, text = result['structuredContent'], result['content'][0]['text']
        self.assertEqual((shown['status'], shown['edit_mode']),
                         ('completed', 'research'))
        for part in ('The answer.', '- `make` (exit 2)', '- Effort: medium'):
            self.assertIn(part, shown['output'])
            self.assertIn(part, text)
        path = shown['saved_to']
        self.assertIn(f'Saved to: {path}', text)
        self.assertRegex(path, r'/gpt5_docs/agent_\d{8}_\d{6}_look_at_it\.md$')
        with open(path) as file:
            self.assertEqual(file.read().strip(), shown['output'].strip())
        prompt = self.world.task(shown['job_id'])['prompt']
        self.assertIn('File a.txt:\n```\ninlined text\n```', prompt)
        # Saved only; not saved; the job is known to the other tools.
        shown = self.call('gpt5_codex', task='x', cwd=self.world.work,
                          display_in_chat=False)['structuredContent']
        self.assertNotIn('The answer.', shown['output'])
        self.assertIn('## Metadata', shown['output'])
        self.assertTrue(os.path.exists(shown['saved_to']))
        before = len(glob.glob(self.world.work + '/gpt5_docs/*'))
        shown = self.call('gpt5_codex', task='x', cwd=self.world.work,
                          save_to_file=False, display_in_chat=False,
                          reasoning_effort='minimal')['structuredContent']
        self.assertIn('The answer.', shown['output'])
        self.assertIn('- Effort: low', shown['output'])
        self.assertNotIn('saved_to', shown)
        self.assertEqual(len(glob.glob(self.world.work + '/gpt5_docs/*')),
                         before)
        self.assertEqual(self.ended(shown['job_id'])['response'], 'The answer.')

    def test_one_shot_warns(self):
        self.start('say A.\nok')
        result = self.call('gpt5_codex', task='x', cwd=self.world.work,
                           enable_web_search=True, bypass_sandbox=True)
        warnings = result['structuredContent']['warnings']
        self.assertTrue(warnings[0].startswith('DANGEROUS MODE'))
        self.assertTrue(warnings[1].startswith('Web Search did not execute;'))
        self.assertTrue(
            result['content'][0]['text'].startswith('**DANGEROUS MODE'))

    def test_one_shot_that_takes_long_or_fails(self):
        self.start('== prompt slow\nsay So far.\nsleep 2500\nsay End.\nok\n'
                   '== prompt never\nsay So far.\nhang\n'
                   '== prompt fails\nstderr oh no\nexit 5\n'
                   '== prompt plain\nprint Just text.\nexit 0')
        shown = self.call('gpt5_codex', task='slow', cwd=self.world.work,
                          wait_sec=1)['structuredContent']
        self.assertEqual(shown['status'], 'running')
        job = shown['job_id']
        self.world.restart()
        self.assertEqual(self.ended(job)['response'], 'End.')
        path = wait_for(lambda: self.world.task(job)['documentPath'], 'a file')
        with open(path) as file:
            self.assertIn('End.', file.read())
        result = self.call('gpt5_codex', task='never', cwd=self.world.work,
                           timeout_sec=1)
        self.assertTrue(result['isError'])
        self.assertIn('timeout', result['structuredContent']['error'])
        self.assertIn('So far.', result['structuredContent']['output'])
        result = self.call('gpt5_codex', task='fails', cwd=self.world.work)
        self.assertTrue(result['isError'])
        self.assertEqual(result['structuredContent']['exit_code'], 5)
        self.assertIn('oh no', result['structuredContent']['stderr'])
        result = self.call('gpt5_codex', task='plain', cwd=self.world.work)
        self.assertIn('Just text.', result['structuredContent']['output'])
        self.assertIn('Warning', result['structuredContent']['output'])

    def test_a_missing_cli_says_how_to_install_it(self):
        self.world.env['TROIKA_CODEX_BIN'] = ''
        self.world.env['PATH'] = '/nowhere'
        self.start('ok')
        for tool, arguments in (('gpt5_codex', {'task': 'x'}),
                                ('call_codex', {'prompt': 'x'})):
            with self.assertRaisesRegex(ToolError, 'npm install -g'):
                self.call(tool, cwd=self.world.work, **arguments)

    AGENT = '''#!/usr/bin/env python3
import json, os, sys
if '--version' in sys.argv:
    print('codex-cli 0.166.0'); sys.exit()
if 'exec' not in sys.argv:
    sys.exit(2)  # As for the probe of the sandbox.
sys.stdin.read()
sys.path.insert(0, %(folder)r)
from world import World
world = World({k: '' for k in %(names)r})
world.home = %(home)r
print(json.dumps({'type': 'thread.started', 'thread_id': 't'}))
print(json.dumps({'type': 'turn.started'}))
said = []
for body in json.loads(os.environ['ASK']):
    answer = world.ask('POST', '/mcp', body, json.loads(os.environ['HEADERS']))
    said.append(json.loads(answer.body.decode()))
print(json.dumps({'type': 'item.completed', 'item': {
    'id': 'item_0', 'type': 'agent_message', 'text': json.dumps(said)}}))
print(json.dumps({'type': 'turn.completed', 'usage': {'input_tokens': 1,
    'cached_input_tokens': 0, 'output_tokens': 1}}))
'''

    def test_defaults_are_lowered_for_agents_and_nothing_else_is(self):
        world = self.world
        self.start('say Hi.\nok')
        agent = world.script(self.AGENT % {
            'folder': os.path.dirname(os.path.abspath(__file__)),
            'names': list(self.programs), 'home': world.home})
        os.chmod(agent, 0o755)
        def body(**more):
            return json.dumps({
                'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call', 'params': {
                    'name': 'call_claude', '_meta': META, 'arguments': {
                        'prompt': 'x', 'cwd': world.work, **more}}})
        task = world.api('POST', '/tasks', world.request(
            'say Hi.\nok', options={'editMode': 'research'}, env={
                'TROIKA_CODEX_BIN': agent,
                'ASK': json.dumps([body(), body(edit_mode='auto_edit'),
                                   body(cwd='/')]),
                'HEADERS': json.dumps({
                    'Content-Type': 'application/json',
                    'Accept': 'application/json, text/event-stream',
                    'MCP-Protocol-Version': '2026-07-28',
                    'Mcp-Method': 'tools/call', 'Mcp-Name': 'call_claude'})}))
        done = world.wait_state(task['id'], 'done', 'failed')
        lowered, explicit, outside = json.loads(done['result']['text'])
        begun = lowered['result']['structuredContent']
        self.assertIn('edit_mode research is used instead',
                      begun['notices'][-1])
        made = world.task(begun['job_id'])
        self.assertEqual((made['editMode'], made['parentId']),
                         ('research', task['id']))
        for refused in (explicit, outside):
            self.assertTrue(refused['result']['isError'])
            self.assertIn('an agent may not', json.dumps(refused))

    def test_many_calls_at_once(self):
        self.start('say A.\nok')
        jobs = []
        def work():
            jobs.append(self.ended(self.job())['status'])
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(jobs, 8 * ['completed'])
