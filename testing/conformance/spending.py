"""Scenarios of budgets that are used up."""
from case import PATIENCE
from scenario import equal, holds, scenario
from world import wait_for


def asked(case, task):
    """Waits until the task asks for its budget, and returns the question."""
    def look():
        return [a for a in case.task(task)['approvals']
                if a['kind'] == 'budget']
    return wait_for(look, 'the question', PATIENCE)[0]


def approve(case, task, question):
    case.ask('POST', f'/tasks/{task}/respond',
             {'id': question['id'], 'approval': {'choice': 'approve'}})


def go_on(case, task, reason):
    """Waits for the question, approves it, and for the turn that goes on."""
    question = asked(case, task)
    holds(question['reason'], reason, 'the question')
    wait_for(lambda: case.only(task, 'result'), 'the end of the turn', PATIENCE)
    equal([a['id'] for a in case.task(task)['approvals']], [question['id']],
          'what still waits')
    approve(case, task, question)
    now = case.well(task, turns=2)
    equal(now['result']['text'], 'I go on.', 'the answer')
    return case.remembers('Wait for it.')


@scenario('a budget of time')
def budget_of_time(case):
    case.play('answer\n  say I begin\n  stall\nanswer\n  say I go on.\n',
              quick=False)
    task = case.create('Wait for it.', budget={'time': '20s'})
    return go_on(case, task, 'of 20s of working time')


@scenario('a budget of tokens, within a turn')
def budget_of_tokens(case):
    """Asks within the turn if the wire tells tokens, else before the next."""
    if case.cli.harness == 'codex':
        # It tells its tokens when the tools of an answer are done.
        case.play('''
answer
  usage 5000 0 10
  run true
answer always
  delay 5000
  say I go on.
''')
        task = case.create(
            'Wait for it.', budget={'tokens': '1000'},
            options={'editMode': 'dangerous', 'wire': 'app_server'})
        return go_on(case, task, 'of 1000 tokens')
    if case.cli.harness == 'claude':
        # Nobody answers the agent, so its turn does not end by itself.
        case.play('''
answer
  usage 5000 0 10
  run touch ${cwd}/first
answer
  say I go on.
''')
        task = case.create('Wait for it.', options={'editMode': 'ask'},
                           budget={'tokens': '1000'})
        return go_on(case, task, 'of 1000 tokens')
    case.play('answer\n  say One.\nanswer\n  say Two.\n')
    task = case.create('Begin.', budget={'tokens': '1'})
    case.well(task)
    case.send(task, 'And now?')
    approve(case, task, asked(case, task))
    equal(case.well(task, turns=2)['result']['text'], 'Two.', 'the answer')
    return 'at its end'
