// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { firstLines } from "../lib/lines";
import { visible } from "../lib/visible";
import { ansiSpans } from "./ansi";
import { spansOf } from "./Output";
import { diffLines, diffPairs } from "./diff_lines";
import { renderMarkdown } from "./markdown";

function html(text: string): HTMLElement {
  const box = document.createElement("div");
  box.append(renderMarkdown(text));
  return box;
}

describe("renderMarkdown", () => {
  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><style>*{display:none}</style></svg>",
    "<iframe src='https://example.com'></iframe>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "![x](https://example.com/pixel.png)",
    "<a href='x' style='position:fixed' onclick='alert(1)' id='app'>x</a>",
    "<form action='https://example.com'><input></form>",
    "<b onmouseover=alert(1)>x",
  ])("makes nothing of %s", (text) => {
    const box = html(text);
    expect(box.querySelector("script, img, svg, style, iframe, form, input, object, embed")).toBeNull();
    for (const element of box.querySelectorAll("*")) {
      for (const { name } of element.attributes) expect(name).not.toMatch(/^(on|style$|id$|src)/);
      expect(element.getAttribute("href") ?? "https:").toMatch(/^(https?|mailto):/);
    }
  });

  it("opens links outside, and paths not at all", () => {
    const link = html("[docs](https://example.com/a)").querySelector("a");
    expect(link?.getAttribute("rel")).toBe("noopener noreferrer");
    expect(html("[passwd](/etc/passwd) [f](file:///etc/passwd) [up](../../x)").querySelector("a")).toBeNull();
  });

  it("shows what is nested too deeply as it was written", () => {
    const text = "> ".repeat(15_000);
    expect(html(text).querySelector("pre")?.textContent).toBe(text);
  });

  it("keeps Markdown", () => {
    const box = html("# T\n\n- **a**\n\n```c\nint x;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |");
    expect(box.querySelector("h1, li strong")).not.toBeNull();
    expect(box.querySelector("pre code")?.textContent).toBe("int x;\n");
    expect(box.querySelectorAll("td")).toHaveLength(2);
  });
});

describe("visible", () => {
  it("shows what would reverse or hide text", () => {
    expect(visible("a\u202eb\u2066c\u200bd\u0000\u001b")).toBe("a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d␀␛");
    expect(visible("a\u{e0041}b")).toBe("a⟨U+E0041⟩b");
    expect(visible("tab\tline\nend")).toBe("tab\tline\nend");
  });
});

describe("ansiSpans", () => {
  it("shows colours", () => {
    expect(ansiSpans("\u001b[31mred\u001b[0m plain")).toEqual([
      { text: "red", classes: "ansi-red" },
      { text: " plain", classes: "" },
    ]);
  });

  it("drops what moves the cursor, sets titles or clears", () => {
    const text = "\u001b]0;title\u0007a\u001b[2J\u001b[10;10Hb\u001b[?25lc\u001bPx\u001b\\d";
    expect(ansiSpans(text).map((span) => span.text).join("")).toBe("abcd");
  });

  it("bounds the number of spans", () => {
    expect(ansiSpans("\u001b[31ma\u001b[0mb".repeat(50_000)).length).toBeLessThanOrEqual(4_000);
  });

  it("shows what a line that was written over ends with", () => {
    expect(ansiSpans("10%\r50%\r100%\nok")[0]?.text).toBe("100%\nok");
  });
});

describe("spansOf", () => {
  it.each([
    ["curl evil | sh #\rls -la", "curl evil | sh #⟨U+000D⟩ls -la"],
    ["a\u001b]0;hidden\u0007b\u001b[8mc", "a␛]0;hidden␇b␛[8mc"],
  ])("hides nothing of %j if it is literal", (text, shown) => {
    expect(spansOf(text, true)).toEqual([{ text: shown, classes: "" }]);
  });
});

describe("firstLines", () => {
  it("cuts long lines and long texts", () => {
    const { lines, more } = firstLines("x".repeat(10_000_000), 10);
    expect(lines[0]!.length).toBeLessThan(2_100);
    expect(more).toBe(false);
    expect(firstLines("a\n".repeat(100_000), 10)).toEqual({ lines: Array(10).fill("a"), more: true, long: false });
    expect(firstLines("a\nb\n", 10)).toEqual({ lines: ["a", "b"], more: false, long: false });
  });

  it("tells that a line is cut, and gives it whole if asked", () => {
    const text = "x".repeat(5_000);
    expect(firstLines(text, 10).long).toBe(true);
    expect(firstLines(text, 10, Infinity)).toEqual({ lines: [text], more: false, long: false });
  });
});

describe("diffLines", () => {
  it("keeps the first character of a line without a sign", () => {
    expect(diffLines(["@@ @@", "rm -rf /"])[1]).toMatchObject({ kind: "same", text: "rm -rf /" });
  });

  it("numbers lines and pairs them", () => {
    const lines = diffLines(["@@ -3,2 +3,3 @@", " a", "-b", "+c", "+d"]);
    expect(lines.map(({ before, after }) => [before, after])).toEqual([[undefined, undefined], [3, 3], [4, undefined], [undefined, 4], [undefined, 5]]);
    expect(diffPairs(lines).at(-1)).toMatchObject({ left: undefined, right: { text: "d" } });
  });
});
