import type { Event, Payload, PayloadCase } from "./types";

/** A handler for each kind of event. A new kind does not compile without one. */
export type PayloadHandlers<R, A extends unknown[] = []> = {
  [C in PayloadCase]: (payload: Payload<C>, event: Event, ...rest: A) => R;
};

/** Calls the handler of the event's payload; undefined if it has none we know. */
export function handle<R, A extends unknown[]>(
  handlers: PayloadHandlers<R, A>,
  event: Event,
  ...rest: A
): R | undefined {
  for (const name in event) {
    if (!Object.hasOwn(handlers, name)) continue;
    const call = handlers[name as PayloadCase] as (
      payload: unknown,
      event: Event,
      ...rest: A
    ) => R;
    return call(event[name as PayloadCase], event, ...rest);
  }
  return undefined;
}

/** Orders event ids: by record, then by index. */
export function compareIds(a: string, b: string): number {
  const [ar = 0, ai = 0] = a.split(".").map(Number);
  const [br = 0, bi = 0] = b.split(".").map(Number);
  return ar - br || ai - bi;
}
