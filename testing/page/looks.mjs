// Accessibility in light and dark and on a phone, and what is special there.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { waitFor } from "./world.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

/** Fails if axe finds anything by these rules; all of them if there are none. */
async function findNothing(page, where, rules) {
  const found = await page.evaluate(async ([axe, only]) => {
    // The page's policy refuses inline scripts, so axe is evaluated.
    if (!window.axe) (0, eval)(axe);
    // The list is the same beside all views: it takes long, and is looked at alone and beside one.
    const part = ["/", "/new"].includes(location.pathname) ? document : { exclude: [".task-list"] };
    const { violations } = await window.axe.run(part, only ? { runOnly: only } : {});
    return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  }, [AXE, rules]);
  assert.deepEqual(found, [], where);
}

/** Menus and dialogs of a task that is done, and the search. */
async function checkDialogs(page, check) {
  await page.getByLabel("More actions").first().click();
  await check("the menu");
  await page.getByRole("button", { name: "Fork…" }).click();
  await page.getByRole("dialog").waitFor();
  await check("forking");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.locator("h1").click();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await check("the keys");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("f");
  await page.getByRole("searchbox", { name: "Search this task" }).waitFor();
  await check("the search");
  await page.keyboard.press("Escape");
}

async function checkAll(world, options, rules) {
  const asks = await world.create("please ask me");
  const asked = await world.create("a question");
  const done = await world.create("look around", { options: { editMode: "auto_edit" } });
  await world.waitState(asks.id, "awaiting_approval");
  await world.waitState(asked.id, "awaiting_answer");
  await world.waitState(done.id, "idle", "done");
  const context = await world.context({ ...options, bypassCSP: true, reducedMotion: "reduce" });
  const page = await context.newPage();
  const check = (where) => findNothing(page, `${where} ${JSON.stringify(options)}`, rules);
  const visit = async (path, ready) => {
    await page.goto(world.url + path);
    await page.locator(ready).first().waitFor();
    await check(path);
  };
  await visit("/", ".task-row");
  await page.locator(".task-row input").first().check({ force: true });
  await page.getByRole("toolbar").waitFor();
  await check("selected tasks");
  await visit(`/tasks/${asks.id}`, ".ask");
  await page.getByRole("button", { name: "Always…" }).click();
  await check("the rule to add");
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Deny", exact: true }).click();
  await check("the reason of a denial");
  await visit(`/tasks/${asked.id}`, ".ask");
  await visit(`/tasks/${done.id}`, ".turn-line");
  await checkDialogs(page, check);
  for (const [tab, ready] of [["Changes", ".diff"], ["Time", ".timeline"]]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.locator(ready).waitFor();
    await check(tab);
  }
  await visit("/tasks/none-such", ".missing h1");
  await visit("/new", ".harness-card");
  await page.getByText("Options of the harness").click();
  await check("options");
  await visit("/usage", ".chart canvas");
  await visit("/settings", ".sessions li");
  await visit(`/compare?tasks=${asks.id},${done.id}`, ".column .virtual-row");
  for (const { id } of [asks, asked]) await world.api("POST", `/tasks/${id}/stop`, {});
}

export const axeFindsNothingInLight = (world) => checkAll(world, { colorScheme: "light" });
// Only colours differ.
export const axeFindsNothingInDark = (world) => checkAll(world, { colorScheme: "dark" }, ["color-contrast"]);
export const axeFindsNothingOnAPhone = (world) => checkAll(world, { ...PHONE, colorScheme: "light" });

export async function aPhoneHasOneColumn(world) {
  const { id } = await world.create("please ask me");
  await world.waitState(id, "awaiting_approval");
  const context = await world.context(PHONE);
  const page = await world.open(context);
  await page.locator(`[data-task="${id}"] a`).tap();
  await page.waitForURL(/\/tasks\//);
  const allow = page.getByRole("button", { name: "Allow", exact: true });
  const box = await allow.boundingBox();
  assert.ok(box.height >= 40 && box.y + box.height <= 844, "the button is in reach");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, "nothing is wider than the screen");
  await allow.tap();
  await page.locator(".said", { hasText: "Cleaned." }).waitFor();
  const field = page.getByLabel(/Give it another turn|Write to the agent/);
  assert.ok(Number.parseFloat(await field.evaluate((node) => getComputedStyle(node).fontSize)) >= 16, "no zoom on focus");
  const send = await page.getByRole("button", { name: "Send" }).boundingBox();
  assert.equal(send.width, send.height, "the button to send is round");
  await field.tap();
  await page.keyboard.type("one");
  await page.keyboard.press("Enter");
  await page.keyboard.type("two");
  assert.equal(await field.inputValue(), "one\ntwo", "Enter is a new line");
  await page.getByLabel("Back to the tasks").tap();
  await page.waitForURL(`${world.url}/`);
}

