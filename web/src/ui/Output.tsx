// A text of an agent or a tool: a bounded part of it, and more if asked for.
import { useMemo, useState } from "preact/hooks";
import { firstLines, MAX_LINE } from "../lib/lines";
import { visible } from "../lib/visible";
import { ansiSpans, type Span } from "./ansi";

interface Props {
  text: string;
  label: string;
  /** How many lines are shown at first. */
  lines?: number;
  /** How much of a line is shown at first. */
  maxLine?: number;
  /** Shows escape sequences instead of doing what they say: for all but the output of tools. */
  literal?: boolean;
  /** Loads the whole text, if this one is cut. */
  loadWhole?: (() => Promise<string>) | undefined;
}

export function spansOf(text: string, literal: boolean): Span[] {
  return literal ? [{ text: visible(text), classes: "" }] : ansiSpans(text);
}

export function Output({ text, label, lines = 24, maxLine = MAX_LINE, literal = false, loadWhole }: Props) {
  const [limit, setLimit] = useState(lines);
  const [width, setWidth] = useState(maxLine);
  const [whole, setWhole] = useState<string>();
  const [busy, setBusy] = useState(false);
  const all = whole ?? text;
  const { lines: shown, more, long } = useMemo(() => firstLines(all, limit, width), [all, limit, width]);
  const spans = useMemo(() => spansOf(shown.join("\n"), literal), [shown, literal]);
  const cut = loadWhole && whole === undefined && !more;
  const showMore = async () => {
    if (more) return setLimit(limit * 5);
    setBusy(true);
    setWhole(await loadWhole!().catch(() => text));
    setLimit(Math.max(limit, 500));
    setBusy(false);
  };
  if (!text && !cut) return null;
  return (
    <div class="output">
      <pre class="scroller" tabIndex={0} role="group" aria-label={label}>
        {spans.map((span) => (span.classes ? <span class={span.classes}>{span.text}</span> : span.text))}
      </pre>
      {long && <button type="button" class="quiet" onClick={() => setWidth(Infinity)}>Show long lines whole</button>}
      {(more || cut) && (
        <button type="button" class="quiet" disabled={busy} onClick={() => void showMore()}>
          {more ? "Show more" : "Show all of it"}
        </button>
      )}
    </div>
  );
}
