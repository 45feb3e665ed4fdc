// Transcripts: hostile output, long tasks, search, links, records, exports.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { waitFor } from "./world.mjs";

export async function hostileOutputIsHarmless(world) {
  const { id } = await world.create("something hostile", { options: { editMode: "full_auto" } });
  await world.waitState(id, "idle", "done", "failed");
  const context = await world.context();
  const outside = [];
  const page = await context.newPage();
  page.on("request", (request) => request.url().startsWith(world.url) || request.url().startsWith("blob:") || outside.push(request.url()));
  await page.goto(`${world.url}/tasks/${id}`);
  await page.locator(".said", { hasText: "The hostile part is over." }).waitFor();
  // Everything is drawn once, from the end to the beginning.
  const list = page.locator(".virtual");
  for (let i = 0; i < 40; i++) {
    const top = await list.evaluate((box) => ((box.scrollTop -= 500), box.scrollTop));
    await page.waitForTimeout(30);
    if (top <= 0) break;
  }
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.deepEqual(outside, [], "no request may leave");
  assert.equal(await page.locator(".virtual :is(script, img, iframe, style, object)").count(), 0);
  const text = async () => list.evaluate((box) => box.innerText);
  await waitFor(async () => (await text()).includes("<script>window.pwned=1</script>"), "the script as text");
  await list.evaluate((box) => (box.scrollTop = box.scrollHeight / 2));
  const card = page.locator(".tool", { hasText: "many.txt" }).first();
  await waitFor(async () => {
    await list.evaluate((box) => (box.scrollTop += 300));
    return card.isVisible();
  }, "the large file");
  assert.ok((await page.locator("*").count()) < 6_000, "the document stays small");
  const shown = JSON.stringify(await world.events(id));
  assert.ok(shown.includes("\u202e"), "the agent did print it");
  assert.ok(!(await page.locator("body").innerText()).includes("\u202e"), "nothing reverses text");
}

/** A long task opens at its end, loads backwards, and never jumps. */
export async function aLongTaskIsScrolled(world) {
  const { id } = await world.create("endless talk");
  await world.waitState(id, "idle", "done");
  const page = await world.open(await world.context(), `/tasks/${id}`);
  const list = page.locator(".virtual");
  await page.locator(".said", { hasText: "line number 3000 of many." }).waitFor();
  assert.ok((await page.locator(".virtual-row").count()) < 120);
  const lineAt = () => list.evaluate((box) => {
    const top = box.getBoundingClientRect().top;
    const rows = [...box.querySelectorAll(".virtual-row")];
    const row = rows.filter((r) => r.getBoundingClientRect().bottom > top).sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0];
    return { n: Number(/number (\d+)/.exec(row?.textContent)?.[1]), y: row?.getBoundingClientRect().top - top };
  });
  let last = 3_001;
  for (let i = 0; i < 400 && last > 1; i++) {
    await list.evaluate((box) => (box.scrollTop -= 1_500));
    await page.waitForTimeout(16);
    const { n } = await lineAt();
    if (!Number.isFinite(n)) { if (last < 60) break; continue; }
    assert.ok(n <= last + 1, `it jumped from line ${last} down to ${n}`);
    assert.ok(last - n < 140, `it jumped from line ${last} up to ${n}`);
    last = n;
  }
  assert.ok(last < 60, `it got stuck at line ${last}`);
  await page.getByRole("button", { name: /To the end/ }).click();
  await page.locator(".said", { hasText: "line number 3000 of many." }).waitFor();
}

export async function aFloodIsFollowedToItsEnd(world) {
  const { id } = await world.create("look around");
  await world.waitState(id, "idle", "done");
  const page = await world.open(await world.context(), `/tasks/${id}`);
  await page.locator(".turn-line").waitFor();
  await page.getByLabel("Give it another turn").fill("a flood");
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".said", { hasText: "the last of the flood." }).waitFor();
  await page.locator(".turn-line").last().waitFor();
  assert.equal(await page.getByRole("button", { name: /To the end|new$/ }).count(), 0, "it is at the end");
}

/** Older events come between a scroll and its event, and must not undo the scroll. */
export async function aScrollIsKeptWhileOlderEventsCome(world) {
  const { id } = await world.create("endless talk");
  await world.waitState(id, "idle", "done");
  const page = await world.open(await world.context(), `/tasks/${id}`);
  await page.locator(".said", { hasText: "line number 3000 of many." }).waitFor();
  const list = page.locator(".virtual");
  // Away from the end, which would be followed.
  await list.evaluate((box) => (box.scrollTop -= 600));
  await page.waitForTimeout(200);
  await list.evaluate((box) => {
    const topLine = () => {
      const edge = box.getBoundingClientRect().top;
      const seen = [...box.querySelectorAll(".virtual-row")].filter((row) => row.getBoundingClientRect().bottom > edge);
      return Math.min(...seen.map((row) => Number(/number (\d+)/.exec(row.textContent)?.[1] ?? Infinity)));
    };
    const { json } = Response.prototype;
    Response.prototype.json = async function () {
      const value = await json.call(this);
      if (this.url.includes("before=") && !window.before) {
        window.before = topLine();
        box.scrollTop -= 300;
        setTimeout(() => (window.after = topLine()), 500);
      }
      return value;
    };
    box.scrollTop = 1_000;
  });
  const [before, after] = await waitFor(() => page.evaluate(() => window.after && [window.before, window.after]), "older events");
  assert.ok(before - after >= 5 && before - after <= 15, `it went from line ${before} to ${after}`);
}

