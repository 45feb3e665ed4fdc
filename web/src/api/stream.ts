// The connection to GET /api/v1/stream: reads frames, reconnects with the
// positions that it has reached, and tells its owner what came.
import { SseParser, type Frame } from "./sse";
import type { Hello, Status, Update } from "./messages";
import type { Event, Task } from "./types";

/** The server sends something every 15 seconds. */
const SILENCE_MS = 40_000;
const MAX_PAUSE_MS = 5_000;

export interface StreamTools {
  fetch: typeof fetch;
  now: () => number;
  base: string;
}

export class Stream {
  key = "";
  status: Status = "connecting";
  hello: Hello | undefined;
  private readonly positions = new Map<string, string>();
  private list = "";
  /** The positions that the open request has in its address. */
  private requested = new Map<string, string>();
  private abort: AbortController | undefined;
  private failures = 0;
  private heard = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly tools: StreamTools,
    private readonly tell: (updates: Update[]) => void,
  ) {
    setInterval(() => this.check(), 5_000);
  }

  /** Connects if there is no connection. Before a tab has joined there is no key. */
  start(): void {
    if (!this.abort && this.key) void this.run();
  }

  /** Reconnects at once if the connection may be dead, as after a sleep. */
  wake(): void {
    if (!this.abort) {
      clearTimeout(this.timer);
      this.start();
    } else if (this.tools.now() - this.heard > SILENCE_MS / 2) {
      this.abort.abort();
    }
  }

  watch(task: string, after: string): void {
    this.positions.set(task, after);
    void this.post({ watch: [{ taskId: task, after }] });
  }

  unwatch(task: string): void {
    if (this.positions.delete(task)) void this.post({ unwatch: [task] });
  }

  position(task: string): string | undefined {
    return this.positions.get(task);
  }

  private check(): void {
    if (this.abort && this.tools.now() - this.heard > SILENCE_MS) this.abort.abort();
  }

  private async post(body: unknown): Promise<void> {
    const id = this.hello?.stream;
    if (!id) return;
    const response = await this.tools
      .fetch(`${this.tools.base}/stream/${id}/watch`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Troika-Key": this.key },
        body: JSON.stringify(body),
      })
      .catch(() => undefined);
    // A stream that is gone is opened again with all positions.
    if (!response?.ok && this.hello?.stream === id) this.abort?.abort();
  }

  /** Tells a new stream what has changed since it was asked for. */
  private catchUp(): void {
    const watch = [...this.positions]
      .filter(([task, after]) => this.requested.get(task) !== after)
      .map(([taskId, after]) => ({ taskId, after }));
    const unwatch = [...this.requested.keys()].filter((task) => !this.positions.has(task));
    if (watch.length || unwatch.length) void this.post({ watch, unwatch });
  }

  private setStatus(status: Status): void {
    if (this.status === status) return;
    this.status = status;
    this.tell([{ type: "status", status }]);
  }

  private url(): string {
    const params = new URLSearchParams();
    this.requested = new Map(this.positions);
    if (this.list) params.set("list", this.list);
    for (const [task, after] of this.positions) params.append("watch", `${task}:${after}`);
    if (this.hello) params.set("parser", String(this.hello.parser));
    return `${this.tools.base}/stream?${params}`;
  }

  private async run(): Promise<void> {
    const abort = (this.abort = new AbortController());
    this.heard = this.tools.now();
    let answered = 0;
    try {
      const response = await this.tools.fetch(this.url(), {
        headers: { Accept: "text/event-stream", "X-Troika-Key": this.key },
        signal: abort.signal,
        cache: "no-store",
      });
      answered = response.status;
      if (response.ok && response.body) await this.read(response.body);
    } catch {
      // The connection broke; it is opened again below.
    }
    this.abort = undefined;
    if (this.hello) this.hello = { ...this.hello, stream: "" };
    if (answered === 401) {
      this.setStatus("signed_out");
      return;
    }
    this.failures++;
    if (this.failures > 1) this.setStatus("offline");
    const pause = Math.min(MAX_PAUSE_MS, 100 * 2 ** this.failures) * (0.75 + Math.random() / 2);
    this.timer = setTimeout(() => this.start(), pause);
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const parser = new SseParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.heard = this.tools.now();
      const updates = parser.push(decoder.decode(value, { stream: true })).flatMap((frame) => this.take(frame));
      if (updates.length) this.tell(updates);
    }
  }

  private take(frame: Frame): Update[] {
    let data: Record<string, unknown>;
    try {
      data = JSON.parse(frame.data) as Record<string, unknown>;
    } catch {
      return [];
    }
    const task = String(data.taskId ?? "");
    const isListed = ["ready", "reset", "task", "gone"].includes(frame.name);
    const isFirst = !this.list;
    if (isListed && frame.id) this.list = frame.id;
    switch (frame.name) {
      case "hello": {
        this.hello = data as unknown as Hello;
        this.failures = 0;
        this.setStatus("online");
        this.catchUp();
        return [{ type: "hello", hello: this.hello }];
      }
      case "ready":
        return isFirst ? [{ type: "reset" }] : [];
      case "reset":
        return [{ type: "reset" }];
      case "task":
        return [{ type: "task", task: data as unknown as Task }];
      case "gone":
        return [{ type: "gone", id: String(data.id) }];
      case "message":
        if (this.positions.has(task)) this.positions.set(task, String(data.id));
        return [{ type: "event", event: data as unknown as Event }];
      case "watch_ready":
        return [{ type: "watch_ready", task }];
      case "watch_task":
        return [{ type: "watch_task", task: data as unknown as Task }];
      case "watch_reset":
        this.positions.delete(task);
        return [{ type: "watch_reset", task }];
      case "watch_gone":
      case "watch_error":
        this.positions.delete(task);
        return [{ type: "watch_gone", task }];
      default:
        return [];
    }
  }
}
