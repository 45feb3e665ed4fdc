// Views of a whole task: all that it changed, and how its time was spent.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Event } from "../../api/types";
import { plural, span } from "../../lib/format";
import { eachEvent } from "../../store/history";
import { type PhaseKind, Phases } from "../../store/phases";
import type { Change } from "../../store/rows";
import { mergeChanges } from "../../store/changes";
import type { TaskSession } from "../../store/session";
import { Transcript } from "../../store/transcript";
import { Counts } from "../../ui/Diff";
import { ChangeList } from "../rows/ChangeList";
import { isWorking } from "./Composer";
import { Rows } from "../rows/context";

/** Folds all events of the task, again when a turn has ended. */
function useWhole<T>(session: TaskSession, start: () => { take: (event: Event) => void; done: () => T }): T | undefined {
  const [value, setValue] = useState<T>();
  const task = session.task.value;
  useEffect(() => {
    const abort = new AbortController();
    const fold = start();
    void eachEvent(session.id, fold.take, abort.signal)
      .then(() => abort.signal.aborted || setValue(fold.done()))
      .catch(() => {});
    return () => abort.abort();
  }, [session, task?.state, task?.turns]);
  return value;
}

/** What was changed, by turn and in all. */
function foldChanges() {
  let turn = new Transcript();
  let all: Change[] = [];
  return {
    take(event: Event) {
      if (event.toolUse || event.toolResult || event.approval || event.diff) turn.apply(event);
      if (event.result && !event.parentToolUseId) {
        all = mergeChanges(all, turn.turnChanges);
        turn = new Transcript();
      }
    },
    done: () => mergeChanges(all, turn.turnChanges),
  };
}

export function Changes({ session }: { session: TaskSession }) {
  const changes = useWhole(session, foldChanges);
  const context = useMemo(() => ({ session, wide: innerWidth > 1_100 }), [session]);
  if (!changes) return <p class="empty" role="status">Reading the task…</p>;
  if (!changes.length) return <p class="empty">No tool of this task reported a change of files.</p>;
  const sum = changes.reduce((a, b) => ({ added: a.added + b.added, removed: a.removed + b.removed }), { added: 0, removed: 0 });
  return (
    <section class="whole" aria-label="What changed">
      <h2>{plural(changes.length, "file")} changed <Counts change={sum} /></h2>
      <p class="muted">As the agent's tools reported it, in the order in which it was done. Commands may have changed more.</p>
      <Rows.Provider value={context}>
        <ChangeList id="changes of the task" changes={changes} open={changes.length <= 5} />
      </Rows.Provider>
    </section>
  );
}

const NAMES: Record<PhaseKind, string> = {
  thinking: "Thinking",
  tools: "Tools",
  waiting: "Waiting for you",
  off: "Between turns",
};

function foldPhases(goesOn: boolean) {
  const phases = new Phases();
  return {
    take: (event: Event) => phases.take(event),
    done: () => {
      if (goesOn) phases.advance(Date.now());
      return phases;
    },
  };
}

export function Timeline({ session }: { session: TaskSession }) {
  const task = session.task.value;
  const phases = useWhole(session, () => foldPhases(!!task && isWorking(task)));
  if (!phases) return <p class="empty" role="status">Reading the task…</p>;
  const { list } = phases;
  const from = list[0]?.from ?? 0;
  // A long pause between turns is drawn short, so that the work is seen.
  const width = (kind: PhaseKind, ms: number) => (kind === "off" ? Math.min(ms, 15_000) : ms);
  const total = list.reduce((sum, { kind, from: a, to }) => sum + width(kind, to - a), 0) || 1;
  let x = 0;
  const bars = list.map(({ kind, from: a, to }) => {
    const w = (width(kind, to - a) / total) * 1_000;
    const bar = { kind, x, w, title: `${NAMES[kind]}: ${span(to - a)}, after ${span(a - from)}` };
    x += w;
    return bar;
  });
  const totals = phases.totals();
  return (
    <section class="whole" aria-label="Time">
      <h2>How the time was spent</h2>
      <svg class="timeline" viewBox="0 0 1000 60" preserveAspectRatio="none" role="img"
        aria-label={(Object.keys(NAMES) as PhaseKind[]).map((kind) => `${NAMES[kind]} ${span(totals[kind])}`).join(", ")}>
        {bars.map((bar) => (
          <rect class={`phase-${bar.kind}`} x={bar.x} y={bar.kind === "off" ? 27 : 8} width={Math.max(bar.w, 0.6)} height={bar.kind === "off" ? 6 : 44}>
            <title>{bar.title}</title>
          </rect>
        ))}
      </svg>
      <dl class="legend">
        {(Object.keys(NAMES) as PhaseKind[]).map((kind) => (
          <div>
            <dt><span class={`swatch phase-${kind}`} aria-hidden="true" /> {NAMES[kind]}</dt>
            <dd>{span(totals[kind])}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
