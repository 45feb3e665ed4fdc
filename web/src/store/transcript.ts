// Turns events into rows. It does no I/O: the same events give the same rows.
import { handle, type PayloadHandlers } from "../api/payload";
import type { Event, Payload, Receipt, Usage } from "../api/types";
import { changesOfDiff, changesOfTool, mergeChanges } from "./changes";
import { lifecycleNotice, noticeOf, rateLimitNotice } from "./notices";
import type { ApprovalRow, Change, QuestionRow, Row, TextRow, ToolRow } from "./rows";

/** A tool's output while it runs is kept up to this many characters. */
const MAX_LIVE_OUTPUT = 200_000;

type Distributed<T> = T extends Row ? Omit<T, "key" | "event" | "revision" | "time" | "parent"> : never;

export class Transcript {
  readonly rows: Row[] = [];
  init: Payload<"init"> | undefined;
  usage: Usage | undefined;
  readonly receipts = new Map<string, Receipt>();
  /** What was changed in the turn that runs. */
  turnChanges: Change[] = [];

  private readonly tools = new Map<string, ToolRow>();
  private readonly blocks = new Map<string, TextRow>();
  private readonly asked = new Map<string, ApprovalRow | QuestionRow | ToolRow>();
  private turnDiff: Change[] | undefined;
  private turnUsage: Usage | undefined;

  /** `whole`: whether the events begin with a turn. */
  constructor(private whole = true) {}

  apply(event: Event): void {
    handle(handlers, event, this);
  }

  /** Adds a row at the end, or at the end of its subagent's. */
  add(event: Event, row: Distributed<Row>): Row {
    const parent = event.parentToolUseId ? this.tools.get(event.parentToolUseId) : undefined;
    const made = { ...row, key: event.id, event: event.id, revision: 0 } as Row;
    if (event.time) made.time = event.time;
    if (parent) {
      made.parent = parent;
      parent.children.push(made);
      this.touch(parent);
    } else {
      this.rows.push(made);
    }
    return made;
  }

  touch(row: Row): void {
    for (let at: Row | undefined = row; at; at = at.parent) at.revision++;
  }

  addText(kind: "text" | "thinking", text: string, event: Event): void {
    const open = event.blockId ? this.blocks.get(event.blockId) : undefined;
    const cut = (event.cut?.length ?? 0) > 0;
    if (open) {
      this.blocks.delete(event.blockId!);
      Object.assign(open, { text, cut, streaming: false, event: event.id });
      this.touch(open);
    } else if (text.trim()) {
      this.add(event, { kind, text, cut, streaming: false });
    }
  }

  addDelta(kind: "text" | "thinking", text: string, event: Event): void {
    const id = event.blockId ?? `${kind} of ${event.parentToolUseId ?? ""}`;
    const open = this.blocks.get(id);
    if (open) {
      open.text += text;
      this.touch(open);
    } else {
      const row = this.add(event, { kind, text, cut: false, streaming: true });
      this.blocks.set(id, row as TextRow);
    }
  }

  addTool(use: Payload<"toolUse">, event: Event, orphan: boolean): ToolRow {
    const row = this.add(event, {
      kind: "tool",
      id: use.id,
      name: use.name,
      nativeName: use.nativeName,
      server: use.server,
      input: use.input,
      inputCut: (event.cut?.length ?? 0) > 0,
      orphan,
      output: "",
      resultCut: false,
      children: [],
    }) as ToolRow;
    this.tools.set(use.id, row);
    return row;
  }

  /** The tool's row; a new one if its use is before the events we have. */
  tool(id: string, event: Event): ToolRow {
    return (
      this.tools.get(id) ??
      this.addTool({ id, name: "Tool", nativeName: "", server: "", input: undefined }, event, true)
    );
  }

  addOutput(tool: ToolRow, text: string): void {
    if (tool.output.length < MAX_LIVE_OUTPUT) tool.output += text;
    this.touch(tool);
  }

  endTool(result: Payload<"toolResult">, event: Event): void {
    const tool = this.tool(result.toolUseId, event);
    tool.result = result;
    tool.resultEvent = event.id;
    tool.resultCut = (event.cut?.length ?? 0) > 0;
    if (event.time) tool.endTime = event.time;
    tool.output = result.output;
    if (!result.isError) {
      this.turnChanges = mergeChanges(this.turnChanges, changesOfTool(tool));
    }
    this.touch(tool);
  }

