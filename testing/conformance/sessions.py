"""Scenarios in which a conversation continues."""
import os

from clis import PROFILE
from scenario import equal, holds, scenario

UNKNOWN = '01234567-89ab-4cde-8f01-23456789abcd'


@scenario('a follow-up that resumes')
def follow_up(case):
    case.play('''
answer
  expect prompt Remember forty-two.
  say I will.
answer
  expect prompt What was it?
  expect history Remember forty-two.
  expect history I will.
  say Forty-two.
''')
    task = case.create('Remember forty-two.')
    first = case.well(task)
    # An agent that still waits for input would not need its session.
    stopped = case.leave(task)
    case.send(task, 'What was it?')
    now = case.well(task, turns=2)
    equal(now['result']['text'], 'Forty-two.', 'the answer')
    if not stopped['sessionId']:
        raise AssertionError('the session has no id')
    generations = {e['generation'] for e in case.only(task, 'lifecycle')
                   if e['kind'] == 'spawned'}
    equal(generations, {1, 2}, 'the processes')
    total = int(now['usage']['total']['outputTokens'])
    if total <= int(first['usage']['total']['outputTokens']):
        raise AssertionError('the second turn adds no tokens')


@scenario('a second prompt')
def second_prompt(case):
    case.play('''
answer
  say One.
answer
  expect prompt Second.
  say Two.
''')
    task = case.create('First.')
    case.well(task)
    case.send(task, 'Second.')
    equal(case.well(task, turns=2)['result']['text'], 'Two.', 'the answer')
    alone = case.processes(task) == 1
    equal(alone, case.cli.talks and case.capabilities()['followUp'],
          'in the same process')
    return case.remembers('First.')


@scenario('a session of the CLI\'s own that resumes')
def own_session(case):
    case.play('''
answer
  say I will.
answer
  expect history Remember forty-three.
  say Forty-three.
answer
  expect history Remember forty-three.
  say Still forty-three.
''')
    first = case.run('Remember forty-three.')
    session = case.leave(first)['sessionId']
    second = case.run('What was it?', '--resume', session or 'latest')
    equal(case.well(second)['result']['text'], 'Forty-three.', 'the answer')
    case.leave(second)
    third = case.run('And now?', '--resume', 'latest')
    equal(case.well(third)['result']['text'], 'Still forty-three.',
          'the answer')


@scenario('an unknown session is told')
def unknown_session(case):
    case.play('answer maybe\n  say I know nothing.\n', quick=False)
    task = case.create('Go on.', resumeSession=UNKNOWN,
                       timeouts={'start': '80s'})
    now = case.wait(task, 'failed')
    told = now['reason'] + now.get('result', {}).get('error', '')
    holds(told + now.get('hint', ''), 'session', 'what is told')


@scenario('a resumed task keeps model, folder and edit mode', sandboxed=True)
def resume_keeps(case):
    place = os.path.join(case.work, 'deep', 'er')
    os.makedirs(place)
    outside = os.path.join(case.outside, 'no.txt')
    case.play(f'''
answer
  expect model {case.cli.other_model}
  say First.
answer
  expect model {case.cli.other_model}
  expect history One.
  write {outside} written\\n
answer
  write {place}/yes.txt written\\n
answer
  say Second.
''')
    task = case.create('One.', cwd=place, options={
        'model': case.cli.other_model, 'editMode': 'auto_edit'})
    case.well(task)
    case.leave(task)
    case.send(task, 'Two.')
    deny_all(case, task, turns=2)
    equal(os.path.exists(outside), False, 'a file outside')
    equal(os.path.exists(f'{place}/yes.txt'), True, 'a file inside')


@scenario('a resumed task keeps its profile')
def resume_keeps_profile(case):
    case.play('''
answer
  expect effort high
  say First.
answer
  expect effort high
  expect history First.
  say Second.
''')
    task = case.create('One.', options={'profile': PROFILE})
    case.well(task)
    case.leave(task)
    case.send(task, 'Two.')
    equal(case.well(task, turns=2)['result']['text'], 'Second.',
          'the answer')


def deny_all(case, task, turns=1):
    """Denies all requests of the agent until its turn has ended. Returns the
    inputs of the tools that it asked for."""
    from world import wait_for
    asked, answered = [], set()

    def look():
        now = case.task(task)
        for approval in now['approvals']:
            if approval['id'] in answered:
                continue  # The agent will go on shortly.
            answered.add(approval['id'])
            asked.append(str(approval.get('input')))
            case.ask('POST', f'/tasks/{task}/respond', {
                'id': approval['id'],
                'approval': {'allow': False}})
        return now['turns'] >= turns and now['state'] in (
            'idle', 'done', 'failed', 'interrupted')
    wait_for(look, 'the end of the turn', 90)
    case.well(task, turns=turns)
    return asked
