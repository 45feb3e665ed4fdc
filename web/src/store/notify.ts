// Says when something needs you: a count in the title and, if allowed, a
// notification, which is withdrawn when it is answered anywhere.
import { effect, signal } from "@preact/signals";
import { go, taskPath } from "../lib/router";
import { load, save } from "../lib/storage";
import { stateText } from "../ui/parts";
import { asking, listed } from "./tasks";

export const notifies = signal(load("notify", false));

/** Asks the browser for leave; must come from a click. */
export async function setNotifies(on: boolean): Promise<void> {
  const allowed = on && "Notification" in window && (await Notification.requestPermission()) === "granted";
  notifies.value = allowed;
  save("notify", allowed);
}

export function startNotifying(): void {
  const shown = new Map<string, Notification>();
  let first = true;
  effect(() => {
    const waiting = asking.value;
    const title = waiting.length ? `(${waiting.length}) Troika` : "Troika";
    if (document.title !== title) document.title = title;
    for (const [id, notification] of shown) {
      if (waiting.some((task) => task.id === id)) continue;
      notification.close();
      shown.delete(id);
    }
    if (!listed.value) return;
    for (const task of waiting) {
      if (shown.has(task.id)) continue;
      const quiet = first || !notifies.value || document.visibilityState === "visible";
      if (quiet || !("Notification" in window) || Notification.permission !== "granted") continue;
      // All tabs use the same tag, so one of them is shown.
      const notification = new Notification(task.title || "Troika", { body: `${task.harness} ${stateText(task)}`, tag: task.id });
      notification.onclick = () => {
        window.focus();
        go(taskPath(task.id));
        notification.close();
      };
      shown.set(task.id, notification);
    }
    first = false;
  });
}
