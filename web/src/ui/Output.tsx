// A text of an agent or a tool: a bounded part of it, and more if asked for.
import { useMemo, useState } from "preact/hooks";
import { firstLines } from "../lib/lines";
import { ansiSpans } from "./ansi";

interface Props {
  text: string;
  label: string;
  /** How many lines are shown at first. */
  lines?: number;
  /** Loads the whole text, if this one is cut. */
  loadWhole?: (() => Promise<string>) | undefined;
}

export function Output({ text, label, lines = 24, loadWhole }: Props) {
  const [limit, setLimit] = useState(lines);
  const [whole, setWhole] = useState<string>();
  const [busy, setBusy] = useState(false);
  const all = whole ?? text;
  const { lines: shown, more } = useMemo(() => firstLines(all, limit), [all, limit]);
  const spans = useMemo(() => ansiSpans(shown.join("\n")), [shown]);
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
      {(more || cut) && (
        <button type="button" class="quiet" disabled={busy} onClick={() => void showMore()}>
          {more ? "Show more" : "Show all of it"}
        </button>
      )}
    </div>
  );
}
