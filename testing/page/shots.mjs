// Takes the pictures of the page that the README shows.
//
// usage: shots.mjs [--only WORD] [--report FILE] [--units FILE] PROGRAM…; writes to
// $TROIKA_PAGE_SHOTS. Its tasks are those of fakes, so pictures don't differ much.
import { basename, join } from "node:path";
import { World } from "./world.mjs";

const words = process.argv.slice(2).filter((word, i, all) => !word.startsWith("--") && !all[i - 1]?.startsWith("--"));
const folder = process.env.TROIKA_PAGE_SHOTS;
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 1.5 };
const ESC = "\u001b";

const OLD = "export function parseLine(line) {\\n  const parts = line.split(',');\\n  return parts;\\n}\\n";
const SCRIPT = `
think The last line has no newline, so the reader drops it. I should look at how it splits.
say The failing test is about a file whose **last line has no newline**. I'll look at the reader first.
todo [>] Find the cause | [ ] Fix the reader | [ ] Run the tests
run sed -n 1,40p src/reader.js => ${OLD}
run grep -rn "readLines" src => src/reader.js:12:export function* readLines(text) {\\nsrc/main.js:8:for (const line of readLines(input)) {
run git log --oneline -3 => 4f1c2aa reader: split on CRLF\\n91be07d parser: keep quotes\\n0d2f9e1 start
todo [x] Find the cause | [>] Fix the reader | [ ] Run the tests
write src/reader.js export function* readLines(text) {\\n  let at = 0;\\n  while (at < text.length) {\\n    const end = text.indexOf('\\\\n', at);\\n    yield text.slice(at, end < 0 ? undefined : end);\\n    at = end < 0 ? text.length : end + 1;\\n  }\\n}\\n
todo [x] Find the cause | [x] Fix the reader | [>] Run the tests
run npm test => ${ESC}[32m✓${ESC}[0m reads lines\\n${ESC}[32m✓${ESC}[0m keeps quotes\\n${ESC}[31m✗${ESC}[0m last line without a newline\\n  expected 3 lines, got 2 exit 1
say One test is left. The generator must also yield the rest after the last newline:
run npm test => ${ESC}[32m✓${ESC}[0m reads lines\\n${ESC}[32m✓${ESC}[0m keeps quotes\\n${ESC}[32m✓${ESC}[0m last line without a newline\\n\\n3 passed
todo [x] Find the cause | [x] Fix the reader | [x] Run the tests
say All three tests pass now.\\n\\n- \`readLines\` yields the last line even if no newline follows it\\n- nothing else depended on the old behaviour
usage 18400 142000 2350
ok
== prompt migrate
say The migration is ready. It changes the table of users, so I'd like to run it on staging first.
ask Bash {"command":"npm run migrate -- --env staging && psql staging -c 'select count(*) from users where email_verified'","description":"Run the migration on staging"}
ok
== prompt colour
question Which colour shall the primary button have? | Blue, as the links | Green | The brand's orange
ok
== prompt slow
say Nine minutes are mostly spent in the linker. I'll measure which targets take longest.
start-run bazel build //... --profile=/tmp/profile.gz
hang
== prompt limit
say I'll try.
fail 429: the usage limit of this account is reached.
`;

const world = new World(Object.fromEntries(words.map((path) => [basename(path), path])));
world.script(SCRIPT);

async function makeTasks() {
  const make = (prompt, harness, editMode) => world.create(prompt, { harness, options: { editMode, interactive: true, skipGitCheck: harness === "codex" } });
  const ended = [
    await make("Fix the test of the last line in src/reader.js", "claude", "auto_edit"),
    await make("Read the retry logic and tell me what can go wrong", "codex", "research"),
    await make("Write docs for the export command", "gemini", "auto_edit"),
  ];
  const limit = await make("limit: review the parser", "codex", "research");
  for (const { id } of ended) await world.waitState(id, "idle", "done", "failed");
  await world.waitState(limit.id, "failed", "idle");
  const slow = await make("Why is the build so slow?", "claude", "full_auto");
  const asks = await make("Add the column email_verified, and migrate", "claude", "ask");
  const colour = await make("Restyle the sign-up form: colour and spacing", "claude", "ask");
  await world.waitState(asks.id, "awaiting_approval");
  await world.waitState(colour.id, "awaiting_answer");
  await world.waitState(slow.id, "running");
  return { done: ended[0].id, asks: asks.id, both: `${ended[0].id},${ended[1].id}` };
}

async function shoot(name, options, path, ready, act = async () => {}) {
  const context = await world.context({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
  const page = await world.open(context, path);
  await page.locator(ready).first().waitFor();
  await act(page);
  // Buttons that allow work after a second.
  await page.waitForTimeout(1_300);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  console.log(name);
  await context.close();
}

try {
  await world.start();
  await world.openBrowser();
  const { done, asks, both } = await makeTasks();
  const dark = { colorScheme: "dark" };
  await shoot("tasks", {}, "/", ".task-row");
  await shoot("task-dark", dark, `/tasks/${done}`, ".turn-line");
  await shoot("approval", {}, `/tasks/${asks}`, ".ask");
  await shoot("new-task", {}, "/new", ".harness-card", (page) => page.getByLabel("Prompt", { exact: true }).fill("Find out why the login test is flaky, and fix it."));
  await shoot("compare-dark", dark, `/compare?tasks=${both}`, ".column .virtual-row");
  await shoot("phone-tasks", PHONE, "/", ".task-row");
  await shoot("phone-approval-dark", { ...PHONE, ...dark }, `/tasks/${asks}`, ".ask");
  await shoot("usage-dark", dark, "/usage", ".chart canvas");
} finally {
  await world.close();
}
