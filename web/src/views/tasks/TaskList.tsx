import { computed, signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { findTasks, removeTask, stop } from "../../api/calls";
import type { Task } from "../../api/types";
import { plural } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { go, route, taskPath } from "../../lib/router";
import { type Group, GROUP_NAMES, grouped, listed, tasks } from "../../store/tasks";
import { Icon } from "../../ui/icons";
import { harnessName, toast } from "../../ui/parts";
import { TaskRow } from "./TaskRow";

const text = signal("");
const harness = signal("");
const selected = signal<ReadonlySet<string>>(new Set());
/** Tasks that the server found by their prompts. */
const found = signal<ReadonlySet<string>>(new Set());
const cursor = signal("");
/** How many ended tasks are shown. */
const ended = signal(30);

const shown = computed(() => {
  const wanted = text.value.trim().toLowerCase();
  const matches = (task: Task) =>
    (!harness.value || task.harness === harness.value) &&
    (!wanted ||
      found.value.has(task.id) ||
      [task.title, task.cwd, task.model, task.id].some((field) => field.toLowerCase().includes(wanted)));
  const groups = grouped([...tasks.value.values()].filter(matches));
  return [...groups].filter(([, members]) => members.length);
});

const harnesses = computed(() => [...new Set([...tasks.value.values()].map((task) => task.harness))].sort());

function limited(group: Group, members: Task[]): Task[] {
  return group === "ended" || group === "failed" ? members.slice(0, ended.value) : members;
}

function useSearch(): void {
  const wanted = text.value.trim();
  useEffect(() => {
    found.value = new Set();
    if (wanted.length < 2) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      void findTasks(wanted, abort.signal)
        .then((page) => (found.value = new Set(page.tasks.map(({ id }) => id))))
        .catch(() => {});
    }, 200);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [wanted]);
}

/** Rows that are drawn at once; the others follow in steps, so that no step takes long. */
const STEP = 30;

/** How many of `count` rows are drawn by now. */
function useSteps(count: number): number {
  const [drawn, setDrawn] = useState(STEP);
  useEffect(() => {
    if (drawn >= count) return;
    const timer = setTimeout(() => setDrawn(drawn + STEP), 20);
    return () => clearTimeout(timer);
  }, [drawn, count]);
  return drawn;
}

/** Tasks in the order in which they are shown. */
const shownIds = () => shown.peek().flatMap(([group, members]) => limited(group, members).map(({ id }) => id));

/** What is selected and shown: nothing is done to tasks that one does not see. */
const selectedIds = computed(() =>
  shown.value.flatMap(([group, members]) => limited(group, members)).map(({ id }) => id).filter((id) => selected.value.has(id)));

/** The task that was selected last, where a range begins. */
let lastSelected = "";

function toggle(id: string, range = false): void {
  const next = new Set(selected.peek());
  const ids = shownIds();
  const [from, to] = [ids.indexOf(lastSelected), ids.indexOf(id)].sort((a, b) => a - b);
  if (range && from !== undefined && from >= 0) for (const other of ids.slice(from, to! + 1)) next.add(other);
  else if (!next.delete(id)) next.add(id);
  lastSelected = id;
  selected.value = next;
}

function move(by: number): void {
  const ids = shownIds();
  const at = ids.indexOf(cursor.value);
  const next = ids[Math.min(ids.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
  if (!next) return;
  cursor.value = next;
  const link = document.querySelector<HTMLElement>(`[data-task="${CSS.escape(next)}"] a`);
  link?.focus();
  link?.scrollIntoView({ block: "nearest" });
}

function Selection() {
  const ids = selectedIds.value;
  const each = async (work: (id: string) => Promise<unknown>, done: string) => {
    const results = await Promise.allSettled(ids.map(work));
    const failed = results.filter((result) => result.status === "rejected");
    if (failed.length < ids.length) toast(`${plural(ids.length - failed.length, "task")} ${done}`);
    if (failed[0]) toast((failed[0] as PromiseRejectedResult).reason.message, true);
    selected.value = new Set();
  };
  return (
    <div class="selection" role="toolbar" aria-label="Selected tasks">
      <span>{ids.length} selected</span>
      <button type="button" onClick={() => void each(stop, "stopped")}>Stop</button>
      <button type="button" class="danger"
        onClick={() => confirm(`Remove ${plural(ids.length, "task")} for good?`) && void each(removeTask, "removed")}>
        Remove
      </button>
      <button type="button" onClick={() => go(`/compare?tasks=${ids.slice(0, 4).join(",")}`)} disabled={ids.length < 2}>
        Compare
      </button>
      <button type="button" class="quiet" onClick={() => (selected.value = new Set())}>Clear</button>
    </div>
  );
}

export function TaskList() {
  const search = useRef<HTMLInputElement>(null);
  const alone = route.value.name === "tasks";
  const current = route.value.name === "task" ? route.value.id : "";
  let room = useSteps(shownIds().length);
  const draw = (group: Group, members: Task[]) => {
    const drawn = limited(group, members).slice(0, Math.max(0, room));
    room -= drawn.length;
    return drawn;
  };
  useSearch();
  useKeys([
    { key: "j", does: "next task", run: () => move(1) },
    { key: "k", does: "previous task", run: () => move(-1) },
    { key: "Enter", does: "open the task", run: () => cursor.value && go(taskPath(cursor.value)) },
    { key: "x", does: "select the task", run: () => cursor.value && toggle(cursor.value) },
    { key: "/", does: "search tasks", run: () => search.current?.focus() },
  ]);
  return (
    <div class="task-list" role={alone ? "main" : "complementary"} aria-label="Tasks">
      {alone && <h1 class="sr-only">Tasks</h1>}
      <div class="filters">
        <label class="search">
          <Icon name="search" />
          <input ref={search} type="search" placeholder="Search tasks" aria-label="Search tasks" value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)} />
        </label>
        {harnesses.value.length > 1 && (
          <select aria-label="Harness" value={harness.value} onChange={(event) => (harness.value = event.currentTarget.value)}>
            <option value="">All</option>
            {harnesses.value.map((id) => <option value={id}>{harnessName(id)}</option>)}
          </select>
        )}
      </div>
      {selectedIds.value.length > 0 && <Selection />}
      <div class="groups">
        {shown.value.map(([group, members]) => (
          <section key={group} class={`group group-${group}`} aria-label={GROUP_NAMES[group]}>
            <h2>
              {GROUP_NAMES[group]} <span class="count">{members.length}</span>
            </h2>
            <ul>
              {draw(group, members).map((task) => (
                <TaskRow key={task.id} task={task} current={task.id === current}
                  selected={selected.value.has(task.id)} onSelect={toggle} />
              ))}
            </ul>
            {limited(group, members).length < members.length && (
              <button type="button" class="quiet" onClick={() => (ended.value += 100)}>
                Show {members.length - ended.value} more
              </button>
            )}
          </section>
        ))}
        {!listed.value && <p class="empty" role="status">Loading…</p>}
        {listed.value && !shown.value.length && (tasks.value.size ? (
          <p class="empty">No task matches.</p>
        ) : (
          <p class="empty">No tasks yet. <a href="/new">Start the first one</a>, or type <code>troika run</code> in a terminal.</p>
        ))}
      </div>
    </div>
  );
}
