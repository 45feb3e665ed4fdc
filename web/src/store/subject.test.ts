import { describe, expect, it } from "vitest";
import type { Approval } from "../api/types";
import { subjectOf } from "./subject";

const approval = (fields: Partial<Approval>) =>
  ({ id: "a", toolName: "Bash", server: "", command: "", diff: "", paths: [], ...fields }) as Approval;

describe("subjectOf", () => {
  it("shows the fields beside a command", () => {
    const input = { command: "make", description: "Build it", dangerouslyDisableSandbox: true };
    expect(subjectOf(approval({ command: "make", input }))).toMatchObject({
      command: "make", description: "Build it", input: { dangerouslyDisableSandbox: true },
    });
    expect(subjectOf(approval({ input: { command: "make" } }))).toMatchObject({ command: "make", input: undefined });
  });

  it("takes the title of an ACP agent's edit for a description", () => {
    const input = { file_path: "/a", content: "x", title: "Writing to a" };
    expect(subjectOf(approval({ toolName: "Write", input }))).toMatchObject({ description: "Writing to a", input: undefined });
    expect(subjectOf(approval({ input: { command: "ls", title: "b", description: "a" } }))).toMatchObject({ description: "a", input: { title: "b" } });
  });

  it("shows a command in the input that is another one", () => {
    expect(subjectOf(approval({ command: "ls", input: { command: "rm" } })).input).toEqual({ command: "rm" });
    expect(subjectOf(approval({ input: { command: ["rm", "a b"] } })).input).toEqual({ command: ["rm", "a b"] });
  });

  it("shows the whole input of a server's tool", () => {
    const input = { command: "status", description: "x", target: "PRODUCTION", force: true };
    expect(subjectOf(approval({ toolName: "deploy", server: "ops", input }))).toMatchObject({ command: "", description: "", input });
    expect(subjectOf(approval({ server: "ops", command: "status", input }))).toMatchObject({ command: "", input });
  });

  it("shows the fields that a diff does not show", () => {
    const edit = { file_path: "/a", old_string: "x", new_string: "y" };
    expect(subjectOf(approval({ toolName: "Edit", input: edit })).input).toBeUndefined();
    expect(subjectOf(approval({ toolName: "Edit", input: { ...edit, path: "/b", replace_all: true } })).input).toEqual({ path: "/b", replace_all: true });
    const edits = [{ old_string: "x", new_string: "y", replace_all: true }];
    expect(subjectOf(approval({ toolName: "Edit", input: { file_path: "/a", edits } })).input).toEqual({ edits });
    const changes = [{ path: "a", kind: { type: "update", move_path: "/etc/b" }, diff: "@@ -1 +1 @@\n-x\n+y" }];
    expect(subjectOf(approval({ toolName: "Edit", input: { changes } })).input).toEqual({ changes });
  });

  it("shows a diff as it is if it can't be read", () => {
    expect(subjectOf(approval({ diff: "gibberish" }))).toMatchObject({ changes: [], diff: "gibberish" });
    expect(subjectOf(approval({ diff: "--- /dev/null\n+++ a\n+b\n", paths: ["a", "c"] }))).toMatchObject({ diff: "", paths: ["c"] });
  });

  it.each([undefined, "text", 3, [1]])("survives the input %j", (input) => {
    expect(subjectOf(approval(input === undefined ? {} : { input })).input).toEqual(input);
  });
});
