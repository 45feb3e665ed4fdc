// Says when something needs you: a count in the title and, if allowed, a
// notification, which is withdrawn when it is answered anywhere.
import { effect, signal } from "@preact/signals";
import type { Task } from "../api/types";
import { go, route, taskPath } from "../lib/router";
import { load, save } from "../lib/storage";
import { isAnyTabVisible } from "../lib/tabs";
import { visible } from "../lib/visible";
import { stateText } from "../ui/parts";
import { asking, listed, tasks } from "./tasks";

export const notifies = signal(load("notify", false));

/** Whether the browser shows notifications of a page. Those of Android throw. */
let canNotify = "Notification" in window;

/** Asks the browser for leave; must come from a click. */
export async function setNotifies(on: boolean): Promise<void> {
  const allowed = on && canNotify && (await Notification.requestPermission()) === "granted";
  notifies.value = allowed;
  save("notify", allowed);
}

/** The title of the tab: what needs you, and the task that is looked at. */
function title(): string {
  const at = route.value;
  const task = at.name === "task" ? tasks.value.get(at.id)?.title : "";
  const count = asking.value.length ? `(${asking.value.length}) ` : "";
  return `${count}${task ? `${visible(task)} · ` : ""}Troika`;
}

/** Notifications by task; undefined while it is found out whether one is wanted. */
const shown = new Map<string, Notification | undefined>();

function show(task: Task): Notification | undefined {
  try {
    // All tabs use the same tag, so one of them is shown.
    const notification = new Notification(task.title || "Troika", { body: `${task.harness} ${stateText(task)}`, tag: task.id });
    notification.onclick = () => {
      window.focus();
      go(taskPath(task.id));
      notification.close();
    };
    return notification;
  } catch {
    canNotify = false;
    return undefined;
  }
}

/** Shows a notification unless a tab is visible, or it was answered meanwhile. */
async function notify(task: Task): Promise<void> {
  shown.set(task.id, undefined);
  const unwanted = await isAnyTabVisible();
  const notification = !unwanted && shown.has(task.id) && canNotify ? show(task) : undefined;
  if (notification) shown.set(task.id, notification);
  else shown.delete(task.id);
}

function withdraw(waiting: readonly Task[]): void {
  for (const [id, notification] of shown) {
    if (waiting.some((task) => task.id === id)) continue;
    notification?.close();
    shown.delete(id);
  }
}

export function startNotifying(): void {
  let first = true;
  effect(() => {
    if (document.title !== title()) document.title = title();
  });
  effect(() => {
    const waiting = asking.value;
    withdraw(waiting);
    if (!listed.value) return;
    const quiet = first || !notifies.value || document.visibilityState === "visible";
    first = false;
    if (quiet || !canNotify || Notification.permission !== "granted") return;
    for (const task of waiting) if (!shown.has(task.id)) void notify(task);
  });
}
