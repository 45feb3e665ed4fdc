import { useEffect, useState } from "preact/hooks";
import { exportTask, interrupt, removeTask, resume, stop } from "../../api/calls";
import type { Task } from "../../api/types";
import { folder, milliseconds, span, totalCost, usageText, words } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { go, taskPath } from "../../lib/router";
import { visible } from "../../lib/visible";
import { capability, readHarnesses } from "../../store/harnesses";
import { Icon } from "../../ui/icons";
import { attempt, copy, HarnessMark, Menu, StateMark, stateText } from "../../ui/parts";
import { Asks } from "./Asks";
import { Composer, isWorking, Queue } from "./Composer";
import { ForkDialog } from "./Fork";
import { Transcript } from "./Transcript";
import { useSession } from "./useSession";
import { Changes, Timeline } from "./Whole";

async function download(task: Task, format: "markdown" | "jsonl"): Promise<void> {
  const blob = await attempt(exportTask(task.id, format));
  if (!blob) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `troika-${task.id}.${format === "markdown" ? "md" : "jsonl"}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The mode that holds: the CLI's own word for it, if it says another. */
function Mode({ task }: { task: Task }) {
  return (
    <span title={task.permissionMode ? `The CLI reports: ${task.permissionMode}` : "What the agent may do without asking"}>
      {words(task.editMode)}{task.permissionMode && ` (${visible(task.permissionMode)})`}
    </span>
  );
}

function Actions({ task, onFork }: { task: Task; onFork: () => void }) {
  const working = isWorking(task);
  const alive = working || task.state === "idle";
  const canResume = !alive && !task.importedFrom && capability(task.harness, "resume") && task.state !== "cancelled";
  const remove = async () => {
    if (!confirm("Remove this task and its log for good?")) return;
    if (await attempt(removeTask(task.id))) go("/");
  };
  return (
    <div class="task-actions">
      {working && task.state !== "queued" && (
        <button type="button" onClick={() => void attempt(interrupt(task.id))} title="End the turn; the task takes input again">
          <Icon name="pause" /> <span class="label">Interrupt</span>
        </button>
      )}
      {alive && (
        <button type="button" class="danger" onClick={() => void attempt(stop(task.id))} title="End the agent and everything it started">
          <Icon name="stop" /> <span class="label">Stop</span>
        </button>
      )}
      {canResume && (
        <button type="button" onClick={() => void attempt(resume(task.id, {}))} title="Start a process that goes on with the conversation">
          <Icon name="play" /> <span class="label">Resume</span>
        </button>
      )}
      <Menu label="More actions">
        {capability(task.harness, "fork") && !task.importedFrom && (
          <button type="button" onClick={onFork}><Icon name="fork" /> Fork…</button>
        )}
        <button type="button" onClick={() => copy(location.origin + taskPath(task.id))}><Icon name="link" /> Copy link</button>
        <button type="button" onClick={() => copy(task.prompt)}><Icon name="copy" /> Copy prompt</button>
        <button type="button" onClick={() => void download(task, "markdown")}><Icon name="down" /> Export Markdown</button>
        <button type="button" onClick={() => void download(task, "jsonl")}><Icon name="down" /> Export JSONL</button>
        {!alive && <button type="button" class="danger" onClick={() => void remove()}><Icon name="cross" /> Remove…</button>}
      </Menu>
    </div>
  );
}

/** What is wrong with the task. `isTold`: the transcript is there and says what the last turn ended with. */
function Trouble({ task, isTold }: { task: Task; isTold: boolean }) {
  const failed = task.state === "failed";
  const told = isTold ? task.result : undefined;
  const error = failed && !told?.error ? task.result?.error || task.reason : "";
  const hint = task.hint === told?.hint ? "" : task.hint;
  if (!error && !hint && !task.trouble) return null;
  return (
    <div class={`trouble${failed ? " bad" : ""}`} role="note">
      {error && <p>{visible(error)}</p>}
      {task.trouble && <p>{visible(task.trouble)}</p>}
      {hint && <p class="hint">{visible(hint)}</p>}
    </div>
  );
}

/** Shown until the task is there, and if it can't be had. */
function Missing({ error, retry }: { error: string; retry: () => void }) {
  if (!error) return <main class="task-view"><p class="empty" role="status">Loading…</p></main>;
  return (
    <main class="task-view missing" aria-label="Task">
      <h1>This task can't be shown</h1>
      <p role="alert">{visible(error)}</p>
      <p><button type="button" onClick={retry}>Try again</button> <a class="button" href="/">All tasks</a></p>
    </main>
  );
}

/** Moves to another tab with the keys that lists of tabs have. */
function onTabKey(event: KeyboardEvent): void {
  const tabs = [...(event.currentTarget as Element).querySelectorAll<HTMLElement>('[role="tab"]')];
  const at = tabs.indexOf(event.target as HTMLElement);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (to === undefined || at < 0) return;
  event.preventDefault();
  const next = tabs.at(to % tabs.length);
  next?.focus();
  next?.click();
}

const TABS = ["Transcript", "Changes", "Time"] as const;

export function TaskView({ id, event }: { id: string; event: string }) {
  const session = useSession(id, event);
  const [tab, setTab] = useState<(typeof TABS)[number]>("Transcript");
  const [forking, setForking] = useState(false);
  const task = session.task.value;
  useEffect(() => void readHarnesses().catch(() => {}), []);
  useEffect(() => setTab("Transcript"), [id]);
  useKeys([
    { key: "Escape", does: "back to the list", run: () => go("/") },
    { key: "c", does: "what changed", run: () => setTab(tab === "Changes" ? "Transcript" : "Changes") },
    ...(task && isWorking(task) ? [{ key: "s", does: "interrupt the turn", run: () => void attempt(interrupt(id)) }] : []),
  ]);
  if (!task) {
    return <Missing error={session.error.value} retry={() => void session.open(event)} />;
  }
  const facts = [usageText(task.usage?.total), totalCost(task.usage), milliseconds(task.worked) ? span(milliseconds(task.worked)) : ""];
  return (
    <main class="task-view" aria-label={task.title}>
      <header class="task-header">
        <div class="task-title">
          <a class="icon-button back" href="/" aria-label="Back to the tasks"><Icon name="back" /></a>
          <h1 title={task.title}>{visible(task.title) || "Untitled"}</h1>
          <Actions task={task} onFork={() => setForking(true)} />
        </div>
        <p class="facts">
          <StateMark task={task} />
          <HarnessMark id={task.harness} />
          {task.model && <span>{visible(task.model)}</span>}
          <Mode task={task} />
          <span title={task.cwd}>{visible(folder(task.cwd))}</span>
          {facts.filter(Boolean).map((fact) => <span>{fact}</span>)}
          {task.forkOf && <a href={taskPath(task.forkOf)}>fork of another task</a>}
          {task.parentId && <a href={taskPath(task.parentId)}>started by an agent</a>}
        </p>
        <div class="tabs" role="tablist" aria-label="Views of the task" onKeyDown={onTabKey}>
          {TABS.map((name) => (
            <button type="button" role="tab" tabIndex={tab === name ? 0 : -1} aria-selected={tab === name} class={tab === name ? "chosen" : ""} onClick={() => setTab(name)}>
              {name}
            </button>
          ))}
        </div>
      </header>
      <p class="sr-only" role="status" aria-live="polite">{stateText(task)}</p>
      {session.error.value && <p class="banner bad" role="alert">{session.error.value}</p>}
      {tab === "Transcript" && <Transcript key={id} session={session} event={event} />}
      {tab === "Changes" && <Changes key={id} session={session} />}
      {tab === "Time" && <Timeline key={id} session={session} />}
      <footer class="task-footer">
        <Trouble task={task} isTold={tab === "Transcript"} />
        <Asks task={task} session={session} />
        <Queue task={task} />
        <Composer key={id} task={task} />
      </footer>
      {forking && <ForkDialog task={task} onClose={() => setForking(false)} />}
    </main>
  );
}
