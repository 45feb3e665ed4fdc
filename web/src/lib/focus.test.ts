// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { focusView, rememberFocus } from "./focus";

describe("rememberFocus", () => {
  it("gives the focus back to the menu of what had it", () => {
    document.body.innerHTML = "<details open><summary tabindex=0>More</summary><button>Fork</button></details>";
    const button = document.querySelector("button")!;
    button.focus();
    const giveBack = rememberFocus();
    document.querySelector("details")!.open = false;
    button.blur();
    giveBack();
    expect(document.activeElement?.tagName).toBe("SUMMARY");
  });

  it("leaves a focus alone that is somewhere", () => {
    document.body.innerHTML = "<button>a</button><input><main class=task-view><div class=virtual tabindex=0></div></main>";
    document.querySelector("button")!.focus();
    const giveBack = rememberFocus();
    document.querySelector("input")!.focus();
    giveBack();
    expect(document.activeElement?.tagName).toBe("INPUT");
    document.querySelector("input")!.blur();
    focusView(document.querySelector("main"));
    expect(document.activeElement?.className).toBe("virtual");
  });
});
