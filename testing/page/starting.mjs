// Signing in, and starting tasks.
import assert from "node:assert/strict";
import { waitFor } from "./world.mjs";

/** Leaves only these harnesses checked. */
async function choose(page, ...names) {
  const boxes = page.locator(".harness-card");
  await boxes.first().waitFor();
  for (const name of names) await boxes.filter({ hasText: name }).getByRole("checkbox").check();
  for (const box of await boxes.all()) {
    const text = await box.innerText();
    if (!names.some((name) => text.includes(name))) await box.getByRole("checkbox").uncheck();
  }
}

export async function aCodeSignsInOnce(world) {
  const context = await world.browser.newContext();
  const page = await context.newPage();
  await page.goto(world.url);
  await page.getByText("This browser has no access yet").waitFor();
  const address = world.address();
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]+$/);
  await page.goto("about:blank");
  await page.goto(address);
  await page.getByRole("link", { name: "New task" }).waitFor();
  assert.equal(page.url(), `${world.url}/`, "the code must not stay in the address");
  await page.reload();
  await page.getByRole("link", { name: "New task" }).waitFor();
  const cookies = await context.cookies();
  assert.equal(cookies.length, 1);
  assert.ok(cookies[0].httpOnly && cookies[0].sameSite === "Strict");
  const other = await (await world.browser.newContext()).newPage();
  await other.goto(address);
  await other.getByRole("alert").waitFor();
}

export async function aRevokedBrowserIsSignedOut(world) {
  const context = await world.context({ storageState: await world.signIn() });
  const page = await world.open(context, "/settings");
  await page.getByText("this one").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("This browser has no access yet").waitFor();
  await page.goto(world.url);
  await page.getByText("This browser has no access yet").waitFor();
}

export async function aTaskStartsByMouse(world) {
  const context = await world.context();
  const page = await world.open(context);
  await page.getByRole("link", { name: "New task" }).click();
  await page.getByText("Needs a prompt").waitFor();
  await page.getByLabel("Prompt", { exact: true }).fill("look around, by mouse");
  await choose(page, "Claude");
  await page.getByLabel("Folder", { exact: true }).fill("");
  await page.getByText("Needs a folder").waitFor();
  await page.getByLabel("Folder", { exact: true }).fill(world.work);
  await page.getByLabel("auto edit").check();
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/\/tasks\//);
  await page.locator(".said", { hasText: "All done, see" }).waitFor();
  await page.locator(".turn-line").waitFor();
  await page.getByRole("button", { name: /note\.md/ }).first().waitFor();
  const [, id] = /\/tasks\/(.+)$/.exec(page.url());
  const task = await world.api("GET", `/tasks/${id}`);
  assert.equal(task.editMode, "auto_edit");
  assert.deepEqual(context.problems, []);
}

