// @vitest-environment jsdom
import { describe, expect, it, vi } from "vitest";
import type { Event, Harness, Task, UsageRow } from "../api/types";
import { ago, browserName, cost, count, milliseconds, relativePath, span } from "../lib/format";
import { parse } from "../lib/router";
import { firstHarness } from "../views/create/NewTask";
import { lastAction } from "../views/tasks/TaskRow";
import { Phases } from "./phases";
import { describeRun, groupRuns } from "./runs";
import type { Row } from "./rows";
import { grouped, groupOf, putTask, tasks } from "./tasks";
import { byDay, lastDays, sumBy } from "./usage";

describe("grouped", () => {
  it("puts what needs you first", () => {
    const task = (id: string, state: Task["state"]) => ({ id, state }) as Task;
    const groups = grouped([task("a", "done"), task("b", "awaiting_answer"), task("c", "running"), task("d", "failed"), task("e", "queued")]);
    expect([...groups].map(([name, members]) => [name, members.map(({ id }) => id).join()])).toEqual([
      ["asking", "b"], ["failed", "d"], ["running", "c"], ["queued", "e"], ["ended", "a"],
    ]);
  });
});

describe("a task whose last turn failed", () => {
  const task = (state: Task["state"], outcome: Task["outcome"]) =>
    ({ id: "a", state, outcome, approvals: [], questions: [], result: { error: "out of credit" } }) as unknown as Task;

  it("is among the failed ones, unless it works or asks", () => {
    expect(groupOf(task("idle", "failed"))).toBe("failed");
    expect(groupOf(task("idle", "denied"))).toBe("ended");
    expect(groupOf(task("awaiting_approval", "failed"))).toBe("asking");
    expect(groupOf(task("running", "failed"))).toBe("running");
  });

  it("says its error", () => expect(lastAction(task("idle", "failed"))).toBe("out of credit"));
});

