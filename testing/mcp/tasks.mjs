// The tasks extension, with the official client of it.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { createTaskSessionFromClient, resultFromTaskOutcome } from
  '@modelcontextprotocol/ext-tasks/client';

import { connect, MODERN, world } from './clients.mjs';
import { DONE, start } from './sessions.mjs';

let requests = 0;

// Sends one request to POST /mcp, because the SDK's client refuses results that
// are tasks.
async function dispatch({ method, params }, { signal } = {}) {
  const id = `request-${++requests}`;
  const name = params.name ?? params.taskId;
  const response = await fetch(world.url, {
    method: 'POST', signal,
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    headers: {
      Authorization: `Bearer ${world.token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': MODERN, 'Mcp-Method': method,
      ...(name ? { 'Mcp-Name': name } : {}),
    },
  });
  const text = await response.text();
  const lines = response.headers.get('content-type').startsWith('text/event')
    ? text.split('\n').filter((line) => line.startsWith('data: '))
      .map((line) => line.slice(6))
    : [text];
  const { result, error } = lines.map((line) => JSON.parse(line))
    .find((message) => message.id === id);
  return error ? { kind: 'error', error } : { kind: 'result', result };
}

// A status that waits becomes a task, which asks by a form and then completes.
export async function checkTasks() {
  const client = await connect({ kind: 'pinned', transport: 'http' });
  const forms = [];
  const session = createTaskSessionFromClient(client.client, {
    endpointId: 'troika',
    rawDispatch: dispatch,
    v2RequestFraming: {
      protocolVersion: MODERN,
      clientInfo: { name: 'test-tasks', version: '1' },
      clientCapabilities: {
        elicitation: { form: {} },
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    },
    onInputRequest: async (request) => {
      forms.push(request.params.message);
      await sleep(350);
      return { action: 'accept', content: { decision: 'approve' } };
    },
  });
  try {
    const { sessionId } = await start(client, 'claude', 'slow, then ask me');
    const execution = await session.callTool('claude_status',
                                             { sessionId, wait: 30 });
    assert.equal(execution.kind, 'task');
    const { outcome } = await execution.settle();
    const result = resultFromTaskOutcome(outcome);
    assert.equal(result.structuredContent.result, DONE);
    assert.equal(forms.length, 1);
  } finally {
    await session.close();
    await client.close();
  }
}
