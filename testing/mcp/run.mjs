// run.mjs KIND TRANSPORT: runs all checks with one kind of client. Prints a line
// of JSON for each check: name, and the problem if it failed.
import { checkCancel, checkFields, checkListen, checkProgress, checkResources }
  from './calls.mjs';
import { connect, KINDS, MODERN } from './clients.mjs';
import { checkApproved, checkDeclined, checkDenied, checkLeftOpen } from
  './forms.mjs';
import { checkCancelledJob, checkJob, checkOneShot } from './jobs.mjs';
import { checkFork, checkRespond, checkSession, checkTools, HARNESSES, start,
         wait } from './sessions.mjs';
import { checkTasks } from './tasks.mjs';

const [kind, transport] = process.argv.slice(2);

async function check(name, play) {
  const began = Date.now();
  let problem;
  try {
    await play();
  } catch (error) {
    problem = error.stack ?? String(error);
  }
  console.log(JSON.stringify(
    { name: `${kind} ${transport} ${name}`, ms: Date.now() - began, problem }));
}

async function checkCalls() {
  const client = await connect({ kind, transport });
  await check('version', () => {
    const found = client.client.getNegotiatedProtocolVersion?.();
    if (found && found !== KINDS[kind].version) throw new Error(found);
  });
  await check('tools', () => checkTools(client));
  for (const harness of HARNESSES) {
    await check(`${harness} session`, () => checkSession(client, harness));
    await check(`${harness} respond`, () => checkRespond(client, harness));
    if (harness === 'gemini') continue;
    await check(`${harness} fork`, () => checkFork(client, harness));
  }
  for (const harness of HARNESSES) {
    await check(`call_${harness}`, () => checkJob(client, harness));
  }
  await check('call_cancel', () => checkCancelledJob(client));
  await check('gpt5_codex', () => checkOneShot(client));
  await check('progress', () => checkProgress(client));
  await check('cancel', () => checkCancel(client));
  await check('resources', async () => {
    const { taskId, sessionId } = await start(client, 'claude', 'hello');
    await wait(client, 'claude', sessionId);
    await checkResources(client, taskId);
  });
  if (KINDS[kind].version === MODERN) {
    await check('listen', () => checkListen(client));
  }
  // The server checks fields alike for all clients of a generation.
  if (kind !== 'sdk' && kind !== 'pinned') return client.close();
  for (const tool of client.tools) {
    await check(`${tool.name} fields`, () => checkFields(client, tool));
  }
  await client.close();
}

async function checkForms() {
  const how = { kind, transport };
  const one = (name, play) => check(`form ${name}`, play);
  for (const harness of HARNESSES) {
    await one(`${harness} approved`, () => checkApproved(how, harness));
  }
  await one('denied', () => checkDenied(how, 'codex'));
  await one('declined', () => checkDeclined(how, 'claude'));
  await one('cancelled', () => checkLeftOpen(
    how, 'claude', { action: 'cancel' }));
  await one('of a program', () => checkLeftOpen(
    how, 'claude', { action: 'accept', content: { decision: 'approve' } }, 0));
  await one('without content', () => checkLeftOpen(
    how, 'claude', { action: 'accept', content: {} }));
}

await checkCalls();
await checkForms();
if (kind === 'pinned' && transport === 'http') await check('tasks', checkTasks);
