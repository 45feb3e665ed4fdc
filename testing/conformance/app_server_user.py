#!/usr/bin/env python3
"""A user of `codex app-server` who says one prompt, and approves what is asked.

usage: app_server_user.py CODEX MODEL PROMPT

Prints the agent's messages. It asks before it calls a tool that changes things,
and by the forms of MCP servers.
"""
import json
import os
import subprocess
import sys
import time

# An answer that comes sooner is taken for a program's.
PERSON = 0.4


class User:
    def __init__(self, program, model, prompt):
        self.model = model
        self.prompt = prompt
        self.process = subprocess.Popen(
            [program, 'app-server'], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def send(self, **message):
        self.process.stdin.write(json.dumps(message) + '\n')
        self.process.stdin.flush()

    def run(self):
        self.send(id='initialize', method='initialize', params={
            'clientInfo': {'name': 'user', 'title': 'User', 'version': '1'},
            'capabilities': {'experimentalApi': True}})
        for line in self.process.stdout:
            message = json.loads(line)
            if 'method' not in message:
                self.on_result(message)
            elif 'id' in message:
                self.on_request(message)
            elif message['method'] == 'item/completed':
                item = message['params']['item']
                if item['type'] == 'agentMessage':
                    print(item['text'], flush=True)
            elif message['method'] == 'turn/completed':
                break
        self.process.stdin.close()
        return self.process.wait()

    def on_result(self, message):
        if 'error' in message:
            sys.exit(f'{message["id"]}: {message["error"]}')
        if message['id'] == 'initialize':
            self.send(method='initialized')
            self.send(id='thread', method='thread/start', params={
                'model': self.model, 'cwd': os.getcwd(),
                'approvalPolicy': 'on-request', 'sandbox': 'workspace-write'})
        elif message['id'] == 'thread':
            self.send(id='turn', method='turn/start', params={
                'threadId': message['result']['thread']['id'],
                'input': [{'type': 'text', 'text': self.prompt}]})

    def on_request(self, message):
        time.sleep(PERSON)
        if message['method'] != 'mcpServer/elicitation/request':
            sys.exit(f'nobody expects {message["method"]}')
        form = message['params'].get('requestedSchema', {}).get(
            'properties', {})
        print(f'asked: {message["params"].get("message")}', file=sys.stderr)
        content = {'decision': 'approve'} if 'decision' in form else {}
        self.send(id=message['id'],
                  result={'action': 'accept', 'content': content})


sys.exit(User(*sys.argv[1:]).run())
