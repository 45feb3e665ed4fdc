// Terminal colours as spans. Everything else that an escape sequence could do to
// a terminal is taken out.
import Anser from "anser";
import { visible } from "../lib/visible";

export interface Span {
  text: string;
  classes: string;
}

// Operating-system commands, cursor movements, modes; anything but colours.
const OTHER_SEQUENCES =
  /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b\[[0-?]*[ -/]*[@-ln-~]|\u001b[PX^_][^\u001b]*(?:\u001b\\)?|\u001b[ -/]*[0-Z\\^-~]/g;
const MAX_SPANS = 4_000;

/** Keeps what a terminal would show of a line that was written over. */
function lastWritten(text: string): string {
  return text.includes("\r") ? text.replace(/[^\n]*\r(?!\n|$)/g, "") : text;
}

export function ansiSpans(text: string): Span[] {
  const clean = lastWritten(text.replaceAll("\r\n", "\n").replace(OTHER_SEQUENCES, ""));
  if (!clean.includes("\u001b[")) return [{ text: visible(clean), classes: "" }];
  const parts = Anser.ansiToJson(clean, { use_classes: true, remove_empty: true, json: true });
  const spans: Span[] = [];
  for (const part of parts) {
    if (spans.length >= MAX_SPANS) {
      spans.at(-1)!.text += visible(part.content);
      continue;
    }
    const classes = [part.fg, part.bg && `${part.bg}-bg`, ...(part.decorations ?? []).map((name) => `ansi-${name}`)];
    spans.push({ text: visible(part.content), classes: classes.filter(Boolean).join(" ") });
  }
  return spans;
}
