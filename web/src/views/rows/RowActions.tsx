// Copies a row, links to it, and shows the record behind it.
import { useState } from "preact/hooks";
import { rawRecord } from "../../api/calls";
import { taskPath } from "../../lib/router";
import type { Row } from "../../store/rows";
import { Icon } from "../../ui/icons";
import { Output } from "../../ui/Output";
import { attempt, copy, Dialog } from "../../ui/parts";
import { useRows } from "./context";

export function RowActions({ row, text }: { row: Row; text: string }) {
  const { session } = useRows();
  const [raw, setRaw] = useState<{ stream: string; text: string }>();
  const event = row.kind === "tool" && row.resultEvent ? row.resultEvent : row.event;
  return (
    <span class="row-actions">
      {text && (
        <button type="button" class="icon-button" aria-label="Copy" title="Copy" onClick={() => copy(text)}>
          <Icon name="copy" />
        </button>
      )}
      <button type="button" class="icon-button" aria-label="Copy a link to this" title="Copy a link to this"
        onClick={() => copy(`${location.origin}${taskPath(session.id)}#${row.event}`)}>
        <Icon name="link" />
      </button>
      <button type="button" class="icon-button" aria-label="Show the raw record" title="Show the raw record"
        onClick={() => void attempt(rawRecord(session.id, event)).then((record) => record && setRaw(record))}>
        <Icon name="terminal" />
      </button>
      {raw && (
        <Dialog title={`Record ${event.split(".")[0]} of the log (${raw.stream})`} onClose={() => setRaw(undefined)}>
          <Output text={pretty(raw.text)} literal label="Raw record" lines={200} />
        </Dialog>
      )}
    </span>
  );
}

function pretty(text: string): string {
  if (text.length > 1_000_000) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
