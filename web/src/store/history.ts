// Reads all events of a task once, a page at a time, and keeps only what a view
// of the whole task needs.
import { eventsAfter } from "../api/calls";
import type { Event } from "../api/types";

const PAGE = 1_000;

export async function eachEvent(id: string, take: (event: Event) => void, signal: AbortSignal): Promise<void> {
  let after = "";
  for (;;) {
    const page = await eventsAfter(id, after, PAGE);
    if (signal.aborted) return;
    page.events.forEach(take);
    after = page.events.at(-1)?.id ?? "";
    if (!page.nextPageToken || !after) return;
  }
}
