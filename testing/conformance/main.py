"""Runs the real CLIs through Troika against a scripted model.

usage: main.py [FLAG...] PROGRAM... <CLIS

PROGRAMs are troika, troika-server, troika-relay, troika-model, fake_codex and
fake_gemini. CLIS are the lines that tools/clis prints: harness, version and path.

  --table FILE   the table of versions and features (docs/compatibility.md) that
                 the findings must match
  --update       write the findings into the table instead
  --report FILE  write passed, failed and skipped scenarios as JSON
  --jobs N       number of scenarios that run at once (default 3)
  --only WORD    run only scenarios whose name contains WORD
  --keep         keep all folders of the run and print their path
  --record DIR   store the agents' streams there, as files for testdata/
  --missing NAME report NAME as a CLI that could not be installed; repeatable

The last line is "N passed, N failed, N skipped".
"""
import argparse
import os
import signal
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, '..', '..', 'server', 'e2e'))

# Scenarios, in the order of the table.
import work  # noqa: E402,F401
import asked  # noqa: E402,F401
import sessions  # noqa: E402,F401
import answers  # noqa: E402,F401
import conversations  # noqa: E402,F401
import trouble  # noqa: E402,F401
import talking  # noqa: E402,F401
import modes  # noqa: E402,F401
import asked_of_us  # noqa: E402,F401
import delegates  # noqa: E402,F401
import user_rules  # noqa: E402,F401
import spending  # noqa: E402,F401

import account  # noqa: E402
import clis  # noqa: E402
import execpolicy  # noqa: E402
from run import Run  # noqa: E402


def read_flags():
    parser = argparse.ArgumentParser(usage='main.py [FLAG...] PROGRAM... <CLIS')
    parser.add_argument('--table')
    parser.add_argument('--update', action='store_true')
    parser.add_argument('--report')
    parser.add_argument('--jobs', type=int, default=3)
    parser.add_argument('--only', default='')
    parser.add_argument('--record')
    parser.add_argument('--keep', action='store_true')
    parser.add_argument('--missing', action='append', default=[])
    parser.add_argument('programs', nargs='+')
    flags = parser.parse_args()
    lines = [line.split(None, 2) for line in sys.stdin.read().splitlines()]
    flags.clis = [clis.KINDS[harness](version, path)
                  for harness, version, path in lines]
    return flags


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda n, _: sys.exit(128 + n))
    run = Run(read_flags())
    try:
        for step in (run.all, lambda: execpolicy.play(run),
                     lambda: account.play(run), run.compare):
            try:
                step()
            except Exception:  # The findings so far still count.
                run.fail('the run itself', traceback.format_exc())
        return run.report()
    finally:
        run.close()


sys.exit(main())
