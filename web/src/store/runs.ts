// Puts runs of tools that went well into one item, so that what was said and what
// went wrong stands out.
import type { Row, ToolRow } from "./rows";

export interface Run {
  kind: "run";
  key: string;
  rows: Row[];
}

export type Item = Row | Run;

const SHORTEST_RUN = 3;

/** Whether others work in the tool: what they did, and what failed there, is to be found. */
function isSubagent(row: ToolRow): boolean {
  return !!row.subagent || row.children.length > 0 || row.name === "Agent";
}

/** Whether a row may be hidden in a run. */
function isQuiet(row: Row): boolean {
  if (row.kind === "thinking") return !row.streaming;
  if (row.kind === "todo") return true;
  if (row.kind !== "tool") return false;
  return (
    !!row.result && !row.result.isError && !row.result.synthetic && !(row.result.exitCode ?? 0) &&
    !row.approval && !row.question && !isSubagent(row) && !row.orphan
  );
}

/** Whether a tool's list is shown by the to-do row that follows it. */
function isTodoTool(row: Row): boolean {
  return row.kind === "tool" && row.name === "TodoWrite" && !!row.result && !row.result.isError;
}

/** Rows without to-do lists that the next row replaces, and the tools that wrote them. */
function withoutOldTodos(rows: readonly Row[]): Row[] {
  const kept = rows.filter((row) => !isTodoTool(row));
  return kept.filter((row, i) => row.kind !== "todo" || kept[i + 1]?.kind !== "todo");
}

/** Items to show. The last rows of a transcript are never hidden. */
export function groupRuns(all: readonly Row[]): Item[] {
  const rows = withoutOldTodos(all);
  const items: Item[] = [];
  let run: Row[] = [];
  const end = () => {
    const tools = run.filter((row) => row.kind === "tool").length;
    if (tools >= SHORTEST_RUN) items.push({ kind: "run", key: `run ${run.at(-1)!.key}`, rows: run });
    else items.push(...run);
    run = [];
  };
  rows.forEach((row, i) => {
    if (isQuiet(row) && i < rows.length - 2) {
      run.push(row);
    } else {
      end();
      items.push(row);
    }
  });
  end();
  return items;
}

const NOUNS: Record<string, [string, string]> = {
  Bash: ["command", "commands"],
  Read: ["file read", "files read"],
  Edit: ["edit", "edits"],
  Write: ["file written", "files written"],
  Grep: ["search", "searches"],
  Glob: ["search", "searches"],
  WebSearch: ["web search", "web searches"],
};

/** What a run did, in a few words. */
export function describeRun(rows: readonly Row[]): string {
  const counts = new Map<string, number>();
  for (const row of rows) {
    if (row.kind !== "tool") continue;
    const noun = row.server ? "call" : ((row as ToolRow).name in NOUNS ? row.name : "call");
    counts.set(noun, (counts.get(noun) ?? 0) + 1);
  }
  const merged = new Map<string, number>();
  for (const [name, n] of counts) {
    const [, many] = NOUNS[name] ?? ["other tool", "other tools"];
    merged.set(many, (merged.get(many) ?? 0) + n);
  }
  return [...merged]
    .map(([many, n]) => {
      const one = Object.values(NOUNS).find((noun) => noun[1] === many)?.[0] ?? "other tool";
      return `${n} ${n === 1 ? one : many}`;
    })
    .join(", ");
}
