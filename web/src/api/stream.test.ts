import { describe, expect, it, vi } from "vitest";
import { Hub, type Port } from "./hub";
import type { FromTab, Update } from "./messages";
import { SseParser } from "./sse";

describe("SseParser", () => {
  const text = "event: hello\r\ndata: {\"a\":1}\r\n\r\n: beat\n\nid: 3.0\ndata: x\ndata: y\n\n";
  const whole = new SseParser().push(text);

  it("reads frames", () => {
    expect(whole).toEqual([
      { name: "hello", id: "", data: '{"a":1}' },
      { name: "message", id: "3.0", data: "x\ny" },
    ]);
  });

  it("reads the same however the text is cut", () => {
    for (let at = 0; at <= text.length; at++) {
      const parser = new SseParser();
      expect([...parser.push(text.slice(0, at)), ...parser.push(text.slice(at))]).toEqual(whole);
    }
    const bytewise = new SseParser();
    expect([...text].flatMap((char) => bytewise.push(char))).toEqual(whole);
  });
});

/** A server that records requests and whose streams are written by the test. */
class FakeServer {
  readonly requests: string[] = [];
  readonly posts: unknown[] = [];
  private stream: ReadableStreamDefaultController<Uint8Array> | undefined;

  fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    this.requests.push(String(url));
    if (init?.method === "POST") {
      this.posts.push(JSON.parse(String(init.body)));
      return new Response(null, { status: 204 });
    }
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (this.stream = controller) });
    init?.signal?.addEventListener("abort", () => this.cut());
    return new Response(body, { status: 200 });
  };

  frame(name: string, data: unknown, id = ""): void {
    this.stream?.enqueue(new TextEncoder().encode(`event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`));
  }

  event(task: string, id: string): void {
    this.frame("message", { id, taskId: task, text: { text: id } }, id);
  }

  hello(): void {
    this.frame("hello", { stream: "s", version: "1", page: "p", parser: 4 });
  }

  cut(): void {
    try {
      this.stream?.error(new Error("cut"));
    } catch {
      // It had ended.
    }
  }
}

class Tab implements Port {
  onmessage: ((event: MessageEvent) => void) | null = null;
  readonly got: Update[] = [];
  postMessage(updates: Update[]): void {
    this.got.push(...updates);
  }
  say(message: FromTab): void {
    this.onmessage?.({ data: message } as MessageEvent);
  }
  events(): string[] {
    return this.got.flatMap((update) => (update.type === "event" ? [update.event.id] : []));
  }
}

async function world(tabs: number) {
  const server = new FakeServer();
  const hub = new Hub({ fetch: server.fetch as typeof fetch, now: Date.now, base: "" });
  const all = Array.from({ length: tabs }, () => new Tab());
  for (const tab of all) {
    hub.connect(tab);
    tab.say({ type: "join", key: "k", lock: "l" });
  }
  await vi.waitFor(() => expect(server.requests.length).toBe(1));
  server.hello();
  server.frame("ready", {}, "7");
  await vi.waitFor(() => expect(all[0]!.got.some(({ type }) => type === "reset")).toBe(true));
  return { server, tabs: all };
}

describe("Hub", () => {
  it("opens one stream for all tabs", async () => {
    const { server, tabs } = await world(10);
    expect(server.requests).toHaveLength(1);
    server.frame("task", { id: "a", state: "running" }, "8");
    await vi.waitFor(() => {
      for (const tab of tabs) expect(tab.got.some(({ type }) => type === "task")).toBe(true);
    });
  });

  it("gives each tab the events of what it watches, from its own position", async () => {
    const { server, tabs: [one, two] } = await world(2);
    one!.say({ type: "watch", task: "t", after: "3.0" });
    two!.say({ type: "watch", task: "t", after: "5.0" });
    // The stream goes back to the tab that has least.
    expect(server.posts.at(-1)).toEqual({ watch: [{ taskId: "t", after: "3.0" }] });
    for (const id of ["4.0", "5.0", "6.0", "10.0"]) server.event("t", id);
    server.event("other", "1.0");
    await vi.waitFor(() => expect(two!.events()).toEqual(["6.0", "10.0"]));
    expect(one!.events()).toEqual(["4.0", "5.0", "6.0", "10.0"]);
  });

  it("continues after a break without a gap or a repetition", async () => {
    const { server, tabs: [tab] } = await world(1);
    tab!.say({ type: "watch", task: "t", after: "" });
    server.event("t", "1.0");
    server.event("t", "2.0");
    await vi.waitFor(() => expect(tab!.events()).toEqual(["1.0", "2.0"]));
    server.cut();
    await vi.waitFor(() => expect(server.requests.filter((url) => url.startsWith("/stream?")).length).toBe(2), 3_000);
    const again = new URL(`http://x${server.requests.at(-1)}`).searchParams;
    expect(again.get("watch")).toBe("t:2.0");
    expect(again.get("list")).toBe("7");
    expect(again.get("parser")).toBe("4");
    server.hello();
    server.event("t", "2.0");
    server.event("t", "3.0");
    await vi.waitFor(() => expect(tab!.events()).toEqual(["1.0", "2.0", "3.0"]));
    expect(tab!.got.filter(({ type }) => type === "reset")).toHaveLength(1);
  });

  it("stops watching what no tab looks at", async () => {
    const { server, tabs: [one, two] } = await world(2);
    one!.say({ type: "watch", task: "t", after: "" });
    two!.say({ type: "watch", task: "t", after: "" });
    one!.say({ type: "unwatch", task: "t" });
    expect(server.posts.some((post) => "unwatch" in (post as object))).toBe(false);
    two!.say({ type: "unwatch", task: "t" });
    expect(server.posts.at(-1)).toEqual({ unwatch: ["t"] });
  });

  it("watches what was asked for while it connected", async () => {
    const server = new FakeServer();
    const tab = new Tab();
    new Hub({ fetch: server.fetch as typeof fetch, now: Date.now, base: "" }).connect(tab);
    tab.say({ type: "join", key: "k", lock: "l" });
    tab.say({ type: "watch", task: "t", after: "3.0" });
    expect(server.posts).toEqual([]);
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    server.hello();
    await vi.waitFor(() => expect(server.posts).toEqual([{ watch: [{ taskId: "t", after: "3.0" }], unwatch: [] }]));
  });

  it("does not connect before a tab has brought its key", async () => {
    const server = new FakeServer();
    const tab = new Tab();
    new Hub({ fetch: server.fetch as typeof fetch, now: Date.now, base: "" }).connect(tab);
    tab.say({ type: "wake" });
    expect(server.requests).toEqual([]);
    tab.say({ type: "join", key: "k", lock: "l" });
    expect(server.requests).toHaveLength(1);
  });

  it("survives frames that are no JSON", async () => {
    const { server, tabs: [tab] } = await world(1);
    tab!.say({ type: "watch", task: "t", after: "" });
    server.frame("message", undefined);
    server.event("t", "1.0");
    await vi.waitFor(() => expect(tab!.events()).toEqual(["1.0"]));
  });
});
