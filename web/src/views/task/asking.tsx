// What approvals and questions share: how they are named, loaded and answered.
import { useEffect, useState } from "preact/hooks";
import { respond, wholeEvent } from "../../api/calls";
import { ApiError } from "../../api/client";
import type { Answered, Approval, Event, Question, Respond, Task } from "../../api/types";
import { words } from "../../lib/format";
import { visible } from "../../lib/visible";
import { toast } from "../../ui/parts";

export interface FormProps {
  task: Task;
  /** Names what is shown above; if that changes, the form moves. */
  above: string;
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

type Loaded<T> = { whole?: T; error?: string };
type Whole<T> = Loaded<T> & { retry: () => void };

/** What is asked, whole: the task has only the beginning of long texts. `pick` finds it in its event. */
export function useWhole<T extends Approval | Question>(task: Task, asked: T, pick: (event: Event) => T | undefined): Whole<T> {
  const isCut = !!asked.cut;
  const [loaded, setLoaded] = useState<Loaded<T>>({});
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!isCut) return;
    let isLeft = false;
    setLoaded({});
    const take = (event: Event) => {
      const whole = event.cut?.length ? undefined : pick(event);
      if (!isLeft) setLoaded(whole ? { whole } : { error: "the server does not have it whole" });
    };
    void wholeEvent(task.id, asked.eventId ?? "")
      .then(take)
      .catch((error: Error) => isLeft || setLoaded({ error: error.message }));
    return () => void (isLeft = true);
  }, [task.id, asked.id, asked.eventId, isCut, tries]);
  return { ...(isCut ? loaded : { whole: asked }), retry: () => setTries(tries + 1) };
}

/** Stands in the place of what is not loaded whole, and so can't be answered yet. */
export function NotWhole({ error, retry }: { error: string | undefined; retry: () => void }) {
  if (!error) return <p class="muted" role="status">What is asked is long and is being loaded. It can be answered once it is shown.</p>;
  return (
    <p role="alert">
      What is asked can't be loaded: {visible(error)} <button type="button" onClick={retry}>Try again</button>
    </p>
  );
}

/** How long something has to be seen before it can be answered. */
const SEEN = 1_000;

/** Whether what the key names has been shown long enough, so that neither a key nor a click
 * that was meant for what stood there before answers it. */
export function useSeen(key: string): boolean {
  const [seen, setSeen] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSeen(key), SEEN);
    return () => clearTimeout(timer);
  }, [key]);
  return seen === key;
}
