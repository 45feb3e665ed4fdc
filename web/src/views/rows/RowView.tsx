// Draws one row of a transcript.
import type { ComponentChildren } from "preact";
import { useReducer } from "preact/hooks";
import { wholeEvent } from "../../api/calls";
import { bytes, cost, firstLine, milliseconds, plural, span, usageText, words } from "../../lib/format";
import { memo } from "../../lib/memo";
import { visible } from "../../lib/visible";
import type { InputRow, RawRow, Row, TextRow, TodoRow, TurnRow } from "../../store/rows";
import { describeRun, type Run } from "../../store/runs";
import { Boundary } from "../../ui/Boundary";
import { Icon } from "../../ui/icons";
import { Markdown } from "../../ui/Markdown";
import { Output } from "../../ui/Output";
import { Answered } from "../task/Answered";
import { TodoItems } from "../task/Todo";
import { ChangeList } from "./ChangeList";
import { useFold, useRows } from "./context";
import { RowActions } from "./RowActions";
import { ToolCard } from "./ToolCard";

/** Rows are changed in place; their revision tells components to draw again. */
interface Drawn<T extends Row> {
  row: T;
  revision: number;
}

function TextView({ row }: Drawn<TextRow>) {
  const { session } = useRows();
  return (
    <article class={`said${row.streaming ? " streaming" : ""}`} aria-label="Agent">
      {row.cut ? (
        <Output text={row.text} literal label="Text" lines={400}
          loadWhole={async () => (await wholeEvent(session.id, row.event)).text?.text ?? row.text} />
      ) : (
        <Markdown text={row.text} />
      )}
      <RowActions row={row} text={row.text} />
    </article>
  );
}

