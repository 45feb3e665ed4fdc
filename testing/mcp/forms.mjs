// Approvals that the client's user is asked for by forms.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { connect } from './clients.mjs';
import { DONE, start, wait } from './sessions.mjs';

// Faster replies are a program's.
const PERSON_MS = 350;

// A client whose user answers every form like this; `forms` are those it saw.
async function withUser(how, answer, pause = PERSON_MS) {
  const forms = [];
  const client = await connect({ ...how, onForm: async (form) => {
    forms.push(form);
    await sleep(pause);
    return answer;
  } });
  return { client, forms };
}

async function ask(how, harness, answer, pause) {
  const { client, forms } = await withUser(how, answer, pause);
  try {
    const { sessionId } = await start(client, harness, 'ask me');
    // It returns once the form has been answered.
    const status = await wait(client, harness, sessionId);
    assert.equal(forms.length, 1);
    assert.match(forms[0].message, /wants to execute: .*ls -l/);
    assert.deepEqual(Object.keys(forms[0].requestedSchema.properties).sort(),
                     ['decision', 'reason']);
    return { client, sessionId, status };
  } catch (error) {
    await client.close();
    throw error;
  }
}

export async function checkApproved(how, harness) {
  const { client, status } = await ask(how, harness, {
    action: 'accept', content: { decision: 'approve' } });
  await client.close();
  assert.deepEqual([status.status, status.result], ['done', DONE]);
}

export async function checkDenied(how, harness) {
  const { client, status } = await ask(how, harness, {
    action: 'accept', content: { decision: 'deny', reason: 'not now' } });
  await client.close();
  assert.equal(status.status, 'done');
  assert.equal(status.denials[0].reason, 'not now');
}

export async function checkDeclined(how, harness) {
  const { client, status } = await ask(how, harness, { action: 'decline' });
  await client.close();
  assert.equal(status.denials.length, 1);
}

// What no person answered waits for the tool.
export async function checkLeftOpen(how, harness, answer, pause) {
  const { client, sessionId, status } = await ask(how, harness, answer, pause);
  try {
    assert.equal(status.status, 'awaiting_approval');
    await client.use(`${harness}_respond`, {
      sessionId, id: status.pendingQuestion.id, answers: ['deny: by tool'] });
    const ended = await wait(client, harness, sessionId);
    assert.equal(ended.denials[0].reason, 'by tool');
  } finally {
    await client.close();
  }
}
