import { expect, it } from "vitest";
import { questionsOf, summaryOf } from "./describe";

const use = (input: unknown, name = "AskUser", server = "") => ({ name, server, input });

it("tells the texts of questions instead of their JSON", () => {
  const input = { questions: [{ question: "Which colour?", options: [{ label: "Red" }] }, { question: "Which size?" }] };
  expect(questionsOf(use(input))).toEqual(["Which colour?", "Which size?"]);
  expect(summaryOf(use(input))).toBe("Which colour? Which size?");
  expect(questionsOf(use(input, "AskUser", "server"))).toEqual([]);
});

it("tells the title of a tool that tells nothing else", () => {
  expect(summaryOf(use({ title: "Writing to a.txt" }, "Write"))).toBe("Writing to a.txt");
});

it.each([undefined, null, "text", { questions: 3 }, { questions: [null, 1, {}] }])("finds no question in %j", (input) => {
  expect(questionsOf(use(input))).toEqual([]);
});
