#!/usr/bin/env python3
"""Tests what needs no CLI in a conformance run: rules, table, record."""
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, '..', '..', 'server', 'e2e')]

import modes  # noqa: E402
import record  # noqa: E402
import rules  # noqa: E402
import scenario  # noqa: E402
import schemas  # noqa: E402
import table  # noqa: E402
from run import Run  # noqa: E402


COUNT_TESTS = os.path.join(HERE, '..', '..', 'tools', 'count_tests.py')


def event(number, **payload):
    return {'id': f'{number}.0', **payload}


def use(number, name='a'):
    return event(number, toolUse={'id': name})


def result_of(number, name='a'):
    return event(number, toolResult={'toolUseId': name})


END = {'result': {'isError': False}}


class SchemasTest(unittest.TestCase):
    ROOT = {
        'type': 'object', 'required': ['kind'],
        'properties': {
            'kind': {'enum': ['a', 'b']},
            'list': {'type': 'array', 'items': {'$ref': '#/definitions/N'}},
            'maybe': {'anyOf': [{'type': 'string'}, {'type': 'null'}]},
        },
        'definitions': {'N': {'type': ['integer', 'null']}},
    }

    def test_samples_are_valid(self):
        self.assertEqual(schemas.sample(self.ROOT, self.ROOT, False),
                         {'kind': 'a'})
        whole = schemas.sample(self.ROOT, self.ROOT, True)
        self.assertEqual(whole, {'kind': 'a', 'list': [1], 'maybe': 'text'})
        self.assertEqual(schemas.faults(whole, self.ROOT, self.ROOT), [])

    def test_what_is_wrong_is_told(self):
        for value, wrong in (
                ({}, 'kind is missing'),
                ({'kind': 'c'}, "none of ['a', 'b']"),
                ({'kind': 'a', 'list': [True]}, 'list[0] is True'),
                ({'kind': 'a', 'maybe': 7}, 'no variant of anyOf'),
                ([], 'no object')):
            found = schemas.faults(value, self.ROOT, self.ROOT)
            self.assertIn(wrong, '\n'.join(found))


class RulesTest(unittest.TestCase):
    def test_a_good_stream(self):
        self.assertEqual(
            rules.check([use(1), result_of(2), event(3, **END)], 1), [])
        late = event(3, raw={'type': 'item.completed', 'reason': rules.LATE})
        self.assertEqual(rules.check(
            [use(1), result_of(2), late, event(4, **END)], 1), [])

    def test_what_is_wrong_is_told(self):
        for events, turns, wrong in (
                ([use(1), event(3, **END)], 1, 'no result of'),
                ([use(1), result_of(2), result_of(3), event(4, **END)], 1,
                 'two results of a'),
                ([result_of(1), event(2, **END)], 1, 'was not used'),
                ([use(1), use(2), result_of(3), event(4, **END)], 1,
                 'comes twice'),
                ([event(2, **END), use(1), result_of(3)], 1, 'not in order'),
                ([], 1, '1 turns have 0 results'),
                ([event(1, **END), event(2, **END)], 1, 'have 2 results'),
                ([event(1, parseError={}), event(2, **END)], 1, 'be read'),
                ([event(1, raw={'type': 'new'}), event(2, **END)], 1,
                 'not known')):
            self.assertIn(wrong, '\n'.join(rules.check(events, turns)))

    def test_a_background_command_may_bring_a_turn(self):
        notice = event(2, notice={'kind': 'background_task',
                                  'text': 'notification: stopped: x'})
        self.assertEqual(rules.check(
            [event(1, **END), notice, event(3, **END)], 1), [])

    def test_tokens_add_up(self):
        def usage(turn, total):
            def counts(n):
                return {'inputTokens': n, 'cachedInputTokens': 0,
                        'outputTokens': n}
            return {'result': {'usage': {'turn': counts(turn),
                                         'total': counts(total)}}}
        good = [event(1, **usage(1, 1)), event(2, **usage(2, 3))]
        self.assertEqual(rules.check(good, 2), [])
        bad = [event(1, **usage(1, 1)), event(2, **usage(2, 2))]
        self.assertIn('inputTokens', rules.check(bad, 2)[0])


class TableTest(unittest.TestCase):
    def setUp(self):
        handle, self.path = tempfile.mkstemp()
        os.close(handle)
        self.addCleanup(os.remove, self.path)
        feature = scenario.Scenario('speech', 'a speech', 'features', None)
        self.addCleanup(scenario.ALL.remove, feature)
        scenario.ALL.append(feature)

    def test_what_is_written_is_read(self):
        found = {('codex', '0.9.0', 'speech'): 'no code',
                 ('codex', '0.10.0', 'speech'): 'yes'}
        for version in ('0.9.0', '0.10.0'):
            for words in ('no no no no no', 'yes asks no yes no'):
                for scene in table.scenes(modes.GROUP):
                    found[('codex', version, scene.name)] = words
                table.update(self.path, found)
                self.assertEqual(table.differences(self.path, found), [])
        with open(self.path) as file:
            self.assertIn('| feature | 0.9.0 | 0.10.0 |\n', file.read())

    def test_differences_are_told(self):
        key = ('gemini', '1.0.0', 'speech')
        table.update(self.path, {key: 'yes'})
        line, = table.differences(self.path, {key: 'no'})
        self.assertIn('speech: "no", and', line)
        # A version without a column, and a scenario that is not in the table.
        newer = ('gemini', '1.1.0', 'speech')
        self.assertEqual(table.differences(self.path, {newer: 'yes'}), [])
        self.assertEqual(
            len(table.differences(self.path, {newer: 'no'})), 1)
        self.assertEqual(len(table.differences(
            self.path, {('codex', '1.0.0', 'speech'): 'yes'})), 1)

    def test_others_stay_as_they_are(self):
        one, other = ('codex', '1.0.0', 'speech'), ('codex', '1.1.0', 'speech')
        table.update(self.path, {one: 'yes'})
        table.update(self.path, {other: 'no'})
        written = table.read(self.path)
        self.assertEqual((written[one], written[other]), ('yes', 'no'))


