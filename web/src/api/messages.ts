// What tabs and the worker that holds their stream say to each other.
import type { Event, Task } from "./types";

export type Status = "connecting" | "online" | "offline" | "signed_out";

export interface Hello {
  stream: string;
  version: string;
  page: string;
  parser: number;
}

export type FromTab =
  | { type: "join"; key: string; lock: string }
  | { type: "watch"; task: string; after: string }
  | { type: "unwatch"; task: string }
  | { type: "wake" };

export type Update =
  | { type: "status"; status: Status }
  | { type: "hello"; hello: Hello }
  /** The list has to be read again. */
  | { type: "reset" }
  | { type: "task"; task: Task }
  | { type: "gone"; id: string }
  | { type: "event"; event: Event }
  | { type: "watch_task"; task: Task }
  | { type: "watch_ready"; task: string }
  /** The position is not known any more: read the last page, watch again. */
  | { type: "watch_reset"; task: string }
  | { type: "watch_gone"; task: string };

export type FromWorker = Update[];
