// What a tool does, in a line.
import type { IconName } from "../../ui/icons";
import { firstLine } from "../../lib/format";

interface Use {
  name: string;
  server: string;
  input: unknown;
}

function field(input: unknown, ...names: string[]): string {
  if (!input || typeof input !== "object") return "";
  for (const name of names) {
    const value = (input as Record<string, unknown>)[name];
    if (typeof value === "string") return value;
    if (Array.isArray(value) && value.every((part) => typeof part === "string")) return value.join(" ");
  }
  return "";
}

export function commandOf(input: unknown): string {
  return field(input, "command", "cmd");
}

const ICONS: Record<string, IconName> = {
  Bash: "terminal", BashOutput: "terminal", KillBash: "terminal", Read: "file", ReadMany: "file", Write: "pencil",
  Edit: "pencil", NotebookEdit: "pencil", Glob: "search", Grep: "search", List: "list", WebSearch: "globe",
  WebFetch: "globe", TodoWrite: "list", TodoRead: "list", Agent: "robot", AskUser: "question",
};

export function iconOf(use: Use): IconName {
  return use.server ? "plug" : (ICONS[use.name] ?? "spark");
}

function changedFiles(input: unknown): string {
  const changes = (input as { changes?: unknown } | null)?.changes;
  if (!Array.isArray(changes)) return "";
  return changes.map((change) => String((change as { path?: unknown })?.path ?? "")).filter(Boolean).join(", ");
}

/** The texts of the questions that an agent asks with a tool. */
export function questionsOf(use: Use): string[] {
  const questions = use.server ? undefined : (use.input as { questions?: unknown } | null | undefined)?.questions;
  if (use.name !== "AskUser" || !Array.isArray(questions)) return [];
  return questions.map((question) => field(question, "question", "text", "header")).filter(Boolean);
}

/** The part of the input that tells most. */
export function summaryOf(use: Use): string {
  const { input } = use;
  const text =
    commandOf(input) ||
    field(input, "file_path", "path", "notebook_path", "dir_path", "absolute_path") ||
    changedFiles(input) ||
    questionsOf(use).join(" ") ||
    field(input, "query", "pattern", "url", "description", "prompt", "text", "skill", "title");
  if (text) return firstLine(text, 300);
  if (input === undefined || input === null) return "";
  return firstLine(typeof input === "string" ? input : JSON.stringify(input), 300);
}