class SandboxTest(unittest.TestCase):
    def test_without_a_sandbox_its_scenarios_are_skipped(self):
        flags = types.SimpleNamespace(programs=[], only='', keep=False)
        with tempfile.TemporaryDirectory() as cache, \
                unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=cache):
            run = Run(flags)
            self.addCleanup(run.close)
            every = run.playable('codex 1.0.0', '')
            self.assertEqual((len(every), run.skipped),
                             (len(scenario.ALL), []))
            names = [s.name for s in run.playable('codex 1.0.0', 'no bwrap')]
        self.assertIn('dangerous', names)
        self.assertNotIn('full_auto', names)
        self.assertEqual(len(names) + len(run.skipped), len(every))
        self.assertIn('codex 1.0.0 full_auto: no bwrap', run.skipped)


class RecordTest(unittest.TestCase):
    def test_nothing_of_this_machine_is_left(self):
        text = json.dumps({
            'cwd': '/some/where', 'id': '0a384ffb-c529-4756-97b9-153486ebf2ca',
            'at': '2026-11-16T14:29:49.545487Z'})
        kept = record.scrub(text, [('/some/where', '/workspace')])
        for word in ('/some/where', '0a384ffb', '14:29'):
            self.assertNotIn(word, kept)
        self.assertEqual(json.loads(kept)['cwd'], '/workspace')


class CountTest(unittest.TestCase):
    def count(self, report):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'conformance')
            if report is not None:
                with open(path, 'w') as file:
                    json.dump(report, file)
            run = subprocess.run(
                [sys.executable, COUNT_TESTS, path],
                capture_output=True, text=True)
        return run.returncode, run.stdout.splitlines()[-1]

    def test_skipped_cases_are_listed_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            xml = os.path.join(folder, 'test.xml')
            with open(xml, 'w') as file:
                file.write(
                    '<testsuites><testsuite><testcase name="a" classname="T" '
                    'status="run"/><testcase name="b" classname="T" '
                    'status="run"><skipped message="x.cc:7&#x0A;no disk '
                    'here&#x0A;"/></testcase></testsuite></testsuites>')
            report = os.path.join(folder, 'static')
            with open(report, 'w') as file:
                for event in (
                        {'id': {'testResult': {'label': '//t'}},
                         'testResult': {'status': 'PASSED', 'testActionOutput': [
                             {'name': 'test.xml', 'uri': f'file://{xml}'}]}},
                        {'id': {'buildFinished': {}},
                         'finished': {'overallSuccess': True}}):
                    file.write(json.dumps(event) + '\n')
            run = subprocess.run(
                [sys.executable, COUNT_TESTS, report], capture_output=True,
                text=True)
        self.assertEqual(run.stdout.splitlines(), [
            'SKIPPED static: //t T.b: no disk here',
            '1 passed, 0 failed, 1 skipped'])

    def attempts(self, *outcomes):
        """Counts a test that ran once for each outcome."""
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, 'asan')
            with open(report, 'w') as file:
                for number, outcome in enumerate(outcomes, 1):
                    xml = os.path.join(folder, f'{number}.xml')
                    failure = '' if outcome == 'PASSED' else '<failure/>'
                    with open(xml, 'w') as cases:
                        cases.write('<testsuite><testcase name="a" '
                                    f'classname="T">{failure}</testcase>'
                                    '</testsuite>')
                    file.write(json.dumps({
                        'id': {'testResult': {'label': '//t', 'run': 1,
                                              'shard': 1, 'attempt': number}},
                        'testResult': {'status': outcome, 'testActionOutput': [
                            {'name': 'test.xml', 'uri': f'file://{xml}'}]},
                    }) + '\n')
                file.write(json.dumps({
                    'id': {'buildFinished': {}}, 'finished': {
                        'overallSuccess': outcomes[-1] == 'PASSED'}}) + '\n')
            return subprocess.run(
                [sys.executable, COUNT_TESTS, report], capture_output=True,
                text=True).stdout.splitlines()

    def test_the_last_attempt_counts(self):
        self.assertEqual(self.attempts('FAILED', 'PASSED'), [
            'FLAKY asan: //t: T.a passed only when it ran again',
            '1 passed, 0 failed, 0 skipped'])
        self.assertEqual(self.attempts('FAILED', 'FAILED'), [
            'FAILED asan: //t T.a', '0 passed, 1 failed, 0 skipped'])

    def test_a_run_that_did_nothing_has_failed(self):
        self.assertEqual(self.count(None), (1, '0 passed, 1 failed, 0 skipped'))
        self.assertEqual(
            self.count({'passed': [], 'failed': [], 'skipped': ['a']}),
            (1, '0 passed, 1 failed, 1 skipped'))
        self.assertEqual(
            self.count({'passed': ['a'], 'failed': ['b'], 'skipped': []}),
            (1, '1 passed, 1 failed, 0 skipped'))
        self.assertEqual(
            self.count({'passed': ['a'], 'failed': [], 'skipped': []}),
            (0, '1 passed, 0 failed, 0 skipped'))


if __name__ == '__main__':
    unittest.main()
