/** Every kind of block, whatever is in it: it fits, it steers nothing, and what is folded opens. */

import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderBlock } from "../../../../src/modes/interactive/render/block.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import { isFoldable } from "../../../../src/modes/interactive/state/blocks.ts";
import { callOf, everywhere, folded, opened } from "./brushes.ts";

const hostile = [
  "\x1b[31m",
  "\x1b]0;x\x07",
  "\x9b2J",
  "\u202e",
  "\u200b",
  "a\u0301",
  "漢字",
  "👩‍👩‍👧",
  "\t",
  "\n",
  "*",
  "`",
  "\r",
];
const words = fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...hostile)), { maxLength: 30 });

test("SCR16 no block has a line wider than the screen or control sequences", () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 20, max: 120 }), fc.boolean(), (given, width, isUnfolded) => {
      const brush = { ...folded, width, isUnfolded, theme: createTheme("dark") };
      for (const block of everywhere(given.join("")))
        for (const live of [{}, { maxRows: 9 }])
          for (const line of renderBlock(block, { ...brush, ...live })) {
            expect(visibleWidth(line)).toBeLessThanOrEqual(width);
            // biome-ignore lint/suspicious/noControlCharactersInRegex: inks are all that may be there.
            expect(line.replaceAll(/\x1b\[[\d;]*m/g, "")).not.toMatch(/[\p{Cc}\u202e\u200b]/u);
          }
    }),
    { numRuns: 150, examples: [[["__proto__"], 20, true]] },
  );
});

test("SCR17 a long unfinished block takes about as many rows as are available, expanded or not", () => {
  const long = Array.from({ length: 500 }, (_, at) => `line ${at}`).join("\n");
  for (const block of everywhere(long)) {
    if (!isFoldable(block) && block.kind !== "assistant") continue;
    for (const brush of [folded, opened])
      expect([block.kind, renderBlock(block, { ...brush, maxRows: 30 }).length <= 36]).toEqual([block.kind, true]);
  }
});

test("SCR17 a diff of 200,000 lines is shortened like any other", () => {
  const lines = Array.from({ length: 200_000 }, (_, at) => `+${at}`).join("\n");
  const diff = `--- a\n+++ a\n@@ -0,0 +1,200000 @@\n${lines}\n`;
  expect(renderBlock(callOf({ tool: "edit", arguments: { path: "a" }, diff }), folded).length).toBeLessThan(30);
});

describe("SCR18 a call", () => {
  test("is one line with the tool, its arguments and the size of the result", () => {
    const read = callOf({ tool: "read", arguments: { path: "src/a.ts", offset: 1, limit: 80 }, output: "a\nb" });
    expect(renderBlock({ ...read, isAttached: true }, { ...folded, theme: plainTheme })).toEqual([
      "✓ read src/a.ts 1–80 · 2 lines",
    ]);
  });

  test("of bash shows the end of the output, and all of it when expanded", () => {
    const output = Array.from({ length: 9 }, (_, at) => `line ${at}`).join("\n");
    const call = callOf({ arguments: { command: "npm test" }, output, durationMs: 2_000, isAttached: true });
    const brush = { ...folded, theme: plainTheme };
    const shownLines = ["    … 4 lines above", ...[4, 5, 6, 7, 8].map((at) => `    line ${at}`)];
    expect(renderBlock(call, brush)).toEqual(["✓ bash npm test · 2 s", ...shownLines]);
    expect(renderBlock(call, { ...brush, isUnfolded: true })).toHaveLength(10);
    expect(renderBlock(call, { ...brush, maxRows: 20 })[1]).toBe("    … 4 lines above · Ctrl+O expand");
    expect(renderBlock(call, { ...brush, isUnfolded: true, maxRows: 8 })[1]).toBe(
      "    … 4 lines above · Ctrl+T show all",
    );
  });

  test("that failed shows the beginning of the error", () => {
    const call = callOf({
      tool: "edit",
      arguments: { path: "a" },
      state: "failed",
      output: "not there\nread it again",
    });
    expect(renderBlock({ ...call, isAttached: true }, { ...folded, theme: plainTheme })).toEqual([
      "✗ edit a · failed",
      "    not there",
      "    read it again",
    ]);
  });

  test("of bash that failed shows its exit code in the first line, and nothing below without output", () => {
    const failed = { arguments: { command: "grep x" }, state: "failed", exitCode: 1, isAttached: true } as const;
    const brush = { ...folded, theme: plainTheme };
    expect(renderBlock(callOf({ ...failed, output: "(no output)\n\nexit code 1" }), brush)).toEqual([
      "✗ bash grep x · exit code 1",
    ]);
    const output = "exit code 1\n\nexit code 1\nThe command ran in a sandbox.";
    expect(renderBlock(callOf({ ...failed, output }), brush)).toEqual([
      "✗ bash grep x · exit code 1",
      "    exit code 1",
      "",
      "    The command ran in a sandbox.",
    ]);
  });

  test("of write shows the beginning of the file", () => {
    const content = Array.from({ length: 7 }, (_, at) => `line ${at}`).join("\n");
    const call = callOf({ tool: "write", arguments: { path: "a.txt", content }, isAttached: true });
    const brush = { ...folded, theme: plainTheme };
    const shownLines = [0, 1, 2, 3, 4].map((at) => `    line ${at}`);
    expect(renderBlock(call, brush)).toEqual(["✓ write a.txt · 7 lines", ...shownLines, "    … 2 more lines"]);
    expect(renderBlock({ ...call, state: "writing" }, brush)).toHaveLength(1);
  });

  test("with a diff slightly over the limit shows all of it, and wraps long lines", () => {
    const added = (count: number) => Array.from({ length: count }, (_, at) => `+line ${at}\n`).join("");
    const change = (diff: string) => callOf({ tool: "edit", arguments: { path: "a" }, diff, isAttached: true });
    const brush = { ...folded, theme: plainTheme, width: 30 };
    expect(renderBlock(change(`@@ -0,0 +1,17 @@\n${added(17)}`), brush)).toHaveLength(18);
    const long = renderBlock(change(`@@ -0,0 +1,30 @@\n${added(30)}`), brush);
    expect([long.length, long.at(-1)]).toEqual([16, "    … 16 more lines"]);
    expect(renderBlock(change("@@ -1 +1 @@\n+some words that do not fit in it\n"), brush).slice(1)).toEqual([
      "     1 + some words that do",
      "         not fit in it",
    ]);
  });

  test("of edit shows the diff with line numbers", () => {
    const diff = "--- a\n+++ a\n@@ -9,3 +9,3 @@\n one\n-two\n+2\n+and\n";
    const call = callOf({ tool: "edit", arguments: { path: "a" }, diff, isAttached: true });
    expect(renderBlock(call, { ...folded, theme: plainTheme })).toEqual([
      "✓ edit a · +2 −1",
      "     9   one",
      "    10 - two",
      "    10 + 2",
      "    11 + and",
    ]);
  });
});

const plainTheme = { ...createTheme("none"), strong: (text: string) => text };
