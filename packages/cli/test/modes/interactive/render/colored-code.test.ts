/** Syntax colors in diffs and in written files. */

import { stripVTControlCharacters } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { loadHighlighter } from "../../../../src/modes/interactive/render/markdown.ts";
import { createTheme, type RenderContext } from "../../../../src/modes/interactive/render/theme.ts";
import { renderToolCall } from "../../../../src/modes/interactive/render/tool-call.ts";
import type { ToolBlock } from "../../../../src/modes/interactive/state/blocks.ts";
import { visibleWidth } from "../../../../src/modes/interactive/terminal/pi-tui.ts";

beforeAll(() => loadHighlighter());

const theme = createTheme("dark");
const context: RenderContext = { width: 60, theme, isUnfolded: false, now: 0 };
const plain = stripVTControlCharacters;

function called(tool: string, given: ToolBlock["arguments"], more: Partial<ToolBlock> = {}): ToolBlock {
  return { kind: "tool", id: "1", tool, arguments: given, state: "done", output: "", images: [], ...more };
}

const DIFF =
  "@@ -1,3 +1,3 @@\n const a = 1;\n-const b = 2;\n+const b = `two\x1b[2J`; // a long comment that does not fit into one row of it\n";

test("SCR29 a diff has the syntax colors of its file and signs in the color of the change, and no line is too wide", () => {
  for (const isUnfolded of [false, true]) {
    const lines = renderToolCall(called("edit", { path: "src/a.ts" }, { diff: DIFF }), { ...context, isUnfolded });
    const removed = lines.find((line) => plain(line).includes("-"));
    expect(lines.join("\n")).toContain(`${theme.accent("const")} a`);
    expect(removed).toBeDefined();
    expect(lines.join("\n")).toContain(theme.removed("-"));
    expect(lines.join("\n")).toContain(theme.added("+"));
    expect(lines.every((line) => visibleWidth(line) <= 60)).toBe(true);
    expect(lines.join("")).not.toContain("\x1b[2J");
  }
});

test("SCR29 a diff of a file in an unknown language has only the colors of the change", () => {
  const lines = renderToolCall(called("edit", { path: "notes.unknown" }, { diff: DIFF }), context);
  expect(lines.join("\n")).toContain(theme.removed("const b = 2;"));
});

test("SCR29 with true color, the changed lines of a diff have a background of equal width", () => {
  const trueColor = createTheme("dark", { hasTrueColor: true });
  const block = called("edit", { path: "a.ts" }, { diff: "@@ -1,2 +1,2 @@\n-let b;\n+const b = 2;\n end\n" });
  const [, removed = "", added = "", unchanged = ""] = renderToolCall(block, { ...context, theme: trueColor });
  const removedCode = trueColor.removedLine("").slice(0, -4);
  expect(removed.startsWith(`    ${removedCode}`)).toBe(true);
  // The background continues after each color that ends, to the end of the widest line.
  expect(
    removed
      .slice(4, -4)
      .split("\x1b[0m")
      .slice(1)
      .every((piece) => piece.startsWith(removedCode)),
  ).toBe(true);
  expect([plain(removed), plain(added)]).toEqual(["     1 - let b;      ", "     1 + const b = 2;"]);
  expect(unchanged).not.toContain("48;2;");
  expect(renderToolCall(block, context).join("")).not.toContain("48;2;");
});

test("SCR29 an expanded write call has the syntax colors of its file", () => {
  const block = called("write", { path: "a.py", content: "def area(x):\n    return x * 2  # both sides\n" });
  const lines = renderToolCall(block, { ...context, isUnfolded: true });
  expect(lines.join("\n")).toContain(theme.accent("def"));
  expect(lines.map(plain)).toEqual([
    "✓ write a.py · 2 lines",
    "    def area(x):",
    "        return x * 2  # both sides",
  ]);
});
