"""Runs the official MCP clients, the Inspector and the conformance suite against
`troika mcp` and POST /mcp, with fakes in place of the agents' CLIs.

usage: main.py [FLAG...] NODE PACKAGES PROGRAM...

NODE and PACKAGES are what `tools/clis packages testing/mcp` prints. PROGRAMs are
troika, troika-server, troika-relay, fake_codex, fake_claude and fake_gemini.

  --report FILE  write passed, failed and skipped checks as JSON
  --only WORD    run only suites whose name contains WORD

The last line is "N passed, N failed, N skipped".
"""
import argparse
import json
import os
import signal
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, '..', '..', 'server', 'e2e'))

import conformance  # noqa: E402
import inspector  # noqa: E402
from suite import PATIENCE, Run  # noqa: E402

def clients(kind, transport):
    """The checks of run.mjs, with one kind of client."""
    def play(suite):
        process = suite.node('run.mjs', kind, transport)
        late = threading.Timer(PATIENCE, process.kill)
        late.start()
        try:
            for line in process.stdout:
                check = json.loads(line)
                if check.get('problem'):
                    suite.outcomes.fail(check['name'], check['problem'])
                else:
                    suite.outcomes.succeed(check['name'],
                                           f' ({check["ms"] / 1000:.1f} s)')
            if process.wait() != 0:
                suite.outcomes.fail(f'{suite.name}: run.mjs ended with '
                                    f'{process.returncode}')
        finally:
            late.cancel()
            process.kill()
            process.wait()
            process.stdout.close()
    return play


SUITES = {
    **{f'{kind} {transport}': clients(kind, transport)
       for kind in ('sdk', 'legacy', 'auto', 'pinned')
       for transport in ('stdio', 'http')},
    'inspector': inspector.play,
    'conformance': conformance.play,
}


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda n, _: sys.exit(128 + n))
    parser = argparse.ArgumentParser(
        usage='main.py [FLAG...] NODE PACKAGES PROGRAM...')
    parser.add_argument('--report')
    parser.add_argument('--only', default='')
    parser.add_argument('node')
    parser.add_argument('packages')
    parser.add_argument('programs', nargs='+')
    flags = parser.parse_args()
    began = time.monotonic()
    run = Run(flags)
    run.all(SUITES)
    print(f'{time.monotonic() - began:.0f} s')
    return run.report(flags.report)


sys.exit(main())
