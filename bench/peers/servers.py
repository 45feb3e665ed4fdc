"""Runs troika and its peers in the same way, for the measures.

Each server gets a folder of its own with a copy of the agent, by which its
agents are found and killed at the end.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PATIENCE = 60  # Seconds for anything that is waited for.


def nanos():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def wait_until(condition, what, pause=0.002):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {PATIENCE} s")
        time.sleep(pause)


class Connection:
    """HTTP/1.1 on a socket, without the cost of Python's own client."""

    def __init__(self, port, headers):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.head = "".join(f"{name}: {value}\r\n" for name, value in {
            "Host": f"127.0.0.1:{port}", **headers}.items())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, method, path, body=None):
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\n{self.head}"
        if method == "GET":
            head += "Accept: application/json, text/event-stream\r\n"
        if content:
            head += ("Content-Type: application/json\r\n"
                     f"Content-Length: {len(content)}\r\n")
        self.socket.sendall(head.encode() + b"\r\n" + content)

    def reply(self):
        """Returns the body of a reply; raises RuntimeError if it is an error."""
        got = b""
        while True:
            more = self.socket.recv(65536)
            got += more
            head, found, body = got.partition(b"\r\n\r\n")
            length = re.search(rb"content-length: *(\d+)", head, re.I)
            whole = found and (len(body) >= int(length[1]) if length else
                               body.endswith(b"0\r\n\r\n"))
            if whole or not more:
                break
        if not re.match(rb"HTTP/1.1 2", head):
            raise RuntimeError(f"{head[:40]!r}: {body[:400]!r}")
        return body

    def ask(self, method, path, body=None):
        self.send(method, path, body)
        return self.reply()

    def read_until(self, text):
        """Reads a stream until it has `text`; returns what was read."""
        got = b""
        while text not in got:
            more = self.socket.recv(65536)
            if not more:
                raise RuntimeError(f"the stream ended without {text!r}")
            got += more
        return got

    def open_stream(self, path):
        """Opens a stream, and returns once its head has come."""
        self.send("GET", path)
        self.read_until(b"\r\n\r\n")

    def drop_input(self):
        """Drops what has come so far."""
        self.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while self.socket.recv(65536):
                pass
        self.socket.settimeout(PATIENCE)


