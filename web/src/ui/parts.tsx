// Small parts that many views use.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Task } from "../api/types";
import { rememberFocus } from "../lib/focus";
import { ago, words } from "../lib/format";
import { Icon } from "./icons";

/** The time of day, for texts such as "3m". */
export const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 10_000);

export function Ago({ time }: { time: string | undefined }) {
  if (!time) return null;
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()}>
      {ago(time, now.value)}
    </time>
  );
}

const HARNESSES: Record<string, string> = { claude: "Claude", codex: "Codex", gemini: "Gemini", demo: "Demo" };

export function harnessName(id: string): string {
  return HARNESSES[id] ?? id;
}

export function HarnessMark({ id }: { id: string }) {
  return (
    <span class={`harness harness-${id in HARNESSES ? id : "other"}`}>
      <span class="dot" aria-hidden="true" />
      {harnessName(id)}
    </span>
  );
}

const STATES: Record<Task["state"], string> = {
  state_unspecified: "unknown",
  queued: "queued",
  starting: "starting",
  running: "running",
  awaiting_approval: "asks to proceed",
  awaiting_answer: "asks a question",
  idle: "ready",
  done: "done",
  failed: "failed",
  interrupted: "interrupted",
  cancelled: "cancelled",
};

export function stateText(task: Task): string {
  const text = STATES[task.state] ?? words(task.state);
  const ended = task.state === "idle" || task.state === "done";
  if (ended && task.outcome && task.outcome !== "done") {
    return task.outcome === "denied" ? `${text}, something was denied` : `${text}, last turn ${task.outcome}`;
  }
  return text;
}

export function StateMark({ task, quiet = false }: { task: Task; quiet?: boolean }) {
  const ended = task.state === "idle" || task.state === "done";
  const how = !ended || !task.outcome || task.outcome === "done" ? "" : task.outcome === "failed" ? " state-bad" : " state-doubt";
  return (
    <span class={`state state-${task.state}${how}`}>
      <span class="dot" aria-hidden="true" />
      <span class={quiet ? "sr-only" : ""}>{stateText(task)}</span>
    </span>
  );
}

/** Messages that go away by themselves; read aloud. */
export const toasts = signal<{ id: number; text: string; bad: boolean }[]>([]);
let nextToast = 0;

export function toast(text: string, bad = false): void {
  const id = nextToast++;
  toasts.value = [...toasts.value.slice(-2), { id, text, bad }];
  setTimeout(() => (toasts.value = toasts.value.filter((shown) => shown.id !== id)), bad ? 10_000 : 4_000);
}

/** Runs an action of the user, and says so if it fails. */
export async function attempt<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    toast((error as Error).message, true);
    return undefined;
  }
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, bad }) => (
        <p key={id} class={bad ? "bad" : ""}>
          {text}
        </p>
      ))}
    </div>
  );
}

export function copy(text: string): void {
  void navigator.clipboard
    .writeText(text)
    .then(() => toast("Copied"))
    .catch(() => toast("The browser does not let the page copy", true));
}

/** A menu below a button. Escape and a click elsewhere close it. */
export function Menu({ label, children }: { label: string; children: ComponentChildren }) {
  const at = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const menu = at.current;
      if (!menu?.open) return;
      const inside = menu.contains(event.target as Node);
      if (event.type === "click" && (!inside || (event.target as Element).closest("button, a"))) {
        queueMicrotask(() => (menu.open = false));
      }
      if (event.type === "keydown" && (event as KeyboardEvent).key === "Escape") {
        menu.open = false;
        menu.querySelector("summary")?.focus();
        event.stopPropagation();
      }
    };
    document.addEventListener("click", close);
    document.addEventListener("keydown", close, true);
    return () => {
      document.removeEventListener("click", close);
      document.removeEventListener("keydown", close, true);
    };
  }, []);
  return (
    <details class="menu" ref={at}>
      <summary class="button" aria-label={label} title={label}>
        <Icon name="more" />
      </summary>
      <div class="menu-items">{children}</div>
    </details>
  );
}

/** A modal dialog; the browser keeps the focus in it. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const at = useRef<HTMLDialogElement>(null);
  const [giveBack] = useState(rememberFocus);
  useEffect(() => {
    at.current?.showModal();
    return giveBack;
  }, []);
  return (
    <dialog ref={at} aria-label={props.title} onClose={props.onClose}
      onClick={(event) => event.target === at.current && at.current?.close()}>
      <div class="dialog-body">
        <header>
          <h2>{props.title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={() => at.current?.close()}>
            <Icon name="cross" />
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  );
}
