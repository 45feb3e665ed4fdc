// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Task } from "../api/types";

const task = (id: string, fields: object = {}) =>
  ({ id, state: "awaiting_approval", title: `Title of ${id}`, harness: "demo", approvals: [], questions: [], ...fields }) as unknown as Task;
const later = () => new Promise((done) => setTimeout(done, 300));

/** The module with a browser whose notifications do as told. */
async function start(make: () => void) {
  vi.resetModules();
  const made = vi.fn();
  vi.stubGlobal("Notification", class {
    static permission = "granted";
    constructor(title: string) {
      made(title);
      make();
    }
    close() {}
  });
  const { notifies, startNotifying } = await import("./notify");
  const { listed, tasks } = await import("./tasks");
  const { go } = await import("../lib/router");
  notifies.value = true;
  listed.value = true;
  startNotifying();
  return { made, go, put: (...list: Task[]) => void (tasks.value = new Map(list.map((one) => [one.id, one]))) };
}

beforeEach(() => void vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden"));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  history.replaceState(null, "", "/");
});

describe("startNotifying", () => {
  it("notifies once of what needs you", async () => {
    const { made, put } = await start(() => {});
    put(task("a"));
    put(task("a"));
    await later();
    put(task("a"));
    await later();
    expect(made.mock.calls).toEqual([["Title of a"]]);
  });

  it("does not try again if the browser can't", async () => {
    const { made, put } = await start(() => {
      throw new TypeError("Illegal constructor");
    });
    put(task("a"));
    await later();
    put(task("a"), task("b"));
    await later();
    expect(made).toHaveBeenCalledTimes(1);
  });

  it("leaves it to a tab that is visible", async () => {
    const { made, put } = await start(() => {});
    const other = new BroadcastChannel("troika.tabs");
    other.onmessage = () => other.postMessage("I am");
    put(task("a"));
    await later();
    other.close();
    expect(made).not.toHaveBeenCalled();
  });

  it("names the task in the title", async () => {
    const { go, put } = await start(() => {});
    put(task("a"), task("b", { state: "done" }));
    expect(document.title).toBe("(1) Troika");
    go("/tasks/b");
    expect(document.title).toBe("(1) Title of b · Troika");
    put(task("b", { state: "done" }));
    expect(document.title).toBe("Title of b · Troika");
  });
});
