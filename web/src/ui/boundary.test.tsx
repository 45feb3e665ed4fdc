// @vitest-environment jsdom
import { render } from "preact";
import { expect, it } from "vitest";
import { Boundary, rawJson } from "./Boundary";

function Broken({ isBroken }: { isBroken: boolean }) {
  if (isBroken) throw new Error("broken");
  return <p>well</p>;
}

it("shows the rest of a view if a part of it can't be drawn", async () => {
  const box = document.createElement("div");
  const draw = async (isBroken: boolean, revision: number) => {
    render(<><i>rest</i><Boundary value={{ x: 1 }} revision={revision}><Broken isBroken={isBroken} /></Boundary></>, box);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return box.textContent;
  };
  expect(await draw(true, 1)).toMatch(/^restThis part can't be shown.*"x": 1/s);
  expect(await draw(false, 2)).toBe("restwell");
});

it("writes rows that know what they are in", () => {
  const row: Record<string, unknown> = { name: "a" };
  row.children = [{ parent: row }];
  expect(JSON.parse(rawJson(row))).toEqual({ name: "a", children: [{}] });
});