export async function recentFoldersDoNotDisturbTyping(world) {
  await world.create("look around");
  const page = await (await world.context()).newPage();
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route("**/api/v1/folders*", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${world.url}/new`);
  const folder = page.getByLabel("Folder", { exact: true });
  await folder.focus();
  const reply = page.waitForResponse(/folders/);
  release();
  await (await reply).finished();
  await page.locator("#folders option").first().waitFor({ state: "attached" });
  assert.equal(await folder.inputValue(), "");
}

export async function aTaskStartsByKeyboard(world) {
  const context = await world.context();
  const page = await world.open(context);
  await page.getByLabel("Search tasks").waitFor();
  await page.keyboard.press("n");
  await page.getByLabel("Folder", { exact: true }).fill(world.work);
  await page.getByLabel("Prompt", { exact: true }).focus();
  await page.keyboard.type("look around, by keyboard");
  await page.locator(".harness-card input:checked").first().waitFor();
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/tasks\//);
  await page.locator(".turn-line").waitFor();
  // Back to the list, to the task, and the help.
  await page.keyboard.press("Escape");
  await page.waitForURL(`${world.url}/`);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/tasks\//);
  await page.getByRole("tab", { name: "Transcript" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.getByText("search inside the task").waitFor();
}

export async function severalHarnessesGetTheSamePrompt(world) {
  const context = await world.context();
  const page = await world.open(context, "/new");
  await page.getByLabel("Prompt", { exact: true }).fill("look around, all of you");
  await page.getByLabel("Folder", { exact: true }).fill(world.work);
  await choose(page, "Claude", "Codex");
  await page.getByRole("button", { name: "Start 2 tasks" }).click();
  await page.waitForURL(/\/compare/);
  assert.equal(await page.locator(".column").count(), 2);
  for (const column of await page.locator(".column").all()) await column.locator(".turn-line").waitFor();
  assert.deepEqual(context.problems, []);
}

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** Pastes or drops a file on an element, as a browser does. Returns whether the page took it. */
function giveFile(page, how, selector, name, type) {
  return page.evaluate(([how, selector, name, type, png]) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(png), (c) => c.charCodeAt(0))], name, { type }));
    const options = { bubbles: true, cancelable: true };
    const at = document.querySelector(selector);
    if (how === "paste") return !at.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, ...options }));
    // A drop comes only to an element that takes what is dragged over it.
    return ["dragover", "drop"].every((event) => !at.dispatchEvent(new DragEvent(event, { dataTransfer: data, ...options })));
  }, [how, selector, name, type, PNG]);
}

export async function imagesArePastedAndDropped(world) {
  const context = await world.context();
  const page = await world.open(context, "/new");
  await page.getByLabel("Prompt", { exact: true }).fill("look at this");
  await page.getByLabel("Folder", { exact: true }).fill(world.work);
  assert.ok(await giveFile(page, "paste", ".prompt textarea", "shot.png", "image/png"));
  await page.getByAltText("shot.png").waitFor();
  assert.ok(await giveFile(page, "drop", ".harness-picker", "dropped.png", "image/png"));
  await page.getByAltText("dropped.png").waitFor();
  assert.ok(await giveFile(page, "drop", ".harness-picker", "notes.pdf", "application/pdf"));
  await page.locator(".toasts", { hasText: "notes.pdf is no PNG" }).waitFor();
  await choose(page, "Claude");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/\/tasks\//);
  await page.getByText("2 images").waitFor();
  await page.locator(".turn-line").waitFor();
  // A later turn takes them, too.
  assert.ok(await giveFile(page, "drop", ".composer textarea", "later.png", "image/png"));
  await page.getByAltText("later.png").waitFor();
  await page.getByLabel("Give it another turn").fill("and at this");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("1 image", { exact: true }).waitFor();
  await page.getByAltText("later.png").waitFor({ state: "detached" });
}

export async function draftsSurviveAReload(world) {
  const { id } = await world.create("look around");
  await world.waitState(id, "idle", "done");
  const context = await world.context();
  const page = await world.open(context, `/tasks/${id}`);
  await page.getByLabel("Give it another turn").fill("not sent yet");
  await page.reload();
  await waitFor(async () => (await page.getByLabel("Give it another turn").inputValue()) === "not sent yet", "the draft");
}

/** Codex itself, on a model that plays a script. */
export async function aRealCliIsShown(world) {
  const { CODEX_PROGRAM: program } = process.env;
  assert.ok(program, "CODEX_PROGRAM names the CLI");
  const { startModel } = await import("./model.mjs");
  const model = await startModel(world);
  try {
    const { id } = await world.api("POST", "/tasks", {
      harness: "codex", prompt: "say what is here", cwd: world.work, env: model.env,
      options: { editMode: "dangerous", model: "gpt-5.5" },
    });
    const context = await world.context();
    const page = await world.open(context, `/tasks/${id}`);
    await page.locator(".said", { hasText: "The model has spoken." }).waitFor({ timeout: 60_000 });
    await page.locator(".tool", { hasText: "echo from-codex" }).first().waitFor();
    await page.locator(".turn-line", { hasText: "Done" }).waitFor();
  } finally {
    model.stop();
  }
}
