"""Turns of tasks: queued, given, answered, withdrawn and ended."""
import os
import time

from world import WorldTest, wait_for


class TurnsTest(WorldTest):
    def test_tasks_wait_for_their_turn(self):
        world = self.world
        flags = ['--max-running', '2', '--max-running-per', 'gemini=1']
        world.start(*flags)
        slow = 'sleep 300\nsay Hi.\nok'
        held = world.script('hang')
        first = [world.api('POST', '/tasks', world.request(
            '', env={'TROIKA_FAKE_SCRIPT': held}))['id'] for _ in range(2)]
        for task in first:
            world.wait_state(task, 'starting', 'running')
        waiting = [world.create(slow) for _ in range(4)]
        self.assertEqual([world.task(t)['queuePosition'] for t in waiting],
                         [1, 2, 3, 4])
        self.assertEqual({world.task(t)['state'] for t in waiting}, {'queued'})
        # One is cancelled while it waits; nothing of it ever runs.
        cancelled = world.api('POST', f'/tasks/{waiting[1]}/stop',
                              {'reason': 'not needed'})
        self.assertEqual(cancelled['state'], 'cancelled')
        # Over a restart the order stays.
        world.restart(*flags)
        self.assertEqual([world.task(t).get('queuePosition')
                          for t in waiting], [1, None, 2, 3])
        # One place is free, so that they run one after the other.
        world.api('POST', f'/tasks/{first[0]}/stop', {'grace': '0.1s'})
        done = [world.wait_state(t, 'done') for t in waiting[:1] + waiting[2:]]
        world.api('POST', f'/tasks/{first[1]}/stop', {'grace': '0.1s'})
        starts = [t['startedAt'] for t in done]
        self.assertEqual(starts, sorted(starts))
        self.assertEqual(world.task(waiting[1])['state'], 'cancelled')
        self.assertNotIn('startedAt', world.task(waiting[1]))

    def create_with_turns(self, first, **fields):
        world = self.world
        return world.create(f'{first}\n== turn 2\nsay Two.\nok',
                            env={'TROIKA_FAKE_STATE': world.root + '/fake'},
                            **fields)

    def test_a_follow_up_that_waits_is_withdrawn(self):
        world = self.world
        world.start('--max-running', '1')
        task = self.create_with_turns('say One.\nok')
        before = world.wait_state(task, 'done')
        held = world.create('hang')
        world.wait_state(held, 'starting', 'running')
        queued = world.api('POST', f'/tasks/{task}/resume', {'prompt': 'more'})
        self.assertEqual(queued['state'], 'queued')
        after = world.api('POST', f'/tasks/{task}/interrupt', {})
        self.assertEqual(after['state'], 'done')
        self.assertEqual(after['result'], before['result'])
        self.assertEqual(after['endedAt'], before['endedAt'])
        world.api('POST', f'/tasks/{held}/stop', {'grace': '0.1s'})
        world.api('POST', f'/tasks/{task}/resume', {'prompt': 'again'})
        world.wait_state(task, 'queued', 'starting', 'running')
        done = world.wait_state(task, 'done')
        self.assertEqual(done['result']['text'], 'Two.')

    def test_a_fork_goes_on_with_a_copy(self):
        world = self.world
        world.start()
        task = self.create_with_turns('say One.\nok', labels={'team': 'web'},
                                      options={'skipGitCheck': True})
        before = world.wait_state(task, 'done')
        for n in (1, 2):
            fork = world.api('POST', f'/tasks/{task}/fork', {
                'prompt': 'otherwise', 'idempotencyKey': 'once',
                'labels': {'try': '2'}})
            if n == 1:
                first = fork['id']
        self.assertEqual(fork['id'], first)
        now = world.wait_state(first, 'idle')
        self.assertEqual(now['result']['text'], 'Two.')
        self.assertEqual((now['forkOf'], now['forkTurn']), (task, 1))
        self.assertEqual(now['labels'], {'team': 'web', 'try': '2'})
        self.assertNotEqual(now['sessionId'], before['sessionId'])
        self.assertEqual(world.task(task)['turns'], 1)
        refused = world.ask('POST', f'/api/v1/tasks/{task}/fork',
                            {'prompt': 'x', 'turn': 2})
        self.assertEqual(refused.status, 400)
        self.assertIn('the last one is 1', refused.json['message'])
        held = world.create('hang')
        world.wait_state(held, 'starting', 'running')
        refused = world.ask('POST', f'/api/v1/tasks/{held}/fork',
                            {'prompt': 'x'})
        self.assertEqual(refused.status, 409)
        self.assertIn('nothing to fork', refused.json['message'])

    def test_working_time_is_raised_by_a_turn(self):
        world = self.world
        world.start()
        task = self.create_with_turns('say One.\nhang',
                                      timeouts={'task': '0.3s'})
        failed = world.wait_state(task, 'failed')
        self.assertIn('the task deadline', failed['reason'])
        self.assertIn('--task-timeout', failed['hint'])
        self.assertGreaterEqual(float(failed['worked'][:-1]), 0.3)
        refused = world.ask('POST', f'/api/v1/tasks/{task}/resume', {})
        self.assertEqual(refused.status, 409)
        self.assertIn('its task timeout is 300ms', refused.json['message'])
        bad = world.ask('POST', f'/api/v1/tasks/{task}/resume',
                        {'timeouts': {'task': '-1s'}})
        self.assertEqual(bad.status, 400)
        world.api('POST', f'/tasks/{task}/resume',
                  {'timeouts': {'task': '3600s'}})
        world.wait_state(task, 'queued', 'starting', 'running', 'done')
        done = world.wait_state(task, 'done')
        self.assertEqual(done['timeouts']['task'], '3600s')

    def test_images_of_a_turn_are_read(self):
        world = self.world
        world.start()
        task = self.create_with_turns('say One.\nok')
        world.wait_state(task, 'done')
        refused = world.ask('POST', f'/api/v1/tasks/{task}/input',
                            {'text': 'look', 'images': ['none.png']})
        self.assertIn(refused.status, (400, 404))
        self.assertIn('none.png', refused.json['message'])
        image = f'{world.root}/one.png'
        with open(image, 'wb') as file:
            file.write(b'\x89PNG\r\n\x1a\n')
        world.api('POST', f'/tasks/{task}/input',
                  {'text': 'look', 'images': [image]})
        world.wait_state(task, 'queued', 'starting', 'running', 'done')
        wait_for(lambda: world.task(task)['turns'] == 2, 'the turn')
        world.wait_state(task, 'done')

    def test_the_agent_asks_and_is_answered(self):
        self.ask_and_answer('claude', {'editMode': 'auto_edit'}, 'make')

    def test_codex_asks_and_is_answered(self):
        self.ask_and_answer('codex', {'editMode': 'ask', 'skipGitCheck': True},
                            '/bin/bash -c make')

    def ask_and_answer(self, harness, options, command):
        world = self.world
        world.start()
        script = ('ask Bash {"command":"make"}\nsay I may.\n'
                  'question Which? | red | blue\nsay Thanks.\nok')
        task = world.create(script, harness=harness, options=options)
        asks = world.wait_state(task, 'awaiting_approval')
        world.restart()
        asks = world.wait_state(task, 'awaiting_approval')
        approval = asks['approvals'][0]
        self.assertEqual(approval['toolName'], 'Bash')
        self.assertEqual(approval['input'], {'command': command})
        world.api('POST', f'/tasks/{task}/respond',
                  {'id': 'nonsense', 'approval': {'allow': True}}, status=404)
        world.api('POST', f'/tasks/{task}/respond', {'id': approval['id']},
                  status=400)
        world.api('POST', f'/tasks/{task}/respond',
                  {'id': approval['id'], 'approval': {'allow': True}})
        question = world.wait_state(task, 'awaiting_answer')['questions'][0]
        world.api('POST', f'/tasks/{task}/respond',
                  {'id': question['id'],
                   'question': {'items': [{'answers': ['blue']}]}})
        world.wait_state(task, 'idle')
        texts = [e['text']['text'] for e in world.events(task) if 'text' in e]
        self.assertEqual(texts, ['I may.', 'Thanks.'])
        world.api('POST', f'/tasks/{task}/stop')
        world.wait_state(task, 'done', 'interrupted')

    def test_a_denied_turn_has_its_outcome(self):
        world = self.world
        world.start()
        task = world.create('ask Bash {"command":"make"}\nsay I may.\nok',
                            harness='claude', options={'editMode': 'auto_edit'})
        asks = world.wait_state(task, 'awaiting_approval')
        self.assertNotIn('outcome', asks)
        world.api('POST', f'/tasks/{task}/respond',
                  {'id': asks['approvals'][0]['id'],
                   'approval': {'allow': False, 'reason': 'not now'}})
        idle = world.wait_state(task, 'idle')
        self.assertEqual(idle['outcome'], 'denied')
        self.assertEqual(idle['result']['denialCount'], 1)
        denial = idle['result']['denials'][0]
        self.assertEqual((denial['toolName'], denial['reason']),
                         ('Bash', 'not now'))
        world.restart()
        self.assertEqual(world.wait_state(task, 'idle')['outcome'], 'denied')
        world.api('POST', f'/tasks/{task}/stop')
        world.wait_state(task, 'interrupted')
        listed = world.api('GET', '/tasks')['tasks'][0]
        self.assertEqual(listed['outcome'], 'denied')

    def inputs(self, task):
        return [(i['id'], i['state'], i['text'])
                for i in self.world.task(task)['inputs']]

    def test_inputs_wait_over_a_killed_server(self):
        world = self.world
        world.start()
        for harness in ('codex', 'claude', 'gemini'):
            state = os.path.join(world.root, 'state_' + harness)
            task = world.create(
                'say One.\nsleep 3000\nok\n== turn 2\nexpect-prompt edited\n'
                'say Two.\nok', harness=harness,
                env={'TROIKA_FAKE_STATE': state})
            world.wait_state(task, 'running')
            path = f'/tasks/{task}/input'
            given = world.api('POST', path, {
                'text': 'second', 'mode': 'queue', 'idempotencyKey': 'k'})
            self.assertEqual(given['receipt']['id'], 'in-2')
            self.assertEqual(given['receipt']['state'], 'queued')
            world.api('POST', path, {'text': 'third', 'mode': 'queue'})
            world.restart()
            again = world.api('POST', path, {
                'text': 'second', 'mode': 'queue', 'idempotencyKey': 'k'})
            self.assertEqual(again['receipt']['id'], 'in-2')
            inputs = f'/tasks/{task}/inputs'
            world.api('POST', f'{inputs}/in-2/edit', {'text': 'edited'})
            world.api('POST', f'{inputs}/in-3/withdraw', {'reason': 'no'})
            world.api('POST', f'{inputs}/in-3/withdraw', {}, status=409)
            world.api('POST', f'{inputs}/in-9/edit', {'text': 'x'}, status=404)
            # The turn ends while no server runs.
            world.kill()
            time.sleep(3)
            world.start()
            wait_for(lambda: world.task(task)['turns'] == 2, 'the next turn')
            done = world.wait_state(task, 'done', 'idle')
            self.assertEqual(done['result']['text'], 'Two.', harness)
            self.assertEqual(self.inputs(task), [
                ('in-1', 'delivered', 'do it'),
                ('in-2', 'delivered', 'edited'),
                ('in-3', 'withdrawn', 'third')])
            world.api('POST', f'{inputs}/in-2/edit', {'text': 'x'}, status=409)
            prompts = [e['userInput']['text'] for e in world.events(task)
                       if 'userInput' in e]
            self.assertEqual(prompts, ['do it', 'edited'])

    def test_modes_of_inputs(self):
        world = self.world
        world.start()
        script = 'say One.\nhang\n== turn 2\nsay Two.\nok'
        for harness in ('codex', 'gemini', 'claude'):
            state = os.path.join(world.root, 'state_' + harness)
            task = world.create(script, harness=harness,
                                env={'TROIKA_FAKE_STATE': state})
            world.wait_state(task, 'running')
            wait_for(lambda: any('text' in e or 'textDelta' in e
                                 for e in world.events(task)),
                     'the first words')
            path = f'/tasks/{task}/input'
            if harness == 'gemini':
                refused = world.ask('POST', '/api/v1' + path,
                                    {'text': 'x', 'mode': 'steer'})
                self.assertEqual(refused.status, 409)
                self.assertIn('--queue', refused.json['message'])
            world.api('POST', path, {'text': 'x', 'mode': 'odd'}, status=400)
            world.api('POST', path, {'text': 'now', 'mode': 'interrupt'})
            wait_for(lambda: world.task(task)['turns'] == 2, 'the next turn')
            done = world.wait_state(task, 'done', 'idle')
            self.assertEqual(done['result']['text'], 'Two.', harness)
            self.assertEqual(done['outcome'], 'done')
            results = [e['result']['isError'] for e in world.events(task)
                       if 'result' in e]
            self.assertEqual(results, [True, False])

    def test_an_interrupt_holds_the_inputs(self):
        world = self.world
        world.start()
        task = self.create_with_turns('say One.\nhang')
        world.wait_state(task, 'running')
        world.api('POST', f'/tasks/{task}/input', {'text': 'more'})
        world.api('POST', f'/tasks/{task}/interrupt', {})
        held = world.wait_state(task, 'interrupted')
        self.assertTrue(held['queueHeld'])
        self.assertEqual(held['outcome'], 'interrupted')
        world.restart()
        self.assertEqual(self.inputs(task)[1], ('in-2', 'queued', 'more'))
        world.api('POST', f'/tasks/{task}/inputs/resume', {})
        done = world.wait_state(task, 'done')
        self.assertEqual(done['result']['text'], 'Two.')
        world.api('POST', f'/tasks/{task}/inputs/resume', {}, status=409)

    def test_more_turns(self):
        world = self.world
        world.start()
        state = os.path.join(world.root, 'state')
        request = world.request('say First.\nok\n== turn 2\nsay Second.\nok\n'
                                '== turn 3\nsay Third.\nok',
                                env={'TROIKA_FAKE_STATE': state})
        task = world.api('POST', '/tasks', request)['id']
        world.wait_state(task, 'done')
        body = {'text': 'more', 'idempotencyKey': 'k1'}
        for _ in range(2):
            world.api('POST', f'/tasks/{task}/input', body)
        wait_for(lambda: world.task(task)['turns'] == 2, 'the turn')
        world.wait_state(task, 'done')
        world.api('POST', f'/tasks/{task}/input', body)
        self.assertEqual(world.task(task)['turns'], 2)
        world.api('POST', f'/tasks/{task}/resume')
        wait_for(lambda: world.task(task)['result']['text'] == 'Third.',
                 'the third turn')
        self.assertEqual(world.task(task)['turns'], 3)
        world.api('POST', f'/tasks/{task}/input', {'text': ''}, status=400)

    def test_what_an_old_version_cant_do_is_refused_at_once(self):
        world = self.world
        old = os.path.join(world.root, 'codex')
        with open(old, 'w') as file:
            file.write('#!/bin/sh\nTROIKA_FAKE_VERSION=0.34.0 exec '
                       f'{world.programs["fake_codex"]} "$@"\n')
        os.chmod(old, 0o755)
        world.env['TROIKA_CODEX_BIN'] = old
        world.start()
        found = {h['id']: h for h in world.api('GET', '/harnesses')['harnesses']}
        self.assertEqual(found['codex']['version'], '0.34.0')
        self.assertFalse(found['codex']['capabilities']['resume'])
        self.assertFalse(found['codex']['capabilities']['images'])
        self.assertTrue(found['gemini']['capabilities']['resume'])
        task = world.create('say First.\nok')
        before = world.wait_state(task, 'done')
        told = ("Codex CLI 0.34.0 can't go on with a session; update with npm "
                "install -g @openai/codex")
        for path, body in ((f'/tasks/{task}/input', {'text': 'more'}),
                           (f'/tasks/{task}/resume', {})):
            answer = world.ask('POST', '/api/v1' + path, body)
            self.assertEqual(answer.status, 409, answer.body)
            self.assertEqual(answer.json, {'code': 'failed_precondition',
                                           'message': told})
        self.assertEqual(world.task(task), before)
        session = '0199a213-81c0-7800-8aa1-bbab2a035a53'
        for fields, said in (({'resumeSession': session}, told),
                             ({'options': {'images': ['a.png']}},
                              "Codex CLI 0.34.0 can't take images; update")):
            with open(os.path.join(world.work, 'a.png'), 'wb') as image:
                image.write(b'\x89PNG\r\n\x1a\n')
            answer = world.ask('POST', '/api/v1/tasks',
                               world.request('ok', **fields))
            self.assertEqual(answer.status, 400, answer.body)
            self.assertIn(said, answer.json['message'])

    def test_interrupt_and_stop(self):
        world = self.world
        world.start()
        task = world.create('say Wait.\nhang', harness='claude')
        world.wait_state(task, 'running')
        world.api('DELETE', f'/tasks/{task}', status=409)
        world.api('POST', f'/tasks/{task}/resume', status=409)
        world.api('POST', f'/tasks/{task}/interrupt', {'reason': 'enough'})
        world.wait_state(task, 'idle', 'interrupted')
        world.api('POST', f'/tasks/{task}/stop')
        world.wait_state(task, 'interrupted', 'done')
        world.api('POST', f'/tasks/{task}/interrupt', status=409)
