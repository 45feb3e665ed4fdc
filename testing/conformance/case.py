"""Plays one CLI in one scenario: its folders, its model, its tasks."""
import json
import os
import re
import subprocess
import time

import processes
import rules
from world import Server, wait_for

# A CLI takes seconds to start, and the machine may be busy.
PATIENCE = 90


class Refused(Exception):
    """Troika refuses this for this version, with an error."""


class Model:
    """A running troika-model that plays a script."""

    def __init__(self, program, folder, script, cwd):
        self.log = os.path.join(folder, 'requests')
        path = os.path.join(folder, 'script')
        with open(path, 'w') as file:
            file.write(script)
        self.errors = os.path.join(folder, 'model')
        ready, tell = os.pipe()
        os.set_inheritable(tell, True)
        with open(self.errors, 'w') as errors:
            self.process = subprocess.Popen(
                [program, '--script', path, '--set', f'cwd={cwd}',
                 '--log', self.log, f'--ready-fd={tell}'],
                stdout=subprocess.DEVNULL, stderr=errors, pass_fds=[tell],
                start_new_session=True)
        os.close(tell)
        with os.fdopen(ready) as said:
            self.url = said.read().strip()
        if not self.url:
            raise AssertionError(f'the model does not start: {self.stop()}')

    def requests(self):
        """Returns all lines of the log so far."""
        if not os.path.exists(self.log):
            return []
        with open(self.log) as file:
            return [json.loads(line) for line in file
                    if line.endswith('\n')]

    def noted(self, note):
        return any(line.get('note') == note for line in self.requests())

    def stop(self):
        """Stops the model and returns differences from the script."""
        self.process.terminate()
        code = self.process.wait(PATIENCE)
        with open(self.errors) as errors:
            said = errors.read().splitlines()
        return said or [f'exit code {code}'] if code else []


# Parts of the verdict if the model received no request.
UNASKED = ('nobody asked for it', 'not as the script said')