  ask(event: Event, asked: { approval: Payload<"approval"> } | { question: Payload<"question"> }): void {
    const { id, toolUseId } = "approval" in asked ? asked.approval : asked.question;
    const known = this.asked.get(id);
    if (known) {
      if ("approval" in asked && known.kind !== "question") {
        known.approval = mergeApproval(known.approval, asked.approval);
      } else if ("question" in asked && known.kind !== "approval") {
        known.question = mergeQuestion(known.question, asked.question);
      }
      this.touch(known);
      return;
    }
    const tool = toolUseId ? this.tools.get(toolUseId) : undefined;
    if (tool && !tool.result) {
      Object.assign(tool, asked);
      this.asked.set(id, tool);
      this.touch(tool);
      return;
    }
    const row =
      "approval" in asked
        ? this.add(event, { kind: "approval", approval: asked.approval })
        : this.add(event, { kind: "question", question: asked.question });
    this.asked.set(id, row as ApprovalRow | QuestionRow);
  }

  addUsage(usage: Usage, event: Event): void {
    const tool = event.parentToolUseId ? this.tools.get(event.parentToolUseId) : undefined;
    if (tool) {
      tool.usage = usage;
      this.touch(tool);
    } else {
      this.usage = this.turnUsage = usage;
    }
  }

  setDiff(diff: string): void {
    this.turnDiff = changesOfDiff(diff);
    this.turnChanges = this.turnDiff;
  }

  endTurn(result: Payload<"result">, event: Event): void {
    for (const open of this.blocks.values()) open.streaming = false;
    this.blocks.clear();
    const usage = result.usage ?? this.turnUsage;
    this.add(event, {
      kind: "turn",
      result,
      changes: this.turnDiff ?? this.turnChanges,
      partial: !this.whole && !this.turnDiff,
      ...(usage ? { usage } : {}),
    });
    if (result.usage) this.usage = result.usage;
    this.turnUsage = undefined;
    this.turnDiff = undefined;
    this.turnChanges = [];
    this.whole = true;
  }

  setReceipt(receipt: Receipt): void {
    const before = this.receipts.get(receipt.id);
    this.receipts.set(receipt.id, {
      ...receipt,
      text: receipt.text || (before?.text ?? ""),
    });
  }
}

/** Answers leave out what was asked, so it is kept. */
function mergeApproval(before: Payload<"approval"> | undefined, now: Payload<"approval">): Payload<"approval"> {
  if (!before) return now;
  return {
    ...now,
    input: now.input ?? before.input,
    command: now.command || before.command,
    cwd: now.cwd || before.cwd,
    diff: now.diff || before.diff,
    kind: before.kind,
    toolName: now.toolName || before.toolName,
  };
}

function mergeQuestion(before: Payload<"question"> | undefined, now: Payload<"question">): Payload<"question"> {
  if (!before) return now;
  return { ...now, items: now.items.length ? now.items : before.items };
}

const handlers: PayloadHandlers<void, [Transcript]> = {
  init: (init, _, t) => void (t.init = init),
  userInput: (input, event, t) =>
    void t.add(event, {
      kind: "input",
      text: input.text,
      images: input.images,
      cut: (event.cut?.length ?? 0) > 0,
    }),
  text: ({ text }, event, t) => t.addText("text", text, event),
  thinking: ({ text }, event, t) => t.addText("thinking", text, event),
  textDelta: ({ text }, event, t) => t.addDelta("text", text, event),
  thinkingDelta: ({ text }, event, t) => t.addDelta("thinking", text, event),
  toolUse: (use, event, t) => void t.addTool(use, event, false),
  toolOutputDelta: ({ toolUseId, text }, event, t) => t.addOutput(t.tool(toolUseId, event), text),
  toolResult: (result, event, t) => t.endTool(result, event),
  todo: ({ items }, event, t) => void t.add(event, { kind: "todo", items }),
  approval: (approval, event, t) => t.ask(event, { approval }),
  question: (question, event, t) => t.ask(event, { question }),
  usage: (usage, event, t) => t.addUsage(usage, event),
  rateLimit: (limit, event, t) => {
    const notice = rateLimitNotice(limit);
    if (notice) t.add(event, notice);
  },
  subagent: (subagent, event, t) => {
    const tool = t.tool(subagent.toolUseId || subagent.id, event);
    tool.subagent = { ...subagent, description: subagent.description || (tool.subagent?.description ?? "") };
    t.touch(tool);
  },
  diff: ({ unifiedDiff }, _, t) => t.setDiff(unifiedDiff),
  notice: (notice, event, t) => {
    const row = noticeOf(notice);
    if (row) t.add(event, row);
  },
  result: (result, event, t) => t.endTurn(result, event),
  raw: (raw, event, t) =>
    void t.add(event, {
      kind: "raw",
      broken: false,
      label: raw.lines ? `${raw.lines} lines of ${raw.type}` : raw.type || "line",
      text: raw.line || raw.reason,
      size: Number(raw.size),
    }),
  parseError: (error, event, t) =>
    void t.add(event, {
      kind: "raw",
      broken: true,
      label: error.error,
      text: error.snippet,
      size: Number(error.size),
    }),
  lifecycle: (step, event, t) => {
    const row = lifecycleNotice(step);
    if (row) t.add(event, row);
  },
  receipt: (receipt, _, t) => t.setReceipt(receipt),
};
