import { describe, expect, it } from "vitest";
import type { Event } from "../api/types";
import type { Row, ToolRow } from "./rows";
import { groupRuns } from "./runs";
import { Transcript } from "./transcript";
import { EventWindow, MAX_EVENTS } from "./window";

const RECORDED = ["claude_every_event", "claude_tools_partial", "claude_subagent", "codex_every_event", "codex_file_change", "gemini_tools"];

const FILES = import.meta.glob<string>("../../testdata/*.jsonl", { query: "?raw", import: "default", eager: true });

function recorded(name: string): Event[] {
  return FILES[`../../testdata/${name}.jsonl`]!.trim().split("\n").map((line) => JSON.parse(line) as Event);
}

function rowsOf(events: Event[]): Row[] {
  const transcript = new Transcript();
  for (const event of events) transcript.apply(event);
  return transcript.rows;
}

function everyRow(rows: readonly Row[]): Row[] {
  return rows.flatMap((row) => [row, ...(row.kind === "tool" ? everyRow(row.children) : [])]);
}

/** Rows without what depends on how they were made. */
const shape = (rows: readonly Row[]) =>
  everyRow(rows).map(({ revision, parent, ...row }) => ({ ...row, children: undefined, of: parent?.key }));

let made = 0;
const event = (payload: Partial<Event>): Event => ({ id: `${++made}.0`, taskId: "t", ...payload }) as Event;

describe.each(RECORDED)("%s", (name) => {
  const events = recorded(name);
  const rows = everyRow(rowsOf(events));

  it("has a row for each text, tool and turn", () => {
    const texts = events.filter(({ text }) => text?.text.trim()).length;
    const tools = events.filter(({ toolUse }) => toolUse).length;
    const turns = events.filter(({ result }) => result).length;
    const count = (kind: Row["kind"]) => rows.filter((row) => row.kind === kind).length;
    expect(count("text")).toBe(texts);
    expect(count("tool")).toBeGreaterThanOrEqual(tools);
    expect(count("turn")).toBe(turns);
  });

  it("joins each result to its tool", () => {
    for (const { toolResult } of events) {
      if (!toolResult) continue;
      const tool = rows.find((row) => row.kind === "tool" && row.id === toolResult.toolUseId) as ToolRow;
      expect(tool.result).toEqual(toolResult);
      expect(tool.orphan).toBe(false);
    }
  });

  it("has unique keys", () => {
    const tops = groupRuns(rowsOf(events)).map(({ key }) => key);
    expect(new Set(tops).size).toBe(tops.length);
  });

  it("is the same whether older events come first or later", () => {
    const window = new EventWindow();
    const half = Math.floor(events.length / 2);
    window.reset(events.slice(half), { atStart: false, atEnd: true });
    window.prepend(events.slice(0, half), true);
    expect(shape(window.transcript.rows)).toEqual(shape(rowsOf(events)));
  });

  it("takes events that come twice once", () => {
    const window = new EventWindow();
    window.reset([], { atStart: true, atEnd: true });
    window.append(events, true);
    window.append(events, true);
    expect(shape(window.transcript.rows)).toEqual(shape(rowsOf(events)));
  });
});

describe("Transcript", () => {
  it("replaces deltas by the text that completes them", () => {
    const rows = rowsOf([
      event({ blockId: "b", textDelta: { text: "Let " } }),
      event({ blockId: "b", textDelta: { text: "me" } }),
      event({ blockId: "b", text: { text: "Let me see." } }),
    ]);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ kind: "text", text: "Let me see.", streaming: false });
  });

  it("shows a result whose tool is not loaded", () => {
    const rows = rowsOf([event({ toolResult: { toolUseId: "x", output: "o", isError: true, synthetic: false } })]);
    expect(rows[0]).toMatchObject({ kind: "tool", orphan: true, output: "o" });
  });

  it("keeps what was asked when it is answered", () => {
    const asked = { id: "ask-1", state: "asked", toolUseId: "", toolName: "Bash", input: { command: "make" }, reason: "", kind: "command_line", command: "make", cwd: "", diff: "", choices: ["approve"], choice: "", by: "", via: "", delivery: "unanswered", user: "", client: "", explanation: "", server: "", exact: true, always: "" } as const;
    const lists = { rules: [], paths: [], proposedRules: [] };
    const rows = rowsOf([
      event({ approval: { ...asked, ...lists, choices: ["approve"] } }),
      event({ approval: { ...asked, ...lists, input: undefined as never, command: "", choices: [], state: "allowed", choice: "approve", by: "user", via: "page", delivery: "delivered" } }),
    ]);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ kind: "approval", approval: { command: "make", state: "allowed", via: "page" } });
  });

  it("nests subagents, also deeply", () => {
    const rows = rowsOf(recorded("claude_subagent"));
    const tool = rows.find((row) => row.kind === "tool" && row.children.length) as ToolRow;
    expect(tool.children.some((row) => row.kind === "tool")).toBe(true);
    expect(rows.filter((row) => row.parent)).toEqual([]);
  });

  it("shows unreadable and unknown lines", () => {
    const rows = rowsOf([
      event({ parseError: { error: "Invalid value.", snippet: "not json", offset: "0", size: "8" } }),
      event({ raw: { type: "thread.paused", line: "{}", reason: "", offset: "0", size: "2" } }),
    ]);
    expect(rows.map((row) => row.kind === "raw" && row.broken)).toEqual([true, false]);
  });

  it("ignores events of kinds that it does not know", () => {
    expect(rowsOf([event({ somethingNew: {} } as Partial<Event>)])).toEqual([]);
    expect(rowsOf([event({ constructor: {} } as unknown as Partial<Event>)])).toEqual([]);
  });

  it("says if the beginning of a turn is not loaded", () => {
    const window = new EventWindow();
    const result = () => event({ result: { isError: false } as Event["result"] });
    const [first, one, two] = [event({ text: { text: "a" } }), result(), result()];
    const partial = () => window.transcript.rows.flatMap((row) => (row.kind === "turn" ? [row.partial] : []));
    window.reset([one, two], { atStart: false, atEnd: true });
    expect(partial()).toEqual([true, false]);
    window.prepend([first], true);
    expect(partial()).toEqual([false, false]);
  });

  it("lists what a turn changed", () => {
    const turn = rowsOf(recorded("codex_file_change")).find((row) => row.kind === "turn");
    expect(turn?.kind === "turn" && turn.changes.length).toBeGreaterThan(0);
  });
});

describe("EventWindow", () => {
  const texts = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => ({ id: `${from + i}.0`, taskId: "t", text: { text: `n${from + i}` } }) as Event);

  it("stays bounded at both ends", () => {
    const window = new EventWindow();
    window.reset([], { atStart: true, atEnd: true });
    for (let at = 1; at < 20_000; at += 500) window.append(texts(at, at + 500), true);
    expect(window.events.length).toBeLessThanOrEqual(MAX_EVENTS);
    expect(window.transcript.rows.length).toBeLessThanOrEqual(MAX_EVENTS);
    expect(window.atStart).toBe(false);
    const first = Number.parseInt(window.first, 10);
    for (let at = first; at > 10_000; at -= 500) window.prepend(texts(at - 500, at), false);
    expect(window.events.length).toBeLessThanOrEqual(MAX_EVENTS);
    expect(window.atEnd).toBe(false);
  });
});
