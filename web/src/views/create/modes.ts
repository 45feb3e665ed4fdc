import type { EditMode } from "../../api/types";

/** What each edit mode means, in a sentence. */
export const MODES: Record<EditMode, string> = {
  research: "Reads files and runs only commands that can't write.",
  ask: "May do anything, and asks you before it writes or runs anything.",
  auto_edit: "Edits files in its folder; asks or refuses before it runs commands.",
  full_auto: "Edits files and runs commands, in the harness's sandbox if it has one.",
  dangerous: "No limits and no sandbox: it can do whatever you can on this machine.",
  native: "Whatever the CLI's own configuration says.",
};

export const MODE_ORDER: EditMode[] = ["research", "ask", "auto_edit", "full_auto", "dangerous", "native"];
