// Keys of the view that is open. Views above others come first.
import { useEffect, useRef } from "preact/hooks";

export interface Key {
  key: string;
  does: string;
  run: (event: KeyboardEvent) => void;
  /** Where the focus has to be; unset: anywhere. */
  within?: () => Element | null | undefined;
}

const stack: { current: readonly Key[] }[] = [];

/** The keys that work now: all of them for the help, or those with the focus at an element. */
export function currentKeys(focus?: Element | null): Key[] {
  const seen = new Set<string>();
  return stack
    .toReversed()
    .flatMap(({ current }) => current)
    .filter(({ within }) => focus === undefined || !within || within()?.contains(focus))
    .filter(({ key }) => !seen.has(key) && seen.add(key));
}

export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    stack.push(latest);
    return () => void stack.splice(stack.indexOf(latest), 1);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    (target as HTMLInputElement).type !== "checkbox";
}

export function startKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && isTyping(event.target)) {
      (event.target as HTMLElement).blur();
      return;
    }
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    // Enter and space belong to the control that has the focus.
    const onControl = event.target instanceof Element && event.target.closest("button, a, summary, label");
    if (onControl && (event.key === "Enter" || event.key === " ")) return;
    const key = currentKeys(document.activeElement).find((known) => known.key === event.key);
    if (!key) return;
    event.preventDefault();
    key.run(event);
  });
}
