// Measures the page.
//
// usage: bench.mjs [--only WORD] [--report FILE] [--units FILE] PROGRAM…
//
// live: a list of 100 live tasks with 100 events a second in all: the time that the
// main thread spends in long tasks, against that of an empty page, of another server,
// which is open in the same browser at the same time. Both are measured from their
// first byte on, in rounds. A long task has 50 ms of the thread's own time, so that
// what else the machine does is not counted; by the clock they are printed, too.
//
// transcript: one of 50 000 events: time to its first events, frames while it is
// scrolled, memory before and after an hour's worth of events (36 000, at 10 a
// second) was replayed into it, and its export as Markdown.
//
// --only takes one of the two names.
import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { waitFor, World } from "./world.mjs";

const words = process.argv.slice(2);
const flag = (name) => {
  const at = words.indexOf(name);
  return at < 0 ? "" : words.splice(at, 2)[1];
};
const only = flag("--only");
const report = flag("--report");
flag("--units");
const programs = Object.fromEntries(words.map((path) => [basename(path), path]));
const EVENTS = 50_000;
const HOUR = 36_000;
const LIVE = 100;
const ROUNDS = 3;
const WATCHED_MS = 15_000;
const LONG_MS = 50;
/** Of an empty page's time in long tasks, or of one shortest long task if that has none. */
const MAX_LONG_TASKS = 1.5;
const AUTO = { options: { editMode: "full_auto", interactive: true } };

const lines = (n, word) => Array.from({ length: n }, (_, i) => `say ${word} number ${i + 1} with \`code\` and **weight**.`);
const SCRIPT = [
  "say Hi.", "ok",
  "== prompt fifty", ...lines(EVENTS, "line"), "ok",
  "== prompt hour", ...lines(HOUR, "hour"), "ok",
  // One event a second of each task, for as long as it is measured.
  "== prompt live", ...Array.from({ length: 3_600 }, (_, i) => [`say tick ${i}.`, "sleep 1000"]).flat(), "ok",
].join("\n");

const results = {};
let missed = false;
const set = (name, value, unit, goal) => {
  const reached = goal === undefined || value <= goal;
  missed ||= !reached;
  results[name] = { value, unit, ...(goal === undefined ? {} : { goal, reached }) };
  console.log(`${name}: ${value} ${unit}${goal === undefined ? "" : ` (at most ${goal}: ${reached ? "reached" : "NOT reached"})`}`);
};
const round = (n) => Math.round(n * 10) / 10;

/** Starts a server; its browser is `browser` if there is one already. */
async function startWorld(browser) {
  const world = new World(programs);
  world.script(SCRIPT);
  await world.start();
  if (browser) world.browser = browser;
  else await world.openBrowser();
  return world;
}

/** Opens a page, which puts its name into the browser's trace. Returns its context. */
async function openNamed(world, name, ready) {
  const context = await world.context();
  await context.addInitScript((mark) => performance.mark(mark), name);
  const page = await world.open(context);
  await page.locator(ready).first().waitFor({ timeout: 120_000 });
  return context;
}

/** Events of the browser's trace while `act` goes on. */
async function trace(browser, act) {
  const session = await browser.newBrowserCDPSession();
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel", "blink.user_timing"] },
  });
  await act();
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  return events;
}

/** Long tasks of the main thread of the page that has this name: by its own time, and by the clock. */
function longTasks(events, name) {
  // The empty document before the page has the mark, too, and may be in another process.
  const marks = events.filter((event) => event.name === name).sort((a, b) => a.ts - b.ts);
  const process = marks.at(-1)?.pid;
  const isMain = (event) => event.name === "thread_name" && event.pid === process && event.args.name === "CrRendererMain";
  const thread = events.find(isMain)?.tid;
  const tasks = events.filter(({ pid, tid, ph, name: what }) => pid === process && tid === thread && ph === "X" && what.endsWith("RunTask"));
  if (!tasks.length) throw new Error(`the trace has no tasks of the page "${name}"`);
  const sum = (field) => tasks.map((task) => (task[field] ?? 0) / 1_000).filter((ms) => ms >= LONG_MS).reduce((a, b) => a + b, 0);
  return { own: sum("tdur"), clock: sum("dur"), busy: tasks.reduce((ms, { tdur = 0 }) => ms + tdur / 1_000, 0) };
}

/** Events a second that tasks get, by what their states tell. */
async function countEvents(world, ids) {
  const numbers = async () => {
    const tasks = await Promise.all(ids.map((id) => world.api("GET", `/tasks/${id}`)));
    return { at: Date.now(), sum: tasks.reduce((sum, task) => sum + Number(task.lastEventId.split(".")[0]), 0) };
  };
  const before = await numbers();
  return async () => {
    const after = await numbers();
    return ((after.sum - before.sum) * 1_000) / (after.at - before.at);
  };
}

