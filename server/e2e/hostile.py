"""Agents that break the rules of their wires: they hurt only their own tasks."""
import json
import os
import shlex
import sys
import time

from world import WorldTest, wait_for

HERE = os.path.dirname(os.path.abspath(__file__))
WIRES = {'app_server': ('codex', 'TROIKA_CODEX_BIN'),
         'acp': ('gemini', 'TROIKA_GEMINI_BIN')}
SLOWEST = 20  # Seconds until the server must have answered, under ASan.


class HostileTest(WorldTest):
    def begin(self, wire, attack):
        """Starts a task of the agent; returns it and the agent's ears."""
        world = self.world
        name = f'{world.root}/{wire}-{attack}'
        words = [sys.executable, f'{HERE}/hostile_agent.py', wire, attack,
                 f'{name}.heard']
        with open(f'{name}.sh', 'w') as file:
            file.write(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        os.chmod(f'{name}.sh', 0o755)
        harness, variable = WIRES[wire]
        task = world.api('POST', '/tasks', {
            'harness': harness, 'prompt': 'Go.', 'cwd': world.work,
            'env': {**world.env, variable: f'{name}.sh'},
            'options': {'wire': wire, 'editMode': 'ask',
                        **({'skipGitCheck': True} if harness == 'codex'
                           else {})}})['id']
        return task, f'{name}.heard'

    def check_health(self):
        began = time.monotonic()
        self.assertEqual(self.world.ask('GET', '/healthz').status, 200)
        self.assertLess(time.monotonic() - began, SLOWEST)

    def play(self, wire, attack, *states, answer=None):
        """Plays the attack until the task is in one of the states. Afterwards
        what is loaded is what was seen, and the server is as it was."""
        world = self.world
        task, heard = self.begin(wire, attack)

        def ended():
            self.check_health()
            now = world.task(task)
            for asked in now['approvals'] if answer else []:
                world.ask('POST', f'/api/v1/tasks/{task}/respond', {
                    'id': asked['id'], 'approval': answer})
            return now['state'] in states and now
        now = wait_for(ended, f'{attack} on {wire}', 120)
        world.api('POST', f'/tasks/{task}/stop', {})
        world.wait_state(task, 'interrupted', 'done', 'failed')
        seen = world.events(task)
        world.kill()
        os.remove(f'{world.home}/tasks/{task}/events.v1')
        world.start()
        self.assertEqual(world.events(task), seen)
        with open(heard) as file:
            return now, seen, file.read().splitlines()

    def on_both_wires(self, attack, *states, answer=None):
        self.world.start()
        return [self.play(wire, attack, *states, answer=answer)
                for wire in WIRES]

    def test_garbage(self):
        for now, events, _ in self.on_both_wires('garbage', 'idle'):
            self.assertIn(now['outcome'], ('done', 'denied'))
            self.assertTrue([e for e in events if 'parseError' in e])

    def test_replies_that_nobody_reads(self):
        for now, _, _ in self.on_both_wires('unread', 'idle', 'failed'):
            self.assertEqual(now['approvals'], [])

    def test_ids_of_every_type(self):
        for _, _, heard in self.on_both_wires('ids', 'idle'):
            self.assertNotIn('no reply', heard)
            ids = [json.loads(line)['id'] for line in heard
                   if '"error"' in line]
            for number in (1.5, '', 10**30, -1):
                self.assertIn(number, ids)
            self.assertEqual(ids.count(None), 5)

    def test_replies_that_come_twice(self):
        for now, events, _ in self.on_both_wires('twice', 'idle'):
            self.assertEqual(len([e for e in events if 'result' in e]), 1)
            self.assertEqual(len([e for e in events if 'init' in e]), 1)

    def test_ids_that_are_used_again(self):
        for now, events, heard in self.on_both_wires(
                'reused', 'idle', answer={'allow': True}):
            # Each id that is open at one time gets at most one answer.
            allowed = [e['approval'] for e in events
                       if e.get('approval', {}).get('state') == 'allowed' and
                       e['approval']['delivery'] == 'delivered']
            answers = [line for line in heard if '"yes"' in line or
                       '"accept"' in line]
            self.assertGreaterEqual(len(allowed), 1)
            self.assertLessEqual(len(allowed), len(answers))
            self.assertEqual(now['approvals'], [])

    def test_huge_requests(self):
        for _, events, _ in self.on_both_wires(
                'huge', 'idle', answer={'allow': False}):
            denied = [e for e in events
                      if e.get('approval', {}).get('state') == 'denied' and
                      e['approval']['delivery'] == 'delivered']
            self.assertEqual(len(denied), 6)

    def test_more_requests_than_anybody_could_answer(self):
        for now, _, _ in self.on_both_wires('many', 'idle'):
            self.assertEqual(now['approvals'], [])
