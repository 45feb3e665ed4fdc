// Lines of a patch with their numbers, for one column or two.

export interface DiffLine {
  kind: "hunk" | "same" | "added" | "removed";
  text: string;
  before?: number;
  after?: number;
}

export interface DiffPair {
  left: DiffLine | undefined;
  right: DiffLine | undefined;
}

export function diffLines(lines: readonly string[]): DiffLine[] {
  let before = 1;
  let after = 1;
  return lines.map((line): DiffLine => {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk) {
      before = Number(hunk[1]) || 1;
      after = Number(hunk[2]) || 1;
    }
    if (line.startsWith("@@")) return { kind: "hunk", text: line };
    // A line without a sign is shown from its first character on.
    const text = /^[-+ ]/.test(line) ? line.slice(1) : line;
    if (line.startsWith("+")) return { kind: "added", text, after: after++ };
    if (line.startsWith("-")) return { kind: "removed", text, before: before++ };
    return { kind: "same", text, before: before++, after: after++ };
  });
}

/** Puts what was removed beside what was added for it. */
export function diffPairs(lines: readonly DiffLine[]): DiffPair[] {
  const pairs: DiffPair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const end = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) {
      pairs.push({ left: removed[i], right: added[i] });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "removed") removed.push(line);
    else if (line.kind === "added") added.push(line);
    else {
      end();
      pairs.push({ left: line, right: line });
    }
  }
  end();
  return pairs;
}
