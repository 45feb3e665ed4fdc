"""Scenarios of the edit mode ask: nothing happens without an answer."""
import os

from answers import waits
from case import PATIENCE
from scenario import equal, scenario
from trouble import LONG, begin_command
from world import wait_for


def answer(case, task, **approval):
    """Answers the task's only open approval and waits until it is gone."""
    asked = waits(case, task, 'approvals')
    case.ask('POST', f'/tasks/{task}/respond',
             {'id': asked['id'], 'approval': approval})
    wait_for(lambda: asked['id'] not in [
        a['id'] for a in case.task(task)['approvals']], 'the answer', PATIENCE)
    return asked


@scenario('ask: denied and approved, whatever the settings allow')
def ask_decides(case):
    case.play('''
answer
  run touch ${cwd}/first
answer
  run touch ${cwd}/second
answer
  write ${cwd}/third.txt three
answer
  write ${cwd}/fourth.txt four
answer
  say Done.
''')
    case.cli.allow_everything(case.home, case.work)
    task = case.create('Do it.', options={'editMode': 'ask'})
    for allow in (False, True, False, True):
        answer(case, task, allow=allow)
    case.well(task)
    names = ('first', 'second', 'third.txt', 'fourth.txt')
    equal([os.path.exists(f'{case.work}/{name}') for name in names],
          [False, True, False, True], 'the files')
    equal(case.task(task)['result']['text'], 'Done.', 'the answer')


@scenario('ask: interrupted in an approved command')
def ask_interrupted(case):
    case.play(f'''
answer
  run {LONG}
answer maybe
  say Back again.
''')
    task = case.create('Wait.', options={'editMode': 'ask'})
    answer(case, task, allow=True)
    begin_command(case, task)
    case.ask('POST', f'/tasks/{task}/interrupt')
    case.wait(task, 'idle', 'interrupted')
    wait_for(lambda: not case.running('43210'), 'the command to end')


@scenario('ask: interrupted while it asks')
def ask_interrupted_asking(case):
    case.play('''
answer
  run touch ${cwd}/first
answer maybe
  say Back again.
''')
    task = case.create('Touch it.', options={'editMode': 'ask'})
    waits(case, task, 'approvals')
    case.ask('POST', f'/tasks/{task}/interrupt')
    now = case.wait(task, 'idle', 'interrupted')
    equal(now['approvals'], [], 'what waits')
    equal(os.path.exists(f'{case.work}/first'), False, 'the file')
