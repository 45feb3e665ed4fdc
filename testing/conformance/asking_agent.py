#!/usr/bin/env python3
"""An agent that sends its client every request that it was given, one after the
other, and keeps the replies.

usage: asking_agent.py WIRE VERSION REQUESTS REPLIES [ARGUMENT...]

WIRE is app_server or acp. REQUESTS is a file with a JSON array of objects with
method and params. REPLIES gets an array with the reply to each, null for one
that did not come in time.
"""
import json
import select
import sys

PATIENCE = 20  # Seconds until a request counts as not answered.


class Wire:
    def __init__(self, requests, replies):
        with open(requests) as file:
            self.requests = json.load(file)
        self.replies = replies
        self.buffered = b''

    def send(self, message):
        sys.stdout.write(json.dumps({**self.every, **message}) + '\n')
        sys.stdout.flush()

    def receive(self, patience=None):
        """Returns the next message, or None."""
        while b'\n' not in self.buffered:
            if not select.select([0], [], [], patience)[0]:
                return None
            data = sys.stdin.buffer.raw.read(65536)
            if not data:
                sys.exit(0)
            self.buffered += data
        line, self.buffered = self.buffered.split(b'\n', 1)
        return json.loads(line)

    def reply_to(self, number):
        while True:
            message = self.receive(PATIENCE)
            if message is None or ('method' not in message and
                                   message.get('id') == number):
                return message

    def ask_all(self):
        replies = []
        for number, request in enumerate(self.requests):
            self.send({'id': number, **request})
            replies.append(self.reply_to(number))
        with open(self.replies, 'w') as file:
            json.dump(replies, file)

    def run(self):
        while True:
            message = self.receive()
            if 'method' in message and 'id' in message:
                self.answer(message['id'], message['method'])


class AppServer(Wire):
    every = {}

    def answer(self, number, method):
        if method == 'initialize':
            self.send({'id': number, 'result': {'userAgent': 'asking/1'}})
        elif method in ('thread/start', 'thread/resume'):
            self.send({'id': number, 'result': {'thread': {'id': 'text'}}})
        elif method == 'turn/start':
            turn = {'id': 'turn-1', 'status': 'inProgress', 'items': []}
            self.send({'id': number, 'result': {'turn': turn}})
            self.send({'method': 'turn/started',
                       'params': {'threadId': 'text', 'turn': turn}})
            self.ask_all()
            turn['status'] = 'completed'
            self.send({'method': 'turn/completed',
                       'params': {'threadId': 'text', 'turn': turn}})
        else:
            self.send({'id': number, 'result': {}})


class Acp(Wire):
    every = {'jsonrpc': '2.0'}

    def answer(self, number, method):
        result = {}
        if method == 'initialize':
            result = {'protocolVersion': 1, 'agentCapabilities': {}}
        elif method == 'session/new':
            result = {'sessionId': 'text'}
        elif method == 'session/prompt':
            self.ask_all()
            result = {'stopReason': 'end_turn'}
        self.send({'id': number, 'result': result})


def main():
    wire, version, requests, replies, *arguments = sys.argv[1:]
    if '--version' in arguments:
        print(f'codex-cli {version}' if wire == 'app_server' else version)
        return
    {'app_server': AppServer, 'acp': Acp}[wire](requests, replies).run()


main()
