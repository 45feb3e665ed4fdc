// What a transcript shows, a row for each thing that was said or done.
import type { Approval, Payload, Question, Receipt, Result, TodoItem, Usage } from "../api/types";

interface RowBase {
  /** Stays the same when older events are put before the row. */
  key: string;
  /** Id of the event that the row links to. */
  event: string;
  /** Counts changes of the row, so that a view knows when to draw it again. */
  revision: number;
  time?: string;
  /** The tool whose subagent made the row. */
  parent?: ToolRow;
}

export interface TextRow extends RowBase {
  kind: "text" | "thinking";
  text: string;
  streaming: boolean;
  cut: boolean;
}

export interface InputRow extends RowBase {
  kind: "input";
  text: string;
  images: number;
  cut: boolean;
}

/** A tool use with its result and what was asked about it. */
export interface ToolRow extends RowBase {
  kind: "tool";
  id: string;
  name: string;
  nativeName: string;
  server: string;
  input: unknown;
  /** Id of the event that has the whole input, if it is cut here. */
  inputCut: boolean;
  /** Whether the use itself is before the events that are loaded. */
  orphan: boolean;
  output: string;
  result?: Payload<"toolResult">;
  resultEvent?: string;
  resultCut: boolean;
  endTime?: string;
  approval?: Approval;
  question?: Question;
  subagent?: Payload<"subagent">;
  usage?: Usage;
  children: Row[];
}

export interface ApprovalRow extends RowBase {
  kind: "approval";
  approval: Approval;
}

export interface QuestionRow extends RowBase {
  kind: "question";
  question: Question;
}

/** The end of a turn. */
export interface TurnRow extends RowBase {
  kind: "turn";
  result: Result;
  usage?: Usage;
  changes: Change[];
  /** Whether there may be more changes, as the turn's beginning is not loaded. */
  partial: boolean;
}

export interface NoticeRow extends RowBase {
  kind: "notice";
  tone: "info" | "warning" | "error";
  label: string;
  text: string;
}

/** A line that Troika could not read, or does not know. */
export interface RawRow extends RowBase {
  kind: "raw";
  broken: boolean;
  label: string;
  text: string;
  size: number;
}

export interface TodoRow extends RowBase {
  kind: "todo";
  items: TodoItem[];
}

export type Row =
  | TextRow
  | InputRow
  | ToolRow
  | ApprovalRow
  | QuestionRow
  | TurnRow
  | NoticeRow
  | RawRow
  | TodoRow;

/** A file that an agent changed, as far as its tools or the harness tell. */
export interface Change {
  path: string;
  /** A unified diff without the lines that name the file. */
  patch: string;
  added: number;
  removed: number;
  kind: "added" | "deleted" | "changed";
}

export type { Receipt };
