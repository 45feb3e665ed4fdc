// A task that is looked at: its state, the loaded part of its events, and the
// loading of more.
import { signal } from "@preact/signals";
import { eventsAfter, eventsBefore, getTask } from "../api/calls";
import type { Update } from "../api/messages";
import type { Event, Task } from "../api/types";
import { feed } from "./app";
import { EventWindow } from "./window";

const PAGE = 400;

export class TaskSession {
  readonly window = new EventWindow();
  readonly task = signal<Task | undefined>(undefined);
  /** Counts changes of the window that are to be drawn. */
  readonly version = signal(0);
  readonly error = signal("");
  readonly loading = signal<"" | "all" | "older" | "newer">("all");
  /** Events that came while the end of the task is not loaded. */
  readonly unseen = signal(0);
  /** Whether the view is at the end; older events are dropped only then. */
  following = true;
  /** What was unfolded or folded by hand, by the key of its row. */
  readonly unfolded = new Map<string, boolean>();
  private scheduled = false;
  private closed = false;
  private pending: Event[] = [];

  constructor(readonly id: string) {}

  /** Loads the end of the task, or what is around an event. */
  async open(around = ""): Promise<void> {
    this.loading.value = "all";
    this.error.value = "";
    try {
      if (!this.task.value) this.task.value = await getTask(this.id);
      const before = await eventsBefore(this.id, around || "end", PAGE);
      let events = before.events;
      let atEnd = !around;
      if (around) {
        const more = await eventsAfter(this.id, events.at(-1)?.id ?? "", PAGE);
        events = [...events, ...more.events];
        atEnd = !more.nextPageToken;
      }
      if (this.closed) return;
      this.pending = [];
      this.unseen.value = 0;
      this.window.reset(events, { atStart: !before.previousPageToken, atEnd });
      feed().watch(this.id, atEnd ? this.window.last : before.lastEventId || this.window.last);
    } catch (error) {
      this.error.value = (error as Error).message;
    } finally {
      this.loading.value = "";
      this.draw();
    }
  }

  close(): void {
    this.closed = true;
    feed().unwatch(this.id);
  }

  take(update: Update): void {
    switch (update.type) {
      case "event":
        if (update.event.taskId !== this.id) return;
        if (!this.window.atEnd) this.unseen.value++;
        else this.pending.push(update.event);
        this.draw();
        break;
      case "watch_task":
        if (update.task.id === this.id) this.task.value = update.task;
        break;
      case "watch_reset":
        if (update.task === this.id) void this.open();
        break;
      case "watch_gone":
      case "gone":
        if ((update.type === "gone" ? update.id : update.task) === this.id) {
          this.error.value = "This task was removed.";
        }
        break;
      default:
        break;
    }
  }

  async loadOlder(): Promise<void> {
    if (this.loading.value || this.window.atStart || !this.window.first) return;
    await this.load("older", async () => {
      const page = await eventsBefore(this.id, this.window.first, PAGE);
      // They belong before the place where the window may be cut.
      this.flush();
      this.window.prepend(page.events, !page.previousPageToken || page.events.length === 0);
    });
  }

  async loadNewer(): Promise<void> {
    if (this.loading.value || this.window.atEnd) return;
    await this.load("newer", async () => {
      const page = await eventsAfter(this.id, this.window.last, PAGE);
      this.window.append(page.events, true);
      if (page.nextPageToken) return;
      this.window.atEnd = true;
      this.unseen.value = 0;
      feed().watch(this.id, this.window.last);
    });
  }

  private async load(which: "older" | "newer", work: () => Promise<void>): Promise<void> {
    this.loading.value = which;
    try {
      await work();
    } catch {
      // Scrolling there again tries again.
    } finally {
      this.loading.value = "";
      this.draw();
    }
  }

  /** Puts what came into the window; what has no place there is loaded again later. */
  private flush(): void {
    const events = this.pending;
    this.pending = [];
    this.unseen.value += this.window.atEnd ? this.window.append(events, this.following) : events.length;
  }

  /** Draws at most once a frame, and rarely while the tab is hidden. */
  private draw(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    const apply = () => {
      this.scheduled = false;
      this.flush();
      this.version.value++;
    };
    if (document.visibilityState === "visible") requestAnimationFrame(apply);
    else setTimeout(apply, 500);
  }
}
