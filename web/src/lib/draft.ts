// State of a form that outlives a reload of its tab, as when the page reloads
// itself because the server is newer.
import { useState } from "preact/hooks";

const PREFIX = "troika.draft.";

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

interface Options<T> {
  /** Whether a kept value still suits the form. */
  fits?: (value: T) => boolean;
  /** What may be kept of a value. */
  kept?: (value: T) => T;
}

/** The draft of that name; `empty` if there is none that fits. */
export function readDraft<T>(name: string, empty: T, { fits }: Options<T> = {}): T {
  const value = read(PREFIX + name, empty);
  try {
    return !fits || fits(value) ? value : empty;
  } catch {
    return empty;
  }
}

export function writeDraft<T>(name: string, value: T, empty: T, { kept }: Options<T> = {}): void {
  const part = kept ? kept(value) : value;
  write(PREFIX + name, part, JSON.stringify(part) === JSON.stringify(empty));
}

/** As useState, kept by its name. `empty` is not kept. */
export function useDraft<T>(name: string, empty: T, options: Options<T> = {}): [T, SetDraft<T>] {
  const [value, setValue] = useState<T>(() => readDraft(name, empty, options));
  const set: SetDraft<T> = (next) =>
    setValue((now) => {
      const made = typeof next === "function" ? (next as (now: T) => T)(now) : next;
      writeDraft(name, made, empty, options);
      return made;
    });
  return [value, set];
}
