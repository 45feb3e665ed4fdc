// What an agent changed, from the diffs of its harness or the input of its tools.
import { structuredPatch } from "diff";
import type { Change, ToolRow } from "./rows";

const MAX_DIFFED = 400_000;

interface Edit {
  old: string;
  new: string;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const TEXTS = ["content", "old_string", "new_string", "old_source", "new_source"];

/** Whether the input has the texts; agents that speak ACP tell them with the result. */
function hasTexts(fields: Record<string, unknown>): boolean {
  return Array.isArray(fields.edits) || TEXTS.some((name) => typeof fields[name] === "string");
}

/** The changes that a tool brought, if its output is a diff and nothing else. */
function changesOfOutput({ result, output }: ToolRow): Change[] {
  if (!result || result.isError) return [];
  const { changes, whole } = readDiff(output);
  return whole ? changes : [];
}

/** The changes that a tool's input or its output describes; none if it is no edit. */
export function changesOfTool(tool: ToolRow): Change[] {
  if (tool.approval?.diff) return changesOfDiff(tool.approval.diff);
  if (!["Edit", "Write", "NotebookEdit"].includes(tool.name) || tool.server) return [];
  const input = tool.input;
  if (!input || typeof input !== "object" || Array.isArray(input)) return [];
  const fields = input as Record<string, unknown>;
  if (Array.isArray(fields.changes)) return fields.changes.flatMap(nativeChange);
  if (!hasTexts(fields)) return changesOfOutput(tool);
  const path = text(fields.file_path) || text(fields.path) || text(fields.notebook_path);
  if (!path) return [];
  if (tool.name === "Write") {
    return [changeOf(path, "added", [{ old: "", new: text(fields.content) }])];
  }
  const edits = Array.isArray(fields.edits) ? fields.edits : [fields];
  return [
    changeOf(
      path,
      "changed",
      edits.map((edit: Record<string, unknown>) => ({
        old: text(edit?.old_string) || text(edit?.old_source),
        new: text(edit?.new_string) || text(edit?.new_source),
      })),
    ),
  ];
}

/** An entry of Codex's `changes`; older versions only name the file. */
function nativeChange(entry: unknown): Change[] {
  if (!entry || typeof entry !== "object") return [];
  const { path, kind, diff } = entry as Record<string, unknown>;
  if (typeof path !== "string") return [];
  const name = typeof kind === "string" ? kind : text((kind as { type?: unknown } | null)?.type);
  const how = name === "add" ? "added" : name === "delete" ? "deleted" : "changed";
  let patch = text(diff);
  if (patch && !(how === "changed" ? patch.includes("@@") : /^(@@ |--- |diff --git )/.test(patch))) {
    const sign = how === "deleted" ? "-" : "+";
    patch = `@@ @@\n${patch.replace(/\n$/, "").replace(/^/gm, sign)}`;
  }
  return [{ path, patch, kind: how, ...count(patch) }];
}

function changeOf(path: string, kind: Change["kind"], edits: Edit[]): Change {
  const patches = edits.map((edit) => patchOf(edit));
  const patch = patches.join("\n");
  return { path, patch, kind, ...count(patch) };
}

function patchOf({ old, new: now }: Edit): string {
  if (!old) {
    const lines = now.replace(/\n$/, "").split("\n");
    return [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join("\n");
  }
  const small = old.length + now.length <= MAX_DIFFED;
  const made = small ? structuredPatch("a", "b", old, now, "", "", { context: 3, timeout: 200 }) : undefined;
  if (!made) {
    return ["@@ @@", ...old.split("\n").map((l) => `-${l}`), ...now.split("\n").map((l) => `+${l}`)].join("\n");
  }
  return made.hunks
    .map((hunk) =>
      [
        `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
        ...hunk.lines.filter((line) => !line.startsWith("\\")),
      ].join("\n"),
    )
    .join("\n");
}

function count(patch: string): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (let at = 0; at !== -1 && at < patch.length; ) {
    const sign = patch[at];
    if (sign === "+") added++;
    else if (sign === "-") removed++;
    const end = patch.indexOf("\n", at);
    at = end === -1 ? -1 : end + 1;
  }
  return { added, removed };
}

/** Lines of a diff that say nothing a list of changed files does not show. */
const HEADER = /^(diff --git |index |new file mode 100644$|deleted file mode |\\|$)/;

/** Lines of a hunk that are still to come, by its header; undefined if that does not tell. */
function lengthOf(header: string): { old: number; new: number } | undefined {
  const found = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(header);
  return found ? { old: Number(found[1] ?? 1), new: Number(found[2] ?? 1) } : undefined;
}

class DiffReader {
  readonly changes: Change[] = [];
  /** Whether the changes show all that the diff says. */
  whole = true;
  private path = "";
  private kind: Change["kind"] = "changed";
  private body: string[] = [];
  private isNamed = false;
  private inHunk = false;
  private left: { old: number; new: number } | undefined;

  read(line: string, next: string): void {
    if (line.startsWith("diff --git ")) {
      this.end();
      this.path = / b\/(.*)$/.exec(line)?.[1] ?? line.slice(11);
    } else if (this.left) {
      this.add(line);
    } else if (line.startsWith("--- ") && next.startsWith("+++ ")) {
      if (this.isNamed) this.end();
      if (line === "--- /dev/null") this.kind = "added";
      else this.path ||= named(line);
    } else if (line.startsWith("+++ ") && !this.isNamed) {
      this.isNamed = true;
      if (line === "+++ /dev/null") this.kind = "deleted";
      else this.path = named(line);
    } else if (line.startsWith("@@")) {
      this.inHunk = true;
      this.left = lengthOf(line);
      this.body.push(line);
    } else if (this.inHunk || (this.isNamed && /^[-+ ]/.test(line))) {
      // Codex's additions and deletions have no line that begins a hunk.
      this.inHunk = true;
      this.add(line);
    } else {
      this.readHeader(line);
    }
  }

  end(): void {
    if (this.path && (this.body.length || this.kind !== "changed")) {
      const patch = this.body.join("\n");
      this.changes.push({ path: this.path, kind: this.kind, patch, ...count(patch) });
    } else if (this.path || this.body.length) {
      this.whole = false;
    }
    this.path = "";
    this.kind = "changed";
    this.body = [];
    this.isNamed = this.inHunk = false;
    this.left = undefined;
  }

  private readHeader(line: string): void {
    if (line.startsWith("new file")) this.kind = "added";
    if (line.startsWith("deleted file")) this.kind = "deleted";
    if (!HEADER.test(line)) this.whole = false;
  }

  private add(line: string): void {
    if (line.startsWith("\\")) return;
    this.body.push(line);
    if (!this.left) return;
    if (!line.startsWith("+")) this.left.old--;
    if (!line.startsWith("-")) this.left.new--;
    if (this.left.old <= 0 && this.left.new <= 0) this.left = undefined;
  }
}

/** Splits a unified diff into its files, and tells whether they show all of it. */
export function readDiff(diff: string): { changes: Change[]; whole: boolean } {
  const reader = new DiffReader();
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  lines.forEach((line, i) => reader.read(line, lines[i + 1] ?? ""));
  reader.end();
  const { changes, whole } = reader;
  return { changes, whole: whole && (changes.some(({ patch }) => patch) || !diff.trim()) };
}

export function changesOfDiff(diff: string): Change[] {
  return readDiff(diff).changes;
}

function named(line: string): string {
  return line.slice(4).replace(/\t.*$/, "").replace(/^[ab]\//, "");
}

/** Puts later changes of a file behind earlier ones. */
export function mergeChanges(before: Change[], more: Change[]): Change[] {
  if (!more.length) return before;
  const merged = [...before];
  for (const change of more) {
    const at = merged.findIndex(({ path }) => path === change.path);
    const known = merged[at];
    if (!known) {
      merged.push(change);
      continue;
    }
    const replaced = change.kind === "added" && known.kind === "added";
    merged[at] = replaced
      ? change
      : {
          path: change.path,
          kind: known.kind === "added" ? "added" : change.kind,
          patch: [known.patch, change.patch].filter(Boolean).join("\n"),
          added: known.added + change.added,
          removed: known.removed + change.removed,
        };
  }
  return merged;
}
