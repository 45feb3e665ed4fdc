"""Budgets: asked when they are used up, over restarts, by tasks and by days."""
import json
import os
import threading

from world import WorldTest, wait_for

# Harness, options and script of each wire. The first turn never ends by itself.
HANG = 'say One.\nhang\n== turn 2\nusage 1 0 1\nsay Two.\nok'
TELLS = {
    'app_server': ('codex', {'wire': 'app_server', 'skipGitCheck': True},
                   'usage 90 0 20\n' + HANG),
    'claude': ('claude', {}, HANG),
}
SILENT = {
    'exec': ('codex', {'wire': 'exec', 'skipGitCheck': True}, HANG),
    'gemini': ('gemini', {'wire': 'stream_json'}, HANG),
    'acp': ('gemini', {'wire': 'acp'}, HANG),
}


class BudgetsTest(WorldTest):
    def asked(self, task):
        """The task, once it asks and its turn has ended."""
        def now():
            ended = any(e.get('result') for e in self.world.events(task))
            told = self.world.task(task)
            asks = [a for a in told['approvals'] if a['kind'] == 'budget']
            return told if asks and ended else None
        told = wait_for(now, f'{task} to ask for its budget')
        self.assertEqual(told['state'], 'awaiting_approval')
        return told

    def respond(self, task, choice='approve', approval='budget-1', **fields):
        return self.world.ask(
            'POST', f'/api/v1/tasks/{task}/respond',
            {'id': approval, 'approval': {'choice': choice}, **fields})

    def inputs(self, task):
        return [e['userInput']['text'] for e in self.world.events(task)
                if 'userInput' in e]

    def goes_on(self, task):
        self.assertEqual(self.respond(task).status, 200)
        done = self.world.wait_state(task, 'idle', 'done')
        self.assertEqual(done['result']['text'], 'Two.', done)
        self.assertEqual(done['turns'], 2)

    def test_within_a_turn_where_the_wire_tells(self):
        self.world.start()
        for wire, (harness, options, script) in TELLS.items():
            with self.subTest(wire):
                task = self.world.create(script, harness=harness,
                                         options=options,
                                         budget={'tokens': '100'})
                told = self.asked(task)
                self.assertTrue(told['budget']['withinTurn'])
                self.assertIn('of 100 tokens', told['approvals'][0]['reason'])
                self.assertEqual(told['outcome'], 'interrupted')
                shown = self.world.troika('show', task).stdout
                self.assertIn('of 100 tokens; the agent tells its tokens within '
                              'a turn', shown)
                self.assertIn(f'troika respond {task} budget-1 --allow', shown)
                self.goes_on(task)

    def test_time_on_the_other_wires(self):
        self.world.start()
        tasks = {wire: self.world.create(script, harness=harness,
                                         options=options,
                                         budget={'time': '2s'})
                 for wire, (harness, options, script) in SILENT.items()}
        for wire, task in tasks.items():
            with self.subTest(wire):
                told = self.asked(task)
                self.assertIn('of 2s of working time',
                              told['approvals'][0]['reason'])
                notices = [e['notice']['text'] for e in self.world.events(task)
                           if 'notice' in e]
                self.assertTrue(any('asks whether to go on' in n
                                    for n in notices), notices)
                self.goes_on(task)

    def test_a_kill_while_it_asks_and_answers_of_many(self):
        world = self.world
        world.start()
        task = world.create(HANG, harness='codex', budget={'time': '2s'},
                            options={'wire': 'exec', 'skipGitCheck': True})
        wait_for(lambda: world.task(task)['approvals'], 'the question')
        world.restart()
        self.asked(task)
        world.restart()
        told = world.task(task)
        self.assertEqual(told['state'], 'awaiting_approval')
        self.assertEqual(told['approvals'][0]['id'], 'budget-1')
        self.assertEqual(
            world.ask('DELETE', f'/api/v1/tasks/{task}').status, 409)
        refused = world.ask(
            'POST', f'/api/v1/tasks/{task}/respond',
            {'id': 'budget-1', 'approval': {'allow': True,
                                            'input': {'limit': 9}}})
        self.assertEqual(refused.status, 400)
        replies = [None] * 6

        def answer(i):
            replies[i] = self.respond(task, via=('page', 'mcp')[i % 2])
        threads = [threading.Thread(target=answer, args=(i,))
                   for i in range(len(replies))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(r.status for r in replies), [200] + 5 * [409])
        done = world.wait_state(task, 'done')
        self.assertEqual(done['result']['text'], 'Two.')
        self.assertEqual(done['turns'], 2)

    def test_inputs_wait_and_nothing_is_sent_twice(self):
        world = self.world
        world.start('--max-turns', '1')
        task = world.create_done('say One.\nok')[0]
        self.assertEqual(world.task(task)['budget']['limits']['turns'], 1)
        for text in ('a', 'b'):
            world.api('POST', f'/tasks/{task}/input', {'text': text})
        told = world.wait_state(task, 'awaiting_approval')
        self.assertEqual([i['state'] for i in told['inputs']],
                         ['delivered', 'queued', 'queued'])
        world.restart('--max-turns', '1')
        self.assertEqual(self.respond(task).status, 200)
        wait_for(lambda: world.task(task)['turns'] == 2, 'the first input')
        wait_for(lambda: [a['id'] for a in world.task(task)['approvals']] ==
                 ['budget-2'], 'the next question')
        self.assertEqual(self.respond(task, 'deny', 'budget-2').status, 200)
        told = world.wait_state(task, 'done')
        self.assertTrue(told['queueHeld'])
        world.api('POST', f'/tasks/{task}/inputs/resume', {})
        world.wait_state(task, 'awaiting_approval')
        self.assertEqual(
            self.respond(task, approval='budget-3').status, 200)
        wait_for(lambda: world.task(task)['turns'] == 3, 'the second input')
        world.wait_state(task, 'done')
        self.assertEqual(self.inputs(task), ['do it', 'a', 'b'])

    def test_stop_denies(self):
        world = self.world
        world.start()
        task = world.create(HANG, harness='codex', budget={'time': '1.5s'},
                            options={'wire': 'exec', 'skipGitCheck': True})
        self.asked(task)
        world.api('POST', f'/tasks/{task}/stop', {})
        world.wait_state(task, 'interrupted')
        approvals = [e['approval'] for e in world.events(task)
                     if 'approval' in e]
        self.assertEqual(approvals[-1]['choice'], 'deny')
        world.api('DELETE', f'/tasks/{task}')

    def test_days(self):
        world = self.world
        day = ('--max-tokens-per-day', '400')
        world.start(*day)
        first, second = world.create_done('say One.\nok', count=2)
        # What was spent outlives the task and the server.
        world.api('DELETE', f'/tasks/{first}')
        world.restart(*day)
        third = world.create_done('say One.\nok')[0]
        task = world.create('say One.\nok\n== turn 2\nsay Two.\nok')
        told = world.wait_state(task, 'awaiting_approval')
        self.assertIn('have used 450 of 400 tokens',
                      told['approvals'][0]['reason'])
        self.assertNotIn('startedAt', told)
        no = world.create('say One.\nok')
        world.wait_state(no, 'awaiting_approval')
        world.restart(*day)
        self.assertEqual(world.task(no)['state'], 'awaiting_approval')
        self.assertEqual(self.respond(no, 'deny').status, 200)
        world.wait_state(no, 'cancelled')
        self.assertEqual(self.respond(task).status, 200)
        world.wait_state(task, 'done')
        # The answer counts for its task.
        world.api('POST', f'/tasks/{second}/input', {'text': 'more'})
        world.wait_state(second, 'awaiting_approval')
        world.api('POST', f'/tasks/{task}/input', {'text': 'more'})
        wait_for(lambda: world.task(task)['turns'] == 2, 'another turn')
        self.assertEqual(world.task(third)['state'], 'done')

    def test_a_day_ends_the_turns_that_run(self):
        world = self.world
        world.start('--max-tokens-per-day', '200')
        runs = world.create('say One.\nhang\n== turn 2\nsay Two.\nok',
                            harness='claude')
        world.wait_state(runs, 'running')
        world.create_done('say One.\nok')
        told = self.asked(runs)
        self.assertIn('all tasks of', told['approvals'][0]['reason'])
        world.api('POST', f'/tasks/{runs}/stop', {'grace': '0.2s'})
        world.wait_state(runs, 'interrupted')

    def test_agents_neither_answer_nor_set_budgets(self):
        world = self.world
        world.start()
        asks = world.create_done('say One.\nok', budget={'tokens': '100'})[0]
        world.api('POST', f'/tasks/{asks}/input', {'text': 'more'})
        world.wait_state(asks, 'awaiting_approval')
        child = world.request('say Hi.\nok')
        requests = [
            ('POST', '/tasks', {**child, 'budget': {'tokens': '100000000'}}),
            ('POST', f'/tasks/{asks}/input',
             {'text': 'x', 'budget': {'tokens': '100000000'}}),
            ('POST', f'/tasks/{asks}/respond',
             {'id': 'budget-1', 'approval': {'allow': True}}),
            ('POST', '/tasks', child),
        ]
        task = world.create('', env={'ASK': json.dumps(requests),
                                     'TROIKA_CODEX_BIN': self.agent()},
                            budget={'tokens': '1000'},
                            options={'editMode': 'auto_edit'})
        done = world.wait_state(task, 'done')
        said = json.loads(done['result']['text'])
        self.assertEqual([s[0] for s in said], [403, 403, 403, 201], said)
        made = json.loads(said[3][1])
        # A child has what its parent has left, and counts for it.
        self.assertEqual(made['budget']['limits']['tokens'], '1000')
        world.wait_state(made['id'], 'done')
        # The children start children themselves, and each uses 2 tokens.
        wait_for(lambda: int(world.task(task)['budget']['used']['tokens']) > 4,
                 'the children to count')
        self.assertEqual(world.task(asks)['state'], 'awaiting_approval')

    def agent(self):
        from agents import AgentTest
        path = self.world.script(AgentTest.AGENT % {
            'folder': os.path.dirname(os.path.abspath(__file__)),
            'names': list(self.programs), 'home': self.world.home})
        os.chmod(path, 0o755)
        return path
