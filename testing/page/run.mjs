// Runs the page's end-to-end tests.
//
// usage: run.mjs [--only WORD] [--report FILE] [--units FILE] PROGRAM…
//
// --units has the results of the unit tests, as Vitest writes them; they are
// counted, too.
// PROGRAMs are troika, troika-server, troika-relay, troika-demo-agent,
// troika-model, fake_codex, fake_claude and fake_gemini. The last line is
// "N passed, N failed, N skipped".
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import * as answering from "./answering.mjs";
import * as looks from "./looks.mjs";
import * as reading from "./reading.mjs";
import { SCRIPT } from "./script.mjs";
import * as starting from "./starting.mjs";
import * as streams from "./streams.mjs";
import { World } from "./world.mjs";

const words = process.argv.slice(2);
const flag = (name) => {
  const at = words.indexOf(name);
  return at < 0 ? "" : words.splice(at, 2)[1];
};
const only = flag("--only");
const report = flag("--report");
const units = flag("--units");
const programs = Object.fromEntries(words.map((path) => [basename(path), path]));
/** Each has a server and a browser. */
const MAX_WORKERS = 3;
const passed = [];
const failed = [];
const flaky = [];

/** Adds the unit tests; that they did not run is a failure. */
function countUnits() {
  const text = readFileSync(units, "utf8");
  if (!text) return failed.push("the unit tests did not run, see above");
  for (const file of JSON.parse(text).testResults) {
    if (file.status !== "passed" && !file.assertionResults.length) failed.push(`${file.name}: ${file.message}`);
    for (const { fullName, status } of file.assertionResults) (status === "passed" ? passed : failed).push(`unit: ${fullName}`);
  }
}

/** What pages showed when a test failed, for TROIKA_PAGE_PICTURES. */
async function keepPictures(world, title) {
  const folder = process.env.TROIKA_PAGE_PICTURES;
  if (!folder) return;
  const pages = world.browser.contexts().flatMap((context) => context.pages());
  for (const [i, page] of pages.entries()) {
    await page.screenshot({ path: `${folder}/${title}-${i}.png`, timeout: 3_000 }).catch(() => {});
  }
  for (const context of world.browser.contexts()) console.log(context.problems ?? "");
}

/** Runs a test, and once more if it fails. */
async function runTest(world, { title, test }) {
  let before = "";
  for (const isLast of [false, true]) {
    const began = Date.now();
    try {
      await test(world);
      passed.push(title);
      if (before) flaky.push(`${title}: ${before}`);
      console.log(`PASS ${title} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
      return;
    } catch (error) {
      before = String(error.message ?? error).split("\n")[0];
      if (isLast) failed.push(`${title}: ${before}`);
      console.log(`${isLast ? "FAIL" : "AGAIN"} ${title}: ${error.stack ?? error}`);
      await keepPictures(world, title);
    } finally {
      await world.closePages();
    }
  }
}

/** Takes tests until there are none, with a server and a browser of its own. */
async function work(tests) {
  const world = new World(programs);
  world.script(SCRIPT);
  try {
    await world.start();
    await world.openBrowser();
    for (let next = tests.shift(); next; next = tests.shift()) await runTest(world, next);
    if (/AddressSanitizer|runtime error:/.test(world.errors)) failed.push(`the server: ${world.errors.slice(0, 2000)}`);
  } catch (error) {
    failed.push(`the tests could not run: ${error.stack}`);
    console.log(error);
  } finally {
    await world.close();
  }
}

// Those that take longest begin first.
const tests = [streams, looks, reading, answering, starting]
  .flatMap((suite) => Object.entries(suite))
  .map(([name, test]) => ({ title: name.replaceAll(/(?<=\w)(?=[A-Z])/g, " ").toLowerCase(), test }))
  .filter(({ title }) => title.includes(only));
const workers = Math.min(MAX_WORKERS, availableParallelism(), tests.length);
await Promise.all(Array.from({ length: workers }, () => work(tests)));
if (units && !only) countUnits();
if (report) writeFileSync(report, JSON.stringify({ passed, failed, skipped: [], flaky }));
for (const name of flaky) console.log(`FLAKY ${name}`);
console.log(`${passed.length} passed, ${failed.length} failed, 0 skipped`);
process.exit(failed.length || !passed.length ? 1 : 0);
