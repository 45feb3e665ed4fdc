// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import { readDraft, writeDraft } from "./draft";

describe("drafts", () => {
  beforeEach(() => sessionStorage.clear());

  it("are left alone if they do not fit", () => {
    writeDraft("q", ["a"], [""]);
    const fits = (value: string[]) => value.length === 2;
    expect(readDraft("q", ["", ""], { fits })).toEqual(["", ""]);
    expect(readDraft("q", [""])).toEqual(["a"]);
    sessionStorage.setItem("troika.draft.q", "null");
    expect(readDraft("q", ["", ""], { fits })).toEqual(["", ""]);
  });

  it("do not keep what must not be kept, nor what is empty", () => {
    const kept = (value: string[]) => value.map((text, i) => (i === 1 ? "" : text));
    writeDraft("q", ["open", "secret"], ["", ""], { kept });
    expect(sessionStorage.getItem("troika.draft.q")).toBe('["open",""]');
    writeDraft("q", ["", "secret"], ["", ""], { kept });
    expect(sessionStorage.length).toBe(0);
  });
});
