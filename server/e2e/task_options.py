"""Options of tasks that the server itself keeps: what may not wait, what takes
too long or prints too much, texts in place of files, and documents."""
import glob
import json
import os
import stat

from world import WorldTest, wait_for


class TaskOptionsTest(WorldTest):
    def notices(self, task):
        return [e['notice']['text'] for e in self.world.events(task)
                if 'notice' in e]

    def documents(self):
        return sorted(glob.glob(os.path.join(self.world.work, 'gpt5_docs', '*')))

    def test_what_must_not_wait_is_refused(self):
        world = self.world
        world.start('--max-running', '1')
        first = world.create('say A.\nhang')
        world.wait_state(first, 'running')
        refused = world.api('POST', '/tasks',
                            world.request('ok', noQueue=True), status=429)
        self.assertEqual(refused['code'], 'resource_exhausted')
        self.assertIn('1 tasks run already, the limit is 1', refused['message'])
        self.assertEqual(world.folders(), [first])
        # Neither does a later turn.
        second = world.create('say B.\nok')
        self.assertEqual(world.task(second)['state'], 'queued')
        world.api('POST', f'/tasks/{first}/stop', {'grace': '0.1s'})
        world.wait_state(second, 'done')
        third = world.create('say C.\nhang', noQueue=True)
        world.wait_state(third, 'running')
        refused = world.api('POST', f'/tasks/{second}/input',
                            {'text': 'more', 'noQueue': True}, status=429)
        self.assertIn('the limit is 1', refused['message'])
        self.assertEqual(world.task(second)['turns'], 1)
        world.api('POST', f'/tasks/{third}/stop', {'grace': '0.1s'})
        world.wait_state(third, 'interrupted')
        world.api('POST', f'/tasks/{second}/input',
                  {'text': 'more', 'noQueue': True})
        def turns():
            task = world.task(second)
            return task['state'] == 'done' and task['turns'] == 2
        wait_for(turns, 'the second turn')
        # Requests that fail give their places back.
        for _ in range(3):
            world.api('POST', '/tasks', world.request(
                'ok', noQueue=True, options={'sandbox': '-x'}), status=400)
        world.create_done('say D.\nok', noQueue=True)

    def test_many_at_once_get_no_more_places_than_there_are(self):
        world = self.world
        world.start('--max-running', '2')
        connections = []
        for _ in range(8):
            connection = world.connect()
            connection.request('POST', '/api/v1/tasks', json.dumps(
                world.request('say A.\nhang', noQueue=True)),
                {'Content-Type': 'application/json'})
            connections.append(connection)
        statuses = sorted(c.getresponse().status for c in connections)
        self.assertEqual(statuses, 2 * [201] + 6 * [429])
        self.assertEqual(len(world.folders()), 2)

    def test_limits_end_the_task_and_say_so(self):
        world = self.world
        world.start()
        slow = world.create('say A.\nstart-run sleep 9\nhang',
                            timeouts={'tool': '0.3s'})
        much = world.create('say A.\nflood 3000 100\nhang',
                            outputLimitBytes=50000)
        long = world.create('say So far.\nfork-sleeper setsid 60\nhang',
                            timeouts={'turn': '0.5s'},
                            env={'TROIKA_FAKE_TAG': world.root + '-left'})
        task = world.wait_state(slow, 'failed')
        self.assertEqual(task['reason'],
                         'the tool deadline of 300ms passed: the tool Bash '
                         'took longer (timeout)')
        self.assertIn('limit of 50000 bytes',
                      world.wait_state(much, 'failed')['reason'])
        task = world.wait_state(long, 'failed')
        self.assertEqual(task['reason'],
                         'the turn deadline of 500ms passed (timeout)')
        self.assertIn('So far.', [e['text']['text'] for e in world.events(long)
                                  if 'text' in e])
        # Nothing that the agent started is left.
        for process in glob.glob('/proc/[0-9]*/cmdline'):
            try:
                with open(process, 'rb') as file:
                    self.assertNotIn((world.root + '-left').encode(),
                                     file.read())
            except OSError:
                pass

    def test_texts_become_files_of_the_task(self):
        world = self.world
        world.start()
        task, = world.create_done(
            f'dump-args {world.root}/args\nok',
            baseInstructionsText='Be brief.', outputSchemaJson='{"type":"object"}')
        folder = os.path.join(world.home, 'tasks', task)
        with open(f'{world.root}/args') as file:
            args = file.read().split('\0')
        self.assertIn(f'{folder}/output_schema.json', args)
        self.assertIn(f'model_instructions_file="{folder}/base_instructions"',
                      args)
        for name, text in (('base_instructions', 'Be brief.'),
                           ('output_schema.json', '{"type":"object"}')):
            path = os.path.join(folder, name)
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
            with open(path) as file:
                self.assertEqual(file.read(), text)
        refused = world.api('POST', '/tasks', world.request(
            'ok', outputSchemaJson='[]'), status=400)
        self.assertIn('output_schema_json is no JSON object',
                      refused['message'])

    def test_failures_tell_code_stderr_and_hint(self):
        world = self.world
        world.start()
        task = world.wait_state(world.create(
            'stderr 401 Unauthorized: bad key\nexit 7'), 'failed')
        self.assertEqual(task['exitCode'], 7)
        self.assertIn('401 Unauthorized', task['stderrTail'])
        self.assertIn('log in', task['hint'])

    def test_native_shows_what_the_cli_reports(self):
        world = self.world
        world.start()
        for harness in ('codex', 'claude', 'gemini'):
            task = world.create('say A.\nok', harness=harness,
                                options={'editMode': 'native',
                                         'skipGitCheck': True}
                                if harness == 'codex'
                                else {'editMode': 'native'})
            done = world.wait_state(task, 'done', 'idle')
            self.assertEqual(done['editMode'], 'native')
            self.assertTrue(done['permissionMode'], harness)

    def test_a_document_is_written_once(self):
        world = self.world
        world.start()
        task = world.create(
            'think Hm.\nsay One.\nrun make => x exit 2\nsay Two.\nok',
            title='Look: at it', document={})
        world.wait_state(task, 'done')
        path = wait_for(lambda: world.task(task)['documentPath'], 'the path')
        self.assertEqual(self.documents(), [path])
        self.assertRegex(path, r'/gpt5_docs/agent_\d{8}_\d{6}_look_at_it\.md$')
        with open(path) as file:
            text = file.read()
        self.assertTrue(text.startswith('# Look: at it\n\nOne.\n\nTwo.\n'), text)
        self.assertIn('- `make` (exit 2)', text)
        self.assertIn('- Exit code: 0', text)
        self.assertIn(f'- Task: {task}\n', text)
        self.assertIn(f'saved to: {path}', self.notices(task))
        # Not again, whatever happens later.
        world.restart()
        world.api('POST', f'/tasks/{task}/input', {'text': 'more'})
        wait_for(lambda: world.task(task)['turns'] == 2, 'another turn')
        world.wait_state(task, 'done')
        self.assertEqual(self.documents(), [path])
        self.assertEqual(world.task(task)['documentPath'], path)

    def test_a_document_of_a_failure_and_one_without_its_server(self):
        world = self.world
        world.start()
        failed = world.create('fail Too tired.', document={'title': 'Bad'})
        world.wait_state(failed, 'failed')
        path = wait_for(lambda: world.task(failed)['documentPath'], 'the path')
        with open(path) as file:
            self.assertIn('## Error', file.read())
        # The turn ends while no server runs.
        left = world.create('say A.\nsleep 700\nok',
                            document={'title': 'Left'})
        world.wait_state(left, 'running')
        world.kill()
        log = os.path.join(world.home, 'tasks', left, 'log.v1')
        def ended():
            with open(log, 'rb') as file:
                return b'"note":"exited"' in file.read()
        wait_for(ended, 'the agent')
        world.start()
        path = wait_for(lambda: world.task(left)['documentPath'], 'the path')
        self.assertIn('_left.md', path)
        self.assertEqual(len(self.documents()), 2)

    def test_documents_of_agents_that_end_at_once_are_noted(self):
        """Their relay ends while the document is written."""
        world = self.world
        world.start()
        tasks = [world.create('exit 5', document={}) for _ in range(30)]
        for task in tasks:
            wait_for(lambda t=task: world.task(t)['documentPath'], 'a path', 20)
        self.assertEqual(len(self.documents()), len(tasks))

    def test_a_document_follows_no_link_and_replaces_no_file(self):
        world = self.world
        world.start()
        elsewhere = os.path.join(world.root, 'elsewhere')
        os.mkdir(elsewhere)
        os.symlink(elsewhere, os.path.join(world.work, 'gpt5_docs'))
        task, = world.create_done(document={})
        def told():
            return [n for n in self.notices(task) if 'document' in n]
        self.assertIn('links are not followed', wait_for(told, 'a notice')[0])
        self.assertEqual(os.listdir(elsewhere), [])
        self.assertEqual(world.task(task)['documentPath'], '')
        os.remove(os.path.join(world.work, 'gpt5_docs'))
        # Neither is one that has replaced the task's folder.
        moved = world.create('sleep 500\nsay Hi.\nok', document={})
        world.wait_state(moved, 'running')
        os.rename(world.work, world.work + '.away')
        os.symlink(elsewhere, world.work)
        error = wait_for(lambda: world.task(moved)['documentError'], 'an error')
        self.assertIn('links are not followed', error)
        self.assertEqual(os.listdir(elsewhere), [])
        os.remove(world.work)
        os.rename(world.work + '.away', world.work)
        # Several in one second have names of their own.
        tasks = world.create_done(count=4, title='same', document={})
        paths = {wait_for(lambda t=t: world.task(t)['documentPath'], 'a path')
                 for t in tasks}
        self.assertEqual(len(paths), 4)
        self.assertEqual(self.documents(), sorted(paths))
