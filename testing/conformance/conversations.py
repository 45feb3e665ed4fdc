"""Scenarios in which people answer, refuse and change what an agent does."""
import os
import threading

from answers import waits
from case import PATIENCE
from scenario import equal, holds, scenario
from world import wait_for

TOUCH = '''
answer
  run touch ${cwd}/touched
answer
  say Thank you.
'''


def asking(case):
    """Returns the options of a task that asks before it acts."""
    told = case.server.api('GET', '/harnesses')['harnesses']
    modes = next(h['editModes'] for h in told if h['id'] == case.cli.harness)
    return ({'editMode': 'ask'} if 'ask' in modes else
            {'approvalPolicy': 'default'})


def can_ask(case):
    return case.capabilities()['approvals']


def respond(case, task, asked, **approval):
    """Returns the HTTP status and the body of the reply to an answer."""
    answer = case.server.ask('POST', f'/api/v1/tasks/{task}/respond',
                             {'id': asked['id'], 'approval': approval})
    return answer.status, answer.json


def touched(case):
    return os.path.exists(f'{case.work}/touched')


@scenario('a refusal with its reason')
def denial(case):
    if not can_ask(case):
        return 'no'
    at_once = case.cli.harness == 'claude'
    case.play('''
answer
  run touch ${cwd}/touched
''' + ('''answer
  expect body Use the other one.
  say So be it.
''' if at_once else 'answer maybe\n  say So be it.\n' * 4))
    task = case.create('Touch it.', options=asking(case))
    asked = waits(case, task, 'approvals')
    respond(case, task, asked, allow=False, reason='Use the other one.')
    if at_once:
        equal(case.well(task)['result']['text'], 'So be it.', 'the answer')
        equal(touched(case), False, 'the file')
        return 'yes'
    # The wire carries no reason: a steer or the next turn tells it.
    case.wait(task, 'idle')
    case.send(task, 'Go on.')
    wait_for(lambda: 'Use the other one.' in str(case.model.requests()),
             'the reason', PATIENCE)
    case.wait(task, 'idle')
    equal(touched(case), False, 'the file')
    return 'in the next turn'


