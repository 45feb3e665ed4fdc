"""Runs all scenarios of some CLIs and collects their outcomes."""
import concurrent.futures
import json
import os
import shutil
import sys
import tempfile
import threading
import time
import traceback

import record
import scenario
import table
from case import PATIENCE, Case, Refused
from world import Server, wait_for

# Scenario that shows each capability. Follow-up and interrupt concern a single
# process and are checked by their scenarios themselves.
CAPABILITIES = {
    'resume': 'follow_up', 'images': 'image', 'models': 'model',
    'approvals': 'approval', 'questions': 'question',
}
# Texts that a sanitizer prints.
CRASHES = ('AddressSanitizer', 'runtime error:')


class Run:
    def __init__(self, flags):
        self.flags = flags
        self.programs = {os.path.basename(p): os.path.abspath(p)
                         for p in flags.programs}
        # Not among temporary files, which sandboxes leave writable.
        cache = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser(
            '~/.cache')
        os.makedirs(os.path.join(cache, 'troika'), exist_ok=True)
        self.root = tempfile.mkdtemp(
            prefix='conformance-', dir=os.path.join(cache, 'troika'))
        self.passed, self.failed, self.skipped = [], [], []
        self.flaky = []
        self.found = {}
        self.servers = []
        self.lock = threading.Lock()

    def close(self):
        for server in self.servers:
            server.kill()
        if self.flags.keep:
            print(f'kept: {self.root}', file=sys.stderr)
        else:
            # Agents that still run exit once their folders are gone.
            shutil.rmtree(self.root, ignore_errors=True)

    def fail(self, name, problem=''):
        with self.lock:
            self.failed.append(name)
            print(f'FAILED {name}\n{problem}', flush=True)

    def skip(self, name):
        with self.lock:
            self.skipped.append(name)
            print(f'SKIPPED {name}', flush=True)

    # Scenarios.

    def all(self):
        pool = concurrent.futures.ThreadPoolExecutor(self.flags.jobs)
        try:
            for name in self.flags.missing:
                self.fail(f'{name} is not installed')
            for cli in self.flags.clis:
                self.submit(pool, cli)
            pool.shutdown(wait=True)
        finally:
            # After an interruption, no further scenario starts.
            pool.shutdown(wait=False, cancel_futures=True)

    def submit(self, pool, cli):
        try:
            server = self.server(cli)
        except Exception:  # The other CLIs go on.
            self.fail(f'{cli} does not start', traceback.format_exc())
            return
        scenes = self.playable(cli, told_of(server, cli).get('sandboxError'))
        futures = [pool.submit(self.play, server, cli, s) for s in scenes]
        pool.submit(self.end, server, cli, futures)

    def playable(self, cli, sandbox_error):
        """Returns the selected scenarios that can succeed on this machine.
        Others are skipped, because a failure says nothing about the version."""
        wanted = [s for s in scenario.ALL if self.flags.only in s.name]
        skipped = [s for s in wanted if s.sandboxed and sandbox_error]
        for scene in skipped:
            self.skip(f'{cli} {scene.name}: {sandbox_error}')
        return [s for s in wanted if s not in skipped]

    def server(self, cli):
        root = os.path.join(self.root, f'{cli.harness}-{cli.version}')
        os.mkdir(root)
        server = Server(self.programs, root)
        server.env[cli.variable] = cli.program
        server.start()
        self.servers.append(server)
        # Only the first start of a CLI is slow; its version is then cached.
        wait_for(lambda: knows(server, cli), f'the version of {cli}',
                 PATIENCE)
        return server

    def end(self, server, cli, futures):
        """Runs after all scenarios of a CLI, whatever their outcome."""
        try:
            concurrent.futures.wait(futures)
            self.capabilities(server, cli)
            if server.server.poll() is not None:
                self.fail(f'{cli}: the server is gone')
            with open(server.errors, errors='replace') as errors:
                said = errors.read()
            if any(crash in said for crash in CRASHES):
                self.fail(f'{cli}: the server', said[-4000:])
        except Exception:  # The other CLIs go on.
            self.fail(f'{cli}: the end', traceback.format_exc())

    def play(self, server, cli, scene):
        """Plays the scenario, and once more if it fails."""
        outcome, problem, seconds = self.attempt(server, cli, scene, scene.name)
        if problem:
            name = f'{cli} {scene.name}'
            print(f'AGAIN {name} ({seconds:.1f} s)\n{problem}', flush=True)
            outcome, problem, seconds = self.attempt(
                server, cli, scene, f'{scene.name}-again')
            if not problem:
                with self.lock:
                    self.flaky.append(name)
        self.told(cli, scene, outcome, problem, seconds)

    def attempt(self, server, cli, scene, folder):
        began = time.monotonic()
        outcome, problem, case = 'failed', '', None
        try:
            folder = os.path.join(server.root, folder)
            os.mkdir(folder)
            case = Case(server, cli, scene.name, folder)
            outcome = self.outcome(cli, scene, case)
        except Exception:  # The other scenarios go on.
            problem = traceback.format_exc()
            problem += case.story() if case else ''
        finally:
            if case:
                case.close()
        return outcome, problem, time.monotonic() - began

    def outcome(self, cli, scene, case):
        try:
            outcome = scene.play(case) or 'yes'
        except Refused as refused:
            outcome = refusal(cli, str(refused))
        case.finish()
        if self.flags.record:
            record.keep(self.flags.record, case, scene.name)
        return outcome

    def told(self, cli, scene, outcome, problem, seconds):
        name = f'{cli} {scene.name}'
        if problem:
            self.fail(f'{name} ({seconds:.1f} s)', problem)
            return
        with self.lock:
            self.found[(cli.harness, cli.version, scene.name)] = outcome
            self.passed.append(name)
            print(f'{name}: {outcome} ({seconds:.1f} s)', flush=True)

    def capabilities(self, server, cli):
        """Checks that the server's capabilities match the findings."""
        told = told_of(server, cli)['capabilities']
        for name, scene in CAPABILITIES.items():
            found = self.found.get((cli.harness, cli.version, scene))
            if found is not None and told[name] != (found == 'yes'):
                self.fail(f'{cli} capabilities: {name} is {told[name]}, and '
                          f'{scene} is {found}')

    # End of the run.

    def compare(self):
        """Compares the findings with the table."""
        if not self.flags.table:
            return
        if self.flags.update:
            table.update(self.flags.table, self.found)
            if self.failed:
                print('what failed stands in the table as it was')
            return
        for line in table.differences(self.flags.table, self.found):
            self.fail(line)

    def report(self):
        if self.flags.report:
            with open(self.flags.report, 'w') as file:
                json.dump({'passed': self.passed, 'failed': self.failed,
                           'skipped': self.skipped, 'flaky': self.flaky}, file)
        for name in self.flaky:
            print(f'FLAKY {name} passed only when it ran again')
        for name in self.failed:
            print(f'FAILED {name.splitlines()[0]}')
        print(f'{len(self.passed)} passed, {len(self.failed)} failed, '
              f'{len(self.skipped)} skipped')
        return 1 if self.failed or not self.passed else 0


def knows(server, cli):
    try:
        return told_of(server, cli)['version']
    except TimeoutError:
        return False


def told_of(server, cli):
    """Returns what the server reports about this CLI."""
    return next(h for h in server.api('GET', '/harnesses')['harnesses']
                if h['id'] == cli.harness)


def refusal(cli, message):
    """Checks that a refusal names the CLI and says what to do."""
    named = cli.name in message
    advised = '; ' in message or ': ' in message
    if not (named and advised):
        raise AssertionError(f'an error that does not say whose it is or what '
                             f'to do: {message}')
    return 'no'
