"""Scenarios with errors of the model, interrupts and a killed CLI."""
import os
import signal
import time

from case import PATIENCE
from scenario import equal, holds, scenario
from world import wait_for

# Claude Code refuses a bare `sleep`.
LONG = 'python3 -c "import time; time.sleep(43210)"'


@scenario('an error of the model')
def model_error(case):
    case.play('answer always\n  status 400\n', quick=False)
    task = case.run('Hello.', code=1)
    now = case.wait(task, 'failed', 'idle')
    equal(now['result']['isError'], True, 'the error flag')
    holds(now['result']['error'], 'scripted error', 'the error')


@scenario('an error of the model that passes')
def retry(case):
    case.play('''
answer
  status 500
answer
  say Here I am again.
''')
    task = case.run('Hello.')
    equal(case.well(task)['result']['text'], 'Here I am again.', 'the answer')


@scenario('a stream that breaks off')
def dropped_stream(case):
    case.play('''
answer
  say I am about to
  drop
answer always
  say Here I am again.
''')
    task = case.create('Hello.')
    case.wait(task, 'idle', 'done', 'failed')
    return ('told' if case.task(task)['result']['isError'] else
            'tried again' if 'again' in case.task(task)['result']['text']
            else 'taken as it is')


def begin_command(case, task):
    wait_for(lambda: case.only(task, 'toolUse'), 'the command', PATIENCE)
    wait_for(lambda: case.running('43210'), 'the command', PATIENCE)


def check_interrupted(case, task):
    """Checks for an interrupted turn, whether or not its process goes on."""
    now = case.wait(task, 'interrupted', 'idle')
    wait_for(lambda: not case.running('43210'), 'the command to end')
    return now


@scenario('interrupted in a command')
def interrupt_command(case):
    case.play(f'answer\n  run {LONG}\nanswer maybe\n  say Stopped.\n',
              quick=False)
    task = case.create('Wait.', options={'editMode': 'dangerous'})
    begin_command(case, task)
    case.ask('POST', f'/tasks/{task}/interrupt')
    check_interrupted(case, task)
    (_, result), = case.tool_results(task, 'Bash')
    if not (result['isError'] or result['synthetic']):
        raise AssertionError(f'the command went well: {result}')


@scenario('interrupted in an answer')
def interrupt_answer(case):
    case.play('answer\n  say I begin\n  stall\n', quick=False)
    task = case.create('Talk.')
    wait_for(lambda: case.model.noted('stalled'), 'the answer', PATIENCE)
    case.ask('POST', f'/tasks/{task}/interrupt')
    check_interrupted(case, task)


@scenario('interrupted before its turn begins')
def interrupt_early(case):
    """The CLI reads the prompt and the interrupt at once."""
    case.play('''
answer
  say First.
answer maybe
  say I begin
  stall
''', quick=False)
    task = case.create('Talk.', options={
        'interactive': True} if case.capabilities()['interrupt'] else {})
    case.well(task)
    case.send(task, 'Go on.')
    case.ask('POST', f'/tasks/{task}/interrupt')
    began = time.monotonic()
    now = case.wait(task, 'interrupted', 'idle', 'done', turns=2)
    # A prompt that waits for the next process is taken back.
    if now['inputs'][-1]['state'] != 'withdrawn':
        equal(now['outcome'], 'interrupted', 'the outcome')
    # A process that does not end its turn is ended after 10 s.
    if time.monotonic() - began > 8:
        raise AssertionError('the interrupt did not reach the agent')


@scenario('interrupted by Ctrl-C')
def ctrl_c(case):
    case.play(f'answer\n  run {LONG}\nanswer maybe\n  say Stopped.\n',
              quick=False)
    process = case.troika('run', case.cli.harness, '--json', '--model',
                          case.cli.model, '--edit-mode', 'dangerous', 'Wait.')
    wait_for(lambda: case.running('43210'), 'the command', PATIENCE)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE)
    task = case.ran(process.returncode, output, errors, 130)
    check_interrupted(case, task)


@scenario('a prompt after an interrupt')
def after_interrupt(case):
    case.play('''
answer
  say I begin
  stall
answer
  expect prompt Go on.
  say Gone on.
''', quick=False)
    # On the wire that can end a turn alone, if the version has one.
    task = case.create('Talk.', options={
        'interactive': True} if case.capabilities()['interrupt'] else {})
    wait_for(lambda: case.model.noted('stalled'), 'the answer', PATIENCE)
    case.ask('POST', f'/tasks/{task}/interrupt')
    check_interrupted(case, task)
    case.send(task, 'Go on.')
    equal(case.well(task, turns=2)['result']['text'], 'Gone on.',
          'the answer')
    equal(case.processes(task) == 1, case.capabilities()['interrupt'],
          'in the same process')
    return case.remembers('Talk.')


@scenario('the CLI is killed')
def killed(case):
    case.play(f'answer\n  run {LONG}\n', quick=False)
    task = case.create('Wait.', options={'editMode': 'dangerous'})
    begin_command(case, task)
    # The process that Troika started; it may have children.
    spawned = [p for p in case.running(os.path.basename(case.cli.program))
               if 'troika-relay' not in p.arguments[0]]
    os.kill(spawned[0].pid, signal.SIGKILL)
    now = case.wait(task, 'failed')
    equal(now.get('signal'), signal.SIGKILL, 'the signal')
    (_, result), = case.tool_results(task, 'Bash')
    equal(result['synthetic'], True, 'the result')
    holds(now['reason'], 'signal 9', 'what is told')
