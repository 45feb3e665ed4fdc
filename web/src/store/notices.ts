// Which notices and steps of a task's life become rows, and how they look.
import type { Payload } from "../api/types";
import type { NoticeRow } from "./rows";

type Fields = Pick<NoticeRow, "kind" | "tone" | "label" | "text">;
type Tone = NoticeRow["tone"];

const NOTICES: Record<Payload<"notice">["kind"], { tone: Tone; label: string } | null> = {
  info: { tone: "info", label: "Note" },
  turn_started: null,
  retrying: { tone: "warning", label: "Retrying" },
  model_rerouted: { tone: "warning", label: "Another model" },
  config_warning: { tone: "warning", label: "Configuration" },
  compaction: { tone: "info", label: "Conversation compacted" },
  error: { tone: "error", label: "Error" },
  permission_denied: { tone: "warning", label: "Not allowed" },
  hook: { tone: "info", label: "Hook" },
  background_task: { tone: "info", label: "Background task" },
};

export function noticeOf(notice: Payload<"notice">): Fields | null {
  const shown = NOTICES[notice.kind];
  return shown && { kind: "notice", ...shown, text: notice.text };
}

const STEPS: Record<Payload<"lifecycle">["kind"], { tone: Tone; label: string } | null> = {
  created: null,
  turn_asked: null,
  spawned: { tone: "info", label: "Started" },
  start_failed: { tone: "error", label: "Could not be started" },
  interrupt_asked: { tone: "warning", label: "Interrupt asked for" },
  stop_asked: { tone: "warning", label: "Stop asked for" },
  deadline: { tone: "error", label: "Deadline passed" },
  signalled: null,
  input_closed: null,
  leftover: { tone: "warning", label: "Left-over processes ended" },
  trouble: { tone: "error", label: "Trouble with the log" },
  exited: { tone: "info", label: "Process ended" },
  lost: { tone: "error", label: "Process lost" },
  cancelled: { tone: "warning", label: "Cancelled" },
  turn_waits: { tone: "info", label: "Turn waits for another process" },
};

export function lifecycleNotice(step: Payload<"lifecycle">): Fields | null {
  const shown = STEPS[step.kind];
  if (!shown) return null;
  const bad = step.kind === "exited" && (step.exitCode ?? 0) !== 0;
  const by = step.by && step.by !== "agent" ? ` by ${step.by}` : "";
  return {
    kind: "notice",
    tone: bad ? "warning" : shown.tone,
    label: shown.label + by,
    text: step.text,
  };
}

export function rateLimitNotice(limit: Payload<"rateLimit">): Fields | null {
  if (limit.status === "allowed") return null;
  const used = limit.used === undefined ? "" : ` ${Math.round(limit.used * 100)} % used.`;
  const resets = limit.resetsAt ? ` Resets at ${new Date(limit.resetsAt).toLocaleString()}.` : "";
  return {
    kind: "notice",
    tone: limit.status === "rejected" ? "error" : "warning",
    label: "Rate limit",
    text: `${limit.window.replaceAll("_", " ")}: ${limit.status.replaceAll("_", " ")}.${used}${resets}`,
  };
}
