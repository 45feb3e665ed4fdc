"""Scenarios about requests to the model: prompts, images, options."""
import base64
import os

from scenario import equal, holds, scenario

# An image of one red pixel.
PNG = base64.b64decode(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ'
    '/pLvAAAAAElFTkSuQmCC')


def say_hello(expectation):
    return f'answer\n  {expectation}\n  say Hello.\n'


@scenario('an image')
def image(case):
    case.write('dot.png', PNG, mode='wb')
    case.play(say_hello('expect image image/png'))
    task = case.run('What is this?', '--image', 'dot.png')
    equal(case.well(task)['result']['text'], 'Hello.', 'the answer')


@scenario('a prompt of 1 MiB')
def long_prompt(case):
    size = 1 << 20
    # Gemini CLI prints the prompt, and exits without waiting until its stdout,
    # a pipe of 1 MiB, has taken all of it.
    case.play(say_hello(f'expect prompt-bytes {size}\n  delay 2000'),
              quick=False)
    line = 'All work and no play makes a long prompt. äöü\n'
    prompt = (line.encode() * (size // len(line)))[:size - 1] + b'!'
    prompt = prompt.decode(errors='ignore').encode().rjust(size, b'.')
    task = case.run('', stdin=prompt)
    equal(case.well(task)['result']['text'], 'Hello.', 'the answer')


@scenario('a prompt that begins with a dash')
def dash_prompt(case):
    prompt = '--help is not what I want'
    case.play(say_hello(f'expect prompt {prompt}'))
    task = case.run(prompt)
    equal(case.well(task)['result']['text'], 'Hello.', 'the answer')


@scenario('verbosity')
def verbosity(case):
    case.play(say_hello('expect verbosity low'))
    case.well(case.create('Hello.', options={
        'model': case.cli.verbosity_model or case.cli.model,
        'verbosity': 'low'}))


@scenario('effort')
def effort(case):
    case.play(say_hello('expect effort high'))
    case.well(case.create('Hello.', options={
        'model': case.cli.effort_model or case.cli.model, 'effort': 'high'}))


@scenario('base instructions')
def base_instructions(case):
    case.play(say_hello('expect system You answer in rhymes only.'))
    case.write('instructions.md', 'You answer in rhymes only.\n')
    case.well(case.run('Hello.', '--base-instructions', 'instructions.md'))


@scenario('the plan tool turned off')
def no_plan_tool(case):
    case.play(say_hello('expect no-tool plan'))
    case.well(case.run('Hello.', '--no-plan-tool', '--edit-mode',
                       'dangerous'))


@scenario('the model is chosen')
def model(case):
    case.play(say_hello(f'expect model {case.cli.other_model}'))
    task = case.create('Hello.', options={'model': case.cli.other_model})
    now = case.well(task)
    holds(now['model'], case.cli.other_model, 'the model')


@scenario('another folder it may work in', sandboxed=True)
def extra_dir(case):
    path = os.path.join(case.outside, 'note.txt')
    case.play(f'''
answer
  write {path} inside after all\\n
answer
  say Written.
''')
    case.well(case.run('Write it.', '--edit-mode', 'auto_edit', '--add-dir',
                       case.outside))
    with open(path) as file:
        equal(file.read(), 'inside after all\n', 'the file')
