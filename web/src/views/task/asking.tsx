// What approvals and questions share: how they are named, loaded and answered.
import { useEffect, useRef, useState } from "preact/hooks";
import { respond, wholeEvent } from "../../api/calls";
import { ApiError } from "../../api/client";
import type { Answered, Approval, Event, Respond, Task } from "../../api/types";
import { words } from "../../lib/format";
import { visible } from "../../lib/visible";
import { toast } from "../../ui/parts";

export interface FormProps {
  task: Task;
  /** Tells that an answer is sent, and so that the form will go. */
  onSend: (key: string) => void;
}

function tell(won: Answered): string {
  const by = won.by === "user" ? "you" : won.by;
  return `Answered already by ${by}${won.via && ` (${won.via})`}: ${words(won.choice)}${won.text && `, ${won.text}`}. That answer counts.`;
}

/** Sends an answer; says who won if somebody else was first. */
export async function answer(task: Task, request: Respond): Promise<boolean> {
  try {
    await respond(task.id, request);
    return true;
  } catch (error) {
    const won = error instanceof ApiError ? error.answered : undefined;
    toast(visible(won ? tell(won) : (error as Error).message), true);
    return !!won;
  }
}

/** Names what was asked; ids of harnesses may be used again. */
export const askKey = ({ id, eventId }: { id: string; eventId?: string }) => `${id}@${eventId ?? ""}`;

export const isText = (value: unknown) => typeof value === "string";

type Loaded = { whole?: Approval; error?: string };

/** What is asked for, whole: the task has only the beginning of long texts. */
export function useWhole(task: Task, approval: Approval): Loaded & { retry: () => void } {
  const isCut = !!approval.cut;
  const [loaded, setLoaded] = useState<Loaded>({});
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!isCut) return;
    let isLeft = false;
    setLoaded({});
    const take = ({ cut, approval: whole }: Event) =>
      isLeft || setLoaded(whole && !cut?.length ? { whole } : { error: "the server does not have it whole" });
    void wholeEvent(task.id, approval.eventId ?? "")
      .then(take)
      .catch((error: Error) => isLeft || setLoaded({ error: error.message }));
    return () => void (isLeft = true);
  }, [task.id, approval.id, approval.eventId, isCut, tries]);
  return { ...(isCut ? loaded : { whole: approval }), retry: () => setTries(tries + 1) };
}

/** How long something has to be seen before a key answers it. */
const SEEN = 1_000;

/** Whether what the key names has been shown long enough. */
export function useSeen(key: string): () => boolean {
  const shown = useRef({ key: "", since: 0 });
  if (shown.current.key !== key) shown.current = { key, since: performance.now() };
  return () => performance.now() - shown.current.since >= SEEN;
}
