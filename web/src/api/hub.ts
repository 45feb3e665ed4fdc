// Shares one stream between tabs: each gets the list, and the events of the
// tasks that it watches, from its own position on.
import type { FromTab, FromWorker, Update } from "./messages";
import { compareIds } from "./payload";
import { Stream, type StreamTools } from "./stream";

export interface Port {
  postMessage(message: FromWorker): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

interface Tab {
  port: Port;
  /** The last event that the tab has, by task. */
  watched: Map<string, string>;
}

export class Hub {
  private readonly tabs = new Set<Tab>();
  private readonly stream: Stream;

  constructor(tools: StreamTools) {
    this.stream = new Stream(tools, (updates) => this.share(updates));
  }

  connect(port: Port): void {
    const tab: Tab = { port, watched: new Map() };
    port.onmessage = ({ data }) => this.take(tab, data as FromTab);
  }

  private take(tab: Tab, message: FromTab): void {
    switch (message.type) {
      case "join": {
        this.tabs.add(tab);
        const isNew = this.stream.key !== message.key;
        this.stream.key = message.key;
        const updates: Update[] = [{ type: "status", status: this.stream.status }];
        if (this.stream.hello) updates.push({ type: "hello", hello: this.stream.hello }, { type: "reset" });
        tab.port.postMessage(updates);
        // A tab holds this lock as long as it lives.
        void navigator.locks?.request(message.lock, () => this.leave(tab));
        if (isNew) this.stream.wake();
        this.stream.start();
        break;
      }
      case "watch":
        this.watch(tab, message.task, message.after);
        break;
      case "unwatch":
        tab.watched.delete(message.task);
        this.unwatch(message.task);
        break;
      case "wake":
        this.stream.wake();
        break;
    }
  }

  private watch(tab: Tab, task: string, after: string): void {
    tab.watched.set(task, after);
    // The stream goes back to the position of the tab that has least, and also
    // tells a new watcher of the task's present state.
    const others = [...this.tabs].flatMap((other) => other.watched.get(task) ?? []);
    this.stream.watch(task, others.reduce((a, b) => (compareIds(a, b) < 0 ? a : b), after));
  }

  private unwatch(task: string): void {
    if (![...this.tabs].some((tab) => tab.watched.has(task))) this.stream.unwatch(task);
  }

  private leave(tab: Tab): void {
    this.tabs.delete(tab);
    for (const task of tab.watched.keys()) this.unwatch(task);
  }

  private share(updates: Update[]): void {
    for (const tab of this.tabs) {
      const wanted = updates.filter((update) => wants(tab, update));
      if (wanted.length) tab.port.postMessage(wanted);
    }
  }
}

/** Whether the tab gets the update; moves its position. */
function wants(tab: Tab, update: Update): boolean {
  switch (update.type) {
    case "event": {
      const { taskId, id } = update.event;
      const last = tab.watched.get(taskId);
      if (last === undefined || (last && compareIds(id, last) <= 0)) return false;
      tab.watched.set(taskId, id);
      return true;
    }
    case "watch_task":
      return tab.watched.has(update.task.id);
    case "watch_ready":
      return tab.watched.has(update.task);
    case "watch_reset":
    case "watch_gone":
      return tab.watched.delete(update.task);
    default:
      return true;
  }
}
