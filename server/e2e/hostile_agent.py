#!/usr/bin/env python3
"""An agent that breaks the rules of its wire.

usage: hostile_agent.py WIRE ATTACK HEARD [ARGUMENT...]

WIRE is app_server or acp, ATTACK a function below, which is played in every
turn. HEARD gets all lines that the agent reads, and the word END when its input
ends.
"""
import json
import os
import select
import sys
import time

LONG = 1 << 20


class Agent:
    def __init__(self, wire, heard):
        self.acp = wire == 'acp'
        self.heard = open(heard, 'a', buffering=1)
        self.buffered = b''
        self.twice = False

    def write(self, data):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def send(self, message):
        every = {'jsonrpc': '2.0'} if self.acp else {}
        line = json.dumps({**every, **message}).encode() + b'\n'
        self.write(line * 2 if self.twice else line)

    def receive(self, patience=None):
        """Returns the next message, or None."""
        while b'\n' not in self.buffered:
            if not select.select([0], [], [], patience)[0]:
                return None
            data = os.read(0, 65536)
            if not data:
                self.heard.write('END\n')
                sys.exit(0)
            self.buffered += data
        line, self.buffered = self.buffered.split(b'\n', 1)
        self.heard.write(line.decode() + '\n')
        return json.loads(line)

    def ask(self, number, command='make'):
        """Asks for a permission to run a command."""
        if self.acp:
            self.send({'id': number, 'method': 'session/request_permission',
                       'params': {'sessionId': 's', 'options': [
                           {'optionId': 'yes', 'name': 'y',
                            'kind': 'allow_once'},
                           {'optionId': 'no', 'name': 'n',
                            'kind': 'reject_once'}],
                           'toolCall': {
                               'toolCallId': f'call {command[:20]}',
                               'kind': 'execute', 'title': command,
                               'rawInput': {'command': command}}}})
        else:
            self.send({'id': number,
                       'method': 'item/commandExecution/requestApproval',
                       'params': {'threadId': 't', 'turnId': 'u',
                                  'itemId': f'call {command[:20]}',
                                  'command': command, 'cwd': '/'}})

    def withdraw(self, number):
        if self.acp:
            self.send({'method': '$/cancel_request',
                       'params': {'requestId': number}})
        else:
            self.send({'method': 'serverRequest/resolved',
                       'params': {'threadId': 't', 'requestId': number}})

    def run(self, attack):
        while True:
            message = self.receive()
            if 'method' not in message or 'id' not in message:
                continue
            number, method = message['id'], message['method']
            turn = {'id': 'u', 'status': 'inProgress', 'items': []}
            if method == 'turn/start':
                self.send({'id': number, 'result': {'turn': turn}})
                self.send({'method': 'turn/started',
                           'params': {'threadId': 't', 'turn': turn}})
                attack(self)
                self.send({'method': 'turn/completed', 'params': {
                    'threadId': 't', 'turn': {**turn, 'status': 'completed'}}})
            elif method == 'session/prompt':
                attack(self)
                self.send({'id': number, 'result': {'stopReason': 'end_turn'}})
            else:
                self.send({'id': number, 'result': {
                    'protocolVersion': 1, 'agentCapabilities': {},
                    'sessionId': 's', 'thread': {'id': 't'}}})


# Attacks.

def garbage(agent):
    for data in (b'\0' * 100, b'\xff\xfe{', b'[' * 100000, b'{"a":' * 100000,
                 b'null', b'[]', b'[{"id":1,"method":"m"}]', b'{}', b'7',
                 b'{"method":null}', b'{"result":{}}', b'{"error":5}',
                 b'{"id":1,"id":2,"method":"m","method":3}',
                 b'{"method":"turn/started","params":[]}',
                 b'{"method":"item/started","params":{"item":7}}',
                 b'{"method":"session/update","params":{"update":[]}}',
                 b'{"x":"' + b'y' * (17 * LONG) + b'"}'):
        agent.write(data + b'\n')
    agent.write(b'{"half":')
    time.sleep(1.2)
    agent.write(b' "a line"}\n')


def unread(agent):
    """Requests without end, and no reply is read."""
    for number in range(10000):
        agent.send({'id': number, 'method': 'no/such', 'params': {}})


def ids(agent):
    """Ids of every type; each request is answered."""
    for number in (1.5, None, {}, [], True, '', 10**30, -1, 'x' * 5000):
        agent.send({'id': number, 'method': 'no/such', 'params': {}})
    for _ in range(9):
        if agent.receive(20) is None:
            agent.heard.write('no reply\n')


def twice(agent):
    agent.send({'method': 'item/agentMessage/delta',
                'params': {'threadId': 't', 'delta': 'x', 'itemId': 'i'}})


def reused(agent):
    """Asks again under an id that it has withdrawn, or that is still open."""
    for command in ('first', 'second', 'third'):
        agent.ask(0, command)
        agent.ask(0, f'{command} again')
        agent.withdraw(0)
    agent.ask(0, 'last')
    while True:
        message = agent.receive(20)
        if message is None or 'result' in message:
            break


def huge(agent):
    for number in range(6):
        agent.ask(number, f'{number} ' + 'x' * (6 * LONG))
    answered = 0
    while answered < 6:
        message = agent.receive(60)
        if message is None:
            break
        answered += 'result' in message


def many(agent):
    """More permissions at once than anybody could answer."""
    for number in range(1500):
        agent.ask(number, f'{number} make')


def main():
    wire, attack, heard, *arguments = sys.argv[1:]
    if '--version' in arguments:
        print('codex-cli 0.166.0' if wire == 'app_server' else '0.61.0')
        return
    agent = Agent(wire, heard)
    agent.twice = attack == 'twice'
    agent.run(globals()[attack])


main()
