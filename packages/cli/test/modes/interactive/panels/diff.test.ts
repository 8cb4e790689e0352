/** The page of what a session changed. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import type { ChangedFile } from "../../../../src/commands/diff.ts";
import { createDiffPanel, type DiffState } from "../../../../src/modes/interactive/panels/diff.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";

const file = (path: string, lines: number): ChangedFile => ({
  ...{ path, kind: "changed", added: lines, removed: 0, notes: [] },
  patch: ["@@ -0,0 +1,9 @@", ...Array.from({ length: lines }, (_, at) => `+line ${at}`)].join("\n"),
});

const files = Array.from({ length: 9 }, (_, at) => file(`src/file-${at}.ts`, 40));
const sight = { width: 60, height: 20, theme: createTheme("none") };

function pressed(keys: readonly string[]): DiffState {
  const panel = createDiffPanel(files);
  return keys.reduce((state, key) => {
    const step = panel.handleKey(state, key);
    return step?.type === "continue" ? step.state : state;
  }, panel.initialState);
}

const drawn = (...keys: readonly string[]): readonly string[] => createDiffPanel(files).render(pressed(keys), sight);

test("LOOK6 arrows select a file, and each diff starts at its first change", () => {
  expect(drawn()[2]).toContain("❯    +40         src/file-0.ts");
  expect(drawn("space", "down").find((line) => line.includes("❯"))).toContain("file-1");
  expect(drawn("space", "down")).toContain(" @@ -0,0 +1,9 @@");
  expect(drawn(...Array.from({ length: 20 }, () => "down")).find((line) => line.includes("❯"))).toContain("file-8");
});

test("LOOK6 the changes of a file scroll, but not past their end", () => {
  expect(drawn("space")).toContain(" +line 11");
  expect(drawn("space", "k")).toContain(" +line 10");
  expect(drawn("end", "space").filter((line) => line.includes("+line"))).toEqual([" +line 39"]);
  expect(drawn("G", "g")).toEqual(drawn());
});

test("LOOK6 the diff page fits the height and width of the screen", () => {
  for (const width of [20, 60, 200]) {
    const lines = createDiffPanel([file("x".repeat(300), 3)]).render(
      createDiffPanel([file("x".repeat(300), 3)]).initialState,
      {
        ...sight,
        width,
      },
    );
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(Math.max(...lines.map((line) => visibleWidth(line)))).toBeLessThanOrEqual(width);
  }
  expect(createDiffPanel(files).handleKey(pressed([]), "q")).toEqual({ type: "done", answer: null });
});
