"""Scenarios in which the CLI runs by itself, and delegates work to another
harness by the tools of `troika mcp`."""
import os
import signal
import subprocess
import sys
import uuid

from case import PATIENCE
from clis import McpServer
from scenario import equal, holds, scenario
from world import wait_for

HERE = os.path.dirname(os.path.abspath(__file__))
USER = os.path.join(HERE, 'app_server_user.py')
FAKE_SCRIPT = '''session {session}
ask Bash {{"command":"ls -l"}}
say The moon is made of rock.
ok
'''


class Delegation:
    """A client of `troika mcp`, and the harness that works for it."""

    def __init__(self, case):
        self.case = case
        codex = case.cli.harness == 'codex'
        # A client that shows forms answers the approval by them.
        self.has_forms = codex and case.cli.number >= (0, 124)
        self.harness = 'gemini' if codex else 'codex'
        self.session = str(uuid.uuid4())
        self.question = 'permission-1.1' if codex else 'request-1.1'

    def server(self):
        """Returns `troika mcp` as the client's MCP server."""
        case = self.case
        names = ('TROIKA_HOME', 'TROIKA_RELAY_BIN', 'TROIKA_SERVER_BIN',
                 'ASAN_OPTIONS')
        fake = case.server.programs[f'fake_{self.harness}']
        return McpServer('troika', [case.server.programs['troika'], 'mcp'], {
            **{name: case.server.env[name] for name in names},
            f'TROIKA_{self.harness.upper()}_BIN': fake,
            'TROIKA_FAKE_SCRIPT': self.fake_script(self.session),
            'LOG_LEVEL': 'error'})

    def fake_script(self, session):
        path = os.path.join(self.case.folder, f'fake-{session}')
        with open(path, 'w') as file:
            file.write(FAKE_SCRIPT.format(session=session))
        return path

    def call(self, verb, more='', session=None):
        """Returns the instruction by which the model calls a tool."""
        return (f'mcp troika {self.harness}_{verb} '
                f'{{"sessionId":"{session or self.session}"{more}}}')

    def approve(self, session=None):
        return self.call('respond', f',"id":"{self.question}",'
                         '"answers":["approve"]', session)

    def start(self):
        return (f'mcp troika {self.harness}_start {{"prompt":"What is it '
                'made of?"}')

    def to_the_end(self):
        """Returns the answers of the model that follow the session."""
        answers = [self.call('status', ',"wait":30')]
        if not self.has_forms:
            answers += [
                f'expect result awaiting_approval\n{self.approve()}',
                self.call('status', ',"wait":30')]
        answers.append('expect result The moon is made of rock.\n'
                       'say It says rock.')
        return answers

    def client(self, prompt):
        """Starts the CLI, outside of any task."""
        case, cli = self.case, self.case.cli
        if self.has_forms:
            command = [sys.executable, USER, cli.program, cli.model, prompt]
        else:
            command = cli.alone(prompt) + {
                'codex': ['--dangerously-bypass-approvals-and-sandbox'],
                'claude': ['--dangerously-skip-permissions'],
                'gemini': ['--approval-mode', 'yolo']}[cli.harness]
        process = subprocess.Popen(
            command, cwd=case.work, env=case.env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True)
        case.started.append(process)
        return process

    def finish(self, process):
        """Checks that the client has used the result."""
        said, errors = process.communicate(timeout=PATIENCE)
        equal(process.returncode, 0, f'the exit code of: {said}{errors}')
        holds(said, 'It says rock.', f'what it says: {errors}')
        if self.has_forms:
            holds(errors, 'wants to execute', 'the form')
        task = self.task()
        equal([a['state'] for a in self.case.only(task['id'], 'approval')][-1],
              'allowed', 'the approval')
        self.case.leave(task['id'])

    def task(self):
        """Returns the only task that was begun."""
        tasks = self.case.server.api(
            'GET', f'/tasks?cwd={self.case.work}')['tasks']
        equal([t['harness'] for t in tasks], [self.harness], 'the tasks')
        return tasks[0]


def script(*answers):
    return '\n'.join(f'answer\n{answer}' for answer in answers) + '\n'


@scenario('delegates by `troika mcp`, and uses the result')
def delegates(case):
    work = Delegation(case)
    case.play(script(work.start(), *work.to_the_end()), mcp=work.server())
    work.finish(work.client('Ask the other one.'))


@scenario('is killed while it delegates; another one goes on')
def delegates_again(case):
    work = Delegation(case)
    listed = f'mcp troika {work.harness}_list {{}}'
    status, *rest = work.to_the_end()
    known = f'expect result {work.session}\n'
    case.play(script(work.start(), known + 'stall', listed, known + status,
                     *rest), mcp=work.server())
    first = work.client('Ask the other one.')
    wait_for(lambda: case.model.noted('stalled'), 'the first client', PATIENCE)
    wait_for(lambda: work.task()['state'] == 'awaiting_answer' or
             work.task()['approvals'], 'the approval', PATIENCE)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate(timeout=PATIENCE)
    work.finish(work.client('Look whom you asked.'))


def begin_asking_task(case, work, session):
    """Begins a task of a person, and waits until it asks for an approval."""
    task = case.ask('POST', '/tasks', {
        'harness': work.harness, 'prompt': 'Ask me.', 'cwd': case.work,
        'env': {**case.env, 'TROIKA_FAKE_SCRIPT': work.fake_script(session)},
        'options': {'editMode': 'ask'}})['id']
    wait_for(lambda: case.task(task)['approvals'], 'the approval', PATIENCE)
    return task


@scenario('delegates inside of a task, with the role of an agent')
def delegates_as_agent(case):
    work = Delegation(case)
    persons = str(uuid.uuid4())
    server = work.server()
    case.play(script(
        work.approve(persons),
        'expect result an agent may not\n' + work.start(),
        f'expect result {work.session}\n' + work.call('status', ',"wait":30'),
        'expect result The moon is made of rock.\nsay It says rock.'),
        mcp=server)
    # An agent's task has the environment of the agent.
    case.env.update(server.env)
    asking = begin_asking_task(case, work, persons)
    task = case.create('Ask the other one.', options={'editMode': 'dangerous'})
    equal(case.well(task)['result']['text'], 'It says rock.', 'the answer')
    begun = next(t for t in case.server.api(
        'GET', f'/tasks?cwd={case.work}')['tasks']
        if t['id'] not in (asking, task))
    equal([begun[name] for name in ('harness', 'parentId', 'editMode')],
          [work.harness, task, 'research'], 'the task that it began')
    approvals = case.task(asking)['approvals']
    equal(len(approvals), 1, 'the approvals that wait for a person')
    case.ask('POST', f'/tasks/{asking}/respond',
             {'id': approvals[0]['id'], 'approval': {'allow': True}})
    case.wait(asking, 'idle', 'done')
    for one in (asking, begun['id']):
        case.leave(one)