export async function theButtonOfAPhoneCoversNothing(world) {
  for (let i = 0; i < 12; i++) await world.create(`look around ${i}`);
  const page = await world.open(await world.context(PHONE));
  const button = page.locator(".bar .button");
  for (const [path, view] of [["/", ".groups"], ["/usage", ".page"], ["/settings", ".page"]]) {
    await page.goto(world.url + path);
    await page.locator(`.app:not(:has(.empty)) ${view}`).waitFor();
    const { y, height } = await button.boundingBox();
    assert.ok(y + height <= 844, "the button is on the screen");
    const box = await page.locator(view).boundingBox();
    assert.ok(box.y + box.height <= y, `${path}: the view ends above the button`);
  }
}

/** Safari tells of its keyboard only by what of the page is seen. */
export async function aKeyboardHidesNothing(world) {
  const { id } = await world.create("please ask me");
  await world.waitState(id, "awaiting_approval");
  const context = await world.context(PHONE);
  await context.addInitScript(() => {
    const seen = Object.assign(new EventTarget(), { height: innerHeight, scale: 1 });
    Object.defineProperty(window, "visualViewport", { value: seen });
  });
  const page = await world.open(context, `/tasks/${id}`);
  await page.locator(".ask").waitFor();
  const bottom = () => page.locator(".composer").evaluate((box) => box.getBoundingClientRect().bottom);
  const resize = (height) => page.evaluate((room) => {
    visualViewport.height = room;
    visualViewport.dispatchEvent(new Event("resize"));
  }, height);
  await resize(480);
  assert.ok((await bottom()) <= 480, "the field is above the keyboard");
  await resize(844);
  assert.ok((await bottom()) > 700, "and goes back");
  await world.api("POST", `/tasks/${id}/stop`, {});
}

export async function tasksAreSelectedByTouch(world) {
  const made = [await world.create("slow work, one"), await world.create("slow work, two"), await world.create("slow work, three")];
  for (const { id } of made) await world.waitState(id, "running");
  const page = await world.open(await world.context(PHONE));
  await page.locator(`[data-task="${made[0].id}"] input`).tap();
  await page.locator(`[data-task="${made[1].id}"] input`).tap();
  await page.getByText("2 selected").waitFor();
  await page.getByRole("toolbar").getByRole("button", { name: "Stop" }).tap();
  for (const { id } of made.slice(0, 2)) await world.waitState(id, "interrupted", "done");
  assert.equal((await world.api("GET", `/tasks/${made[2].id}`)).state, "running");
  await world.api("POST", `/tasks/${made[2].id}/stop`, {});
}

/** From signing in to an answer with nothing but the Tab and Enter keys and letters. */
export async function everythingIsDoneByKeyboard(world) {
  const { id } = await world.create("please ask me");
  await world.waitState(id, "awaiting_approval");
  const context = await world.browser.newContext({ viewport: { width: 1360, height: 860 } });
  const page = await context.newPage();
  await page.goto(world.url);
  await page.getByText("This browser has no access yet").waitFor();
  const tabTo = async (locator) => {
    for (let i = 0; i < 80; i++) {
      if (await locator.evaluate((node) => node === document.activeElement)) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`${locator} is not reached by Tab`);
  };
  await tabTo(page.getByLabel("The address or the code"));
  await page.keyboard.type(world.address());
  await page.keyboard.press("Enter");
  await page.locator(`[data-task="${id}"] a`).waitFor();
  await tabTo(page.locator(`[data-task="${id}"] a`));
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(id));
  const allow = page.getByRole("button", { name: "Allow", exact: true });
  // It is reached once it can be pressed, a second after it was shown.
  await waitFor(() => allow.isEnabled(), "the button");
  await tabTo(allow);
  await page.keyboard.press("Enter");
  await page.locator(".said", { hasText: "Cleaned." }).waitFor();
  await world.waitState(id, "idle", "done");
}

export async function itCanBeInstalled(world) {
  const manifest = await (await fetch(`${world.url}/manifest.webmanifest`)).json();
  for (const { src } of manifest.icons) {
    const icon = await fetch(world.url + src);
    assert.equal(icon.status, 200, src);
  }
  assert.equal(manifest.display, "standalone");
}

export async function aNotificationIsWithdrawn(world) {
  const context = await world.context({ permissions: ["notifications"] });
  await context.addInitScript(() => {
    if (location.protocol === "http:") localStorage.setItem("troika.notify", "true");
    window.told = [];
    window.Notification = class {
      static permission = "granted";
      static requestPermission = async () => "granted";
      constructor(title, { tag }) {
        this.tag = tag;
        window.told.push(`shown ${tag}`);
      }
      close() {
        window.told.push(`closed ${this.tag}`);
      }
    };
    Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
  });
  const page = await world.open(context);
  await page.locator(".task-row").first().waitFor();
  const { id } = await world.create("please ask me");
  await world.waitState(id, "awaiting_approval");
  await waitFor(() => page.evaluate((tag) => window.told.includes(`shown ${tag}`), id), "the notification");
  const { approvals } = await world.api("GET", `/tasks/${id}`);
  await world.api("POST", `/tasks/${id}/respond`, { id: approvals[0].id, approval: { allow: true } });
  await waitFor(() => page.evaluate((tag) => window.told.includes(`closed ${tag}`), id), "its end");
}
