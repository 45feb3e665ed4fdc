// What the whole page shares: the stream, its status, and the open tasks.
import { signal } from "@preact/signals";
import { setSignedOutHandler } from "../api/client";
import { type Feed, openFeed } from "../api/feed";
import type { Status, Update } from "../api/messages";
import type { TaskSession } from "./session";
import { putTask, reloadTasks } from "./tasks";

export const status = signal<Status>("connecting");
export const serverVersion = signal("");
const sessions = new Set<TaskSession>();
let opened: Feed | undefined;
let page = "";

export function feed(): Feed {
  opened ??= openFeed(take);
  return opened;
}

export function addSession(session: TaskSession): () => void {
  sessions.add(session);
  return () => {
    sessions.delete(session);
    session.close();
  };
}

setSignedOutHandler(() => (status.value = "signed_out"));

function take(update: Update): void {
  switch (update.type) {
    case "status":
      status.value = update.status;
      if (update.status === "online") for (const session of sessions) session.reopen();
      return;
    case "hello":
      serverVersion.value = update.hello.version;
      // Drafts are kept in storage, so a reload loses nothing.
      if (page && update.hello.page && page !== update.hello.page) location.reload();
      page ||= update.hello.page;
      return;
    case "reset":
      reloadTasks().catch(() => setTimeout(() => take(update), 2_000));
      return;
    case "task":
      putTask(update.task.id, update.task);
      return;
    case "gone":
      putTask(update.id, null);
      break;
    default:
      break;
  }
  for (const session of sessions) session.take(update);
}
