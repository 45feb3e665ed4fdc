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

/** The changes that a tool's input describes; none if it is no edit. */
export function changesOfTool(tool: ToolRow): Change[] {
  if (tool.approval?.diff) return changesOfDiff(tool.approval.diff);
  if (!["Edit", "Write", "NotebookEdit"].includes(tool.name) || tool.server) return [];
  const input = tool.input;
  if (!input || typeof input !== "object" || Array.isArray(input)) return [];
  const fields = input as Record<string, unknown>;
  if (Array.isArray(fields.changes)) return fields.changes.flatMap(nativeChange);
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
  if (patch && !patch.includes("@@")) {
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

/** Splits a unified diff into its files. */
export function changesOfDiff(diff: string): Change[] {
  const changes: Change[] = [];
  let path = "";
  let kind: Change["kind"] = "changed";
  let body: string[] = [];
  let inHunk = false;
  const end = () => {
    if (path && (body.length || kind !== "changed")) {
      const patch = body.join("\n");
      changes.push({ path, kind, patch, ...count(patch) });
    }
    path = "";
    kind = "changed";
    body = [];
    inHunk = false;
  };
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  lines.forEach((line, i) => {
    const next = lines[i + 1] ?? "";
    if (line.startsWith("diff --git ")) {
      end();
      path = / b\/(.*)$/.exec(line)?.[1] ?? line.slice(11);
    } else if (line.startsWith("--- ") && next.startsWith("+++ ")) {
      if (inHunk) end();
      if (line === "--- /dev/null") kind = "added";
      else path ||= named(line);
    } else if (line.startsWith("+++ ") && !(inHunk && body.length)) {
      if (line === "+++ /dev/null") kind = "deleted";
      else path = named(line);
    } else if (line.startsWith("@@")) {
      inHunk = true;
      body.push(line);
    } else if (inHunk) {
      if (!line.startsWith("\\")) body.push(line);
    } else if (line.startsWith("new file")) {
      kind = "added";
    } else if (line.startsWith("deleted file")) {
      kind = "deleted";
    }
  });
  end();
  return changes;
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
