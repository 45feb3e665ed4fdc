"""Scenarios of an agent's work: talk, commands, files, plans, tools."""
from clis import LOCAL_MCP_SERVER
from scenario import equal, holds, scenario
from world import wait_for

DANGEROUS = ('--edit-mode', 'dangerous')
# Codex reports a command's end 100 ms after the model learns of it, or never
# if the turn has ended by then. No real model is that fast.
THINKING = 'delay 500'


@scenario('a message')
def message(case):
    case.play('''
answer
  expect prompt Say hello.
  think They want a greeting.
  say Hello from the model.
''', quick=False)
    task = case.run('Say hello.')
    now = case.well(task)
    equal(now['result']['text'], 'Hello from the model.', 'the answer')
    equal(now['version'], case.cli.version, 'the version')
    holds(now['model'], case.cli.model, 'the model')
    tokens = now['usage']['total']
    if int(tokens['inputTokens']) <= 0 or int(tokens['outputTokens']) <= 0:
        raise AssertionError(f'no tokens were counted: {tokens}')
    texts = [t['text'] for t in case.only(task, 'text')]
    equal(texts, ['Hello from the model.'], 'the texts')
    equal([i['text'] for i in case.only(task, 'userInput')], ['Say hello.'],
          'the prompt')
    return 'yes' if now['sessionId'] else 'no id'


@scenario('tokens')
def tokens(case):
    case.play('answer\n  say Hello.\n  usage 1000 200 30\n')
    task = case.create('Hello.')
    told = case.well(task)['usage']['total']
    found = [int(told[name]) for name in (
        'inputTokens', 'cachedInputTokens', 'outputTokens')]
    if found == [1000, 200, 30]:
        return 'yes'
    # Some CLIs count differently.
    return 'not cached' if found == [1200, 0, 30] else 'other'


@scenario('a command')
def command(case):
    case.play(f'''
answer
  run printf 'six times %s is %s' seven 42
answer
  expect result six times seven is 42
  {THINKING}
  say It is 42.
''')
    task = case.run('Count.', *DANGEROUS)
    (use, result), = case.tool_results(task, 'Bash')
    holds(use['input']['command'], 'six times %s', 'the command')
    holds(result['output'], 'six times seven is 42', 'the output')
    equal(result['isError'], False, 'the error flag')
    equal(case.well(task)['result']['text'], 'It is 42.', 'the answer')


@scenario('a command that fails')
def failing_command(case):
    case.play(f'''
answer
  run echo "to stderr" >&2; exit 3
answer
  expect result to stderr
  {THINKING}
  say It did not work.
''')
    task = case.run('Try.', *DANGEROUS)
    (_, result), = case.tool_results(task, 'Bash')
    holds(result['output'], 'to stderr', 'the output')
    equal(case.well(task)['result']['text'], 'It did not work.', 'the answer')
    # Not every wire reports whether a command succeeded.
    if result['isError'] and result.get('exitCode') == 3:
        return 'yes'
    if result['isError']:
        return 'no code'
    return 'not told'


@scenario('two commands at once')
def parallel_commands(case):
    case.play(f'''
answer
  run sleep 0.3; echo first
  run sleep 0.1; echo second
answer
  expect results 2
  {THINKING}
  say Both ran.
''')
    task = case.run('Run both.', *DANGEROUS)
    done = case.tool_results(task, 'Bash')
    equal(len(done), 2, 'the commands')
    for use, result in done:
        word = 'first' if 'first' in use['input']['command'] else 'second'
        holds(result['output'], word, 'the output')
    equal(case.well(task)['result']['text'], 'Both ran.', 'the answer')


@scenario('a command left in the background')
def background_command(case):
    case.play('''
answer
  run-background touch ${cwd}/begun; sleep 54321
answer maybe
  say It runs.
answer always
  say It has ended.
''', quick=False)
    task = case.create('Start it.', options={'editMode': 'dangerous'})
    case.well(task)
    if len(case.only(task, 'toolUse')) < 1:
        raise AssertionError('the command is not shown')
    wait_for(lambda: case.read('begun') is not None, 'the command')


@scenario('files added, changed, deleted')
def files(case):
    case.write('old.txt', 'one\ntwo\nthree\n')
    case.write('gone.txt', 'bye\n')
    case.play('''
answer
  read old.txt
answer
  read gone.txt
answer
  write new.txt first line\\nsecond line\\n
answer
  edit old.txt two => zwei
answer
  delete gone.txt
answer
  say All three are done.
''')
    task = case.run('Change the files.', *DANGEROUS)
    equal(case.well(task)['result']['text'], 'All three are done.',
          'the answer')
    equal(case.read('new.txt'), 'first line\nsecond line\n', 'new.txt')
    equal(case.read('old.txt'), 'one\nzwei\nthree\n', 'old.txt')
    equal(case.read('gone.txt'), None, 'gone.txt')
    names = {use['name'] for use in case.only(task, 'toolUse')}
    for name in ('Write', 'Edit'):
        if name not in names:
            raise AssertionError(f'no {name} in {names}')


@scenario('the plan')
def plan(case):
    case.play('''
answer
  plan [>] Find the bug | [ ] Fix it
answer
  plan [x] Find the bug | [x] Fix it
answer maybe
  say Planned and done.
answer always
  say Planned and done.
''')
    flags = ['--plan-tool'] if case.cli.harness != 'gemini' else []
    task = case.run('Plan it.', *DANGEROUS, *flags)
    case.well(task)
    lists = [[(i['text'], i['status']) for i in todo['items']]
             for todo in case.only(task, 'todo')]
    if not lists:
        raise AssertionError('no plan is shown')
    equal(lists[-1], [('Find the bug', 'completed'), ('Fix it', 'completed')],
          'the plan')


@scenario('a tool of an MCP server')
def mcp_tool(case):
    case.play('''
answer
  mcp local echo {"text":"forty-two"}
answer
  expect result echo: forty-two
  say It answered.
''', mcp=LOCAL_MCP_SERVER)
    task = case.run('Ask it.', *DANGEROUS)
    (use, result), = case.tool_results(task, 'echo')
    holds(result['output'], 'echo: forty-two', 'the output')
    equal(result['isError'], False, 'the error flag')
    if not use['server']:
        return 'no server'
    equal(use['server'], 'local', 'the server')
    return 'yes'


@scenario('a tool of an MCP server that fails')
def broken_mcp_tool(case):
    case.play('''
answer
  mcp local broken {}
answer
  expect result out of order
  say It is broken.
''', mcp=LOCAL_MCP_SERVER)
    task = case.run('Ask it.', *DANGEROUS)
    (_, result), = case.tool_results(task, 'broken')
    if not result['isError']:
        return 'not told'
    return 'yes' if 'out of order' in result['output'] else 'no text'


@scenario('a search of the web')
def web_search(case):
    case.play('''
answer
  search the answer to everything
  say I looked it up.
answer maybe
  say I looked it up.
''')
    task = case.run('Look it up.', *DANGEROUS, '--web-search')
    (use, _), = case.tool_results(task, 'WebSearch')
    holds(str(use) + str(case.only(task, 'toolResult')),
          'the answer to everything', 'the search')
    equal(case.well(task)['result']['text'], 'I looked it up.', 'the answer')