describe("putTask", () => {
  const task = (id: string, fields: object = {}) =>
    ({ id, state: "running", title: "", approvals: [], questions: [], ...fields }) as unknown as Task;

  it("shows new states soon, and progress together", () => {
    vi.useFakeTimers();
    try {
      putTask("a", task("a"));
      putTask("b", task("b"));
      vi.advanceTimersByTime(60);
      expect([...tasks.value.keys()]).toEqual(["a", "b"]);
      const shown = tasks.value;
      putTask("a", task("a", { lastAction: "one" }));
      vi.advanceTimersByTime(500);
      putTask("b", task("b", { lastAction: "two" }));
      expect(tasks.value).toBe(shown);
      vi.advanceTimersByTime(600);
      expect([...tasks.value.values()].map(({ lastAction }) => lastAction)).toEqual(["one", "two"]);
      putTask("a", task("a", { lastAction: "three" }));
      putTask("b", task("b", { state: "failed" }));
      vi.advanceTimersByTime(60);
      expect(tasks.value.get("a")?.lastAction).toBe("three");
      expect(tasks.value.get("b")?.state).toBe("failed");
      putTask("b", null);
      vi.advanceTimersByTime(60);
      expect(tasks.value.has("b")).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("Phases", () => {
  it("tells thinking, tools and waiting apart", () => {
    const phases = new Phases();
    const at = (s: number, payload: object) => phases.take({ id: `${s}.0`, taskId: "t", time: new Date(s * 1_000).toISOString(), ...payload } as Event);
    at(0, { lifecycle: { kind: "spawned" } });
    at(2, { toolUse: { id: "x" } });
    at(5, { approval: { id: "q", state: "asked" } });
    at(15, { approval: { id: "q", state: "allowed" } });
    at(16, { toolResult: { toolUseId: "x" } });
    at(17, { result: {} });
    at(60, { userInput: {} });
    expect(phases.totals()).toEqual({ thinking: 3_000, tools: 4_000, waiting: 10_000, off: 43_000 });
  });
});

describe("groupRuns", () => {
  const tool = (n: number, more: object = {}) =>
    ({ kind: "tool", key: `${n}.0`, name: "Bash", server: "", result: { isError: false, synthetic: false }, children: [], ...more }) as unknown as Row;

  it("hides runs of tools that went well, and nothing else", () => {
    const rows = [tool(1), tool(2), tool(3), tool(4, { result: { isError: true } }), tool(5), tool(6), tool(7), tool(8)];
    const items = groupRuns(rows);
    expect(items.map((item) => (item.kind === "run" ? item.rows.length : item.key))).toEqual([3, "4.0", "5.0", "6.0", "7.0", "8.0"]);
    expect(describeRun(rows.slice(0, 3))).toBe("3 commands");
  });

  it("shows subagents, and tools within which something failed", () => {
    const failed = tool(9, { result: { isError: true } });
    const rows = [tool(1), tool(2), tool(3, { name: "Agent" }), tool(4, { children: [failed] }), tool(5), tool(6)];
    expect(groupRuns(rows).map(({ key }) => key)).toEqual(["1.0", "2.0", "3.0", "4.0", "5.0", "6.0"]);
  });

  it("leaves out tools whose to-do list is shown", () => {
    const ids = (rows: Row[]) => groupRuns(rows).map(({ key }) => key);
    const todo = (n: number) => ({ kind: "todo", key: `${n}.0`, items: [] }) as unknown as Row;
    expect(ids([todo(1), tool(2, { name: "TodoWrite" }), todo(3), tool(4), todo(5)])).toEqual(["3.0", "4.0", "5.0"]);
    expect(ids([tool(1, { name: "TodoWrite" }), tool(2)])).toEqual(["2.0"]);
    expect(ids([tool(1, { name: "TodoWrite", result: { isError: true } }), tool(2)])).toEqual(["1.0", "2.0"]);
  });
});

describe("usage", () => {
  const row = (day: string, harness: string, input: string) =>
    ({ day, harness, model: "m", tasks: 1, costUsd: 0.5, tokens: { inputTokens: input, outputTokens: "1" } }) as UsageRow;
  const rows = [row("2026-11-16", "claude", "10"), row("2026-11-17", "claude", "5"), row("2026-11-17", "codex", "7")];

  it("sums by anything", () => {
    expect(sumBy(rows, ({ harness }) => harness).map(({ name, input, cost: usd }) => [name, input, usd])).toEqual([["claude", 15, 1], ["codex", 7, 0.5]]);
  });

  it("has a number for each day", () => {
    const days = lastDays(3, new Date(2026, 10, 17));
    expect(days).toEqual(["2026-11-15", "2026-11-16", "2026-11-17"]);
    expect(byDay(rows, days, ({ input }) => input)).toEqual({ harnesses: ["claude", "codex"], series: [[0, 10, 5], [0, 0, 7]] });
  });
});

describe("texts", () => {
  it("are short", () => {
    expect([count(999), count(1_234), count(45_678), count(3_400_000)]).toEqual(["999", "1.2k", "46k", "3.4M"]);
    expect([span(350), span(1_500), span(90_000), span(3_700_000)]).toEqual(["350 ms", "1.5 s", "1 min 30 s", "1 h 1 min"]);
    expect([cost(0.5, "reported"), cost(0.5, "estimated"), cost(0, "none")]).toEqual(["$0.50", "≈ $0.50", ""]);
    expect(milliseconds("1.5s")).toBe(1_500);
    expect(ago(new Date(0).toISOString(), 120_000)).toBe("2m");
  });
});

describe("parse of addresses", () => {
  it.each([
    ["/", { name: "tasks" }],
    ["/new", { name: "new" }],
    ["/tasks/abc", { name: "task", id: "abc", event: "" }],
    ["/tasks/abc/more", { name: "unknown" }],
    ["/nothing", { name: "unknown" }],
    ["/tasks/%E0%A4%A", { name: "unknown" }],
  ])("%s", (pathname, route) => expect(parse({ pathname, search: "", hash: "" })).toEqual(route));
});

describe("firstHarness", () => {
  const harness = (id: string, more: object = {}) => ({ id, path: "/bin/x", hint: "", ...more }) as unknown as Harness;

  it("is one that can work at once", () => {
    const away = harness("claude", { loggedIn: false, hint: "log in" });
    expect(firstHarness([away, harness("codex", { loggedIn: true })])).toEqual(["codex"]);
    expect(firstHarness([away, harness("gemini")])).toEqual(["gemini"]);
    expect(firstHarness([away])).toEqual(["claude"]);
    expect(firstHarness([])).toEqual([]);
  });
});

describe("names", () => {
  it("shows paths below a folder without it", () => {
    expect(relativePath("/a/b/c.txt", "/a/b")).toBe("c.txt");
    expect(relativePath("/a/b/c.txt", "/a/b/")).toBe("c.txt");
    expect(relativePath("/a/bc.txt", "/a/b")).toBe("/a/bc.txt");
    expect(relativePath("/a/b", undefined)).toBe("/a/b");
  });

  it("tells browsers by their names", () => {
    const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36";
    expect(browserName(chrome)).toBe("Chrome 150 on Linux");
    expect(browserName(`${chrome} Edg/149.0.1`)).toBe("Edge 149 on Linux");
    expect(browserName("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 (KHTML) Version/18.1 Mobile/15E Safari/604.1")).toBe("Safari 18 on iPhone");
    expect(browserName("curl/8")).toBe("curl/8");
  });
});
