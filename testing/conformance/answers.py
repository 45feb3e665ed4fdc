"""Scenarios in which agents ask their users."""
import os

from case import PATIENCE, Refused
from scenario import equal, holds, scenario
from world import wait_for


def waits(case, task, what):
    """Waits for the task's only open request and returns it."""
    one, = wait_for(lambda: case.task(task)[what], what, PATIENCE)
    return one


def asks_nothing(case):
    """The agent does without approval, and the server refuses an answer."""
    case.play('''
answer
  run touch ${cwd}/first
answer
  say I did what I could.
''')
    task = case.create('Touch it.', options={'editMode': 'auto_edit'})
    case.well(task)
    equal(case.only(task, 'approval'), [], 'what it asked')
    try:
        case.ask('POST', f'/tasks/{task}/respond',
                 {'id': 'any', 'approval': {'allow': True}})
    except Refused as refused:
        holds(str(refused), 'nothing waits for an answer', 'the error')
        return 'no'
    raise AssertionError('an answer to nothing was taken')


@scenario('a permission that is asked for')
def approval(case):
    if not case.capabilities()['approvals']:
        return asks_nothing(case)
    case.play('''
answer
  run touch ${cwd}/first
answer
  run touch ${cwd}/second
answer
  say Thank you.
''')
    # Gemini CLI asks only in this mode, or if somebody talks to it.
    task = case.create('Touch them.', options={
        'editMode': 'ask'} if 'ask' in case.edit_modes() else {
        'approvalPolicy': 'default'})
    for allow in (False, True):
        asked = waits(case, task, 'approvals')
        equal(asked['toolName'], 'Bash', 'the tool')
        case.ask('POST', f'/tasks/{task}/respond', {
            'id': asked['id'], 'approval': {'allow': allow}})
        wait_for(lambda i=asked['id']: i not in [
            a['id'] for a in case.task(task)['approvals']], 'the answer')
    case.well(task)
    found = [os.path.exists(f'{case.work}/{n}') for n in ('first', 'second')]
    equal(found, [False, True], 'the files')


@scenario('a question')
def question(case):
    if not case.capabilities()['questions']:
        # The tool may still be offered, but then it asks nobody.
        case.play('''
answer
  ask Which colour? | Red | Blue
answer
  say Any will do.
''')
        task = case.create('Paint it.')
        case.well(task)
        equal(case.only(task, 'question'), [], 'what it asked')
        return 'no'
    case.play('''
answer
  ask Which colour? | Red | Blue
answer
  expect result Blue
  say Blue it is.
''')
    task = case.create('Paint it.')
    asked = waits(case, task, 'questions')
    equal(asked['items'][0]['options'], ['Red', 'Blue'], 'the options')
    case.ask('POST', f'/tasks/{task}/respond', {
        'id': asked['id'],
        'question': {'items': [{'answers': ['Blue']}]}})
    equal(case.well(task)['result']['text'], 'Blue it is.', 'the answer')
