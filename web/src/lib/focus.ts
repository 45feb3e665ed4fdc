// Keeps the focus on something when what has it goes away.

const isLost = () => !document.activeElement || document.activeElement === document.body;

/** Puts a lost focus to the transcript, or to the tab of what is shown instead. */
export function focusView(view: ParentNode | null | undefined): void {
  if (!isLost()) return;
  view?.querySelector<HTMLElement>('.virtual, [role="tab"][aria-selected="true"]')?.focus({ preventScroll: true });
}

/** Remembers what has the focus; the function that it returns gives it back if it is lost. */
export function rememberFocus(): () => void {
  const before = document.activeElement;
  return () => {
    if (!isLost()) return;
    // What is in a menu that has closed can't have it.
    const menu = before?.closest("details:not([open])")?.querySelector("summary");
    const target = menu ?? before;
    if (target instanceof HTMLElement && target.isConnected && target !== document.body) target.focus();
    focusView(document.querySelector("main.task-view"));
  };
}
