// @vitest-environment jsdom
import { render } from "preact";
import { describe, expect, it } from "vitest";
import type { Task } from "../api/types";
import { StateMark } from "./parts";

describe("StateMark", () => {
  it.each([
    ["idle", "done", "state state-idle"],
    ["idle", "failed", "state state-idle state-bad"],
    ["done", "denied", "state state-done state-doubt"],
    ["running", "failed", "state state-running"],
  ])("marks a task that is %s, with a last turn that is %s", (state, outcome, classes) => {
    const box = document.createElement("div");
    render(<StateMark task={{ state, outcome } as Task} />, box);
    expect(box.firstElementChild!.className).toBe(classes);
  });
});
