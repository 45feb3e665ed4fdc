// The tools for jobs, and for one answer.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { world } from './clients.mjs';

async function ended(client, job) {
  for (let tries = 0; tries < 300; ++tries) {
    const status = await client.use('call_status', { job_id: job });
    if (!['queued', 'running'].includes(status.status)) return status;
    await sleep(50);
  }
  throw new Error(`${job} does not end`);
}

export async function checkJob(client, harness) {
  const begun = await client.use(`call_${harness}`,
                                 { prompt: 'hello', cwd: world.folder });
  assert.equal(begun.status, 'queued');
  const status = await ended(client, begun.job_id);
  assert.deepEqual([status.status, status.response], ['completed', 'Hi.']);
  const { jobs } = await client.use('call_jobs',
                                    { tool_name: `call_${harness}` });
  assert.ok(jobs.some((job) => job.job_id === begun.job_id));
}

export async function checkCancelledJob(client) {
  const { job_id } = await client.use('call_claude',
                                      { prompt: 'hang', cwd: world.folder });
  await client.use('call_cancel', { job_id });
  assert.equal((await ended(client, job_id)).status, 'cancelled');
  await client.refused('call_cancel', { job_id: 'nope' });
}

export async function checkOneShot(client) {
  const result = await client.call('gpt5_codex',
                                   { task: 'hello', cwd: world.folder });
  const { text } = result.content[0];
  assert.ok(!result.isError, text);
  assert.match(text, /Hi\./);
  const saved = /gpt5_docs\/agent_\d{8}_\d{6}_[^\s"]*\.md/.exec(text);
  assert.ok(saved, text);
  assert.match(await readFile(`${world.folder}/${saved[0]}`, 'utf8'), /Hi\./);
}
