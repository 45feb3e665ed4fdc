import { useEffect, useMemo } from "preact/hooks";
import { addSession } from "../../store/app";
import { TaskSession } from "../../store/session";

/** Opens the task while the view is there. */
export function useSession(id: string, event: string): TaskSession {
  const session = useMemo(() => new TaskSession(id), [id]);
  useEffect(() => {
    const leave = addSession(session);
    void session.open(event);
    return leave;
  }, [session]);
  return session;
}
