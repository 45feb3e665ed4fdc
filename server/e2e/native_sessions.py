"""The CLIs' own sessions: listed, continued and imported."""
import hashlib
import json
import os
import urllib.parse

from world import WorldTest, wait_for

CODEX = '0199a213-81c0-7800-8aa1-bbab2a035a53'
CLAUDE = '7b0d5e0a-32c3-4b51-8bb6-7c3b7f6a0c11'


class SessionsTest(WorldTest):
    def setUp(self):
        super().setUp()
        # The server and the commands of these tests have it as HOME.
        self.user = self.world.root
        self.cwd = self.world.work
        self.world.env['TROIKA_FAKE_SCRIPT'] = self.world.script('say Hi.\nok')
        self.world.start()

    def write(self, path, *lines, changed=None):
        path = os.path.join(self.user, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as file:
            for line in lines:
                file.write((line if isinstance(line, str)
                            else json.dumps(line)) + '\n')
        if changed:
            os.utime(path, (changed, changed))
        return path

    def codex(self, session=CODEX, cwd=None, changed=1000, prompt='fix it',
              folder='sessions/2026/11/17', **meta):
        return self.write(
            f'.codex/{folder}/rollout-2026-11-17T10-00-00-'
            f'{session.replace("/", "_")}.jsonl',
            {'timestamp': '2026-11-17T10:00:00Z', 'type': 'session_meta',
             'payload': {'id': session, 'cwd': cwd or self.cwd, **meta}},
            {'timestamp': '2026-11-17T10:00:01Z', 'type': 'event_msg',
             'payload': {'type': 'user_message', 'message': prompt}},
            {'timestamp': '2026-11-17T10:00:02Z', 'type': 'event_msg',
             'payload': {'type': 'agent_message', 'message': 'Fixed.'}},
            changed=changed)

    def claude(self, session=CLAUDE, changed=2000, prompt='explain it'):
        entry = {'cwd': self.cwd, 'sessionId': session, 'isSidechain': False,
                 'timestamp': '2026-11-17T10:00:00.000Z'}
        return self.write(
            f'.claude/projects/-work/{session}.jsonl',
            {**entry, 'type': 'user', 'uuid': 'u1',
             'message': {'role': 'user', 'content': prompt}},
            {**entry, 'type': 'assistant', 'uuid': 'u2', 'message': {
                'id': 'm1', 'role': 'assistant', 'model': 'claude-opus-4',
                'content': [{'type': 'text', 'text': 'It adds.'}]}},
            changed=changed)

    def list(self, **query):
        return self.world.api(
            'GET', '/sessions?' + urllib.parse.urlencode(query, doseq=True))

    def ids(self, **query):
        return [s['id'] for s in self.list(**query)['sessions']]

    def test_sessions_of_all_clis_are_listed(self):
        self.codex()
        self.claude()
        listed = self.list()
        self.assertEqual(
            [(s['harness'], s['id'], s['prompt'], s['model'], s['cwd'],
              s['cwdMissing'], s['taskId'], s['running'])
             for s in listed['sessions']],
            [('claude', CLAUDE, 'explain it', 'claude-opus-4', self.cwd,
              False, '', False),
             ('codex', CODEX, 'fix it', '', self.cwd, False, '', False)])
        self.assertEqual((listed['files'], listed['filesRead']), (2, 2))
        self.assertEqual(self.list()['filesRead'], 0)
        self.assertEqual(self.ids(harnesses='codex'), [CODEX])
        self.assertEqual(self.ids(text='EXPLAIN'), [CLAUDE])
        self.assertEqual(self.ids(id=CODEX), [CODEX])
        self.assertEqual(self.ids(cwd='/elsewhere'), [])
        os.symlink(self.cwd, self.user + '/link')
        self.assertEqual(len(self.ids(cwd=self.user + '/link')), 2)

    def test_other_homes(self):
        self.codex()
        self.assertEqual(self.ids(env='CODEX_HOME=/none'), [])
        self.assertEqual(self.ids(env=f'CODEX_HOME={self.user}/.codex'),
                         [CODEX])
        for env in ('PATH=/bin', 'HOME=', 'nonsense'):
            self.world.api('GET', '/sessions?env=' + env, status=400)

    def test_a_session_that_hides_its_folder(self):
        folder = hashlib.sha256(self.cwd.encode()).hexdigest()
        self.write(f'.gemini/tmp/{folder}/chats/session-1.json',
                   json.dumps({"sessionId": CODEX, "messages": []}))
        self.assertEqual([s['cwd'] for s in self.list()['sessions']], [''])
        self.assertEqual([s['cwd'] for s in
                          self.list(cwd=self.cwd)['sessions']], [self.cwd])
        self.assertEqual(self.ids(cwd='/elsewhere'), [])
        self.assertIn('does not tell its folder',
                      self.refused('resume', CODEX, 'x'))
        said = self.world.troika('resume', CODEX, 'x', cwd=self.cwd)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(self.world.task('latest')['cwd'], self.cwd)

    def test_pages(self):
        ids = [f'id-{i}' for i in range(25)]
        for i, name in enumerate(ids):
            self.codex(name, changed=5000 - i // 2)
        seen, token = [], ''
        while True:
            page = self.list(page_size=4, page_token=token)
            seen += [s['id'] for s in page['sessions']]
            token = page['nextPageToken']
            if not token:
                break
        self.assertEqual(len(seen), 25)
        self.assertEqual(sorted(seen), sorted(ids))
        for wrong in ('page_token=x', 'page_token=1.nobody.x', 'page_size=0.5',
                      'page_size=1001', 'harnesses=nobody'):
            answer = self.world.ask('GET', '/api/v1/sessions?' + wrong)
            self.assertIn(answer.status, (400, 404), wrong)

    def test_damaged_files_are_skipped_with_a_note(self):
        self.codex()
        broken = self.write('.codex/sessions/2026/11/17/rollout-1.jsonl', '{')
        os.mkfifo(os.path.join(self.user,
                               '.codex/sessions/2026/11/17/rollout-2.jsonl'))
        listed = self.list()
        self.assertEqual([s['id'] for s in listed['sessions']], [CODEX])
        self.assertEqual(listed['skipped'], [
            {'path': broken, 'reason': 'its first line is no session_meta'}])
        said = self.world.troika('sessions')
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn('fix it', said.stdout)
        self.assertIn('skipped ' + broken, said.stderr)

    def test_secrets_in_prompts_are_redacted(self):
        self.codex(prompt='use ghp_0123456789abcdefghijABCDEFGHIJ012345')
        self.assertEqual(self.list()['sessions'][0]['prompt'],
                         'use [redacted]')

    def test_a_secret_at_the_end_of_what_is_read_is_not_shown(self):
        self.codex(prompt='x' * 485 + ' AKIA' + 'IOSFODNN7EXAMPLE and more')
        prompt = self.list()['sessions'][0]['prompt']
        self.assertTrue(prompt.startswith('xxx'))
        self.assertNotIn('AKIA', prompt)

    def test_a_file_of_the_far_future_is_listed(self):
        self.codex(changed=1 << 34)
        self.assertEqual(self.ids(), [CODEX])

    def test_a_session_is_continued_by_a_new_task(self):
        self.codex()
        said = self.world.troika('resume', CODEX, 'and now?', '--json')
        self.assertEqual(said.returncode, 0, said.stderr)
        task = self.world.api('GET', '/tasks')['tasks'][0]
        self.assertEqual((task['harness'], task['sessionId'], task['cwd']),
                         ('codex', CODEX, self.cwd))
        # The session now has a task, which has ended.
        session = self.list()['sessions'][0]
        self.assertEqual((session['taskId'], session['running']),
                         (task['id'], False))
        # Without a prompt the agent is told to continue.
        said = self.world.troika('resume', CODEX, '--no-stdin')
        self.assertEqual(said.returncode, 0, said.stderr)
        last = self.world.task('latest')
        self.assertNotEqual(last['id'], task['id'])
        self.assertEqual(last['prompt'], 'Go on where you stopped.')

    def refused(self, *args):
        said = self.world.troika(*args)
        self.assertEqual(said.returncode, 2, said.stdout + said.stderr)
        return said.stderr

    def test_what_cant_be_continued_says_why(self):
        world = self.world
        self.assertIn('there is no task or session nobody',
                      self.refused('resume', 'nobody', 'x'))
        self.codex()
        self.assertIn('by its whole id',
                      self.refused('resume', CODEX[:-1], 'x'))
        self.codex('gone', cwd='/no/such/folder')
        self.assertIn('/no/such/folder, is gone',
                      self.refused('resume', 'gone', 'x'))
        self.codex('old', folder='archived_sessions')
        self.assertIn('codex unarchive old', self.refused('resume', 'old', 'x'))
        self.claude(CODEX)
        self.assertIn('claude and codex each have',
                      self.refused('resume', CODEX, 'x'))
        self.claude()
        task = world.create('hang', harness='claude', resume_session=CLAUDE)
        # The index has it a moment after the task.
        wait_for(lambda: self.list(id=CLAUDE)['sessions'][0]['running'],
                 'the session to run')
        self.assertIn(f'task {task} runs session {CLAUDE}',
                      self.refused('resume', CLAUDE, 'x'))
        self.assertEqual(
            [(s['taskId'], s['running']) for s in self.list(id=CLAUDE)['sessions']],
            [(task, True)])
        world.api('POST', f'/tasks/{task}/stop', {'grace': '0s'})

    def test_a_session_is_imported_as_a_task_to_read(self):
        world = self.world
        path = self.claude()
        said = world.troika('import', CLAUDE)
        self.assertEqual(said.returncode, 0, said.stderr)
        task = world.task(said.stdout.strip())
        self.assertEqual(
            (task['state'], task['harness'], task['sessionId'], task['cwd'],
             task['prompt'], task['turns'], task['model'],
             task['importedFrom']),
            ('done', 'claude', CLAUDE, self.cwd, 'explain it', 1,
             'claude-opus-4', path))
        self.assertEqual(task['result']['text'], 'It adds.')
        texts = [e['text']['text'] for e in world.events(task['id'])
                 if 'text' in e]
        self.assertEqual(texts, ['It adds.'])
        # The lines are those of the file.
        with open(path) as file:
            lines = file.read().splitlines()
        raw = world.api('GET', f'/tasks/{task["id"]}/raw/3')
        self.assertEqual(raw['text'].strip(), lines[0])
        # It is read only, and the error says what to do.
        for command in ('input', 'resume'):
            refused = world.api('POST', f'/tasks/{task["id"]}/{command}',
                                {'input': {'text': 'x'}, 'resume':
                                 {'prompt': 'x'}}[command], status=409)
            self.assertIn(f'`troika resume {task["id"]}` continues',
                          refused['message'])
        self.assertEqual(self.list(id=CLAUDE)['sessions'][0]['taskId'],
                         task['id'])
        # A fork of it is one of the session.
        fork = world.api('POST', f'/tasks/{task["id"]}/fork', {'prompt': 'x'})
        world.wait_state(fork['id'], 'done', 'idle')
        world.api('POST', f'/tasks/{fork["id"]}/stop', {'grace': '0s'})
        world.wait_state(fork['id'], 'done', 'interrupted')
        # Another import is another task; all of them outlive a restart.
        again = world.api('POST', f'/sessions/{CLAUDE}/import', {})
        self.assertNotEqual(again['id'], task['id'])
        world.restart()
        loaded = world.task(task['id'])
        self.assertEqual(loaded, task)
        wait_for(lambda: len(world.api('GET', '/tasks')['tasks']) == 3,
                 'all tasks to be listed')
        world.api('DELETE', f'/tasks/{task["id"]}')

    def test_resuming_an_import_continues_the_session(self):
        world = self.world
        self.codex()
        imported = world.api('POST', f'/sessions/{CODEX}/import', {})
        said = world.troika('resume', 'latest', 'and now?')
        self.assertEqual(said.returncode, 0, said.stderr)
        task = world.task('latest')
        self.assertNotEqual(task['id'], imported['id'])
        self.assertEqual((task['sessionId'], task['prompt']),
                         (CODEX, 'and now?'))
        self.assertEqual(world.task(imported['id']), imported)

    def test_secrets_of_an_import_are_redacted_before_its_title_is_cut(self):
        secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
        for before in range(0, 120, 20):
            session = f'secret-{before}'
            self.codex(session, prompt='x' * before + ' ' + secret)
            task = self.world.api('POST', f'/sessions/{session}/import', {})
            self.assertNotIn('ghp_', task['title'])
            self.assertNotIn('ghp_', task['prompt'])
        self.assertEqual(self.ids(text='ghp_'), [])
        self.assertEqual(len(self.ids(text='[redacted]')), 6)

    def test_an_id_with_a_slash(self):
        self.codex('a/b c')
        self.assertEqual(self.ids(id='a/b c'), ['a/b c'])
        said = self.world.troika('import', 'a/b c')
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(self.world.task(said.stdout.strip())['sessionId'],
                         'a/b c')
        for path in ('/tasks/a%2Fb', '/tasks/..%2F..%2Fetc', '/tasks/x/raw/1%2F2',
                     '/tasks/x/events/1%2F2'):
            self.assertIn(self.world.ask('GET', '/api/v1' + path).status,
                          (400, 404), path)

    def test_imports_of_other_formats(self):
        world = self.world
        self.codex()
        old = self.write(
            '.gemini/tmp/' + 64 * 'a' + '/chats/session-1.json',
            '{"sessionId":"old",', '"messages":[',
            '{"type":"user","content":"hi"},',
            '{"type":"gemini","content":"Hello."}]}')
        for session, answer in ((CODEX, 'Fixed.'), ('old', 'Hello.')):
            task = world.api('POST', f'/sessions/{session}/import', {})
            self.assertEqual((task['state'], task['result']['text']),
                             ('done', answer))
        os.truncate(old, 0)
        self.assertIn('no session old', self.refused('import', 'old'))
        self.claude(CODEX)
        self.assertIn('name the harness', self.refused('import', CODEX))
        said = world.troika('import', CODEX, '--harness', 'codex', '--json')
        self.assertEqual(json.loads(said.stdout)['harness'], 'codex')
