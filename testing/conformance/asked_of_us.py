"""A scenario in which we are asked everything that an agent may ask its client
by the schema of the installed CLI, and must answer all of it."""
import json
import os
import re
import shlex
import subprocess
import sys

import schemas
from case import PATIENCE
from scenario import equal, scenario
from world import wait_for

AGENT = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     'asking_agent.py')
# Requests whose result carries a person's answer.
FOR_PEOPLE = {
    'item/commandExecution/requestApproval', 'item/fileChange/requestApproval',
    'item/permissions/requestApproval', 'item/tool/requestUserInput',
    'mcpServer/elicitation/request', 'session/request_permission',
}
PERMISSION = {
    'sessionId': 'text',
    'toolCall': {'toolCallId': 'call-1', 'title': 'make', 'kind': 'execute',
                 'status': 'pending'},
    'options': [{'optionId': 'yes', 'name': 'Yes', 'kind': 'allow_once'},
                {'optionId': 'no', 'name': 'No', 'kind': 'reject_once'}],
}
PERMISSION_RESULT = {
    'type': 'object', 'required': ['outcome'],
    'properties': {'outcome': {'anyOf': [
        {'type': 'object', 'required': ['outcome', 'optionId'],
         'properties': {'outcome': {'const': 'selected'},
                        'optionId': {'enum': ['yes', 'no']}}},
        {'type': 'object', 'required': ['outcome'],
         'properties': {'outcome': {'const': 'cancelled'}}}]}},
}


def codex_requests(case):
    """Returns the requests, each with the schema of its result."""
    folder = f'{case.folder}/schemas'
    made = subprocess.run(
        [case.cli.program, 'app-server', 'generate-json-schema',
         '--experimental', '--out', folder], capture_output=True,
        env={**case.env, 'CODEX_HOME': case.home}, timeout=PATIENCE)
    if made.returncode and case.cli.number < (0, 124):
        return []
    equal(made.returncode, 0, f'the exit code: {made.stderr[-500:]}')

    def load(name):
        with open(f'{folder}/{name}.json') as file:
            return json.load(file)
    root = load('ServerRequest')
    requests = []
    for variant in root['oneOf']:
        properties = variant['properties']
        params = properties['params']
        result = load(params['$ref'].rsplit('/')[-1].replace(
            'Params', 'Response'))
        for whole in (False, True):
            requests.append(({
                'method': schemas.sample(properties['method'], root, whole),
                'params': schemas.sample(params, root, whole)}, result))
    return requests


def gemini_requests(case):
    """Takes the methods from the CLI's own code; its schemas are there as code
    only."""
    # The program may be a script of ours that runs it with a newer Node.
    top = os.path.join(os.path.dirname(case.cli.program), '../node_modules')
    listed = subprocess.run(
        ['grep', '-rhA20', '--include=*.js', 'CLIENT_METHODS = {',
         f'{top}/@google/gemini-cli', f'{top}/@agentclientprotocol'],
        capture_output=True, text=True, timeout=PATIENCE).stdout
    listed = re.search(r'CLIENT_METHODS = \{(.*?)\}', listed, re.DOTALL)
    methods = re.findall(r'''["']([\w/]+)["']''', listed.group(1))
    methods.remove('session/update')  # A notification.
    equal('session/request_permission' in methods, True, f'{methods}')
    made = []
    for method in [*methods, 'new/thing', '_own/thing']:
        asks = method == 'session/request_permission'
        params = PERMISSION if asks else {
            'sessionId': 'text', 'path': '/text', 'content': 'text',
            'terminalId': 'text', 'command': 'text'}
        made.append(({'method': method, 'params': params},
                     PERMISSION_RESULT if asks else {}))
    return made


def play(case, wire, requests, allow):
    """Returns the replies of a client that allows everything, or nothing."""
    name = f'{case.folder}/{"allow" if allow else "deny"}'
    with open(f'{name}.requests', 'w') as file:
        json.dump([request for request, _ in requests], file)
    words = [sys.executable, AGENT, wire, case.cli.version,
             f'{name}.requests', f'{name}.replies']
    with open(f'{name}.sh', 'w') as file:
        file.write(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    os.chmod(f'{name}.sh', 0o755)
    env = {**case.env, case.cli.variable: f'{name}.sh'}
    # Not case.create(): what these agents say breaks the rules.
    task = case.ask('POST', '/tasks', {
        'harness': case.cli.harness, 'prompt': 'Ask.', 'cwd': case.work,
        'env': env, 'options': {'wire': wire, 'editMode': 'ask'}})['id']

    def answered():
        now = case.task(task)
        for asked in now.get('approvals', []):
            # Without a reason, which some wires are told by another turn.
            respond(case, task, asked, {'approval': {'allow': allow}})
        for asked in now.get('questions', []):
            respond(case, task, asked, {'question': {'items': [
                {'answers': item.get('options', [])[:1] or ['1']}
                for item in asked['items']]}})
        return now['state'] in ('idle', 'done', 'failed') and now
    equal(wait_for(answered, 'all answers', PATIENCE)['state'], 'idle',
          'the state')
    case.leave(task)
    with open(f'{name}.replies') as file:
        return json.load(file)


def respond(case, task, asked, answer):
    reply = case.server.ask('POST', f'/api/v1/tasks/{task}/respond',
                            {'id': asked['id'], **answer})
    # 409: it is answered, and the task does not show that yet.
    if reply.status not in (200, 409):
        raise AssertionError(f'{asked}: {reply.status} {reply.body}')


def wrong_in(request, result, reply):
    method = request['method']
    if reply is None:
        return [f'{method}: no reply to {request}']
    if 'result' in reply:
        return [f'{method}: {wrong} in {reply}' for wrong in schemas.faults(
            reply['result'], result, result, 'the result')]
    if method in FOR_PEOPLE:
        return [f'{method}: refused with {reply}']
    error = reply.get('error', {})
    if isinstance(error.get('code'), int) and error.get('message'):
        return []
    return [f'{method}: {reply} is no error']


@scenario('everything that its schema may ask is answered')
def asked_of_us(case):
    case.env = {**case.server.env, 'HOME': case.home}
    if case.cli.harness == 'claude':
        return 'no schema'
    codex = case.cli.harness == 'codex'
    requests = codex_requests(case) if codex else gemini_requests(case)
    if not requests:
        return 'no schema'
    wire = 'app_server' if codex else 'acp'
    wrong = []
    for allow in (True, False):
        replies = play(case, wire, requests, allow)
        for (request, result), reply in zip(requests, replies):
            wrong += wrong_in(request, result, reply)
    if wrong:
        raise AssertionError('\n'.join(wrong))
