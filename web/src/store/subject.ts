// What an approval is about: everything that would be done if it is given.
import type { Approval } from "../api/types";
import { changesOfTool, readDiff } from "./changes";
import type { Change, ToolRow } from "./rows";

export interface Subject {
  changes: Change[];
  command: string;
  /** The diff as it is, where the changes do not show all of it. */
  diff: string;
  /** What the agent says about it, in a line. */
  description: string;
  /** The rest of the input. */
  input: unknown;
  /** Files that are neither in the changes nor in the input. */
  paths: string[];
}

type Fields = Record<string, unknown>;

function fieldsOf(value: unknown): Fields | undefined {
  return value && typeof value === "object" && !Array.isArray(value) ? (value as Fields) : undefined;
}

function hasOnly(value: unknown, names: readonly string[]): boolean {
  const fields = fieldsOf(value);
  return !!fields && Object.keys(fields).every((name) => names.includes(name));
}

const TEXTS = ["old_string", "new_string", "old_source", "new_source"];

/** Whether an entry of Codex's `changes` says no more than a path and a diff. */
function isPlainChange(entry: unknown): boolean {
  const kind = fieldsOf(entry)?.kind;
  const moves = !!fieldsOf(kind)?.move_path;
  return hasOnly(entry, ["path", "kind", "diff"]) && !moves;
}

/** The fields that changes made of an input show. */
function shownByChanges(toolName: string, fields: Fields): string[] {
  if (Array.isArray(fields.changes)) return fields.changes.every(isPlainChange) ? ["changes"] : [];
  const path = ["file_path", "path", "notebook_path"].filter((name) => fields[name]).slice(0, 1);
  if (toolName === "Write") return [...path, "content"];
  if (!Array.isArray(fields.edits)) return [...path, ...TEXTS];
  return fields.edits.every((edit) => hasOnly(edit, TEXTS)) ? [...path, "edits"] : path;
}

/** A command of a shell; other tools may call anything so. */
function commandIn(approval: Approval, fields: Fields | undefined): string {
  if (approval.server) return "";
  if (approval.command) return approval.command;
  const command = approval.toolName === "Bash" ? (fields?.command ?? fields?.cmd) : undefined;
  return typeof command === "string" ? command : "";
}

function without(fields: Fields, names: readonly string[]): Fields | undefined {
  const rest = Object.entries(fields).filter(([name]) => !names.includes(name));
  return rest.length ? Object.fromEntries(rest) : undefined;
}

export function subjectOf(approval: Approval): Subject {
  const { toolName, server, diff } = approval;
  const fields = fieldsOf(approval.input);
  const read = diff ? readDiff(diff) : undefined;
  const changes = read?.changes ?? changesOfTool({ name: toolName, server, input: approval.input } as ToolRow);
  const command = commandIn(approval, fields);
  // Agents that speak ACP have a title in its place.
  const about = server ? undefined : ["description", "title"].find((name) => typeof fields?.[name] === "string");
  const description = about ? (fields?.[about] as string) : "";
  const shown = [
    ...(description ? [about!] : []),
    ...["command", "cmd"].filter((name) => command && fields?.[name] === command),
    ...(fields && changes.length ? shownByChanges(toolName, fields) : []),
  ];
  const input = fields ? without(fields, shown) : (approval.input ?? undefined);
  const told = JSON.stringify(input) ?? "";
  return {
    changes,
    command,
    diff: read && !read.whole ? diff : "",
    description,
    input,
    paths: approval.paths.filter((path) => !changes.some((change) => change.path === path) && !told.includes(JSON.stringify(path))),
  };
}