@scenario('two answers at once')
def two_answers(case):
    if not can_ask(case):
        return 'no'
    case.play(TOUCH)
    task = case.create('Touch it.', options=asking(case))
    asked = waits(case, task, 'approvals')
    replies = {}
    threads = [threading.Thread(target=lambda allow=allow: replies.update(
        {allow: respond(case, task, asked, allow=allow)[0]}))
        for allow in (True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first, second = sorted(replies.values())
    equal(first, 200, 'the reply to the winner')
    equal(second, 409, 'the reply to the loser')
    case.well(task)
    equal(touched(case), replies[True] == 200, 'the file')


@scenario('an answer after the server was killed')
def killed_server(case):
    if not can_ask(case):
        return 'no'
    case.use_own_server()
    case.play(TOUCH)
    task = case.create('Touch it.', options=asking(case))
    asked = waits(case, task, 'approvals')
    case.server.restart()
    equal(waits(case, task, 'approvals')['id'], asked['id'], 'the approval')
    status, _ = respond(case, task, asked, allow=True)
    equal(status, 200, 'the reply')
    case.server.restart()
    case.well(task)
    equal(touched(case), True, 'the file')
    decided = [a for a in case.only(task, 'approval')
               if a.get('state') == 'allowed'
               and a.get('delivery') == 'delivered']
    equal(len(decided), 1, 'the decisions')


@scenario('interrupted while it asks')
def interrupt_asking(case):
    if not can_ask(case):
        return 'no'
    case.play('''
answer
  run touch ${cwd}/touched
answer maybe
  say Stopped.
''')
    task = case.create('Touch it.', options=asking(case))
    asked = waits(case, task, 'approvals')
    case.ask('POST', f'/tasks/{task}/interrupt')
    now = case.wait(task, 'interrupted', 'idle')
    equal(now['approvals'], [], 'what waits')
    # Versions that don't withdraw it are told that it is denied.
    state = case.only(task, 'approval')[-1]['state']
    if state not in ('cancelled', 'denied'):
        raise AssertionError(f'the approval is {state}')
    status, reply = respond(case, task, asked, allow=True)
    if status not in (404, 409):
        raise AssertionError(f'a late answer: {status} {reply}')
    equal(touched(case), False, 'the file')
    return 'yes' if now['state'] == 'idle' else 'ends the process'


@scenario('a plan that is approved')
def plan_approval(case):
    if not can_ask(case) or not case.cli.plan:
        return 'no'
    case.play(f'answer\n  {case.cli.plan}\nanswer\n  say I begin.\n')
    task = case.create('Plan it.', options={'approvalPolicy': 'plan'})
    asked = waits(case, task, 'approvals')
    equal(asked['kind'], 'plan', 'the kind')
    equal(respond(case, task, asked, allow=True)[0], 200, 'the reply')
    equal(case.well(task)['result']['text'], 'I begin.', 'the answer')
    # Newer versions take the plan from a file that the agent has written.
    return 'yes' if 'First this' in str(asked) else 'from a file'


@scenario('a subagent that asks after the turn')
def background_asks(case):
    if not can_ask(case) or not case.cli.background:
        return 'no'
    # Requests of the subagent don't have the task's own prompt.
    case.play(f'''
answer when Start it.
  {case.cli.background}
answer when Start it.
  say It works.
answer maybe when Start it.
  say All is done.
answer maybe when Start it.
  say Really.
answer when In the back.
  delay 2000
  run touch ${{cwd}}/touched
answer maybe when In the back.
  say It is touched.
''')
    task = case.create('Start it.', options=asking(case))
    asked = waits(case, task, 'approvals')
    ended = case.only(task, 'result')
    equal(respond(case, task, asked, allow=True)[0], 200, 'the reply')
    wait_for(lambda: touched(case), 'the file')
    case.well(task)
    return 'yes' if ended else 'waits for it'


@scenario('another model for the next turn')
def change_model(case):
    case.play(f'''
answer
  expect model {case.cli.model}
  say One.
answer
  expect model {case.cli.other_model}
  expect history Begin.
  say Two.
''')
    task = case.create('Begin.')
    case.well(task)
    case.ask('POST', f'/tasks/{task}/input',
             {'text': 'Go on.', 'model': case.cli.other_model})
    now = case.well(task, turns=2)
    holds(now['model'], case.cli.other_model, 'the model')
    equal(now['result']['text'], 'Two.', 'the answer')
    return 'yes' if case.processes(task) == 1 else 'a new process'


@scenario('a fork of a session')
def fork(case):
    case.play('''
answer
  say I will.
answer
  expect history Remember it.
  say In the copy.
answer
  expect history Remember it.
  expect no-body In the copy.
  say In the first.
''')
    first = case.create('Remember it.')
    case.well(first)
    session = case.leave(first)['sessionId']
    if not session:  # Nobody is told which session to fork.
        case.refused = True
        return 'no'
    copy = case.create('And now?', resumeSession=session, forkSession=True)
    now = case.well(copy)
    equal(now['result']['text'], 'In the copy.', 'the answer')
    if now['sessionId'] in ('', session):
        raise AssertionError(f'the session of the fork: {now["sessionId"]}')
    case.send(first, 'And here?')
    equal(case.well(first, turns=2)['result']['text'], 'In the first.',
          'the answer')
    equal(case.task(first)['sessionId'], session, 'the session')


@scenario('a fork at an earlier turn')
def fork_at_turn(case):
    if not case.capabilities().get('forkAtTurn'):
        return 'no'
    case.play('''
answer
  say One.
answer
  say Two.
answer
  expect history First.
  expect no-body Second.
  say Another two.
''')
    task = case.create('First.', options=asking(case))
    case.well(task)
    case.send(task, 'Second.')
    case.well(task, turns=2)
    copy = case.known(case.ask('POST', f'/tasks/{task}/fork', {
        'prompt': 'Otherwise.', 'turn': 1})['id'])
    equal(case.well(copy)['result']['text'], 'Another two.', 'the answer')
