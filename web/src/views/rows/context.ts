// What rows need of the task that they belong to.
import { createContext } from "preact";
import { useContext, useReducer } from "preact/hooks";
import type { TaskSession } from "../../store/session";

export interface RowContext {
  session: TaskSession;
  /** Whether there is room for two columns. */
  wide: boolean;
}

export const Rows = createContext<RowContext>(undefined as unknown as RowContext);
export const useRows = () => useContext(Rows);

/** Whether a row is unfolded, and a function that changes it. */
export function useFold(key: string, openAtFirst: boolean): [boolean, () => void] {
  const { session } = useRows();
  const [, redraw] = useReducer((n: number, _: number) => n + 1, 0);
  void session.revealed.value;
  const open = session.unfolded.get(key) ?? openAtFirst;
  return [
    open,
    () => {
      session.unfolded.set(key, !open);
      redraw(0);
    },
  ];
}
