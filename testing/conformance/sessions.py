"""Scenarios in which a conversation continues."""
import json
import os
import subprocess

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


@scenario('a session begun without Troika')
def foreign_session(case):
    case.play('''
answer
  say I will.
answer
  expect history Remember forty-four.
  say Forty-four.
''')
    subprocess.run(case.cli.alone('Remember forty-four.'), env=case.env,
                   cwd=case.work, stdin=subprocess.DEVNULL, check=True,
                   capture_output=True, timeout=90)

    def troika(*arguments):
        process = case.troika(*arguments)
        output, errors = process.communicate(timeout=90)
        return process.returncode, output, errors

    def listed():
        code, output, errors = troika('sessions', '--here', '--json')
        equal((code, errors), (0, b''), 'troika sessions')
        sessions = [json.loads(line) for line in output.splitlines()]
        # Old versions continue a session in a copy.
        equal({(s['harness'], s['prompt'], s['cwd']) for s in sessions},
              {(case.cli.harness, 'Remember forty-four.', case.work)},
              'the sessions')
        return sessions
    [session] = listed()
    equal(session['taskId'], '', 'the task of the session')
    code, output, _ = troika('import', session['id'], '--json')
    equal(code, 0, 'troika import')
    copy = json.loads(output)
    equal((copy['state'], copy['turns'], copy['sessionId'],
           copy['result']['text']), ('done', 1, session['id'], 'I will.'),
          'the imported task')
    unread = [e for e in case.events(copy['id'])
              if 'raw' in e or 'parseError' in e]
    equal(unread, [], 'lines that could not be read')
    process = case.troika('parse', '--harness', case.cli.harness, '--wire',
                          'session_file', '--unknown', '--json',
                          stdin=subprocess.PIPE)
    with open(session['path'], 'rb') as file:
        unknown, _ = process.communicate(file.read(), 90)
    if session['path'].endswith('.jsonl'):
        equal(unknown.decode().strip(), '', 'what is unknown in the file')
    task = case.ran(*troika('resume', session['id'], 'What was it?', '--json'),
                    code=0)
    now = case.well(task)
    equal((now['result']['text'], now['cwd']), ('Forty-four.', case.work),
          'the continued session')
    equal([s['taskId'] for s in listed()][0], task, 'the task of the session')


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
