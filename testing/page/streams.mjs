// One stream for all tabs, a server that dies, and a connection that breaks.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startProxy } from "./proxy.mjs";
import { waitFor } from "./world.mjs";

const ITEMS = Array.from({ length: 120 }, (_, i) => `item ${i + 1} of the stream.`);

/** Waits until an item of at least this number is on the screen. */
function waitItem(page, n) {
  return waitFor(async () => {
    const text = await page.locator(".virtual").innerText();
    return [...text.matchAll(/item (\d+) of/g)].some((match) => Number(match[1]) >= n);
  }, `item ${n}`, 60_000);
}

/** All items that a page shows, by scrolling through it. */
async function itemsOn(page) {
  const seen = [];
  const list = page.locator(".virtual");
  await list.evaluate((box) => (box.scrollTop = 0));
  for (;;) {
    await page.waitForTimeout(60);
    const { rows, more } = await list.evaluate((box) => {
      const rows = [...box.querySelectorAll(".virtual-row")]
        .sort((a, b) => Number(a.dataset.index) - Number(b.dataset.index))
        .map((row) => ({ index: Number(row.dataset.index), items: row.textContent.match(/item \d+ of the stream\./g) ?? [] }));
      const more = box.scrollTop + box.clientHeight < box.scrollHeight - 2;
      box.scrollTop += box.clientHeight / 2;
      return { rows, more };
    });
    for (const { index, items } of rows) seen[index] = items;
    if (!more) return seen.flat();
  }
}

export async function aKilledServerLosesAndDoublesNothing(world) {
  const { id } = await world.create("stream to me");
  const page = await world.open(await world.context(), `/tasks/${id}`);
  await page.evaluate(() => (window.stayed = true));
  await waitItem(page, 20);
  await world.kill("SIGKILL");
  await page.getByText("The server can't be reached").waitFor();
  await world.start();
  await page.getByText("The server can't be reached").waitFor({ state: "detached" });
  await waitItem(page, 120);
  await page.locator(".turn-line").waitFor();
  assert.deepEqual(await itemsOn(page), ITEMS);
  assert.equal(await page.evaluate(() => window.stayed), true, "it must not reload");
}

export async function anOfflineBrowserCatchesUp(world) {
  const { id } = await world.create("stream to me");
  const context = await world.context();
  const page = await world.open(context, `/tasks/${id}`);
  await waitItem(page, 5);
  await context.setOffline(true);
  await world.waitState(id, "idle", "done");
  await context.setOffline(false);
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await waitItem(page, 120);
  assert.deepEqual(await itemsOn(page), ITEMS);
}

export async function tenTabsAreLive(world) {
  const context = await world.context();
  const made = [];
  for (let i = 0; i < 10; i++) made.push(await world.create("please ask me"));
  for (const { id } of made) await world.waitState(id, "awaiting_approval");
  const pages = await Promise.all(made.map(({ id }) => world.open(context, `/tasks/${id}`)));
  for (const page of pages) {
    await page.bringToFront();
    await page.locator(".ask").getByRole("button", { name: "Allow", exact: true }).click();
    await page.locator(".said", { hasText: "Cleaned." }).waitFor();
  }
  // All of them heard of the last answer.
  for (const page of pages) {
    await page.bringToFront();
    await waitFor(async () => (await page.locator(".group-asking .task-row").count()) === 0, "an empty group");
  }
  const metrics = await (await fetch(`${world.server.url}/metrics`, { headers: { Authorization: `Bearer ${world.token}` } })).text();
  const streams = /^troika_streams(?:\{[^}]*\})? (\d+)/m.exec(metrics);
  if (streams) assert.ok(Number(streams[1]) <= 2, `${streams[0]}: ten tabs share one stream`);
}

export async function aRemovedTaskIsGoneEverywhere(world) {
  const { id } = await world.create("look around", { options: { editMode: "auto_edit" }, harness: "codex" });
  await world.waitState(id, "done", "idle");
  const page = await world.open(await world.context(), `/tasks/${id}`);
  await page.locator(".turn-line").waitFor();
  await world.api("POST", `/tasks/${id}/stop`, {}).catch(() => {});
  await world.waitState(id, "done", "interrupted");
  await world.api("DELETE", `/tasks/${id}`);
  await page.getByText("This task was removed.").waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "This task can't be shown" }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "All tasks" }).click();
  await page.waitForURL(`${world.url}/`);
}

/** Addresses that nothing has show a page that says so, also to browsers without access. */
export async function aWrongAddressLeadsBack(world) {
  const page = await (await world.context()).newPage();
  const response = await page.goto(`${world.url}/no/such/page`);
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  // A page of TROIKA_PAGE_DIST has another server.
  if (!process.env.TROIKA_PAGE_DIST) assert.equal(response.status(), 404);
  await page.getByRole("main").getByRole("link", { name: "All tasks" }).click();
  await page.getByLabel("Search tasks").waitFor();
}

