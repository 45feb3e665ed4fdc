"""Approvals and questions: answered once, over restarts, in time or not."""
import threading

from world import WorldTest, wait_for

ASK = 'ask Bash {"command":"make"}\nsay Made.\nok'


class ApprovalsTest(WorldTest):
    def ask_claude(self, script=ASK, **fields):
        task = self.world.create(script, harness='claude', **fields)
        return self.world.wait_state(task, 'awaiting_approval')

    def respond(self, task, approval, **fields):
        return self.world.ask(
            'POST', f'/api/v1/tasks/{task["id"]}/respond',
            {'id': task['approvals'][0]['id'], 'approval': approval, **fields})

    def events(self, task, name):
        return [e[name] for e in self.world.events(task['id']) if name in e]

    def test_one_of_many_answers_wins(self):
        self.world.start()
        task = self.ask_claude()
        replies = [None] * 8

        def answer(i):
            choice = 'approve' if i % 2 else 'deny'
            replies[i] = self.respond(
                task, {'choice': choice, 'reason': '' if i % 2 else f'no {i}'},
                via='page' if i % 2 else 'mcp')

        threads = [threading.Thread(target=answer, args=(i,))
                   for i in range(len(replies))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        won = [r for r in replies if r.status == 200]
        self.assertEqual(len(won), 1, [r.json for r in replies])
        done = self.world.wait_state(task['id'], 'idle', 'done')
        answered = done['answered'][0]
        self.assertEqual(answered['delivery'], 'delivered')
        for reply in replies:
            if reply.status == 200:
                continue
            self.assertEqual(reply.status, 409)
            told = reply.json['answered']
            for field in ('id', 'choice', 'text', 'by', 'via'):
                self.assertEqual(told[field], answered[field])
            self.assertIn(f'by user ({answered["via"]}): {answered["choice"]}',
                          reply.json['message'])
        states = [(a['state'], a['delivery'])
                  for a in self.events(task, 'approval')]
        decided = 'allowed' if answered['choice'] == 'approve' else 'denied'
        self.assertEqual(states, [('asked', 'unanswered'),
                                  (decided, 'accepted'),
                                  (decided, 'delivered')])

    def test_choices(self):
        self.world.start()
        task = self.ask_claude()
        self.assertEqual(task['approvals'][0]['kind'], 'command_line')
        self.assertEqual(task['approvals'][0]['command'], 'make')
        self.assertEqual(
            task['approvals'][0]['choices'],
            ['approve', 'approve_for_session', 'deny', 'cancel'])
        refused = self.respond(task, {'choice': 'maybe'})
        self.assertEqual(refused.status, 400)
        self.assertIn('it offers approve, approve_for_session, deny, cancel',
                      refused.json['message'])
        self.assertEqual(
            self.respond(task, {'allow': True, 'choice': 'deny'}).status, 400)
        self.assertEqual(
            self.respond(task, {'allow': True}, via='pigeon').status, 400)
        unknown = self.world.ask(
            'POST', f'/api/v1/tasks/{task["id"]}/respond',
            {'id': 'none', 'approval': {'allow': True}})
        self.assertEqual(unknown.status, 404)
        taken = self.respond(task, {'choice': 'approve_for_session'})
        self.assertEqual(taken.status, 200, taken.json)
        done = self.world.wait_state(task['id'], 'idle', 'done')
        self.assertEqual(done['result']['text'], 'Made.')
        self.assertEqual(done['answered'][0]['choice'], 'approve_for_session')
        self.assertEqual(done['answered'][0]['via'], 'api')

    def test_answers_over_a_restart(self):
        world = self.world
        world.start()
        task = self.ask_claude()
        world.kill()
        world.start()
        again = world.wait_state(task['id'], 'awaiting_approval')
        self.assertEqual(again['approvals'][0]['choices'],
                         task['approvals'][0]['choices'])
        taken = self.respond(again, {'allow': False, 'reason': 'not today'})
        self.assertEqual(taken.status, 200, taken.json)
        # Whether the agent has heard it or not.
        world.kill()
        world.start()
        done = world.wait_state(task['id'], 'idle', 'done')
        self.assertEqual(done['result']['text'],
                         'I may not use Bash: not today')
        self.assertEqual(self.respond(task, {'allow': True}).status, 409)
        self.assertEqual(len(self.events(task, 'approval')), 3)

    def test_timeouts_deny(self):
        world = self.world
        world.start('--approval-timeout', '300ms')
        task = world.create(ASK, harness='claude')
        done = world.wait_state(task, 'idle', 'done')
        self.assertEqual(done['result']['text'],
                         'I may not use Bash: nobody answered within 300ms')
        self.assertEqual(done['answered'][0]['by'], 'timeout')
        self.assertEqual(done['timeouts']['approval'], '0.300s')
        patient = self.ask_claude(timeouts={'approval': '3600s'})
        self.assertEqual(patient['timeouts']['approval'], '3600s')
        self.assertEqual(self.respond(patient, {'allow': True}).status, 200)
        world.wait_state(patient['id'], 'idle', 'done')

    def test_oldest_first(self):
        world = self.world
        world.start()
        ask = ('print {"type":"control_request","request_id":"%s","request":'
               '{"subtype":"can_use_tool","tool_name":"Bash","input":'
               '{"command":"%s"}}}\n')
        task = self.ask_claude(ask % ('z', 'first') + ask % ('a', 'second') +
                               'expect "command":"first"\n'
                               'expect "message":"no"\nsay Both.\nok')
        wait_for(lambda: len(world.task(task['id'])['approvals']) == 2,
                 'both approvals')
        self.assertEqual(
            [a['id'] for a in world.task(task['id'])['approvals']], ['z', 'a'])
        shown = world.troika('respond', task['id'], '--allow')
        self.assertIn('first', shown.stderr)
        denied = world.troika('respond', task['id'], '--choice', 'deny',
                              '--reason', 'no')
        self.assertEqual(denied.returncode, 0, denied.stderr)
        done = world.wait_state(task['id'], 'idle', 'done')
        self.assertEqual(done['result']['text'], 'Both.')
        self.assertEqual([a['via'] for a in done['answered']],
                         ['terminal', 'terminal'])
