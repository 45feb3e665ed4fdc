// Bounds texts for display: how many lines, and how long each may be.

/** How long a line may be where nobody has asked for more. */
export const MAX_LINE = 2_000;

export interface Bounded {
  lines: string[];
  /** Whether there is more than the lines have. */
  more: boolean;
  /** Whether a line is longer than what is here of it. */
  long: boolean;
}

/** The first lines of a text. It reads no further than it has to. */
export function firstLines(text: string, limit: number, maxLine = MAX_LINE): Bounded {
  const lines: string[] = [];
  let at = 0;
  let long = false;
  while (at <= text.length && lines.length < limit) {
    const end = text.indexOf("\n", at);
    const stop = end === -1 ? text.length : end;
    const line = text.slice(at, Math.min(stop, at + maxLine));
    const isLong = stop - at > maxLine;
    lines.push(isLong ? `${line}… (${stop - at} characters)` : line);
    long ||= isLong;
    at = stop + 1;
    if (end === -1) break;
  }
  if (lines.at(-1) === "" && at > text.length) lines.pop();
  return { lines, more: at < text.length, long };
}
