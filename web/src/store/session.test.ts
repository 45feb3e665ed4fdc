// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Event } from "../api/types";
import { toasts } from "../ui/parts";
import { TaskSession } from "./session";
import { MAX_EVENTS } from "./window";

const server = vi.hoisted(() => ({
  events: [] as Event[],
  isAway: false,
  /** Runs while a page is on its way. */
  meanwhile: () => {},
}));

vi.mock("./app", () => ({ feed: () => ({ watch: () => {}, unwatch: () => {} }) }));

vi.mock("../api/calls", async () => {
  const { ApiError } = await import("../api/client");
  const check = () => {
    if (server.isAway) throw new ApiError(0, "unavailable", "the server can't be reached");
  };
  return {
    getTask: async (id: string) => (check(), { id, turns: 1 }),
    eventsBefore: async (_: string, before: string, size: number) => {
      check();
      server.meanwhile();
      const end = before === "end" ? server.events.length : server.events.findIndex(({ id }) => id === before);
      if (end < 0) throw new ApiError(404, "not_found", `no event ${before}`);
      const start = Math.max(0, end - size);
      return {
        events: server.events.slice(start, end),
        previousPageToken: server.events[start - 1]?.id ?? "",
        lastEventId: server.events.at(-1)?.id ?? "",
      };
    },
    eventsAfter: async (_: string, after: string, size: number) => {
      check();
      const start = after ? server.events.findIndex(({ id }) => id === after) + 1 : 0;
      const events = server.events.slice(start, start + size);
      return { events, nextPageToken: start + size < server.events.length ? events.at(-1)?.id : "" };
    },
  };
});

const text = (n: number, payload: Partial<Event> = { text: { text: `n${n}` } }) =>
  ({ id: `${n}.0`, taskId: "t", ...payload }) as Event;
const texts = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => text(from + i));
const frame = () => new Promise((done) => setTimeout(done, 40));

/** Events that are missing between those of the window. */
function gaps(session: TaskSession): number {
  const ids = session.window.events.map(({ id }) => Number.parseInt(id, 10));
  return ids.filter((id, i) => i > 0 && id !== ids[i - 1]! + 1).length;
}

beforeEach(() => {
  server.events = texts(1, 10_001);
  server.isAway = false;
  server.meanwhile = () => {};
});

function stream(session: TaskSession, count: number): void {
  for (let i = 0; i < count; i++) {
    const event = text(server.events.length + 1);
    server.events.push(event);
    session.take({ type: "event", event });
  }
}

describe("TaskSession", () => {
  it("loses no event if one scrolls up while the task streams", async () => {
    const session = new TaskSession("t");
    await session.open();
    session.following = false;
    for (let page = 0; page < 10; page++) {
      server.meanwhile = () => stream(session, 7);
      await session.loadOlder();
    }
    server.meanwhile = () => {};
    stream(session, 3);
    await frame();
    expect(session.window.atEnd).toBe(false);
    expect(session.unseen.value).toBeGreaterThan(0);
    while (!session.window.atEnd) await session.loadNewer();
    stream(session, 5);
    await frame();
    expect(gaps(session)).toBe(0);
    expect(session.window.last).toBe(server.events.at(-1)!.id);
  });

  it("shows the end if the event of a link is gone", async () => {
    const session = new TaskSession("t");
    await session.open("999999.0");
    expect(session.error.value).toBe("");
    expect(session.window.atEnd).toBe(true);
    expect(session.window.last).toBe("10000.0");
    expect(toasts.value.at(-1)?.text).toContain("gone");
  });

  it("is opened again around its event when the server is back", async () => {
    server.isAway = true;
    const session = new TaskSession("t");
    await session.open("5000.0");
    expect(session.error.value).not.toBe("");
    server.isAway = false;
    session.reopen();
    await frame();
    expect(session.error.value).toBe("");
    expect(session.task.value?.id).toBe("t");
    expect(session.window.events.some(({ id }) => id === "5000.0")).toBe(true);
  });

  it("finds the to-do list before what is loaded, and keeps it", async () => {
    const todo = (t: string) => ({ todo: { items: [{ text: t, status: "pending" }] } }) as Partial<Event>;
    const now = () => session.window.todo[0]?.text;
    server.events[8_499] = text(8_500, todo("one"));
    const session = new TaskSession("t");
    await session.open();
    await frame();
    expect(now()).toBe("one");
    stream(session, 4_000);
    await frame();
    expect(now()).toBe("one");
    session.take({ type: "event", event: text(20_000, todo("two")) });
    await frame();
    expect(now()).toBe("two");
  });

  it("stays bounded while it is scrolled up, and keeps what is looked at", async () => {
    const session = new TaskSession("t");
    await session.open();
    session.following = false;
    const { first } = session.window;
    stream(session, 5_000);
    await frame();
    expect(session.window.events).toHaveLength(MAX_EVENTS);
    expect(session.window.first).toBe(first);
    expect(session.window.atEnd).toBe(false);
    expect(session.unseen.value).toBe(5_400 - MAX_EVENTS);
    expect(gaps(session)).toBe(0);
  });
});
