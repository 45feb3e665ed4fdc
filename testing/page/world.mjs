// A server with fakes in place of the CLIs, in a folder of its own, and browsers
// that have access to its page.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { startProxy } from "./proxy.mjs";

export const PATIENCE = 20_000;

export async function waitFor(condition, what, patience = PATIENCE) {
  const end = Date.now() + patience;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${patience / 1000} s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Whether a promise is settled within this time, in milliseconds. */
async function isDoneWithin(promise, time) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, time, false)));
  const done = promise.then(() => true, () => true);
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}

export class World {
  constructor(programs) {
    this.programs = programs;
    this.root = mkdtempSync(join(tmpdir(), "troika-page-"));
    this.home = join(this.root, "home");
    this.work = join(this.root, "work");
    mkdirSync(this.work);
    spawnSync("git", ["init", "-q", this.work]);
    this.env = {
      PATH: process.env.PATH,
      HOME: this.root,
      TROIKA_HOME: this.home,
      TROIKA_RELAY_BIN: programs["troika-relay"],
      TROIKA_SERVER_BIN: programs["troika-server"],
      TROIKA_DEMO_BIN: programs["troika-demo-agent"],
      TROIKA_CLAUDE_BIN: programs.fake_claude,
      TROIKA_CODEX_BIN: programs.fake_codex,
      TROIKA_GEMINI_BIN: programs.fake_gemini,
      TROIKA_FAKE_STATE: join(this.root, "state"),
      ASAN_OPTIONS: "detect_leaks=0",
    };
  }

  script(text) {
    this.env.TROIKA_FAKE_SCRIPT = join(this.root, "script");
    writeFileSync(this.env.TROIKA_FAKE_SCRIPT, text);
  }

  /** Starts the server, on the port that it had before. */
  async start() {
    const listen = `127.0.0.1:${this.port ?? 0}`;
    this.server = spawn(this.programs["troika-server"], ["--listen", listen, "--ready-fd=3", "--demo", "--max-running", "120"], {
      env: this.env,
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    });
    this.errors = "";
    this.server.stderr.on("data", (data) => (this.errors += data));
    let said = "";
    await new Promise((resolve) => {
      this.server.stdio[3].on("data", (data) => (said += data));
      this.server.stdio[3].on("end", resolve);
    });
    if (!said.endsWith("ok\n")) throw new Error(`the server does not start: ${said} ${this.errors}`);
    this.port = Number(readFileSync(join(this.home, "server.lock"), "utf8").trim().split(":").at(-1));
    this.server.url = `http://127.0.0.1:${this.port}`;
    // TROIKA_PAGE_DIST is a built page to use instead of the server's own.
    const folder = process.env.TROIKA_PAGE_DIST;
    if (folder) this.proxy ??= await startProxy(folder, () => this.port);
    this.url = this.proxy?.url ?? this.server.url;
    this.token = readFileSync(join(this.home, "token"), "utf8").trim();
  }

  async kill(how = "SIGKILL") {
    const server = this.server;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill(how);
    await ended;
  }

  troika(...words) {
    const run = spawnSync(this.programs.troika, words, { env: this.env, encoding: "utf8", timeout: PATIENCE });
    if (run.status !== 0) throw new Error(`troika ${words.join(" ")}: ${run.stderr}`);
    return run.stdout.trim();
  }

  /** The page's address with a code. */
  address(url = this.url) {
    return this.troika("open", "--print").replace(this.server.url, url);
  }

  async api(method, path, body) {
    const response = await fetch(`${this.server.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  /** Makes a task of a fake by the API. */
  create(prompt, fields = {}) {
    return this.api("POST", "/tasks", {
      harness: "claude", prompt, cwd: this.work, options: { editMode: "ask", interactive: true }, ...fields,
    });
  }

  waitState(id, ...states) {
    return waitFor(async () => {
      const task = await this.api("GET", `/tasks/${id}`);
      return states.includes(task.state) && task;
    }, `task ${id} to be ${states.join(" or ")}`);
  }

  async events(id) {
    const events = [];
    let after = "";
    for (;;) {
      const page = await this.api("GET", `/tasks/${id}/events?page_size=1000${after && `&after=${after}`}`);
      events.push(...page.events);
      if (!page.nextPageToken) return events;
      after = page.nextPageToken;
    }
  }

  async openBrowser() {
    this.browser = await chromium.launch({
      executablePath: process.env.TROIKA_CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--enable-precise-memory-info", "--js-flags=--expose-gc"],
    });
  }

  /** A browser that has signed in. Problems of its pages are kept. */
  async context(options = {}) {
    this.session ??= await this.signIn();
    const context = await this.browser.newContext({ viewport: { width: 1360, height: 860 }, storageState: this.session, ...options });
    context.problems = [];
    context.setDefaultTimeout(PATIENCE);
    context.on("weberror", (error) => context.problems.push(String(error.error())));
    context.on("console", (message) => {
      // A server that is away, and a refused request, are said by the browser itself.
      if (message.type() === "error" && !/Failed to load resource/.test(message.text())) context.problems.push(message.text());
    });
    return context;
  }

  /** Cookie and key of a new session, for the page at `url`. */
  async signIn(url) {
    const context = await this.browser.newContext();
    const page = await context.newPage();
    await page.goto(this.address(url));
    await page.getByRole("link", { name: "New task" }).waitFor({ timeout: PATIENCE });
    const state = await context.storageState();
    await context.close();
    return state;
  }

  async open(context, path = "/") {
    const page = await context.newPage();
    await page.goto(this.url + path);
    return page;
  }

  /** Closes all pages. A browser that does not, as while a page loads itself
   * anew, is left to the end of this process, and another one takes its place. */
  async closePages() {
    const closed = Promise.all(this.browser.contexts().map((context) => context.close()));
    if (await isDoneWithin(closed, 15_000)) return;
    console.log("the browser does not close its pages: a new one is started");
    await this.openBrowser();
  }

  async close() {
    if (this.browser) await isDoneWithin(this.browser.close(), 15_000);
    await this.kill("SIGTERM");
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
