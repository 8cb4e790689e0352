/** Where a text may be cut while it is still being written. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { codeAt, paragraphs } from "../../../src/screen/state/paragraphs.ts";
import { settled } from "../../../src/screen/state/settled-length.ts";

function paragraphsOf(text: string): readonly string[] {
  return [...paragraphs(text, 0)].map(({ start, end }) => text.slice(start, end));
}

test("a paragraph is over when another has begun", () => {
  expect(settled("one\n\n", 0).length).toBe(0);
  expect(settled("one\n\n ", 0).length).toBe(0);
  expect(settled("one\n\nt", 0).length).toBe(5);
  expect(settled("one\ntwo\n", 0).length).toBe(0);
  expect(settled("one\n```\n", 0).length).toBe(4);
});

test("blank lines within fenced code end nothing", () => {
  expect(settled("```\na\n\nb\n", 0).length).toBe(0);
  expect(settled("```\na\n\nb\n```", 0).length).toBe(0);
  expect(settled("```\na\n\nb\n```\n", 0).length).toBe(13);
  expect(paragraphsOf("so:\n```\na\n\nb\n```\nand")).toEqual(["so:\n", "```\na\n\nb\n```\n", "and"]);
});

test("what is indented belongs to what stands above it", () => {
  expect(settled("- a\n\n  more of a\n\n- b\n", 0).length).toBe(18);
  expect(paragraphsOf("- a\n\n  ```\nx\n\ny\n  ```\n")).toHaveLength(1);
});

test("SCR20 of long code all but its last lines is settled, and it goes on from there", () => {
  const code = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");
  const text = `\`\`\`ts\n${code}`;
  const first = settled(text, 0);
  expect(first.code).toEqual({ mark: "```", language: "ts", start: 6 });
  expect(text.slice(first.length)).toBe(Array.from({ length: 5 }, (_, at) => `line ${at + 35}`).join("\n"));
  expect(settled(text, first.length, first.code)).toEqual(first);
  expect(codeAt(text, first.length)).toEqual(first.code);
  const closed = settled(`${text}\n\`\`\`\n\nso`, first.length, first.code);
  expect([closed.length, closed.code]).toEqual([`${text}\n\`\`\`\n\n`.length, null]);
});

test("SCR11 paragraphs are the text, whole", () => {
  const line = fc.constantFrom("a", "", "  b", "```ts", "```", "  ```", "- c", "| d |", "> e", "```x``` y");
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const text = lines.join("\n");
      expect(paragraphsOf(text).join("")).toBe(text);
    }),
  );
});
