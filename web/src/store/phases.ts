// What a task did over time: thinking, using tools, waiting for you.
import { handle, type PayloadHandlers } from "../api/payload";
import type { Event } from "../api/types";

export type PhaseKind = "thinking" | "tools" | "waiting" | "off";

export interface Phase {
  kind: PhaseKind;
  from: number;
  to: number;
}

/** Follows events; each moment belongs to what was going on. */
export class Phases {
  readonly list: Phase[] = [];
  private readonly tools = new Set<string>();
  private readonly asked = new Set<string>();
  private inTurn = false;
  private last: number | undefined;

  take(event: Event): void {
    const time = event.time ? Date.parse(event.time) : undefined;
    if (time !== undefined) this.advance(time);
    handle(steps, event, this);
  }

  /** Ends the last phase, for a task that goes on. */
  advance(time: number): void {
    if (this.last !== undefined && time > this.last) {
      const kind = this.kind();
      const phase = this.list.at(-1);
      if (phase?.kind === kind) phase.to = time;
      else this.list.push({ kind, from: this.last, to: time });
    }
    if (this.last === undefined || time > this.last) this.last = time;
  }

  begin(): void {
    this.inTurn = true;
  }

  end(): void {
    this.inTurn = false;
    this.tools.clear();
    this.asked.clear();
  }

  tool(id: string, runs: boolean): void {
    this.inTurn = true;
    if (runs) this.tools.add(id);
    else this.tools.delete(id);
  }

  ask(id: string, waits: boolean): void {
    if (waits) this.asked.add(id);
    else this.asked.delete(id);
  }

  totals(): Record<PhaseKind, number> {
    const totals = { thinking: 0, tools: 0, waiting: 0, off: 0 };
    for (const { kind, from, to } of this.list) totals[kind] += to - from;
    return totals;
  }

  private kind(): PhaseKind {
    if (this.asked.size) return "waiting";
    if (this.tools.size) return "tools";
    return this.inTurn ? "thinking" : "off";
  }
}

const nothing = () => {};
const begins = (_: unknown, __: Event, phases: Phases) => phases.begin();

const steps: PayloadHandlers<void, [Phases]> = {
  init: nothing,
  userInput: nothing,
  text: begins,
  thinking: begins,
  textDelta: begins,
  thinkingDelta: begins,
  toolUse: ({ id }, _, phases) => phases.tool(id, true),
  toolResult: ({ toolUseId }, _, phases) => phases.tool(toolUseId, false),
  toolOutputDelta: nothing,
  todo: nothing,
  approval: ({ id, state }, _, phases) => phases.ask(id, state === "asked"),
  question: ({ id, state }, _, phases) => phases.ask(id, state === "asked"),
  usage: nothing,
  rateLimit: nothing,
  subagent: nothing,
  diff: nothing,
  notice: ({ kind }, _, phases) => (kind === "turn_started" ? phases.begin() : undefined),
  result: (_, event, phases) => (event.parentToolUseId ? undefined : phases.end()),
  raw: nothing,
  parseError: nothing,
  lifecycle: ({ kind }, _, phases) => {
    if (kind === "spawned") phases.begin();
    if (kind === "exited" || kind === "lost" || kind === "start_failed") phases.end();
  },
  receipt: nothing,
};
