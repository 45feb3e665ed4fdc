"""MCP clients on the pipe of `troika mcp` and over HTTP, for tests."""
import json
import os
import queue
import subprocess
import threading

from world import PATIENCE, WorldTest

ASKS = 'ask Bash {"command":"ls -l"}\nsay Did it.\nok'
META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': {'name': 'new', 'version': '1'},
    'io.modelcontextprotocol/clientCapabilities': {
        'elicitation': {'form': {}}},
}


class Client:
    """A client on the pipe. Requests of the server are in `asked`."""

    def __init__(self, world, *flags, env=None, capabilities=None):
        self.process = subprocess.Popen(
            [world.programs['troika'], 'mcp', *flags], cwd=world.work,
            env={**world.env, 'LOG_LEVEL': 'error', **(env or {})}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        self.replies = {}
        self.asked = queue.Queue()
        self.notices = queue.Queue()
        self.ids = iter(range(1, 10000))
        threading.Thread(target=self.read, daemon=True).start()
        if capabilities is not None:
            self.request('initialize', {
                'protocolVersion': '2025-06-18', 'capabilities': capabilities,
                'clientInfo': {'name': 'old', 'version': '1'}})

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if 'method' not in message:
                self.box(message.get('id')).put(message)
            elif 'id' in message:
                self.asked.put(message)
            else:
                self.notices.put(message)

    def box(self, request):
        return self.replies.setdefault(request, queue.Queue())

    def send(self, message):
        text = message if isinstance(message, str) else json.dumps(message)
        self.process.stdin.write(text + '\n')
        self.process.stdin.flush()

    def begin(self, method, params=None):
        request = next(self.ids)
        self.box(request)
        self.send({'jsonrpc': '2.0', 'id': request, 'method': method,
                   'params': params or {}})
        return request

    def end(self, request):
        return self.box(request).get(timeout=PATIENCE)

    def request(self, method, params=None):
        return self.end(self.begin(method, params))

    def begin_call(self, tool, **arguments):
        return self.begin('tools/call', {'name': tool, 'arguments': arguments})

    def call(self, tool, **arguments):
        return self.end(self.begin_call(tool, **arguments))['result']

    def do(self, tool, **arguments):
        """The object of a call that must succeed."""
        result = self.call(tool, **arguments)
        if result['isError']:
            raise AssertionError(result['content'][0]['text'])
        return result['structuredContent']

    def fail(self, tool, **arguments):
        result = self.call(tool, **arguments)
        if not result['isError']:
            raise AssertionError(f'it succeeded: {result}')
        return result['content'][0]['text']

    def reply(self, question, **result):
        self.send({'jsonrpc': '2.0', 'id': question['id'], 'result': result})

    def close(self):
        self.process.stdin.close()
        return self.process.wait(PATIENCE)


class McpWorldTest(WorldTest):
    def setUp(self):
        super().setUp()
        self.clients = []
        self.addCleanup(self.kill_clients)

    def kill_clients(self):
        for client in self.clients:
            client.process.kill()
            client.process.wait()
            client.process.stdin.close()
            client.process.stdout.close()

    def client(self, script='say Hi.\nok', *flags, env=None, capabilities=None):
        variables = {'TROIKA_FAKE_SCRIPT': self.world.script(script),
                     'TROIKA_FAKE_STATE': os.path.join(self.world.root, 'state'),
                     **(env or {})}
        client = Client(self.world, *flags, env=variables,
                        capabilities={} if capabilities is None
                        else capabilities)
        self.clients.append(client)
        return client

    # Starting a Codex outside of Git is refused, as with the real one.
    def start(self, client, harness, prompt='go', **more):
        if harness == 'codex':
            more['skipGitRepoCheck'] = True
        return client.do(f'{harness}_start', prompt=prompt, **more)['sessionId']

    def http(self, message, status=200, session=None, **headers):
        sent = {'Content-Type': 'application/json',
                'Accept': 'application/json, text/event-stream',
                **{k.replace('_', '-'): v for k, v in headers.items()}}
        if session:
            sent['Mcp-Session-Id'] = session
        body = message if isinstance(message, str) else json.dumps(message)
        answer = self.world.ask('POST', '/mcp', body, sent)
        self.assertEqual(answer.status, status, answer.body)
        return answer
