// A task that is looked at: its state, the loaded part of its events, and the
// loading of more.
import { signal } from "@preact/signals";
import { eventsAfter, eventsBefore, getTask } from "../api/calls";
import { ApiError } from "../api/client";
import type { Update } from "../api/messages";
import type { Event, Task } from "../api/types";
import { toast } from "../ui/parts";
import { feed } from "./app";
import type { Found } from "./find";
import { EventWindow } from "./window";

const PAGE = 400;
/** How far back a to-do list is looked for, in pages. */
const TODO_PAGES = 3;
const TODO_PAGE = 1_000;
/** How long a row that was jumped to stands out. */
const MARKED_MS = 2_500;

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
  /** Key of the row that stands out, because it was jumped to. */
  readonly marked = signal("");
  /** Counts rows that were unfolded to be jumped to, so that what shows them is drawn again. */
  readonly revealed = signal(0);
  private unmark: ReturnType<typeof setTimeout> | undefined;
  private scheduled = false;
  private closed = false;
  private pending: Event[] = [];
  /** The event that it was last opened around. */
  private around = "";

  constructor(readonly id: string) {}

  /** Loads the end of the task, or what is around an event. */
  async open(around = ""): Promise<void> {
    this.around = around;
    this.loading.value = "all";
    this.error.value = "";
    try {
      if (!this.task.value) this.task.value = await getTask(this.id);
      const { events, atStart, atEnd, last } = await this.read(around).catch((error: Error) => this.readEnd(error));
      if (this.closed) return;
      this.pending = [];
      this.unseen.value = 0;
      this.window.reset(events, { atStart, atEnd });
      feed().watch(this.id, atEnd ? this.window.last : last || this.window.last);
      this.findTodo().catch(() => {});
    } catch (error) {
      this.error.value = (error as Error).message;
    } finally {
      this.loading.value = "";
      this.draw();
    }
  }

  /** Opens it again if nothing could be loaded before. */
  reopen(): void {
    if (this.error.value && (!this.task.value || !this.window.last)) void this.open(this.around);
  }

  private async read(around: string) {
    const before = await eventsBefore(this.id, around || "end", PAGE);
    const edges = { atStart: !before.previousPageToken, atEnd: true, last: before.lastEventId };
    if (!around) return { events: before.events, ...edges };
    const more = await eventsAfter(this.id, before.events.at(-1)?.id ?? "", PAGE);
    return { events: [...before.events, ...more.events], ...edges, atEnd: !more.nextPageToken };
  }

  /** Reads the end of the task if a link is to an event that is not there. */
  private readEnd(error: Error) {
    if (!this.around || !(error instanceof ApiError) || ![400, 404].includes(error.status)) throw error;
    this.around = "";
    toast("The event of this link is gone. This is the end of the task.", true);
    return this.read("");
  }

  /** Looks for the to-do list of a task that goes on, if its event is not loaded. */
  private async findTodo(): Promise<void> {
    const { window } = this;
    if (this.task.value?.endedAt || (window.atEnd && (window.atStart || window.todo.length))) return;
    let before = window.atEnd ? window.first : "end";
    for (let pages = 0; pages < TODO_PAGES && before && !this.closed; pages++) {
      const page = await eventsBefore(this.id, before, TODO_PAGE);
      if (window.note(page.events)) break;
      before = page.previousPageToken;
    }
    this.draw();
  }

  close(): void {
    this.closed = true;
    feed().unwatch(this.id);
  }

  take(update: Update): void {
    switch (update.type) {
      case "event":
        if (update.event.taskId !== this.id) return;
        if (this.window.atEnd) {
          this.pending.push(update.event);
        } else {
          this.window.note([update.event]);
          this.unseen.value++;
        }
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

  /** Unfolds all around a row and marks it for a moment; returns its key. */
  reveal({ item, rows }: Found): string {
    if (item.kind === "run") this.unfolded.set(item.key, true);
    for (const { key } of rows) this.unfolded.set(key, true);
    const row = rows.at(-1)!;
    this.revealed.value++;
    this.marked.value = row.key;
    clearTimeout(this.unmark);
    this.unmark = setTimeout(() => (this.marked.value = ""), MARKED_MS);
    return row.key;
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
