// The part of a task's events that is loaded, and its transcript. Bounded: events
// that are far away from what is looked at are dropped, and can be loaded again.
import { compareIds } from "../api/payload";
import type { Event, TodoItem } from "../api/types";
import { Transcript } from "./transcript";

export const MAX_EVENTS = 3_000;
const KEPT_EVENTS = 2_000;

export class EventWindow {
  events: Event[] = [];
  transcript = new Transcript();
  /** Whether the task's first event is loaded, and its last. */
  atStart = false;
  atEnd = false;

  /** The newest to-do list that is known, also if its event is not loaded. */
  todo: TodoItem[] = [];
  private todoEvent = "";

  get first(): string {
    return this.events[0]?.id ?? "";
  }

  get last(): string {
    return this.events.at(-1)?.id ?? "";
  }

  reset(events: Event[], edges: { atStart: boolean; atEnd: boolean }): void {
    this.events = events;
    Object.assign(this, edges);
    this.todo = [];
    this.todoEvent = "";
    this.note(events);
    this.rebuild();
  }

  prepend(events: Event[], atStart: boolean): void {
    this.atStart = atStart;
    this.note(events);
    this.events = [...events, ...this.events];
    if (this.events.length > MAX_EVENTS) {
      this.events.length = KEPT_EVENTS;
      this.atEnd = false;
    }
    this.rebuild();
  }

  /**
   * Adds later events; those that are there already are left out. If there is no
   * room, it drops the oldest or, unless it keeps the end, takes no more and
   * returns how many it left out.
   */
  append(events: readonly Event[], keepsEnd: boolean): number {
    const later = events.filter(({ id }) => !this.last || compareIds(id, this.last) > 0);
    this.note(later);
    const room = keepsEnd ? later.length : Math.max(0, MAX_EVENTS - this.events.length);
    for (const event of later.slice(0, room)) {
      this.events.push(event);
      this.transcript.apply(event);
    }
    if (later.length > room) this.atEnd = false;
    if (this.events.length > MAX_EVENTS && keepsEnd) {
      this.events = this.events.slice(-KEPT_EVENTS);
      this.atStart = false;
      this.rebuild();
    }
    return Math.max(0, later.length - room);
  }

  /** Keeps the newest to-do list of the events; tells whether it has one. */
  note(events: readonly Event[]): boolean {
    const newest = events.findLast(({ todo, parentToolUseId }) => todo && !parentToolUseId);
    if (newest && (!this.todoEvent || compareIds(newest.id, this.todoEvent) > 0)) {
      this.todo = newest.todo!.items;
      this.todoEvent = newest.id;
    }
    return !!newest;
  }

  private rebuild(): void {
    this.transcript = new Transcript(this.atStart);
    for (const event of this.events) this.transcript.apply(event);
  }
}
