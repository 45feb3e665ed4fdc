"""Scenarios in edit mode ask: approvals, steering, interrupts."""
import os

from case import PATIENCE
from answers import waits
from asked import PNG, say_hello
from scenario import equal, holds, scenario
from trouble import LONG, begin_command
from world import wait_for

ASK = {'editMode': 'ask'}


def respond(case, task, **answer):
    """Answers the task's only approval and waits until that is known."""
    asked = waits(case, task, 'approvals')
    case.ask('POST', f'/tasks/{task}/respond',
             {'id': asked['id'], 'approval': answer})
    wait_for(lambda: asked['id'] not in [
        a['id'] for a in case.task(task)['approvals']], 'the answer', PATIENCE)
    return asked


def answered(case, task):
    return [a['state'] for a in case.only(task, 'approval')
            if a['state'] != 'asked' and a['delivery'] == 'delivered']


@scenario('edit mode ask: approved, and denied with a reason', sandboxed=True)
def ask_approval(case):
    case.play('''
answer
  run touch ${cwd}/first
answer
  run touch ${cwd}/second
answer
  say Thank you.
answer maybe
  say I understand.
''')
    task = case.create('Touch them.', options=ASK)
    holds(respond(case, task, allow=True)['command'], 'first', 'the command')
    respond(case, task, allow=False, reason='one is enough')
    case.well(task)
    found = [os.path.exists(f'{case.work}/{n}') for n in ('first', 'second')]
    equal(found, [True, False], 'the files')
    equal(answered(case, task), ['allowed', 'denied'], 'the answers')


@scenario('edit mode ask: an edit', sandboxed=True)
def ask_edit(case):
    case.play('''
answer
  write made by an edit\\n
answer
  say Written.
''')
    task = case.create('Write it.', options=ASK)
    asked = respond(case, task, allow=True)
    case.well(task)
    equal(case.read('made'), 'by an edit\n', 'the file')
    return 'diff' if 'by an edit' in asked['diff'] else 'yes'


@scenario('edit mode ask: an image')
def ask_image(case):
    case.write('dot.png', PNG, mode='wb')
    case.play(say_hello('expect image image/png'))
    task = case.run('What is this?', '--image', 'dot.png', '--edit-mode', 'ask')
    equal(case.well(task)['result']['text'], 'Hello.', 'the answer')


@scenario('edit mode ask: steered', sandboxed=True)
def ask_steer(case):
    case.play('''
answer
  run touch ${cwd}/first
answer
  say Left it is.
answer maybe
  say Left once more.
''')
    task = case.create('Touch it.', options=ASK)
    waits(case, task, 'approvals')
    case.send(task, 'Please go left.')
    case.steers += case.capabilities()['steer']
    respond(case, task, allow=True)
    case.well(task, turns=2)
    return case.remembers('Please go left.')


@scenario('edit mode ask: interrupted in a command', sandboxed=True)
def ask_interrupt(case):
    case.play(f'''
answer
  run {LONG}
answer
  say Here I am.
''')
    task = case.create('Wait.', options=ASK)
    respond(case, task, allow=True)
    begin_command(case, task)
    case.ask('POST', f'/tasks/{task}/interrupt')
    case.wait(task, 'idle', 'interrupted')
    wait_for(lambda: not case.running('43210'), 'the command to end', PATIENCE)
    case.send(task, 'Hello?')
    equal(case.well(task, turns=2)['result']['text'], 'Here I am.',
          'the next answer')


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
    task = case.create('Do it.', options=ASK)
    for allow in (False, True, False, True):
        respond(case, task, allow=allow)
    case.well(task)
    names = ('first', 'second', 'third.txt', 'fourth.txt')
    equal([os.path.exists(f'{case.work}/{name}') for name in names],
          [False, True, False, True], 'the files')
    equal(case.task(task)['result']['text'], 'Done.', 'the answer')


@scenario('a steer moves it to a wire that takes one')
def steer_moves(case):
    if case.cli.talks or not case.capabilities()['steer']:
        return 'no'
    case.play(f'''
answer
  run {LONG}
answer
  expect history Wait.
  expect prompt Please go left.
  say I go left.
''', quick=False)
    task = case.create('Wait.', options={'editMode': 'dangerous'})
    begin_command(case, task)
    equal(case.task(task)['wire'], 'exec', 'the first wire')
    case.ask('POST', f'/tasks/{task}/input',
             {'text': 'Please go left.', 'mode': 'steer'})
    now = case.well(task, turns=2)
    equal(now['result']['text'], 'I go left.', 'the answer')
    equal(now['wire'], 'app_server', 'the wire')
    wait_for(lambda: not case.running('43210'), 'the command to end', PATIENCE)
