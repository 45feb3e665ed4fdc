// The tools of sessions, with every harness.
import assert from 'node:assert/strict';

export const HARNESSES = ['codex', 'claude', 'gemini'];
const VERBS = ['start', 'say', 'status', 'respond', 'interrupt', 'list'];

// The agent asks to run a command, and says this after it was allowed to.
export const DONE = 'Did it.';

export function start(client, harness, prompt) {
  // A Codex outside of Git is refused, as the real one is.
  const args = harness === 'codex' ? { skipGitRepoCheck: true } : {};
  return client.use(`${harness}_start`,
                    { prompt, ...args, ...client.folder });
}

export function wait(client, harness, sessionId, options) {
  return client.use(`${harness}_status`, { sessionId, wait: 30 }, options);
}

export function checkTools(client) {
  const named = new Map(client.tools.map((tool) => [tool.name, tool]));
  for (const harness of HARNESSES) {
    for (const verb of VERBS) {
      const tool = named.get(`${harness}_${verb}`);
      assert.ok(tool, `${harness}_${verb} is missing`);
      assert.ok(tool.title && tool.description);
      assert.equal(tool.inputSchema.additionalProperties, false);
      assert.equal(tool.outputSchema.type, 'object');
      const reads = verb === 'status' || verb === 'list';
      const acts = verb === 'start' || verb === 'say';
      assert.equal(tool.annotations.readOnlyHint, reads);
      assert.equal(tool.annotations.destructiveHint, acts);
      assert.equal(tool.annotations.openWorldHint, acts);
    }
    assert.equal(named.has(`${harness}_fork`), harness !== 'gemini');
  }
}

// A whole session: begun, followed, gone on with, interrupted, listed.
export async function checkSession(client, harness) {
  const begun = await start(client, harness, 'hello');
  const { sessionId } = begun;
  let status = await wait(client, harness, sessionId);
  assert.equal(status.status, 'done');
  assert.equal(status.result, 'Hi.');
  assert.equal(status.turnCount, 1);
  assert.equal(status.usage.outputTokens, 3);
  assert.equal(status.itemEvents[0].itemType, 'command_execution');
  assert.ok(status.recentOutput.includes('README'));

  const { cursor } = status;
  status = await client.use(`${harness}_status`, { sessionId, cursor });
  assert.deepEqual([status.itemEvents, status.recentOutput], [[], '']);

  const said = await client.use(`${harness}_say`,
                                { sessionId, message: 'now hang' });
  assert.equal(said.sessionId, sessionId);
  assert.match(await client.refused(`${harness}_say`,
                                    { sessionId, message: 'more' }), /busy/);
  const stopped = await client.use(`${harness}_interrupt`, { sessionId });
  assert.equal(stopped.status, 'interrupted');
  status = await wait(client, harness, sessionId);
  assert.equal(status.status, 'interrupted');

  await client.use(`${harness}_say`, { sessionId, message: 'hello' });
  status = await wait(client, harness, sessionId);
  assert.deepEqual([status.status, status.turnCount], ['done', 3]);

  const { sessions } = await client.use(`${harness}_list`, {});
  assert.ok(Array.isArray(sessions));
}

// An approval that is answered by a tool.
export async function checkRespond(client, harness) {
  const { sessionId } = await start(client, harness, 'ask me');
  let status = await wait(client, harness, sessionId);
  assert.equal(status.status, 'awaiting_approval');
  const { id, type, questions } = status.pendingQuestion;
  assert.equal(type, 'command_approval');
  assert.match(questions[0].question, / wants to execute: .*ls -l/);
  await client.use(`${harness}_respond`,
                   { sessionId, id, answers: ['approve'] });
  status = await wait(client, harness, sessionId);
  assert.deepEqual([status.status, status.result], ['done', DONE]);
}

export async function checkFork(client, harness) {
  const { sessionId } = await start(client, harness, 'hello');
  await wait(client, harness, sessionId);
  const copy = await client.use(`${harness}_fork`,
                                { sessionId, prompt: 'hello' });
  assert.notEqual(copy.sessionId, sessionId);
  const status = await wait(client, harness, copy.sessionId);
  assert.equal(status.result, 'Hi.');
}
