// run.mjs KIND: runs all checks with one kind of client, over both transports.
// Prints a line of JSON for each check: name, and the problem if it failed.
import { checkCancel, checkFields, checkListen, checkProgress, checkResources }
  from './calls.mjs';
import { connect, KINDS, MODERN } from './clients.mjs';
import { checkApproved, checkDeclined, checkDenied, checkLeftOpen } from
  './forms.mjs';
import { checkFork, checkRespond, checkSession, checkTools, HARNESSES, start,
         wait } from './sessions.mjs';
import { checkTasks } from './tasks.mjs';

const kind = process.argv[2];

async function check(name, play) {
  const began = Date.now();
  let problem;
  try {
    await play();
  } catch (error) {
    problem = error.stack ?? String(error);
  }
  console.log(JSON.stringify(
    { name: `${kind} ${name}`, ms: Date.now() - began, problem }));
}

async function checkCalls(transport) {
  const client = await connect({ kind, transport });
  const one = (name, play) => check(`${transport} ${name}`, play);
  await one('version', () => {
    const found = client.client.getNegotiatedProtocolVersion?.();
    if (found && found !== KINDS[kind].version) throw new Error(found);
  });
  await one('tools', () => checkTools(client));
  for (const harness of HARNESSES) {
    await one(`${harness} session`, () => checkSession(client, harness));
    await one(`${harness} respond`, () => checkRespond(client, harness));
    if (harness === 'gemini') continue;
    await one(`${harness} fork`, () => checkFork(client, harness));
  }
  await one('progress', () => checkProgress(client));
  await one('cancel', () => checkCancel(client));
  await one('resources', async () => {
    const { taskId, sessionId } = await start(client, 'claude', 'hello');
    await wait(client, 'claude', sessionId);
    await checkResources(client, taskId);
  });
  if (KINDS[kind].version === MODERN) {
    await one('listen', () => checkListen(client));
  }
  for (const tool of client.tools) {
    await one(`${tool.name} fields`, () => checkFields(client, tool));
  }
  await client.close();
}

async function checkForms(transport) {
  const how = { kind, transport };
  const one = (name, play) => check(`${transport} form ${name}`, play);
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

for (const transport of ['stdio', 'http']) {
  await checkCalls(transport);
  await checkForms(transport);
}
if (kind === 'pinned') await check('tasks', checkTasks);
