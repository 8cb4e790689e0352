/** Answers as Markdown: the same in one piece or in many, and quick whatever they are. */

import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderBlock } from "../../../../src/modes/interactive/render/block.ts";
import { findTailStart, loadHighlighter } from "../../../../src/modes/interactive/render/markdown.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import type { FencedCode } from "../../../../src/modes/interactive/state/blocks.ts";
import { findStablePrefix } from "../../../../src/modes/interactive/state/finished-blocks.ts";
import { answerOf, folded } from "./brushes.ts";

test("SCR11 a reply looks the same whether it was printed in one piece or in many", () => {
  const line = fc.constantFrom(
    "some words",
    "",
    "  more",
    "```ts",
    "const a = 1;",
    "```",
    "- item",
    "1. one",
    "# head",
    "> quote",
  );
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 90 }), fc.integer({ min: 1, max: 60 }), (lines, step) => {
      const text = lines.join("\n").trim();
      const whole = renderBlock(answerOf(text), folded);
      const rows: string[] = [];
      let [printed, code] = [0, null as FencedCode | null];
      for (let length = step; length <= text.length; length += step) {
        const upTo = findStablePrefix(`${text}\n`.slice(0, length), printed, code);
        const part = { printed, ...(code && { code }) };
        if (upTo.length > printed) rows.push(...renderBlock(answerOf(text.slice(0, upTo.length), part), folded));
        [printed, code] = [upTo.length, upTo.code];
      }
      rows.push(...renderBlock(answerOf(text, { printed, ...(code && { code }) }), folded));
      expect(rows).toEqual(whole);
    }),
  );
});

/** What a machine in a hurry may take; hung, it takes hours. */
const PATIENCE_MS = 5_000;

const marks = [
  ">",
  "> ",
  "- ",
  "1. ",
  "[",
  "![",
  "*a_",
  "_a_",
  "**",
  "`",
  "<",
  "~~a",
  "|a",
  "$",
  "!",
  "[a](",
  "a|b\n-|-\n",
  "  - a\n",
];

test("SCR19 [S15] a million Markdown characters of any kind are rendered quickly, as text", () => {
  for (const mark of marks) {
    const text = mark.repeat(1_000_000 / mark.length);
    const start = performance.now();
    expect(renderBlock(answerOf(text), folded).length).toBeGreaterThan(0);
    expect(renderBlock(answerOf(text, { isOpen: true }), { ...folded, maxRows: 20 }).length).toBeLessThan(400);
    expect([mark, performance.now() - start < PATIENCE_MS]).toEqual([mark, true]);
  }
});

test("SCR20 of an unfinished reply only the visible end is parsed again", () => {
  const text = Array.from({ length: 1_500 }, (_, at) => `const value${at} = ${at}; // of many`).join("\n");
  expect(text.length - findTailStart(text, 0, 20)).toBeLessThan(1_000);
  expect("x".repeat(50_000).length - findTailStart("x".repeat(50_000), 0, 20)).toBe(10_000);
});

test("findTailStart returns the start of a line, and 0 for short text", () => {
  expect(findTailStart("one\ntwo", 0, 5)).toBe(0);
  expect("a\nb\nc\nd\ne".slice(findTailStart("a\nb\nc\nd\ne", 0, 2))).toBe("c\nd\ne");
});

test("SCR21 code is highlighted in its language, and has one color if the language is unknown", async () => {
  await loadHighlighter();
  const brush = { ...folded, theme: createTheme("dark") };
  const [, , line = ""] = renderBlock(answerOf('```ts\nconst a = "x";\n```'), brush);
  expect(line).toContain(brush.theme.accent("const"));
  expect(line).toContain(brush.theme.good('"x"'));
  expect(renderBlock(answerOf("```nonsense\na b\n```"), brush)[2]).toBe(`    ${brush.theme.code("a b")}`);
});

test("SCR30 a code block has a frame with its language, and its lines can be copied without it", () => {
  const [, top, code, end] = renderBlock(answerOf("```ts\nconst a = 1;\n```"), { ...folded, width: 30 });
  expect([top, code, end]).toEqual([`  ┌─ ts ${"─".repeat(22)}`, "    const a = 1;", `  └${"─".repeat(27)}`]);
  const [, plainTop] = renderBlock(answerOf("```\nx\n```"), { ...folded, width: 30 });
  expect(plainTop).toBe(`  ┌${"─".repeat(27)}`);
});

test("the address of a link is always shown", () => {
  expect(renderBlock(answerOf("see [the docs](https://a.b/c)"), folded)[1]).toBe("  see the docs (https://a.b/c)");
});

test("SCR30 a table has no lines between one-line rows, and keeps them if a row wraps", () => {
  const table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |";
  expect(renderBlock(answerOf(table), folded).slice(1).map(stripVTControlCharacters)).toEqual([
    "  ┌───┬───┐",
    "  │ a │ b │",
    "  ├───┼───┤",
    "  │ 1 │ 2 │",
    "  │ 3 │ 4 │",
    "  └───┴───┘",
  ]);
  const wrapped = renderBlock(answerOf(table.replace("2", "words ".repeat(40))), folded);
  expect(wrapped.filter((line) => line.includes("├─"))).toHaveLength(2);
  const dark = createTheme("dark");
  expect(renderBlock(answerOf(table), { ...folded, theme: dark })[1]).toBe(`  ${dark.border("┌───┬───┐")}`);
});
