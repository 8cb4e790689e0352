/** Pages of text and of what fills the context, as keys walk through them. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { compactionLimits, createBudget } from "@pith/context";
import { loadBranch } from "@pith/context/store";
import { story } from "@pith/context/testing";
import { expect, test } from "vitest";
import { expectLinearTime } from "../../../../../context/test/support/expect-speed.ts";
import { buildContextReport } from "../../../../src/context-report/report.ts";
import { createContextPage, formatEntry } from "../../../../src/modes/interactive/panels/context.ts";
import { createPager, wrapPageLines } from "../../../../src/modes/interactive/panels/pager.ts";
import type { Panel, Viewport } from "../../../../src/modes/interactive/panels/panel.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import { buildContextMeter } from "../../../../src/modes/interactive/state/track-footer.ts";
import { hostileTexts } from "../../../support/hostile-texts.ts";

const sight: Viewport = { width: 80, height: 12, theme: createTheme("none") };

/** What is seen after these keys; null where one of them closes it. */
function after<State>(panel: Panel<State, unknown>, ...keys: readonly string[]): readonly string[] | null {
  let state = panel.initialState;
  for (const key of keys) {
    const pressed = panel.handleKey(state, key, sight);
    if (pressed?.type !== "continue") return null;
    state = pressed.state;
  }
  return panel.render(state, sight);
}

const hundred = createPager({
  title: "A text",
  lines: (width) => wrapPageLines(Array.from({ length: 100 }, (_, at) => `line ${at + 1}`).join("\n"), width),
});

test("MET11 a page scrolls by line and by page, and stops at both ends", () => {
  expect(after(hundred)?.[0]).toContain("1–10 of 100 lines");
  expect(after(hundred, "pageDown", "down")?.[0]).toContain("12–21 of 100");
  expect(after(hundred, "end")?.at(-2)).toContain("line 100");
  expect(after(hundred, "end", "down")?.[0]).toContain("91–100 of 100");
  expect(after(hundred, "G", "g", "up")?.[0]).toContain("1–10 of 100");
  expect(after(hundred, "escape")).toBeNull();
});

test("MET11 a search jumps to the next match, n to the one after, N to the one before, around the ends", () => {
  expect(after(hundred, "/", "4", "2")?.[1]).toContain("line 42");
  expect(after(hundred, "/", "5", "enter", "n", "n")?.[1]).toContain("line 25");
  expect(after(hundred, "/", "5", "enter", "n", "n", "N")?.[1]).toContain("line 15");
  expect(after(hundred, "/", "escape")?.at(-1)).toContain("Esc close");
});

test("MET16 a page of hostile text has no line wider than the screen and no control sequences", () => {
  for (const text of hostileTexts) {
    const lines = after(createPager({ title: text, lines: (width) => wrapPageLines(text, width) })) ?? [];
    for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(sight.width);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: nothing but inks and the end of them may come.
    expect(lines.join("\n").replaceAll(/\x1b\[[\d;]*m/g, "")).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  }
});

const budget = createBudget(compactionLimits, { contextWindow: 200_000 });
const window = loadBranch(
  story(
    "user: read it",
    "calls: read path=src/a.ts",
    `result: ${"a line\n".repeat(400)}`,
    "says: read",
    "user: and now",
  ),
);

const page = createContextPage({
  report: buildContextReport(window, budget),
  meter: buildContextMeter(window, budget),
  nextSteps: [],
  entryText: (id) => `all words of ${id}`,
});

test("MET12 Tab and arrows switch the page between kinds, tools, files and entries, and Enter shows an entry", () => {
  expect(after(page)?.join("\n")).toContain("[by kind]");
  expect(after(page, "tab")?.join("\n")).toMatch(/\[by tool\][\s\S]*❯ read/);
  expect(after(page, "right", "right")?.join("\n")).toMatch(/\[by file\][\s\S]*❯ src\/a\.ts/);
  expect(after(page, "left")?.join("\n")).toMatch(/\[by entry\][\s\S]*❯ read result: src\/a\.ts/);
  expect(after(page, "left", "enter")?.join("\n")).toContain("all words of e3");
  expect(after(page, "left", "enter", "escape")?.join("\n")).toContain("[by entry]");
  expect(after(page, "left", "escape")).toBeNull();
});

test("MET12 a line of a megabyte is wrapped in linear time", () => {
  for (const line of ["x".repeat(1_000_000), "some words ".repeat(90_000)]) {
    const part = line.slice(0, line.length / 4);
    expectLinearTime(
      () => wrapPageLines(part, 80),
      () => wrapPageLines(line, 80),
    );
    const rows = wrapPageLines(line, 80);
    expect(rows.every(({ text }) => text.length <= 80)).toBe(true);
    expect(
      rows
        .map(({ text }) => text)
        .join("")
        .replaceAll(" ", ""),
    ).toBe(line.replaceAll(" ", ""));
  }
  expect(wrapPageLines("one two three four", 9).map(({ text }) => text)).toEqual(["one two", "three", "four"]);
  expect(wrapPageLines("日本語".repeat(1_000), 80).every(({ text }) => visibleWidth(text) <= 80)).toBe(true);
});

test("MET12 an opened entry shows its tool calls with all arguments, not as JSON", () => {
  const [, calls, result] = story("user: go", "calls: bash command=make timeout=9; read path=a.ts", "result: made");
  expect(formatEntry(calls)).toBe("bash\ncommand: make\ntimeout: 9\n\nread\npath: a.ts");
  expect(formatEntry(result)).toBe("made");
});
