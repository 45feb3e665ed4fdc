"""A server with fakes in place of the CLIs for each suite, and the outcomes."""
import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import threading
import traceback

from world import World

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 90
# Turns of the fakes, by a word of the prompt.
SCRIPT = r'''run ls => README exit 0
say Hi.
usage 10 5 3
ok
== prompt slow, then
sleep 2000
ask Bash {"command":"ls -l"}
say Did it.
ok
== prompt ask
ask Bash {"command":"ls -l"}
say Did it.
ok
== prompt hang
run ls => README exit 0
hang
== prompt steps
''' + ''.join(f'run ls {i}\nsleep 100\n' for i in range(300)) + 'hang\n'
# Texts that a sanitizer prints.
CRASHES = ('AddressSanitizer', 'runtime error:')


class Outcomes:
    """What one attempt at a suite has shown. May be used by threads."""

    def __init__(self):
        self.passed, self.failed, self.skipped = [], [], []
        self.lock = threading.Lock()

    def succeed(self, name, detail=''):
        with self.lock:
            self.passed.append(name)
            print(f'{name}{detail}', flush=True)

    def fail(self, name, problem=''):
        with self.lock:
            self.failed.append(name)
            print(f'FAILED {name}\n{problem}', flush=True)

    def skip(self, name):
        with self.lock:
            self.skipped.append(name)
            print(f'SKIPPED {name}', flush=True)


class Suite:
    """A server of its own, and a folder from which the packages are found."""

    def __init__(self, run, name, outcomes):
        self.run = run
        self.name = name
        self.outcomes = outcomes
        self.world = World(run.programs)
        self.world.env.update(
            TROIKA_FAKE_SCRIPT=self.world.script(SCRIPT),
            TROIKA_FAKE_STATE=os.path.join(self.world.root, 'state'),
            LOG_LEVEL='error')
        # Jobs of Codex run in a Git repository only, as the real one's do.
        subprocess.run(['git', 'init', '-q', self.world.work], check=True)
        self.world.start(listen='127.0.0.1:0')
        self.url = f'http://127.0.0.1:{self.world.port()}/mcp'
        self.folder = os.path.join(self.world.root, 'clients')
        os.mkdir(self.folder)
        for path in glob.glob(os.path.join(HERE, '*.mjs')):
            shutil.copy(path, self.folder)
        os.symlink(run.packages, os.path.join(self.folder, 'node_modules'))

    def program(self, name):
        """Returns the path of a package's program."""
        return os.path.join(self.run.packages, '.bin', name)

    def node(self, *arguments, **options):
        """Runs Node; its output is read by the caller."""
        told = {
            'troika': self.run.programs['troika'], 'folder': self.world.work,
            'env': self.world.env, 'url': self.url,
            'token': self.world.token()}
        environment = {
            'PATH': os.environ['PATH'], 'HOME': self.world.root,
            'TROIKA_MCP_WORLD': json.dumps(told)}
        return subprocess.Popen(
            [self.run.node, *arguments], cwd=self.folder, env=environment,
            text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            start_new_session=True, **options)

    def output(self, *arguments):
        """Returns the exit code and the output of Node, errors included."""
        process = self.node(*arguments, stderr=subprocess.STDOUT)
        try:
            text = process.communicate(timeout=PATIENCE)[0]
            return process.returncode, text
        finally:
            process.kill()
            process.wait()

    def close(self):
        with open(self.world.errors, errors='replace') as errors:
            said = errors.read()
        alive = self.world.server.poll() is None
        self.world.close()
        if not alive or any(crash in said for crash in CRASHES):
            self.outcomes.fail(f'{self.name}: the server', said[-4000:])


class Run:
    def __init__(self, flags):
        self.node = flags.node
        self.packages = flags.packages
        self.programs = {os.path.basename(p): os.path.abspath(p)
                         for p in flags.programs}
        self.only = flags.only
        self.outcomes = {}  # The last attempt at each suite.
        self.flaky = []

    def play(self, name, play):
        """Plays the suite with a server of its own."""
        outcomes, suite = Outcomes(), None
        try:
            suite = Suite(self, name, outcomes)
            play(suite)
        except Exception:  # The other suites go on.
            outcomes.fail(name, traceback.format_exc())
        finally:
            if suite:
                suite.close()
        return outcomes

    def all(self, suites):
        """Plays all suites at once, and those that failed once more."""
        chosen = {name: play for name, play in suites.items()
                  if self.only in name}
        with concurrent.futures.ThreadPoolExecutor(len(suites)) as pool:
            played = {name: pool.submit(self.play, name, play)
                      for name, play in chosen.items()}
        self.outcomes = {name: one.result() for name, one in played.items()}
        for name, first in list(self.outcomes.items()):
            if not first.failed:
                continue
            print(f'AGAIN {name}', flush=True)
            self.outcomes[name] = self.play(name, chosen[name])
            still = self.outcomes[name].failed
            self.flaky += [one for one in first.failed if one not in still]

    def report(self, path):
        """Prints what all suites have shown. Returns the exit code."""
        outcomes = self.outcomes.values()
        passed = [name for one in outcomes for name in one.passed]
        failed = [name for one in outcomes for name in one.failed]
        skipped = [name for one in outcomes for name in one.skipped]
        if path:
            with open(path, 'w') as file:
                json.dump({'passed': passed, 'failed': failed,
                           'skipped': skipped, 'flaky': self.flaky}, file)
        for name in self.flaky:
            print(f'FLAKY {name} passed only when it ran again')
        for name in failed:
            print(f'FAILED {name}')
        print(f'{len(passed)} passed, {len(failed)} failed, '
              f'{len(skipped)} skipped')
        return 1 if failed or not passed else 0
