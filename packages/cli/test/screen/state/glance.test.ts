/** What a glance shows of a talk one goes on with. */

import { story } from "@pith/context/testing";
import { expect, test } from "vitest";
import { glance } from "../../../src/screen/state/glance.ts";

test("RES3 a glance is the last exchange and the one before it, and says how much lies before them", () => {
  const lines = Array.from({ length: 10 }, (_, at) => [`user: question ${at}`, `says: answer ${at}`]).flat();
  const { blocks, left } = glance(story(...lines));
  const texts = blocks.flatMap((block) => ("text" in block ? [block.text] : []));
  expect(texts).toEqual(["question 8", "answer 8", "question 9", "answer 9"]);
  expect(left).toBe(16);
});

test("RES3 of a long answer a glance shows the end, from a paragraph on", () => {
  const paragraphs = Array.from({ length: 100 }, (_, at) => `paragraph ${at} ${"and its words ".repeat(5)}`);
  const { blocks } = glance(story("user: tell me", `says: ${paragraphs.join("\n\n")}`));
  const answer = blocks.find((block) => block.kind === "answered");
  expect(answer?.kind === "answered" && answer.text.slice(answer.printed)).toMatch(/^paragraph 7\d /);
});