function Thinking({ row }: Drawn<TextRow>) {
  const [open, toggle] = useFold(row.key, false);
  return (
    <article class="thinking" aria-label="Thinking">
      <button type="button" class="fold" aria-expanded={open} onClick={toggle}>
        <Icon name="chevron" />
        <span>{row.streaming ? "Thinking…" : "Thought"}</span>
        {!open && <span class="muted ellipsis">{visible(firstLine(row.text.replace(/[*#`]/g, "")))}</span>}
      </button>
      {open && <Markdown text={row.text} />}
    </article>
  );
}

function InputView({ row }: Drawn<InputRow>) {
  return (
    <article class={row.parent ? "asked asked-inner" : "asked"} aria-label={row.parent ? "To the subagent" : "You"}>
      <div class="bubble">
        <Output text={row.text} literal label="Prompt" lines={30} />
        {row.images > 0 && <span class="tag"><Icon name="image" /> {plural(row.images, "image")}</span>}
      </div>
      <RowActions row={row} text={row.text} />
    </article>
  );
}

function TurnView({ row }: Drawn<TurnRow>) {
  const { result } = row;
  const facts = [
    milliseconds(result.duration) ? span(milliseconds(result.duration)) : "",
    usageText(row.usage?.turn ?? row.usage?.total),
    cost(result.costUsd, result.costSource),
  ].filter(Boolean);
  const denied = result.denialCount > 0;
  return (
    <article class={`turn${result.isError ? " turn-bad" : ""}`} aria-label="End of the turn">
      <p class="turn-line">
        <Icon name={result.isError ? "cross" : denied ? "warning" : "check"} />
        <strong>{result.isError ? "Turn failed" : denied ? `Done, ${plural(result.denialCount, "denial")}` : "Done"}</strong>
        {facts.map((fact) => <span class="muted">{fact}</span>)}
        {result.synthetic && <span class="tag doubt" title="The harness did not end the turn">made by Troika</span>}
        <RowActions row={row} text={result.error || result.text} />
      </p>
      {result.error && <Output text={result.error} label="Error" />}
      {result.hint && <p class="hint">{visible(result.hint)}</p>}
      {result.denials.map((denial) => (
        <p class="muted">
          {visible(denial.toolName)} was denied{denial.by && ` by ${denial.by}`}{denial.reason && `: ${visible(denial.reason)}`}
        </p>
      ))}
      {row.changes.length > 0 && (
        <section class="what-changed" aria-label="What changed in this turn">
          <h2>{plural(row.changes.length, "file")} changed{row.partial && " in the part that is loaded"}</h2>
          <ChangeList id={row.key} changes={row.changes} />
        </section>
      )}
      {row.partial && <p class="muted">The turn's beginning is not loaded, and may have changed more: see Changes.</p>}
    </article>
  );
}

function RawView({ row }: Drawn<RawRow>) {
  const [open, toggle] = useFold(row.key, row.broken);
  return (
    <article class={`raw${row.broken ? " raw-broken" : ""}`} aria-label={row.broken ? "Unreadable line" : "Raw line"}>
      <header>
        <button type="button" class="fold" aria-expanded={open} onClick={toggle}>
          <Icon name={row.broken ? "warning" : "chevron"} />
          <span>{row.broken ? "A line could not be read" : "Raw"}</span>
          <code class="ellipsis">{visible(row.label)}</code>
          <span class="muted">{bytes(row.size)}</span>
        </button>
        <RowActions row={row} text={row.text} />
      </header>
      {open && <Output text={row.text} literal label="Line" lines={12} />}
    </article>
  );
}

function TodoView({ row }: Drawn<TodoRow>) {
  const [open, toggle] = useFold(row.key, false);
  const done = row.items.filter(({ status }) => status === "completed").length;
  const current = row.items.find(({ status }) => status === "in_progress");
  return (
    <article class="todo-row" aria-label="To-do list">
      <button type="button" class="fold" aria-expanded={open} onClick={toggle}>
        <Icon name="list" />
        <span>{done} of {row.items.length} done</span>
        {current && <span class="muted ellipsis">{visible(current.text)}</span>}
      </button>
      {open && <TodoItems items={row.items} />}
    </article>
  );
}

export function RunView({ run }: { run: Run }) {
  const { session } = useRows();
  const [, redraw] = useReducer((n: number, _: number) => n + 1, 0);
  void session.revealed.value;
  const keys = run.rows.map(({ key }) => `run ${key}`);
  const open = keys.some((key) => session.unfolded.get(key));
  const toggle = () => {
    for (const key of keys) session.unfolded.delete(key);
    session.unfolded.set(keys.at(-1)!, !open);
    redraw(0);
  };
  return (
    <article class="run" aria-label="Tools that went well">
      <button type="button" class="fold" aria-expanded={open} onClick={toggle}>
        <Icon name="chevron" />
        <span>{describeRun(run.rows)}</span>
      </button>
      {open && <div class="run-rows">{run.rows.map((row) => <RowView key={row.key} row={row} revision={row.revision} />)}</div>}
    </article>
  );
}

function Drawing({ row }: Drawn<Row>): ComponentChildren {
  switch (row.kind) {
    case "text":
      return <TextView row={row} revision={row.revision} />;
    case "thinking":
      return <Thinking row={row} revision={row.revision} />;
    case "input":
      return <InputView row={row} revision={row.revision} />;
    case "tool":
      return <ToolCard tool={row} revision={row.revision} />;
    case "approval":
      return <Answered approval={row.approval} question={undefined} />;
    case "question":
      return <Answered approval={undefined} question={row.question} />;
    case "turn":
      return <TurnView row={row} revision={row.revision} />;
    case "notice":
      return (
        <p class={`notice notice-${row.tone}`}>
          <strong>{words(row.label)}</strong> <span>{visible(firstLine(row.text, 2_000))}</span>
        </p>
      );
    case "raw":
      return <RawView row={row} revision={row.revision} />;
    case "todo":
      return <TodoView row={row} revision={row.revision} />;
  }
}

export const RowView = memo(({ row, revision }: Drawn<Row>) => {
  const { session } = useRows();
  return (
    <div class={session.marked.value === row.key ? "row marked" : "row"} data-row={row.key}>
      <Boundary value={row} revision={revision}>
        <Drawing row={row} revision={revision} />
      </Boundary>
    </div>
  );
});