class Server:
    """A server and its agents; a context manager."""

    name = ""
    agents = ()  # Where copies of the agent go, below the folder.

    def __init__(self, agent):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="troika-peers-"))
        self.headers = {}
        for path in (*self.agents, "home/x", "work/x"):
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        for path in self.agents:
            shutil.copy(agent, self.folder / path)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]

    def __enter__(self):
        with open(self.folder / "output", "w") as output:
            self.process = subprocess.Popen(
                self.command(), env={**os.environ, **self.environment()},
                stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True)
        try:
            wait_until(self.is_ready, f"{self.name} is ready")
            self.on_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        # What the server has left behind.
        wait_until(lambda: not self.kill_agents(), "the end of all agents", 0.05)
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill_agents(self):
        """Kills the agents; returns whether there were any."""
        found = False
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if self.is_agent(entry):
                    os.kill(int(entry.name), signal.SIGKILL)
                    found = True
        return found

    def is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name} ended: " +
                               (self.folder / "output").read_text())
        try:
            with self.connect() as connection:
                connection.ask("GET", self.ready_path)
        except OSError:
            return False
        return True

    def on_ready(self):
        pass

    def connect(self):
        return Connection(self.port, self.headers)

    def ask(self, method, path, body=None):
        with self.connect() as connection:
            return connection.ask(method, path, body)

    def memory(self, field):
        """Returns VmRSS or VmHWM of the server, in megabytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{field}:\s*(\d+)", status)[1]) * 1024 / 1e6


    def memory_of_all(self):
        """Returns the memory of the server and of the processes between it and
        its agents, in megabytes; shared pages count by their share (PSS)."""
        total = 0
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if int(entry.name) != self.process.pid and (
                        self.is_agent(entry) or not self.uses_folder(entry)):
                    continue
                rollup = (entry / "smaps_rollup").read_text()
                total += int(re.search(r"\nPss:\s*(\d+)", rollup)[1])
        return total * 1024 / 1e6

    def is_agent(self, process):
        return os.readlink(process / "exe").startswith(f"{self.folder}/")

    def uses_folder(self, process):
        return any(os.readlink(fd).startswith(f"{self.folder}/")
                   for fd in (process / "fd").iterdir())


class Troika(Server):
    """Sessions are tasks of `claude`, single starts tasks of `codex`."""

    name = "troika"
    agents = ("bin/claude", "bin/codex")
    ready_path = "/healthz"

    def __init__(self, agent, programs):
        super().__init__(agent)
        self.programs = pathlib.Path(programs).absolute()

    def command(self):
        return [self.programs / "server/troika-server", "--listen",
                f"127.0.0.1:{self.port}", "--max-running", "2000"]

    def environment(self):
        return {"TROIKA_HOME": f"{self.folder}/home",
                "TROIKA_RELAY_BIN": f"{self.programs}/relay/troika-relay",
                "TROIKA_CLAUDE_BIN": f"{self.folder}/bin/claude",
                "TROIKA_CODEX_BIN": f"{self.folder}/bin/codex"}

    def on_ready(self):
        token = (self.folder / "home/token").read_text().strip()
        self.headers = {"Authorization": f"Bearer {token}"}

    def task(self, harness, prompt):
        return {"harness": harness, "prompt": prompt,
                "cwd": f"{self.folder}/work"}

    def create(self):
        body = self.ask("POST", "/api/v1/tasks", self.task("claude", "hello"))
        session = json.loads(body)["id"]
        self.wait_for_turn(session)
        return session

    def wait_for_turn(self, session):
        def state():
            task = json.loads(self.ask("GET", f"/api/v1/tasks/{session}"))
            return task["state"]
        wait_until(lambda: state() == "idle", "the end of a turn")

    def stream(self, session):
        return f"/api/v1/tasks/{session}/events"

    def prompt(self, session, text):
        return ("POST", f"/api/v1/tasks/{session}/input", {"text": text})

    def start_once(self):
        """Starts a session with a prompt. Returns when it was asked for, when
        the agent's main() ran, when its first output was here, and its first
        event."""
        with self.connect() as post, self.connect() as stream:
            begin = nanos()
            task = json.loads(post.ask("POST", "/api/v1/tasks",
                                       self.task("codex", "emit 1 0 300")))
            stream.send("GET", self.stream(task["id"]))
            text = stream.read_until(b" main=")
            end = nanos()
        return begin, main_time(text), end, end


class SandboxAgent(Server):
    """Agents speak ACP; the server passes JSON-RPC on."""

    name = "sandbox-agent 0.4.2"
    # Runs for ?agent=mock, as it is.
    agents = ("data/sandbox-agent/bin/agent_processes/mock-acp",)
    ready_path = "/v1/health"

    def __init__(self, agent, program):
        super().__init__(agent)
        self.program = program
        self.sessions = 0

    def command(self):
        return [self.program, "server", "--no-token", "--no-telemetry",
                "--host", "127.0.0.1", "--port", str(self.port)]

    def environment(self):
        return {"HOME": f"{self.folder}/home",
                "XDG_DATA_HOME": f"{self.folder}/data",
                # Otherwise it would download agents.
                "SANDBOX_AGENT_REQUIRE_PREINSTALL": "1"}

    def initialize(self):
        """Returns a new session's id and the request that starts its agent."""
        self.sessions += 1
        session = f"s{self.sessions}"
        return session, ("POST", f"/v1/acp/{session}?agent=mock", rpc(
            1, "initialize", {"protocolVersion": 1, "clientCapabilities": {}}))

    def new_session(self, session):
        return ("POST", f"/v1/acp/{session}", rpc(
            2, "session/new", {"cwd": f"{self.folder}/work", "mcpServers": []}))

    def create(self):
        session, request = self.initialize()
        self.ask(*request)
        self.ask(*self.new_session(session))
        return session

    def wait_for_turn(self, session):
        pass  # The reply to a prompt comes at the end of the turn.

    def stream(self, session):
        return f"/v1/acp/{session}"

    def prompt(self, session, text):
        return ("POST", f"/v1/acp/{session}", rpc(
            3, "session/prompt", {"sessionId": "s1", "prompt": [
                {"type": "text", "text": text}]}))

    def start_once(self):
        """Like Troika.start_once. The first output is the reply to initialize;
        the first event needs a session, a stream and a prompt."""
        with self.connect() as post, self.connect() as stream:
            session, request = self.initialize()
            begin = nanos()
            text = post.ask(*request)
            output = nanos()
            post.ask(*self.new_session(session))
            stream.send("GET", self.stream(session))
            post.send(*self.prompt(session, "emit 1 0 300"))
            # The prompt's event; the stream also has the earlier replies.
            stream.read_until(b"agent_message_chunk")
            end = nanos()
            post.reply()
        return begin, main_time(text), output, end


def rpc(number, method, params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def main_time(text):
    return int(re.search(rb" main=(\d+)", text)[1])
