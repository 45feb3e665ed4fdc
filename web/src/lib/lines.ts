// Bounds texts for display: how many lines, and how long each may be.

const MAX_LINE = 2_000;

export interface Bounded {
  lines: string[];
  /** Whether there is more than the lines have. */
  more: boolean;
}

/** The first lines of a text. It reads no further than it has to. */
export function firstLines(text: string, limit: number): Bounded {
  const lines: string[] = [];
  let at = 0;
  while (at <= text.length && lines.length < limit) {
    const end = text.indexOf("\n", at);
    const stop = end === -1 ? text.length : end;
    const line = text.slice(at, Math.min(stop, at + MAX_LINE));
    lines.push(stop - at > MAX_LINE ? `${line}… (${stop - at} characters)` : line);
    at = stop + 1;
    if (end === -1) break;
  }
  if (lines.at(-1) === "" && at > text.length) lines.pop();
  return { lines, more: at < text.length };
}
