// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { accepted, requestKey } from "./request_key";

describe("requestKey", () => {
  it("is the same until the request is accepted or changes", () => {
    const key = requestKey("a", { text: "hi" });
    expect(requestKey("a", { text: "hi" })).toBe(key);
    expect(requestKey("b", { text: "hi" })).not.toBe(key);
    const other = requestKey("a", { text: "ho" });
    expect(other).not.toBe(key);
    accepted("a");
    expect(requestKey("a", { text: "ho" })).not.toBe(other);
  });
});
