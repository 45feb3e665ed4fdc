// What is installed, read once and again if asked for.
import { signal } from "@preact/signals";
import { listHarnesses } from "../api/calls";
import type { Capabilities, Harness } from "../api/types";

export const harnesses = signal<Harness[]>([]);
let reading: Promise<void> | undefined;

export function readHarnesses(again = false): Promise<void> {
  if (again || !reading) {
    reading = listHarnesses().then((reply) => void (harnesses.value = reply.harnesses));
    reading.catch(() => (reading = undefined));
  }
  return reading;
}

/** What the harness can do; an unknown one is taken to be able to do all. */
export function capability(harness: string, name: keyof Omit<Capabilities, "$typeName">): boolean {
  const known = harnesses.value.find(({ id }) => id === harness)?.capabilities;
  return known ? known[name] === true : true;
}
