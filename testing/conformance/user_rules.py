"""Scenarios in which rules answer for the user (docs/policy.md)."""
import os

from case import PATIENCE
from scenario import equal, holds, scenario
from world import wait_for

RULES = '''
prefix_rule(pattern = ["touch"])
prefix_rule(pattern = ["rm"], decision = "forbidden",
            justification = "files stay here")
'''
# A wire that tells the reason of a denial by a prompt may have the model asked
# again, and drop the answer that it was about to give.
END = 'answer maybe\n  say Done.\n' * 6


def play(case, script):
    """Starts a task with the rules; returns None if its CLI can't ask."""
    if 'ask' not in case.edit_modes():
        return None
    case.write('my.rules', RULES)
    case.write('kept', '')
    case.play(script + END)
    return case.create('Do it.', options={'editMode': 'ask'},
                       policy=['my.rules'], requirePolicy=True)


def left_to_a_person(case, task):
    """Waits for an approval that the rules do not answer."""
    return wait_for(lambda: next((a for a in case.task(task)['approvals']
                                  if a['explanation']), None),
                    'an approval for a person', PATIENCE)


def allow(case, task, asked):
    case.ask('POST', f'/tasks/{task}/respond', {
        'id': asked['id'], 'approval': {'allow': True}})
    wait_for(lambda: asked['id'] not in [
        a['id'] for a in case.task(task)['approvals']], 'the answer')


def decisions(case, task):
    return case.server.api('GET', f'/tasks/{task}/decisions')['decisions']


def check_denied(case, task):
    """The last decision is a denial, whose reason the agent gets."""
    wait_for(lambda: 'files stay here' in str(case.model.requests()),
             'the reason', PATIENCE)
    case.well(task)
    denied = decisions(case, task)[-1]
    equal((denied['by'], denied['choice']), ('rule', 'deny'), 'who decided')
    equal(denied['text'], 'files stay here', 'the reason')
    holds(denied['rules'][0]['file'], 'my.rules', 'the rule')
    equal(os.path.exists(f'{case.work}/kept'), True, 'the file that stays')


@scenario('rules that answer for the user')
def rules(case):
    task = play(case, '''
answer
  run touch ${cwd}/allowed
answer
  run mkdir ${cwd}/unknown
answer
  run rm ${cwd}/kept
''')
    if task is None:
        return 'no'
    asked = left_to_a_person(case, task)
    inexact = 'mkdir' not in asked['command']
    if inexact:
        # It does not tell exactly what would run, so rules only deny.
        equal(asked['exact'], False, 'whether it tells the whole command')
        allow(case, task, asked)
        asked = left_to_a_person(case, task)
    allow(case, task, asked)
    check_denied(case, task)
    by = [(d['by'], d['choice']) for d in decisions(case, task)]
    equal(by[:2], [('user' if inexact else 'rule', 'approve'),
                   ('user', 'approve')], 'who decided')
    found = [os.path.exists(f'{case.work}/{name}')
             for name in ('allowed', 'unknown')]
    equal(found, [True, True], 'the files')
    return 'denies' if inexact else 'yes'


@scenario('a compound of what rules allow and forbid')
def compound(case):
    task = play(case, '''
answer
  run touch ${cwd}/both && rm ${cwd}/kept
''')
    if task is None:
        return 'no'
    check_denied(case, task)
    equal(os.path.exists(f'{case.work}/both'), False, 'the other file')
