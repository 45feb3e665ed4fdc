"""A Model Context Protocol server on stdio, with a tool that works and one
that fails."""
import json
import sys

QUIET = {'readOnlyHint': True, 'destructiveHint': False,
         'openWorldHint': False}
TOOLS = [
    {'name': 'echo', 'description': 'Says the text again',
     'inputSchema': {'type': 'object', 'required': ['text'],
                     'properties': {'text': {'type': 'string'}}},
     'annotations': QUIET},
    {'name': 'broken', 'description': 'Never works',
     'inputSchema': {'type': 'object', 'properties': {}},
     'annotations': QUIET},
]


def call(params):
    if params.get('name') == 'echo':
        text = 'echo: ' + str(params.get('arguments', {}).get('text'))
        return {'content': [{'type': 'text', 'text': text}], 'isError': False}
    return {'content': [{'type': 'text', 'text': 'it is out of order'}],
            'isError': True}


def answer(method, params):
    if method == 'initialize':
        return {'protocolVersion': params.get('protocolVersion', '2025-06-18'),
                'capabilities': {'tools': {}},
                'serverInfo': {'name': 'local', 'version': '1.0.0'}}
    if method == 'tools/list':
        return {'tools': TOOLS}
    if method == 'tools/call':
        return call(params)
    return {} if method == 'ping' else None


def main():
    for line in sys.stdin:
        message = json.loads(line) if line.strip() else {}
        if 'id' not in message:
            continue
        reply = {'jsonrpc': '2.0', 'id': message['id']}
        result = answer(message.get('method'), message.get('params') or {})
        if result is None:
            reply['error'] = {'code': -32601, 'message': 'no such method'}
        else:
            reply['result'] = result
        print(json.dumps(reply), flush=True)


main()
