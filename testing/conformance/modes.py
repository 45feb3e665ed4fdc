"""Tests on disk what each edit mode lets an agent do."""
import os
import socket
import sys

from scenario import scenario
from sessions import deny_all

GROUP = 'edit modes'
COLUMNS = ('edit', 'edit outside', 'command', 'command that writes',
           'command that connects')


def play_mode(case, mode, prepare=lambda: None):
    """Tries all actions; returns yes, asks or no for each of COLUMNS."""
    listener = socket.create_server(('127.0.0.1', 0))
    listener.settimeout(0)
    port = listener.getsockname()[1]
    outside = os.path.join(case.outside, 'edited')
    connect = (f'{sys.executable} -c "import socket; socket.create_connection('
               f"('127.0.0.1', {port}), 5)\"")
    case.play(f'''
answer
  write edited by an edit\\n
answer
  write {outside} by an edit\\n
answer
  run printf 'six times %s is %s' seven 42
answer
  run echo by a command > {case.work}/commanded
answer
  run {connect}
answer
  say That was all.
''')
    prepare()
    task = case.create('Try.', options={'editMode': mode})
    asked = deny_all(case, task)
    # The model has received it even if the CLI's events lack it (Codex 0.124).
    heard = str(case.model.requests())
    did = (case.read('edited') is not None, os.path.exists(outside),
           'six times seven is 42' in heard,
           case.read('commanded') is not None, accepted(listener))
    marks = (f"{case.work}/edited", outside, 'six times', 'commanded',
             'create_connection')
    listener.close()
    return [('yes' if done else
             'asks' if any(mark in text for text in asked) else 'no')
            for done, mark in zip(did, marks)]


def accepted(listener):
    try:
        listener.accept()[0].close()
        return True
    except BlockingIOError:
        return False


def check(found, allowed, mode):
    for column, what, may in zip(COLUMNS, found, allowed):
        if may is not None and (what == 'yes') != may:
            raise AssertionError(f'{mode}: {column}: {what}')
    return ' '.join(found)


@scenario('research', GROUP, sandboxed=True)
def research(case):
    return check(play_mode(case, 'research'),
                 (False, False, None, False, False), 'research')


@scenario('ask', GROUP, sandboxed=True)
def ask(case):
    """The CLI's own settings allow everything, and yet it asks."""
    found = play_mode(
        case, 'ask',
        lambda: case.cli.allow_everything(case.home, case.work))
    return check(found, (False,) * len(COLUMNS), 'ask')


@scenario('native', GROUP)
def native(case):
    """The CLI's own settings hold, which allow everything."""
    found = play_mode(
        case, 'native',
        lambda: case.cli.bypass_everything(case.home, case.work))
    # Gemini CLI asks for redirections even then.
    allowed = (True, None, True, None, True)
    return check(found, allowed if case.cli.can_bypass else (None,) * 5,
                 'native')


@scenario('auto_edit', GROUP, sandboxed=True)
def auto_edit(case):
    return check(play_mode(case, 'auto_edit'),
                 (True, False, None, None, None), 'auto_edit')


@scenario('full_auto', GROUP, sandboxed=True)
def full_auto(case):
    return check(play_mode(case, 'full_auto'),
                 (True, False, True, True, None), 'full_auto')


@scenario('dangerous', GROUP)
def dangerous(case):
    return check(play_mode(case, 'dangerous'),
                 (True, None, True, True, True), 'dangerous')
