"""Runs the real CLIs through Troika against a scripted model.

usage: main.py [FLAG...] PROGRAM... -- HARNESS VERSION PATH...

PROGRAMs are troika, troika-server, troika-relay and troika-model; then come the
CLIs, as tools/clis prints them.

  --table FILE   the table of versions and features (docs/compatibility.md): what
                 a run finds has to stand there
  --update       write it into the table instead
  --report FILE  passed, failed and skipped scenarios, as JSON
  --jobs N       how many at once (3)
  --only WORD    only scenarios whose name holds it
  --keep         leave all folders of the run, and say where
  --record DIR   keep the agents' streams there, as files for testdata/

The last line is "N passed, N failed, N skipped".
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import sys
import tempfile
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, '..', '..', 'server', 'e2e'))

# Scenarios, in the order of the table.
import work  # noqa: E402,F401
import asked  # noqa: E402,F401
import sessions  # noqa: E402,F401
import answers  # noqa: E402,F401
import trouble  # noqa: E402,F401
import modes  # noqa: E402,F401

import account  # noqa: E402
import clis  # noqa: E402
import record  # noqa: E402
import scenario  # noqa: E402
import table  # noqa: E402
from case import PATIENCE, Case, Refused  # noqa: E402
from world import Server, wait_for  # noqa: E402

# Which scenario shows a capability.
CAPABILITIES = {
    'resume': 'follow_up', 'images': 'image', 'models': 'model',
    'approvals': 'approval', 'questions': 'question',
}


class Run:
    def __init__(self, flags):
        self.flags = flags
        self.programs = {os.path.basename(p): os.path.abspath(p)
                         for p in flags.programs}
        # Not in the folder of temporary files, which sandboxes leave open.
        cache = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser(
            '~/.cache')
        os.makedirs(os.path.join(cache, 'troika'), exist_ok=True)
        self.root = tempfile.mkdtemp(
            prefix='conformance-', dir=os.path.join(cache, 'troika'))
        self.passed, self.failed, self.skipped = [], [], []
        self.found = {}
        self.servers = []
        self.lock = threading.Lock()

    def close(self):
        for server in self.servers:
            server.kill()
        if self.flags.keep:
            print(f'kept: {self.root}', file=sys.stderr)
        else:
            shutil.rmtree(self.root, ignore_errors=True)

    def server(self, cli):
        root = os.path.join(self.root, f'{cli.harness}-{cli.version}')
        os.mkdir(root)
        server = Server(self.programs, root)
        server.env[cli.variable] = cli.program
        server.start()
        self.servers.append(server)
        # The first start of a CLI may take long; once its version is known, it
        # is kept.
        wait_for(lambda: self.knows(server, cli), f'the version of {cli}',
                 PATIENCE)
        return server

    def knows(self, server, cli):
        try:
            return self.told_of(server, cli)['version']
        except TimeoutError:
            return False

    @staticmethod
    def told_of(server, cli):
        """What the server tells of this CLI."""
        return next(h for h in server.api('GET', '/harnesses')['harnesses']
                    if h['id'] == cli.harness)

    def play(self, server, cli, scene):
        folder = os.path.join(server.root, scene.name)
        os.mkdir(folder)
        began = time.monotonic()
        case = Case(server, cli, scene.name, folder)
        try:
            try:
                outcome = scene.play(case) or 'yes'
            except Refused as refused:
                outcome = self.refusal(cli, str(refused))
            case.finish()
            if self.flags.record:
                record.keep(self.flags.record, case, scene.name)
            problem = ''
        except Exception:  # Whatever it was, the others go on.
            outcome = 'failed'
            problem = traceback.format_exc() + case.story()
        finally:
            case.close()
        self.told(cli, scene, outcome, problem, time.monotonic() - began)

    @staticmethod
    def refusal(cli, message):
        """What is refused has to be told so that one knows what to do."""
        for word in (cli.name, ';'):
            if word not in message:
                raise AssertionError(f'no {word!r} in the error: {message}')
        return 'no'

    def told(self, cli, scene, outcome, problem, seconds):
        name = f'{cli} {scene.name}'
        with self.lock:
            self.found[(cli.harness, cli.version, scene.name)] = outcome
            if problem:
                self.failed.append(name)
                print(f'FAILED {name} ({seconds:.1f} s)\n{problem}\n',
                      flush=True)
            else:
                self.passed.append(name)
                print(f'{name}: {outcome} ({seconds:.1f} s)', flush=True)

    def capabilities(self, server, cli):
        """What the server tells of this version is what was found."""
        told = self.told_of(server, cli)['capabilities']
        for name, scene in CAPABILITIES.items():
            found = self.found.get((cli.harness, cli.version, scene))
            if found in (None, 'failed'):
                continue
            if told[name] != (found != 'no'):
                self.failed.append(f'{cli} capabilities: {name} is '
                                   f'{told[name]}, and {scene} is {found}')

    def all(self):
        with concurrent.futures.ThreadPoolExecutor(self.flags.jobs) as pool:
            for cli in self.flags.clis:
                server = self.server(cli)
                for scene in scenario.ALL:
                    if self.flags.only in scene.name:
                        pool.submit(self.play, server, cli, scene)
        for server, cli in zip(self.servers, self.flags.clis):
            self.capabilities(server, cli)

    def compare(self):
        """What was found, with what is written."""
        if not self.flags.table:
            return
        if self.flags.update:
            if not self.failed:
                table.update(self.flags.table, self.found)
            return
        for line in table.differences(self.flags.table, self.found):
            self.failed.append(line)
            print(f'FAILED {line}')

    def report(self):
        if self.flags.report:
            with open(self.flags.report, 'w') as file:
                json.dump({'passed': self.passed, 'failed': self.failed,
                           'skipped': self.skipped}, file)
        for name in self.failed:
            print(f'FAILED {name.splitlines()[0]}')
        print(f'{len(self.passed)} passed, {len(self.failed)} failed, '
              f'{len(self.skipped)} skipped')
        return 1 if self.failed or not self.passed else 0


def read_flags(arguments):
    parser = argparse.ArgumentParser(
        usage='main.py [FLAG...] PROGRAM... -- HARNESS VERSION PATH...')
    parser.add_argument('--table')
    parser.add_argument('--update', action='store_true')
    parser.add_argument('--report')
    parser.add_argument('--jobs', type=int, default=3)
    parser.add_argument('--only', default='')
    parser.add_argument('--record')
    parser.add_argument('--keep', action='store_true')
    parser.add_argument('programs', nargs='+')
    cut = arguments.index('--')
    flags = parser.parse_args(arguments[:cut])
    words = arguments[cut + 1:]
    flags.clis = [clis.KINDS[words[i]](words[i + 1], words[i + 2])
                  for i in range(0, len(words), 3)]
    return flags


def main():
    run = Run(read_flags(sys.argv[1:]))
    try:
        run.all()
        account.play(run)
        run.compare()
        return run.report()
    finally:
        run.close()


sys.exit(main())
