// A tab's end of the stream: in a SharedWorker, or in the tab itself if the
// browser has none.
import { sessionKey } from "./client";
import { Hub } from "./hub";
import type { FromTab, FromWorker, Update } from "./messages";

export interface Feed {
  watch(task: string, after: string): void;
  unwatch(task: string): void;
}

export function openFeed(take: (update: Update) => void): Feed {
  const port = openPort();
  const say = (message: FromTab) => port.postMessage(message);
  const lock = `troika.tab.${Math.random().toString(36).slice(2)}`;
  port.onmessage = ({ data }: MessageEvent) => (data as FromWorker).forEach(take);
  const join = () => say({ type: "join", key: sessionKey(), lock });
  // The lock is held until the tab ends, by which the worker sees it leave.
  if (navigator.locks) void navigator.locks.request(lock, () => (join(), new Promise(() => {})));
  else join();
  const wake = () => document.visibilityState === "visible" && say({ type: "wake" });
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  addEventListener("pageshow", wake);
  return {
    watch: (task, after) => say({ type: "watch", task, after }),
    unwatch: (task) => say({ type: "unwatch", task }),
  };
}

function openPort(): MessagePort {
  if ("SharedWorker" in globalThis) {
    const worker = new SharedWorker(new URL("./worker.ts", import.meta.url), { type: "module", name: "troika" });
    return worker.port;
  }
  const { port1, port2 } = new MessageChannel();
  new Hub({ fetch: fetch.bind(globalThis), now: Date.now, base: "/api/v1" }).connect(port2);
  return port1;
}
