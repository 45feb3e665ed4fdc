// Keys by which the server knows a request that is sent again, because its reply
// was lost. They are kept as long as the drafts that they belong to.
import { load, save } from "./storage";

interface Kept {
  request: string;
  key: string;
}

const EMPTY: Kept = { request: "", key: "" };

// A short print of the request is enough: the storage has the draft already.
function print(request: unknown): string {
  const text = JSON.stringify(request);
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return `${text.length} ${hash}`;
}

/** The key of a request: the same one until it is accepted or is another request. */
export function requestKey(name: string, request: unknown): string {
  const kept = load(`key.${name}`, EMPTY);
  const printed = print(request);
  if (kept.key && kept.request === printed) return kept.key;
  const key = crypto.randomUUID?.() ?? String(Math.random());
  save(`key.${name}`, { request: printed, key });
  return key;
}

/** Forgets the key, so that the same request can be made once more. */
export function accepted(name: string): void {
  save(`key.${name}`, undefined);
}
