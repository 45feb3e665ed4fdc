"""Agents that print much: tiny lines, and texts that are cut in events."""
import os
import random
import time
import unittest

from world import WorldTest

TURN = '''
say({'type': 'turn.completed', 'usage': {'input_tokens': 1,
     'cached_input_tokens': 0, 'output_tokens': 1}})
'''

AGENT = '''#!/usr/bin/env python3
import json, os, subprocess, sys
if '--version' in sys.argv:
    print('codex-cli 0.166.0'); sys.exit()
sys.stdin.read()
def say(line):
    sys.stdout.write(json.dumps(line) + '\\n'); sys.stdout.flush()
say({'type': 'thread.started', 'thread_id': 't'})
say({'type': 'turn.started'})
%s
''' + TURN


class FloodTest(WorldTest):
    def setUp(self):
        super().setUp()
        self.world.start()

    def run_agent(self, body):
        agent = self.world.script(AGENT % body)
        os.chmod(agent, 0o755)
        task = self.world.create('', env={'TROIKA_CODEX_BIN': agent})
        self.world.wait_state(task, 'done')
        return task

    def size(self, task, name):
        return os.path.getsize(f'{self.world.home}/tasks/{task}/{name}')

    def check_flood(self, body, printed, lines):
        """`lines` of them hold the `printed` bytes."""
        task = self.run_agent(body)
        log, events = self.size(task, 'log.v1'), self.size(task, 'events.v1')
        print(f'  {printed} bytes: log {log / printed:.2f} times, events '
              f'{events / printed:.2f} times')
        self.assertLess(log, 3 * printed + 10000)
        self.assertLess(events, 4 * printed + 10000)
        all_events = self.world.events(task)
        raws = [e for e in all_events if 'raw' in e]
        # A few lines that came by themselves have events of their own.
        alone = sum('parseError' in e for e in all_events)
        texts = [e['raw']['line'].split('\n') for e in raws]
        self.assertEqual(sum(len(t) for t in texts) + alone, lines)
        self.assertFalse(any('cut' in e for e in raws))
        # Each line is a record of its own.
        event = max(raws, key=lambda e: e['raw'].get('lines', 1))
        first, last = int(event['raw']['firstRecord']), int(event['id'][:-2])
        self.assertEqual(last - first + 1, event['raw']['lines'])
        for record in (first, (first + last) // 2, last):
            raw = self.world.api('GET', f'/tasks/{task}/raw/{record}')
            self.assertEqual(
                raw['text'], event['raw']['line'].split('\n')[record - first])

    def test_tiny_lines_cost_little(self):
        self.check_flood("os.system('yes 2>/dev/null | head -c 2000000')", 2000000, 1000000)

    def test_tiny_lines_of_stderr(self):
        self.check_flood("os.system('yes 2>/dev/null | head -c 400000 >&2')",
                         400000, 200000)

    def test_a_write_for_each_line(self):
        self.check_flood('''
for i in range(30000):
    os.write(1, b'y\\n'); os.write(2, b'e\\n')
''', 120000, 60000)

    def test_numbers_and_braces_are_no_messages(self):
        self.check_flood("os.system('yes { 2>/dev/null | head -c 200000; "
                         "yes 7 2>/dev/null | head -c 200000')", 400000, 200000)

    def test_events_that_are_cut_are_found_at_once(self):
        count = 200
        task = self.run_agent(f'''
for i in range({count}):
    say({{'type': 'item.completed', 'item': {{'id': f'item_{{i}}',
         'type': 'agent_message', 'text': f'{{i}} ' + 'x' * 40000}}}})
''')
        texts = [e for e in self.world.events(task) if 'text' in e]
        self.assertEqual(len(texts), count)
        self.assertTrue(all('cut' in e for e in texts))
        order = list(range(count))
        random.Random(1).shuffle(order)
        start = time.time()
        for i in order:
            whole = self.world.api(
                'GET', f'/tasks/{task}/events/{texts[i]["id"]}')
            self.assertEqual(whole['text']['text'], f'{i} ' + 'x' * 40000)
        print(f'  {count} whole events in {time.time() - start:.2f} s')
        # Without the cache they come from the log.
        folder = f'{self.world.home}/tasks/{task}'
        os.remove(f'{folder}/whole.v1')
        whole = self.world.api('GET', f'/tasks/{task}/events/{texts[7]["id"]}')
        self.assertEqual(whole['text']['text'], '7 ' + 'x' * 40000)


if __name__ == '__main__':
    unittest.main()
