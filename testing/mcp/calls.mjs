// Progress, cancellation, resources, and arguments that are wrong.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { start, wait } from './sessions.mjs';

// The session goes on until it has told of two steps, however slow the machine
// is. Progress that comes together with the result is dropped by some clients.
export async function checkProgress(client) {
  const { sessionId } = await start(client, 'claude', 'steps');
  const told = [];
  let interrupted;
  const status = await wait(client, 'claude', sessionId, {
    onprogress: (progress) => {
      if (told.push(progress) !== 2) return;
      interrupted = client.use('claude_interrupt', { sessionId });
    } });
  await interrupted;
  assert.equal(status.status, 'interrupted');
  const counts = told.map((one) => one.progress);
  assert.deepEqual(counts, [...new Set(counts)].sort((a, b) => a - b));
}

// A call that is cancelled ends, and its session does not.
export async function checkCancel(client) {
  const { sessionId } = await start(client, 'claude', 'hang');
  const stop = new AbortController();
  const call = wait(client, 'claude', sessionId, { signal: stop.signal });
  await sleep(100);
  stop.abort('the user asked');
  await assert.rejects(call);
  const { status } = await client.use('claude_status', { sessionId });
  assert.equal(status, 'active');
  await client.use('claude_interrupt', { sessionId });
}

export async function checkResources({ client }, taskId) {
  const { resources } = await client.listResources();
  const uri = `troika://task/${taskId}`;
  assert.ok(resources.some((resource) => resource.uri === uri));
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates[0].uriTemplate, 'troika://task/{id}');
  const { contents } = await client.readResource({ uri });
  assert.equal(contents[0].uri, uri);
  assert.match(contents[0].text, /hello[^]*Hi\./);
  for (const wrong of ['troika://task/nope', 'file:///etc/passwd']) {
    await assert.rejects(client.readResource({ uri: wrong }),
                         { message: /troika:|file:/ });
  }
}

// Clients of the 2026-07-28 generation may listen for changes.
export async function checkListen({ client }) {
  const subscription = await client.listen({ toolsListChanged: true });
  await subscription.close();
}

// Values that do not fit a field's schema.
function wrongValues(schema) {
  if (schema.enum) return ['none of them', 1];
  switch (schema.type) {
    case 'string': return [1, '', ['x'], {}];
    case 'integer': return ['1', 1.5, schema.maximum + 1, schema.minimum - 1];
    case 'boolean': return ['yes', 1];
    case 'array': return ['x', [1]];
    case 'object': return ['x', 1, []];
    default: throw new Error(`a field of the type ${schema.type}`);
  }
}

function rightValue(schema) {
  if (schema.enum) return schema.enum[0];
  return { string: 'x', integer: schema.minimum, boolean: false, array: ['x'],
           object: {} }[schema.type];
}

// Every field of a tool is checked, and an error begins with its name. Returns
// how many wrong calls were refused.
export async function checkFields(client, tool) {
  const { properties, required = [] } = tool.inputSchema;
  const good = Object.fromEntries(
    required.map((name) => [name, rightValue(properties[name])]));
  const wrong = [[{ ...good, unknown_field: 1 }, 'unknown_field']];
  for (const name of required) {
    const { [name]: _, ...rest } = good;
    wrong.push([rest, name]);
  }
  for (const [name, schema] of Object.entries(properties)) {
    for (const value of wrongValues(schema)) {
      wrong.push([{ ...good, [name]: value }, name]);
    }
  }
  await Promise.all(wrong.map(async ([args, name]) => {
    const message = await client.refused(tool.name, args);
    assert.ok(message.startsWith(`${name}: `) ||
              message.includes(` ${name}: `),
              `${tool.name} ${JSON.stringify(args)}: ${message}`);
  }));
  return wrong.length;
}
