// State of a form that outlives a reload of its tab, as when the page reloads
// itself because the server is newer.
import { useState } from "preact/hooks";

function read<T>(key: string, empty: T): T {
  try {
    const text = sessionStorage.getItem(key);
    return text === null ? empty : (JSON.parse(text) as T);
  } catch {
    return empty;
  }
}

function write(key: string, value: unknown, isEmpty: boolean): void {
  try {
    if (isEmpty) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The form works without it.
  }
}

export type SetDraft<T> = (next: T | ((now: T) => T)) => void;

/** As useState, kept by its name. `empty` is not kept. */
export function useDraft<T>(name: string, empty: T): [T, SetDraft<T>] {
  const key = `troika.draft.${name}`;
  const [value, setValue] = useState<T>(() => read(key, empty));
  const set: SetDraft<T> = (next) =>
    setValue((now) => {
      const made = typeof next === "function" ? (next as (now: T) => T)(now) : next;
      write(key, made, JSON.stringify(made) === JSON.stringify(empty));
      return made;
    });
  return [value, set];
}