/** Copies the server with another version of its page, which is what a newer one has. */
async function newerServer(world) {
  const response = await fetch(`${world.server.url}/api/v1/stream`, {
    headers: { Accept: "text/event-stream", Authorization: `Bearer ${world.token}` },
  });
  const reader = response.body.getReader();
  let text = "";
  const page = await waitFor(async () => {
    text += new TextDecoder().decode((await reader.read()).value);
    return /"page":"([0-9a-f]+)"/.exec(text)?.[1];
  }, "the server's hello");
  await reader.cancel();
  const program = readFileSync(world.programs["troika-server"], "latin1");
  assert.ok(program.includes(page), "the version is in the program");
  const path = join(world.root, "newer-server");
  const other = [...page].reverse().join("");
  writeFileSync(path, program.replaceAll(page, other), { encoding: "latin1", mode: 0o755 });
  return path;
}

export async function aNewerServerReloadsThePageAndKeepsDrafts(world) {
  const newer = await newerServer(world);
  const { id } = await world.create("please ask me");
  const asked = await world.create("a question");
  await world.waitState(id, "awaiting_approval");
  await world.waitState(asked.id, "awaiting_answer");
  const context = await world.context();
  const page = await world.open(context, `/tasks/${id}`);
  await page.getByLabel(/Write to the agent/).fill("not sent yet");
  await page.getByRole("button", { name: "Deny", exact: true }).click();
  await page.getByLabel("Reason of the denial").fill("because");
  const form = await world.open(context, "/new");
  await form.getByLabel("Prompt", { exact: true }).fill("a prompt");
  await form.getByText("Options of the harness").click();
  await form.getByLabel("Effort").fill("high");
  const question = await world.open(context, `/tasks/${asked.id}`);
  await question.getByLabel("Green").check();
  const tabs = [page, form, question];
  for (const tab of tabs) await tab.evaluate(() => (window.old = true));
  const older = world.programs["troika-server"];
  try {
    await world.kill("SIGKILL");
    world.programs["troika-server"] = newer;
    await world.start();
    for (const tab of tabs) await waitFor(() => tab.evaluate(() => window.old === undefined).catch(() => false), "the reload");
    const has = (field, text) => waitFor(async () => (await field.inputValue()) === text, `the draft "${text}"`);
    await has(page.getByLabel(/Write to the agent/), "not sent yet");
    await has(page.getByLabel("Reason of the denial"), "because");
    await has(form.getByLabel("Prompt", { exact: true }), "a prompt");
    await form.getByText("Options of the harness").click();
    await has(form.getByLabel("Effort"), "high");
    await waitFor(() => question.getByLabel("Green").isChecked(), "the answer that was picked");
    // Once is enough.
    await page.evaluate(() => (window.old = true));
    await world.kill("SIGKILL");
    await world.start();
    await world.api("POST", `/tasks/${id}/input`, { text: "seen by the page", mode: "queue" });
    await page.locator(".queue li", { hasText: "seen by the page" }).waitFor();
    assert.equal(await page.evaluate(() => window.old), true);
  } finally {
    // The other version would have the tabs reload while they are closed, which chromium does
    // not always survive.
    await context.close();
    await world.kill("SIGKILL");
    world.programs["troika-server"] = older;
    await world.start();
  }
  for (const made of [id, asked.id]) await world.api("POST", `/tasks/${made}/stop`, {});
}

/**
 * A laptop sleeps: the clock jumps, and the connection is neither ended nor of any
 * use. The stream is in the tab itself here, so that its clock can be set.
 */
export async function aTabThatBecomesVisibleReconciles(world) {
  const wire = await startProxy(process.env.TROIKA_PAGE_DIST, () => world.port);
  const context = await world.context({ storageState: await world.signIn(wire.url) });
  await context.addInitScript(() => {
    delete window.SharedWorker;
    const now = Date.now;
    window.slept = 0;
    Date.now = () => now() + window.slept;
  });
  const { id } = await world.create("please ask me");
  await world.waitState(id, "awaiting_approval");
  const page = await context.newPage();
  await page.goto(`${wire.url}/tasks/${id}`);
  await page.locator(".ask").waitFor();
  wire.hang();
  const { approvals } = await world.api("GET", `/tasks/${id}`);
  await world.api("POST", `/tasks/${id}/respond`, { id: approvals[0].id, approval: { allow: true } });
  await world.waitState(id, "idle", "done");
  assert.ok(await page.locator(".ask").isVisible(), "the page has not heard of it");
  wire.recover();
  await page.evaluate(() => {
    window.slept = 30_000;
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await page.locator(".said", { hasText: "Cleaned." }).waitFor();
  await page.locator(".ask").waitFor({ state: "detached" });
  await page.locator(`.group-ended [data-task="${id}"]`).waitFor();
}
