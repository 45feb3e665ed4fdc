// All tasks, as the list shows them.
import { computed, signal } from "@preact/signals";
import { listTasks } from "../api/calls";
import type { Task, TaskState } from "../api/types";

export const tasks = signal<ReadonlyMap<string, Task>>(new Map());
export const listed = signal(false);

export type Group = "asking" | "failed" | "running" | "queued" | "ended";

const GROUPS: Record<TaskState, Group> = {
  state_unspecified: "ended",
  queued: "queued",
  starting: "running",
  running: "running",
  awaiting_approval: "asking",
  awaiting_answer: "asking",
  idle: "ended",
  done: "ended",
  failed: "failed",
  interrupted: "ended",
  cancelled: "ended",
};

export const GROUP_NAMES: Record<Group, string> = {
  asking: "Needs you",
  failed: "Failed",
  running: "Running",
  queued: "Queued",
  ended: "Ended",
};

/** Whether the task failed, or is ready after a turn that did. */
export function hasFailed(task: Task): boolean {
  return task.state === "failed" || ((task.state === "idle" || task.state === "done") && task.outcome === "failed");
}

export function groupOf(task: Task): Group {
  return hasFailed(task) ? "failed" : (GROUPS[task.state] ?? "ended");
}

/** The task's last change, by which lists are ordered. */
export function changedAt(task: Task): string {
  return task.lastActivityAt ?? task.endedAt ?? task.startedAt ?? task.createdAt ?? "";
}

export function grouped(list: Iterable<Task>): Map<Group, Task[]> {
  const groups = new Map<Group, Task[]>(
    (Object.keys(GROUP_NAMES) as Group[]).map((group) => [group, []]),
  );
  for (const task of list) groups.get(groupOf(task))!.push(task);
  for (const [group, members] of groups) {
    // What runs keeps its place; all else is ordered by its last change.
    const time = group === "running" || group === "queued" ? (task: Task) => task.createdAt ?? "" : changedAt;
    members.sort((a, b) => (time(a) < time(b) ? 1 : time(a) > time(b) ? -1 : 0));
  }
  return groups;
}

export const asking = computed(() => [...tasks.value.values()].filter((task) => groupOf(task) === "asking"));

/** How soon a task's new state is shown, and how soon that it goes on in the same one. */
const SOON_MS = 50;
const LATER_MS = 1_000;

let changed: Map<string, Task | null> | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let due = Infinity;
const waiting = new Map<string, Task | null>();

/** Whether the list has to be drawn soon. A hundred tasks that work must not draw it all the time. */
function isUrgent(before: Task | null | undefined, now: Task | null): boolean {
  if (!before || !now) return before !== now;
  return before.state !== now.state || before.outcome !== now.outcome || before.title !== now.title ||
    before.approvals.length !== now.approvals.length || before.questions.length !== now.questions.length;
}

/** Puts a task that has changed, or null if it was removed, into the list. */
export function putTask(id: string, task: Task | null): void {
  const before = waiting.has(id) ? waiting.get(id) : tasks.peek().get(id);
  waiting.set(id, task);
  changed?.set(id, task);
  const delay = isUrgent(before, task) ? SOON_MS : LATER_MS;
  if (Date.now() + delay >= due) return;
  clearTimeout(timer);
  due = Date.now() + delay;
  timer = setTimeout(flush, delay);
}

function flush(): void {
  due = Infinity;
  const next = new Map(tasks.value);
  for (const [id, task] of waiting) {
    if (task) next.set(id, task);
    else next.delete(id);
  }
  waiting.clear();
  tasks.value = next;
}

/** Reads the whole list again. Changes that come meanwhile are newer. */
export async function reloadTasks(): Promise<void> {
  changed = new Map();
  const all = new Map<string, Task>();
  let token = "";
  do {
    const page = await listTasks(token);
    for (const task of page.tasks) all.set(task.id, task);
    token = page.nextPageToken;
  } while (token && all.size < 2_000);
  for (const [id, task] of changed) {
    if (task) all.set(id, task);
    else all.delete(id);
  }
  changed = undefined;
  tasks.value = all;
  listed.value = true;
}