export async function aTaskIsSearched(world) {
  const { id } = await world.create("endless talk");
  await world.waitState(id, "idle", "done");
  const page = await world.open(await world.context(), `/tasks/${id}`);
  await page.locator(".said", { hasText: "line number 3000 of many." }).waitFor();
  // What is typed after the key that opens the search is searched for.
  await page.keyboard.type("fnumber 77 ");
  await page.getByRole("search").getByRole("button", { name: "Search", exact: true }).click();
  await page.locator(".said", { hasText: "line number 77 of many." }).waitFor();
  await page.getByText("1 of 1").waitFor();
  await page.getByRole("searchbox", { name: "Search this task" }).fill("number 299");
  await page.keyboard.press("Enter");
  await page.getByText("11 of 11").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("10 of 11").waitFor();
}

export async function eventsHaveLinksAndRecords(world) {
  const { id } = await world.create("endless talk");
  await world.waitState(id, "idle", "done");
  const event = (await world.events(id)).find(({ text }) => text?.text.includes("number 1500 "));
  const page = await world.open(await world.context(), `/tasks/${id}#${event.id}`);
  const said = page.locator(".said", { hasText: "line number 1500 of many." });
  await said.waitFor();
  await said.hover();
  await said.getByRole("button", { name: "Show the raw record" }).click();
  await page.getByRole("dialog").getByText("line number 1500 of many.").waitFor();
}

export async function aTaskIsExported(world) {
  const { id } = await world.create("look around");
  await world.waitState(id, "idle", "done");
  const page = await world.open(await world.context(), `/tasks/${id}`);
  await page.locator(".turn-line").waitFor();
  for (const [name, part] of [["Export Markdown", "All **done**"], ["Export JSONL", '"toolResult"']]) {
    await page.getByLabel("More actions").first().click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    assert.ok(readFileSync(await download.path(), "utf8").includes(part), `${name} has ${part}`);
  }
}

export async function subagentsAreNestedWithTheirUsage(world) {
  const { id } = await world.create("a subagent", { options: { editMode: "full_auto" } });
  await world.waitState(id, "idle", "done");
  const page = await world.open(await world.context(), `/tasks/${id}`);
  await page.locator(".said", { hasText: "The subagent has counted." }).waitFor();
  const card = page.locator(".tool", { hasText: "Count the tests" }).first();
  await card.getByText("1.2k in, 50 out").waitFor();
  await card.locator(".fold").first().click();
  const inner = card.locator(".subagent");
  await inner.locator(".said", { hasText: "I count." }).waitFor();
  await inner.locator(".tool", { hasText: "ls test" }).waitFor();
}

/** Waiting counts while it goes on. */
export async function timeIsShownOfTasksThatWait(world) {
  const { id } = await world.create("please ask me");
  await world.waitState(id, "awaiting_approval");
  const page = await world.open(await world.context(), `/tasks/${id}`);
  await page.locator(".ask").waitFor();
  await page.getByRole("tab", { name: "Time" }).click();
  const picture = page.getByRole("img", { name: /Waiting for you/ });
  await picture.waitFor();
  assert.doesNotMatch(await picture.getAttribute("aria-label"), /Waiting for you 0 ms/);
  await world.api("POST", `/tasks/${id}/stop`, {});
}

export async function changesAndTimeAreShown(world) {
  const { id } = await world.create("look around", { options: { editMode: "auto_edit" } });
  await world.waitState(id, "idle", "done");
  const page = await world.open(await world.context(), `/tasks/${id}`);
  await page.getByRole("tab", { name: "Changes" }).click();
  await page.getByText("1 file changed").waitFor();
  await page.locator(".diff .added", { hasText: "# Hello" }).waitFor();
  assert.equal(await page.locator(".changed code").innerText(), "note.md", "paths are those of the task's folder");
  await page.getByRole("tab", { name: "Time" }).click();
  await page.getByRole("img", { name: /Thinking/ }).waitFor();
  await page.goto(`${world.url}/usage`);
  await page.locator(".chart canvas").waitFor();
  await page.getByRole("rowheader", { name: "Claude", exact: true }).waitFor();
}

export async function writesOfEveryHarnessAreDiffs(world) {
  const page = await world.open(await world.context());
  for (const [harness, interactive] of [["claude", true], ["codex", true], ["gemini", true], ["gemini", false]]) {
    const { id } = await world.create("look around", { harness, options: { editMode: "full_auto", interactive } });
    await world.waitState(id, "idle", "done");
    await page.goto(`${world.url}/tasks/${id}`);
    await page.getByRole("tab", { name: "Changes" }).click();
    await page.locator(".changed", { hasText: "note.md" }).locator("td.added", { hasText: "# Hello" }).waitFor();
  }
}