class Case:
    """One scenario. At its end, rules that hold for all tasks are checked."""

    def __init__(self, server, cli, name, folder):
        self.server = server
        self.cli = cli
        self.mark = f'{cli.harness}-{cli.version}-{name}-{os.getpid()}'
        self.folder = folder
        self.home = os.path.join(folder, 'home')
        self.work = os.path.join(folder, 'work')
        self.outside = os.path.join(folder, 'outside')
        self.temporary = os.path.join(folder, 'tmp')
        for made in (self.home, self.work, self.outside, self.temporary):
            os.makedirs(made)
        subprocess.run(['git', 'init', '-q', self.work], check=True)
        self.model = None
        self.refused = False
        self.started = []
        self.tasks = []
        self.steers = 0  # Inputs that became part of a running turn.
        self.env = {}
        self.own_server = None

    def use_own_server(self):
        """Starts a server for this scenario alone, which may kill it; must be
        called before play()."""
        root = os.path.join(self.folder, 'server')
        os.mkdir(root)
        own = Server(self.server.programs, root)
        own.env[self.cli.variable] = self.cli.program
        own.start()
        self.server = self.own_server = own

    def play(self, script, mcp=None, quick=True):
        """Starts the model; must be called before any task. Without `quick`
        the CLI starts exactly as it does for users, with all its processes."""
        if self.cli.first_answer:
            script = re.sub('^answer.*', r'\g<0>\n  delay '
                            f'{self.cli.first_answer}', script, count=1,
                            flags=re.MULTILINE)
        self.model = Model(self.server.programs['troika-model'], self.folder,
                           script, self.work)
        self.env = {
            **self.server.env,
            'HOME': self.home,
            'TMPDIR': self.temporary,
            'TERM': 'dumb',
            'LANG': 'C.UTF-8',
            processes.MARK: self.mark,
            **(self.cli.quick if quick else {}),
            **self.cli.prepare(self.home, self.model.url, mcp),
        }

    # Tasks over the API.

    def create(self, prompt, cwd=None, options=None, **fields):
        request = {
            'harness': self.cli.harness, 'prompt': prompt,
            'cwd': cwd or self.work, 'env': self.env,
            'options': {'model': self.cli.model, **(options or {})}, **fields}
        return self.known(self.ask('POST', '/tasks', request)['id'])

    def processes(self, task):
        """Returns the number of processes that were started for the task."""
        return sum(e['kind'] == 'spawned'
                   for e in self.only(task, 'lifecycle'))

    def remembers(self, prompt):
        """Whether the model's last request contains an earlier prompt."""
        asked = [r for r in self.model.requests() if r.get('kind') == 'main']
        return 'yes' if prompt in str(asked[-1]['body']) else 'forgets'

    def capabilities(self):
        """Returns what the server reports for this version."""
        found = self.server.api('GET', '/harnesses')['harnesses']
        return next(h['capabilities'] for h in found
                    if h['id'] == self.cli.harness)

    def edit_modes(self):
        """Returns the edit modes that the server reports for this version."""
        found = self.server.api('GET', '/harnesses')['harnesses']
        return next(h['editModes'] for h in found
                    if h['id'] == self.cli.harness)

    def known(self, task):
        if task not in self.tasks:
            self.tasks.append(task)
        return task

    def ask(self, method, path, body=None):
        answer = self.server.ask(method, '/api/v1' + path, body)
        if answer.status in (400, 409):
            self.refused = True
            raise Refused(answer.json['message'])
        if answer.status not in (200, 201):
            raise AssertionError(
                f'{method} {path}: {answer.status} {answer.body[:2000]}')
        return answer.json

    def send(self, task, prompt):
        return self.ask('POST', f'/tasks/{task}/input', {'text': prompt})

    def task(self, task):
        return self.server.task(task)

    def wait(self, task, *states, turns=1):
        """Waits until the turn has ended in one of these states."""
        ended = ('idle', 'done', 'failed', 'interrupted', 'cancelled')

        def look():
            now = self.task(task)
            if now['state'] == 'idle' and 'idle' not in states:
                return False  # The task may be about to end.
            return now['state'] in ended and now['turns'] >= turns and now
        now = wait_for(look, f'the end of {task}', PATIENCE)
        if now['state'] not in states:
            raise AssertionError(f'{task} is {now["state"]} and not '
                                 f'{" or ".join(states)}: {now}')
        return now

    def well(self, task, turns=1):
        return self.wait(task, 'idle', 'done', turns=turns)

    def leave(self, task):
        """Waits until the task's process has exited; stops an idle one."""
        asked = []

        def look():
            now = self.task(task)
            # A second request would kill it. It may be about to exit.
            if now['state'] == 'idle' and not asked:
                answer = self.server.ask(
                    'POST', f'/api/v1/tasks/{task}/stop', {})
                asked.extend([answer] if answer.status == 200 else [])
            return now['state'] in ('done', 'failed', 'interrupted',
                                    'cancelled') and now
        return wait_for(look, f'{task} to end', PATIENCE)

    def events(self, task):
        return self.server.events(task)

    def only(self, task, kind):
        return rules.only(self.events(task), kind)

    def tool_results(self, task, name):
        """Returns the uses of a tool, each with its result."""
        results = {result['toolUseId']: result
                   for result in self.only(task, 'toolResult')}
        return [(use, results.get(use['id']))
                for use in self.only(task, 'toolUse') if use['name'] == name]

    def running(self, word):
        """Returns the agent's processes with the word in an argument."""
        return [p for p in processes.marked(self.mark)
                if any(word in argument for argument in p.arguments)]

    # Tasks started by `troika run`.

    def troika(self, *arguments, **options):
        process = subprocess.Popen(
            [self.server.programs['troika'], *arguments], env=self.env,
            cwd=self.work, stdin=options.pop('stdin', subprocess.DEVNULL),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, **options)
        self.started.append(process)
        return process

    def run(self, prompt, *flags, code=0, stdin=None):
        """Runs `troika run` to its end; returns the task's id."""
        process = self.troika(
            'run', self.cli.harness, '--json', '--model', self.cli.model,
            *flags, *(['--', prompt] if stdin is None else ['-']),
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE)
        output, errors = process.communicate(stdin, PATIENCE)
        return self.ran(process.returncode, output, errors, code)

    def ran(self, returned, output, errors, code):
        errors = errors.decode(errors='replace')
        if returned == 2:
            self.refused = True
            raise Refused(errors.strip())
        lines = output.decode(errors='replace').splitlines()
        events = [json.loads(line) for line in lines]
        task = next((e['taskId'] for e in events if e.get('taskId')), None)
        if task:
            self.known(task)
        if returned != code or not task:
            raise AssertionError(f'troika run: exit code {returned} and not '
                                 f'{code}: {errors}\n' + '\n'.join(lines[-8:]))
        shown = [e for e in events if e.get('taskId')]
        if not rules.only(shown, 'result'):
            raise AssertionError(f'troika run shows no result: {shown}')
        kept = self.events(task)[:len(shown)]
        if shown != kept:
            raise AssertionError('troika run shows other events than the API: '
                                 f'{shown}\n{kept}')
        return task

    def output(self, task):
        """Returns what the agent wrote to stdout."""
        process = self.troika('log', task, '--stream', 'out', '--raw')
        text, errors = process.communicate(timeout=PATIENCE)
        if process.returncode:
            raise AssertionError(f'troika log: {errors}')
        return text.decode(errors='replace')

    def unknown(self, task):
        """Returns what the parser does not know in the agent's output."""
        output = self.output(task)
        if output.startswith('{"jsonrpc"'):
            return ''  # A conversation is not known by one side of it.
        # Old versions wrap their events: {"id":"0","msg":…}.
        talk = [line for line in output.splitlines(True)
                if re.match(r'{"(id|method)":(?!"\d*","msg":)', line)]
        if not talk:
            return self.parse_unknown(output)
        # A task of Codex may have gone from one wire to the other.
        events = [line for line in output.splitlines(True)
                  if line.startswith('{"type":')]
        return (self.parse_unknown(''.join(talk), '--wire', 'app_server')
                + self.parse_unknown(''.join(events)))

    def parse_unknown(self, output, *flags):
        if not output:
            return ''  # The parser printed nothing.
        process = self.troika('parse', '--harness', self.cli.harness, *flags,
                              '--unknown', '--json', stdin=subprocess.PIPE)
        text, errors = process.communicate(output.encode(), PATIENCE)
        if process.returncode:
            raise AssertionError(f'troika parse: {errors}')
        return text.decode().strip()

    # Files of the scenario.

    def write(self, name, text, mode='w'):
        with open(os.path.join(self.work, name), mode) as file:
            file.write(text)

    def read(self, name):
        """Returns the content of a file in the work folder, or None."""
        try:
            with open(os.path.join(self.work, name)) as file:
                return file.read()
        except FileNotFoundError:
            return None

    # End of the scenario.

    def finish(self):
        """Ends the remaining tasks and raises an error if a rule is broken."""
        wrong = []
        for task in self.tasks:
            self.leave(task)
            wrong += [f'{task}: {w}' for w in rules.check(
                self.events(task), self.task(task)['turns'] - self.steers)]
            unknown = self.unknown(task)
            wrong += [f'{task}: not known: {unknown}'] if unknown else []
        wrong += [f'left running: {p}' for p in self.left()]
        if self.model:
            wrong += [line for line in self.model.stop() if not (
                self.refused and any(u in line for u in UNASKED))]
        if wrong:
            raise AssertionError('\n'.join(wrong))

    def left(self):
        end = time.monotonic() + 10
        while processes.marked(self.mark) and time.monotonic() < end:
            time.sleep(0.02)
        return processes.marked(self.mark)

    def close(self):
        """Ends all remaining processes; raises nothing."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.wait()
        try:
            found = self.server.api('GET', f'/tasks?cwd={self.work}')['tasks']
            for task in {*self.tasks, *(t['id'] for t in found)}:
                self.server.ask('POST', f'/api/v1/tasks/{task}/stop',
                                {'grace': '0s'})
        except (OSError, AssertionError):
            pass  # The server is gone, which is reported elsewhere.
        if self.own_server:
            self.own_server.kill()
        if self.model and self.model.process.poll() is None:
            self.model.process.kill()
            self.model.process.wait()

    def story(self):
        """Describes requests and events, for a failure."""
        lines = []
        try:
            for task in self.tasks:
                lines += self.task_story(task)
        except (OSError, AssertionError) as error:
            lines.append(f'the server does not answer: {error}')
        if self.model:
            with open(self.model.errors) as errors:
                lines.append('model: ' + errors.read()[:4000])
        return '\n'.join(lines)

    def task_story(self, task):
        now = self.task(task)
        lines = [f'{task}: {now["state"]} {now.get("reason", "")}']
        for event in self.events(task)[-25:]:
            text = json.dumps({k: v for k, v in event.items()
                               if k not in ('time', 'taskId')})
            lines.append('  ' + re.sub(r'\s+', ' ', text)[:600])
        return lines