async function measureLive() {
  const world = await startWorld();
  const empty = await startWorld(world.browser);
  try {
    const ids = [];
    for (let i = 0; i < LIVE; i++) ids.push((await world.create(`live ${i}`, AUTO)).id);
    await waitFor(async () => {
      const { tasks } = await world.api("GET", "/tasks?page_size=500&states=running");
      return tasks.length >= LIVE;
    }, "100 live tasks", 300_000);
    const rate = await countEvents(world, ids);
    const sums = { live: { own: 0, clock: 0, busy: 0 }, empty: { own: 0, clock: 0, busy: 0 } };
    for (let i = 0; i < ROUNDS; i++) {
      let contexts = [];
      const events = await trace(world.browser, async () => {
        contexts = await Promise.all([openNamed(world, "live page", ".task-row"), openNamed(empty, "empty page", ".empty")]);
        await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
      });
      for (const context of contexts) await context.close();
      for (const [name, sum] of Object.entries(sums)) {
        for (const [field, ms] of Object.entries(longTasks(events, `${name} page`))) sum[field] += ms;
      }
    }
    set("events a second of 100 live tasks", round(await rate()), "");
    for (const [name, { own, clock, busy }] of Object.entries(sums)) {
      const time = `ms in ${ROUNDS} rounds of ${WATCHED_MS / 1_000} s`;
      set(`long tasks, ${name} page`, Math.round(own), `${time}; by the clock ${Math.round(clock)}, all tasks ${Math.round(busy)}`);
    }
    set("long tasks against an empty page", round(sums.live.own / Math.max(sums.empty.own, LONG_MS)), "times", MAX_LONG_TASKS);
  } finally {
    delete empty.browser;
    await empty.close();
    await world.close();
  }
}

const heap = (page) => page.evaluate(() => {
  globalThis.gc?.();
  return performance.memory.usedJSHeapSize / 1e6;
});

async function measureFrames(page) {
  const frames = await page.evaluate(() => new Promise((resolve) => {
    const box = document.querySelector(".virtual");
    const times = [];
    let last = performance.now();
    const step = (now) => {
      times.push(now - last);
      last = now;
      box.scrollTop -= 120;
      if (times.length < 600) requestAnimationFrame(step);
      else resolve(times.sort((a, b) => a - b));
    };
    requestAnimationFrame(step);
  }));
  set("frame while scrolling, median", round(frames[300]), "ms");
  set("frame while scrolling, 99 of 100", round(frames[593]), "ms");
}

async function measureExport(world, id) {
  const began = Date.now();
  const response = await fetch(`${world.server.url}/api/v1/tasks/${id}/export?format=markdown`, { headers: { Authorization: `Bearer ${world.token}` } });
  const text = await response.text();
  if (!text.includes(`line number ${EVENTS} `)) throw new Error("the export is not whole");
  set("export of 50 000 events as Markdown", Date.now() - began, `ms, ${round(text.length / 1e6)} MB`);
}

async function measureTranscript() {
  const world = await startWorld();
  try {
    const context = await world.context();
    const { id } = await world.create("fifty thousand", AUTO);
    await waitFor(async () => ["idle", "done"].includes((await world.api("GET", `/tasks/${id}`)).state), "the long task", 600_000);
    await measureExport(world, id);
    const began = Date.now();
    const page = await world.open(context, `/tasks/${id}`);
    await page.locator(".said", { hasText: `line number ${EVENTS} ` }).waitFor();
    set("first events of 50 000", Date.now() - began, "ms");
    await measureFrames(page);
    await page.getByRole("button", { name: /To the end/ }).click();
    set("memory before the hour", Math.round(await heap(page)), "MB");
    await page.getByLabel(/Give it another turn/).fill("an hour more");
    await page.getByRole("button", { name: "Send" }).click();
    await waitFor(async () => (await page.locator(".virtual").innerText()).includes(`hour number ${HOUR} `), "the hour", 600_000);
    set("memory after the hour", Math.round(await heap(page)), "MB");
    set("elements after the hour", await page.locator("*").count(), "");
  } finally {
    await world.close();
  }
}

if (!only || "live".includes(only)) await measureLive();
if (!only || "transcript".includes(only)) await measureTranscript();
if (report) writeFileSync(report, JSON.stringify(results, null, 2));
process.exit(missed ? 1 : 0);
