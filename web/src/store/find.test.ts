// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { findEvent } from "./find";
import type { Row } from "./rows";
import { groupRuns } from "./runs";
import { TaskSession } from "./session";

const tool = (n: number, more: object = {}) =>
  ({ kind: "tool", key: `${n}.0`, event: `${n}.0`, revision: 0, name: "Bash", server: "", result: { isError: false }, children: [], ...more }) as unknown as Row;

describe("findEvent", () => {
  const inner = tool(11, { resultEvent: "12.0" });
  const rows = [tool(1, { resultEvent: "6.0" }), tool(2, { resultEvent: "5.0" }), tool(3), tool(10, { name: "Agent", children: [inner] }), tool(20), tool(21)];
  const items = groupRuns(rows);
  const keys = (event: string) => findEvent(items, event)?.rows.map(({ key }) => key);

  it("finds results, rows in runs and those of subagents", () => {
    expect(items[0]?.kind).toBe("run");
    expect(keys("6.0")).toEqual(["1.0"]);
    expect(keys("5.0")).toEqual(["2.0"]);
    expect(keys("12.0")).toEqual(["10.0", "11.0"]);
    expect(keys("4.0")).toEqual(["3.0"]);
    expect(keys("0.5")).toEqual(["1.0"]);
    expect(findEvent([], "1.0")).toBeUndefined();
  });

  it("is unfolded with all around it", () => {
    const session = new TaskSession("t");
    session.reveal(findEvent(items, "5.0")!);
    expect([session.unfolded.get(items[0]!.key), session.unfolded.get("2.0")]).toEqual([true, true]);
    expect(session.reveal(findEvent(items, "12.0")!)).toBe("11.0");
    expect([session.unfolded.get("10.0"), session.marked.value]).toEqual([true, "11.0"]);
  });
});
