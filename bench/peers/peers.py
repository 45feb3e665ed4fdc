#!/usr/bin/env python3
"""Compares troika with sandbox-agent, side by side on this machine.

usage: ./dev bench peers [FLAG...]

  --rounds N       figures are medians over N rounds (default 5); in each, the
                   servers take turns
  --only NAME,…    only these measures: idle, start, prompt, latency, busy,
                   crowd, flood, stall
  --json FILE      append each round to FILE, as lines of JSON
  --from FILE      measure nothing: print the table of the rounds in FILE
  --programs DIR   measure the programs below another bazel-bin
  --ours           measure troika alone

Prints the table for docs/performance.md.
"""

import argparse
import gc
import json
import os
import pathlib
import platform
import re
import signal
import statistics
import sys
import tempfile
import time

import measures
import peer
import report
import servers

BIN = pathlib.Path("bazel-bin")


def machine():
    """Returns what the figures depend on, as a sentence."""
    cpu = re.search(r"model name\s*: (.*)",
                    pathlib.Path("/proc/cpuinfo").read_text())
    return (f"{os.cpu_count()} cores of {cpu[1] if cpu else 'a CPU'}, Linux "
            f"{platform.release()}, load {os.getloadavg()[0]:.1f}, a sync of "
            f"the disk takes {sync_millis():.2f} ms, "
            f"{time.strftime('%F %H:%M UTC', time.gmtime())}.")


def sync_millis():
    """Returns the median time of fdatasync where the servers have their files.
    A start of troika waits for it, one of the peer does not."""
    found = []
    with tempfile.NamedTemporaryFile() as file:
        for _ in range(20):
            file.write(b"x" * 300)
            file.flush()
            begin = time.perf_counter()
            os.fdatasync(file.fileno())
            found.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(found)


def others_busy():
    """Returns the share of the CPUs that is used now."""
    def ticks():
        user, nice, system, idle, wait, *rest = map(int, pathlib.Path(
            "/proc/stat").read_text().splitlines()[0].split()[1:])
        return user + nice + system + sum(rest[:3]), idle + wait
    used, idle = ticks()
    time.sleep(0.5)
    used_now, idle_now = ticks()
    return (used_now - used) / max(used_now - used + idle_now - idle, 1)


def wait_for_quiet():
    """Waits until other work takes less than a fifth, but not for long."""
    for _ in range(10):
        busy = others_busy()
        if busy < 0.2:
            break
    return busy


def read_rounds(path):
    """Returns {server: [figures]} of a file that --json has written, and what
    it says about the machine."""
    rounds, machines = {}, []
    for line in pathlib.Path(path).read_text().splitlines():
        one = json.loads(line)
        if "machine" in one:
            machines.append(one["machine"])
        else:
            rounds.setdefault(one["server"], []).append(one["figures"])
    return rounds, machines


def measure(names, makers, count, tools, output):
    """Returns {server: [figures]}, and writes each round to `output`."""
    rounds = {name: [] for name in makers}
    for name in names:
        for number in range(1, count + 1):
            for server, make in makers.items():
                busy = wait_for_quiet()
                found = measures.ALL[name](make, tools)
                rounds[server].append(found)
                line = json.dumps({"server": server, "measure": name,
                                   "round": number, "figures": found,
                                   "busy_before": round(busy, 2)})
                print(line, file=sys.stderr, flush=True)
                if output:
                    print(line, file=output, flush=True)
    return rounds


def print_report(rounds, machines):
    print("Medians over rounds in which the servers took turns; in brackets the "
          "least and the most.\n\n" + "\n".join(f"- {one}" for one in machines)
          + "\n")
    found = {name: report.figures(of_server)
             for name, of_server in rounds.items()}
    print(report.table(found.get("troika", {}),
                       found.get(servers.SandboxAgent.name, {}),
                       servers.SandboxAgent.name))


def main():
    parser = argparse.ArgumentParser(usage="see --help", add_help=False)
    parser.add_argument("--help", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default=",".join(measures.ALL))
    parser.add_argument("--json")
    parser.add_argument("--from", dest="source")
    parser.add_argument("--programs", default=BIN)
    parser.add_argument("--ours", action="store_true")
    options = parser.parse_args()
    if options.help:
        return print(__doc__.strip())
    if options.source:
        return print_report(*read_rounds(options.source))
    names = options.only.split(",")
    if unknown := set(names) - set(measures.ALL):
        parser.error(f"--only {','.join(unknown)}: there are "
                     f"{', '.join(measures.ALL)}")
    gc.disable()  # It would show in the figures.
    # Ends the servers, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    agent = BIN / "bench/peers/agent"
    makers = {"troika": lambda: servers.Troika(agent, options.programs)}
    if not options.ours:
        program = peer.install()
        makers[servers.SandboxAgent.name] = (
            lambda: servers.SandboxAgent(agent, program))
    tools = {"receiver": BIN / "bench/peers/receiver"}
    output = open(options.json, "a") if options.json else None
    before = f"{', '.join(names)}: {machine()}"
    rounds = measure(names, makers, options.rounds, tools, output)
    if output:
        print(json.dumps({"machine": before}), file=output, flush=True)
    print_report(rounds, [before])


if __name__ == "__main__":
    main()
