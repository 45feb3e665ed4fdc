"""The measures: each takes a function that makes a server, and returns the
figures of one round by their names in report.ROWS."""

import json
import re
import statistics
import subprocess
import threading
import time

from servers import nanos, wait_until

STARTS = 20
PROMPTS = 30
WARM_UP = 3  # The first starts and prompts don't count.
BUSY_SESSIONS = 100
CROWD = 1000
FLOOD = 100_000
TICKS, TICK_RATE = 500, 100
EVENT_BYTES = 300
STALL_MILLIS = 3000


def idle(make, tools):
    with make() as server:
        time.sleep(1)
        return {"idle.memory": server.memory("VmRSS")}


def starts(server):
    """Returns the medians of main(), first output and first event in ms."""
    found = []
    for _ in range(WARM_UP + STARTS):
        time.sleep(0.05)
        begin, *times = server.start_once()
        found.append([(one - begin) * 1e-6 for one in times])
    return [statistics.median(column) for column in zip(*found[WARM_UP:])]


def start(make, tools):
    with make() as server:
        main, output, event = starts(server)
    return {"start.main": main, "start.output": output, "start.event": event}


def busy(make, tools):
    """How much longer a start takes while many sessions are alive, and their
    memory."""
    with make() as server:
        alone = starts(server)[1]
        for _ in range(BUSY_SESSIONS):
            server.create()
        return {"busy.share": starts(server)[1] / alone,
                "busy.memory": server.memory_of_all()}


def prompt(make, tools):
    with make() as server:
        session = server.create()
        found = []
        with server.connect() as stream:
            stream.open_stream(server.stream(session))
            for _ in range(WARM_UP + PROMPTS):
                time.sleep(0.05)
                stream.drop_input()
                with server.connect() as post:
                    begin = nanos()
                    post.send(*server.prompt(
                        session, f"emit 1 0 {EVENT_BYTES}"))
                    stream.read_until(b" sent=")
                    found.append((nanos() - begin) * 1e-6)
                    post.reply()
                server.wait_for_turn(session)
    return {"prompt.event": statistics.median(found[WARM_UP:])}


def receive(server, tools, count, rate, pause=0):
    """Lets a session emit events; returns what the receiver prints, which reads
    nothing for `pause` milliseconds after the first event."""
    session = server.create()
    header = [f"{name}: {value}" for name, value in server.headers.items()]
    receiver = subprocess.Popen(
        [tools["receiver"], str(server.port), server.stream(session),
         str(count), str(pause), *header], stdout=subprocess.PIPE, text=True)
    receiver.stdout.readline()

    def send():
        try:
            server.ask(*server.prompt(
                session, f"emit {count} {rate} {EVENT_BYTES}"))
        except (OSError, RuntimeError):
            pass  # A peer may give up; the receiver counts what came.

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    return json.loads(receiver.communicate(timeout=150)[0])


def latency(make, tools):
    with make() as server:
        seen = receive(server, tools, TICKS, TICK_RATE)
    return {"latency.p50": seen["p50"], "latency.p99": seen["p99"]}


def flood(make, tools):
    with make() as server:
        seen = receive(server, tools, FLOOD, 0)
        return {"flood.rate": seen["received"] / max(seen["seconds"], 1e-6),
                "flood.lost": seen["missing"],
                "flood.memory": server.memory("VmHWM")}


def stall(make, tools):
    with make() as server:
        seen = receive(server, tools, FLOOD, 0, STALL_MILLIS)
        return {"stall.lost": seen["missing"],
                "stall.memory": server.memory("VmHWM")}


def crowd(make, tools):
    """Many tasks at once; only for servers that count their tasks."""
    with make() as server:
        if not hasattr(server, "task"):
            return {}
        begin = nanos()
        with server.connect() as post:
            for _ in range(CROWD):
                post.ask("POST", "/api/v1/tasks", server.task("codex", "hang"))

        def running():
            page = server.ask("GET", "/metrics").decode()
            found = re.search(r'troika_tasks{state="running"} (\d+)', page)
            return int(found[1]) if found else 0
        wait_until(lambda: running() == CROWD, "all tasks", pause=0.025)
        return {"crowd.seconds": (nanos() - begin) * 1e-9}


ALL = {"idle": idle, "start": start, "prompt": prompt, "latency": latency,
       "busy": busy, "crowd": crowd, "flood": flood, "stall": stall}
