import { describe, expect, it } from "vitest";
import { changesOfDiff, readDiff, changesOfTool, mergeChanges } from "./changes";
import type { ToolRow } from "./rows";

const tool = (name: string, input: unknown) => ({ name, server: "", input }) as ToolRow;

describe("changesOfDiff", () => {
  it("splits files, with what became of them", () => {
    const diff = [
      "diff --git a/a.txt b/a.txt", "new file mode 100644", "--- /dev/null", "+++ b/a.txt", "@@ -0,0 +1 @@", "+hi",
      "diff --git a/b.txt b/b.txt", "--- a/b.txt", "+++ b/b.txt", "@@ -1,2 +1,2 @@", " same", "-old", "+new",
      "diff --git a/c.txt b/c.txt", "deleted file mode 100644", "--- a/c.txt", "+++ /dev/null", "@@ -1 +0,0 @@", "-gone", "",
    ].join("\n");
    expect(changesOfDiff(diff).map(({ path, kind, added, removed }) => ({ path, kind, added, removed }))).toEqual([
      { path: "a.txt", kind: "added", added: 1, removed: 0 },
      { path: "b.txt", kind: "changed", added: 1, removed: 1 },
      { path: "c.txt", kind: "deleted", added: 0, removed: 1 },
    ]);
  });

  it("takes lines of a file that look like headers for lines", () => {
    const diff = "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- comment\n++++ more\n";
    expect(changesOfDiff(diff)).toMatchObject([{ path: "x.sql", added: 1, removed: 1 }]);
  });

  it("takes lines of a file for lines even if they look like the next file's", () => {
    const diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a\n+++ b\n-c\n+d\n";
    expect(changesOfDiff(diff)).toMatchObject([{ path: "x", added: 2, removed: 2 }]);
  });

  it.each([
    ["--- /dev/null\n+++ small.sh\n+echo a\n+echo b\n", { path: "small.sh", kind: "added", added: 2, removed: 0 }],
    ["--- small.sh\n+++ /dev/null\n-echo a\n", { path: "small.sh", kind: "deleted", added: 0, removed: 1 }],
  ])("takes an addition or a deletion without hunks: %j", (diff, change) => {
    expect(readDiff(diff)).toMatchObject({ changes: [change], whole: true });
    const two = readDiff(`${diff}--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n`);
    expect(two).toMatchObject({ changes: [change, { path: "b", added: 1, removed: 1 }], whole: true });
  });

  it.each([
    "rm -rf /",
    "--- a/x\n+++ b/x\nnot a line of a diff\n",
    "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
    "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
    "--- /dev/null\n+++ x\n",
  ])("tells that it does not show all of %j", (diff) => expect(readDiff(diff).whole).toBe(false));

  it("reads 100 000 lines in a moment", () => {
    const diff = `--- a/x\n+++ b/x\n@@ -1 +1,100000 @@\n${"+line\n".repeat(100_000)}`;
    expect(changesOfDiff(diff)[0]?.added).toBe(100_000);
  });
});

describe("changesOfTool", () => {
  it("makes a diff of an edit", () => {
    const [change] = changesOfTool(tool("Edit", { file_path: "/w/a", old_string: "a\nb\n", new_string: "a\nc\n" }));
    expect(change).toMatchObject({ path: "/w/a", kind: "changed", added: 1, removed: 1 });
    expect(change?.patch).toContain("-b\n+c");
  });

  it("knows Codex's list of changes", () => {
    expect(changesOfTool(tool("Edit", { changes: [{ path: "n", kind: { type: "add" }, diff: "x\ny\n" }] }))).toMatchObject([
      { path: "n", kind: "added", added: 2, removed: 0 },
    ]);
  });

  it("knows an edit by its result if the input has no texts, as over ACP", () => {
    const input = { file_path: "/workspace/n.txt", title: "Writing to n.txt" };
    const running = tool("Write", input);
    expect(changesOfTool(running)).toEqual([]);
    const output = "--- /dev/null\n+++ /workspace/n.txt\n@@ -0,0 +1 @@\n+n\n";
    const ended = { ...running, output, result: { isError: false } } as ToolRow;
    expect(changesOfTool(ended)).toMatchObject([{ path: "/workspace/n.txt", kind: "added", added: 1, removed: 0 }]);
    expect(changesOfTool({ ...ended, output: "Done." })).toEqual([]);
    expect(changesOfTool({ ...ended, result: { isError: true } } as ToolRow)).toEqual([]);
  });

  it("takes an added file with @@ in it for added lines", () => {
    const [change] = changesOfTool(tool("Edit", { changes: [{ path: "n", kind: { type: "add" }, diff: "x\n@@ y\n" }] }));
    expect(change).toMatchObject({ added: 2, removed: 0 });
  });

  it.each([undefined, null, "text", 3, [], {}, { changes: [null, 3, {}] }, { file_path: 3 }, { file_path: "a", edits: [null, 1] }])(
    "survives the input %j",
    (input) => expect(() => changesOfTool(tool("Edit", input))).not.toThrow(),
  );
});

describe("mergeChanges", () => {
  it("puts changes of one file together", () => {
    const one = { path: "a", patch: "@@\n+1", added: 1, removed: 0, kind: "added" as const };
    const two = { path: "a", patch: "@@\n-1\n+2", added: 1, removed: 1, kind: "changed" as const };
    expect(mergeChanges([one], [two])).toMatchObject([{ path: "a", kind: "added", added: 2, removed: 1 }]);
  });
});
