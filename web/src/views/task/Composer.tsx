// Says something to the task: the next turn, or input to the one that runs.
import { useEffect, useRef, useState } from "preact/hooks";
import { editInput, resume, resumeQueue, sendInput, withdrawInput } from "../../api/calls";
import type { InputMode, Receipt, Task } from "../../api/types";
import { useDraft } from "../../lib/draft";
import { firstLine, plural } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { accepted, requestKey } from "../../lib/request_key";
import { load, save } from "../../lib/storage";
import { visible } from "../../lib/visible";
import { capability } from "../../store/harnesses";
import { Icon } from "../../ui/icons";
import { PicturePicker, Pictures, usePictures } from "../../ui/images";
import { attempt } from "../../ui/parts";

export const isWorking = (task: Task) =>
  ["queued", "starting", "running", "awaiting_approval", "awaiting_answer"].includes(task.state);

/** Whether Enter sends; on a phone it is a new line. */
const entersByKey = () => !matchMedia("(pointer: coarse)").matches;

function QueuedInput({ task, input }: { task: Task; input: Receipt }) {
  const [text, setText] = useDraft<string | null>(`${task.id}.${input.id}.edit`, null);
  return (
    <li>
      {text === null ? (
        <>
          <span class="ellipsis">{visible(firstLine(input.text))}</span>
          {input.images > 0 && <span class="tag">{plural(input.images, "image")}</span>}
          <button type="button" class="quiet" onClick={() => setText(input.text)}>Edit</button>
          <button type="button" class="quiet" onClick={() => void attempt(withdrawInput(task.id, input.id))}>Withdraw</button>
        </>
      ) : (
        <form onSubmit={(event) => {
          event.preventDefault();
          void attempt(editInput(task.id, input.id, text)).then((done) => done && setText(null));
        }}>
          <textarea value={text} rows={2} aria-label="Queued input" onInput={(event) => setText(event.currentTarget.value)} />
          <button type="submit" class="primary">Save</button>
          <button type="button" class="quiet" onClick={() => setText(null)}>Back</button>
        </form>
      )}
    </li>
  );
}

export function Queue({ task }: { task: Task }) {
  const waiting = task.inputs.filter(({ state, turn }) => state === "queued" && turn === 0);
  if (!waiting.length) return null;
  return (
    <section class="queue" aria-label="Queued inputs">
      <h2>
        {plural(waiting.length, "input")} {waiting.length === 1 ? "waits" : "wait"} {task.queueHeld ? "(held)" : "for the turn's end"}
        {task.queueHeld && (
          <button type="button" class="quiet" onClick={() => void attempt(resumeQueue(task.id))}>Send now</button>
        )}
      </h2>
      <ul>{waiting.map((input) => <QueuedInput key={input.id} task={task} input={input} />)}</ul>
    </section>
  );
}

const MODES: { mode: InputMode; name: string; explains: string }[] = [
  { mode: "steer", name: "Steer", explains: "into the running turn" },
  { mode: "queue", name: "Queue", explains: "after the turn" },
  { mode: "interrupt", name: "Interrupt", explains: "end the turn, then send" },
];

export function Composer({ task }: { task: Task }) {
  const draft = `draft.${task.id}`;
  const [text, keepText] = useState(() => load(draft, ""));
  const setText = (next: string) => {
    keepText(next);
    save(draft, next);
  };
  const [mode, setMode] = useState<InputMode>();
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const images = usePictures(`${task.id}.pictures`);
  const working = isWorking(task);
  const steers = capability(task.harness, "steer");
  const chosen = mode ?? (steers ? "steer" : "queue");
  useKeys([{ key: "i", does: "write to the agent", run: () => field.current?.focus() }]);
  useEffect(() => {
    const box = field.current;
    if (!box) return;
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight, innerHeight * 0.4)}px`;
  }, [text]);

  const send = async () => {
    if (busy || !text.trim()) return;
    setBusy(true);
    // The task's state is no part of it: the request whose reply was lost may have changed that.
    const key = requestKey(task.id, [text, images.paths, mode]);
    const ended = ["failed", "interrupted", "cancelled"].includes(task.state);
    const pictures = images.paths.length ? { images: images.paths } : {};
    const sent = await attempt(
      ended
        ? resume(task.id, { prompt: text, idempotencyKey: key, ...pictures })
        : sendInput(task.id, { text, idempotencyKey: key, attached: true, ...(working ? { mode: chosen } : {}), ...pictures }),
    );
    setBusy(false);
    if (!sent) return;
    accepted(task.id);
    setText("");
    images.clear();
  };

  if (task.importedFrom) {
    return <p class="composer-note">This task is a copy of a session and takes no input. Continue the session with <code>troika resume</code>.</p>;
  }
  const label = working ? `Write to the agent (${MODES.find((m) => m.mode === chosen)?.explains})` : "Give it another turn";
  return (
    <form class="composer" {...images.handlers} onSubmit={(event) => (event.preventDefault(), void send())}>
      <Pictures pictures={images.pictures} remove={images.remove} />
      <textarea ref={field} rows={1} value={text} placeholder={label} aria-label={label} enterkeyhint={entersByKey() ? "send" : "enter"}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          if (!entersByKey() && !event.ctrlKey && !event.metaKey) return;
          event.preventDefault();
          void send();
        }} />
      <div class="composer-bar">
        {capability(task.harness, "images") && <PicturePicker add={images.add} />}
        {working && (
          <fieldset class="modes">
            <legend class="sr-only">What becomes of it</legend>
            {MODES.filter((known) => known.mode !== "steer" || steers).map(({ mode: value, name, explains }) => (
              <label title={explains}>
                <input type="radio" name="mode" checked={chosen === value} onChange={() => setMode(value)} />
                <span>{name}</span>
              </label>
            ))}
          </fieldset>
        )}
        <button type="submit" class="primary send" disabled={busy || !text.trim()} aria-label="Send">
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}
