/** What a question is about, as it is seen. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { themeNamed } from "../../../../src/screen/drawing/theme.ts";
import { type Matter, matterLines } from "../../../../src/screen/panels/permitting/matter.ts";

const theme = themeNamed("none");

test("MAN2 a change is shown as a diff with its size, and without colour its signs tell it", () => {
  const diff = "@@ -1,3 +1,3 @@\n zero\n@@ -9,3 +9,3 @@\n one\n-two\n+2\n \tthree";
  expect(matterLines({ kind: "change", path: "a.txt", isNew: false, diff }, { width: 60, theme })).toEqual([
    " \x1b[1ma.txt  +1 −1\x1b[0m",
    "     zero",
    "   ⋯",
    "     one",
    "   - two",
    "   + 2",
    "         three",
  ]);
});

test("MAN2 nothing in it steers the terminal, and no line is wider than the screen", () => {
  const hostile = `rm -rf /\x1b[2J\u202e${"漢".repeat(120)}\x9b31m`;
  const matters: readonly Matter[] = [
    { kind: "command", command: hostile },
    { kind: "address", url: `https://example.com/${hostile}` },
    { kind: "other", text: hostile },
    { kind: "change", path: hostile, isNew: true, diff: `+${hostile}\n ${hostile}` },
  ];
  for (const matter of matters)
    for (const width of [20, 33, 80])
      for (const line of matterLines(matter, { width, theme })) {
        expect(visibleWidth(line)).toBeLessThanOrEqual(width);
        expect(line.replaceAll("\x1b[1m", "").replaceAll("\x1b[0m", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }
});

test("MAN2 a change of megabytes is drawn once, however often it is looked at", () => {
  const diff = Array.from({ length: 5_000 }, (_, at) => `+line ${at} of a file that goes on and on`).join("\n");
  const matter: Matter = { kind: "change", path: "big.txt", isNew: true, diff };
  const first = matterLines(matter, { width: 80, theme });
  expect(matterLines(matter, { width: 80, theme })).toBe(first);
  expect(matterLines(matter, { width: 60, theme })).not.toBe(first);
});

test("MAN2 of a line that never ends no letter is left out", () => {
  for (const command of [`echo ${"x".repeat(100_000)}!`, `echo ${"漢👍".repeat(20_000)}!`]) {
    const lines = matterLines({ kind: "command", command }, { width: 40, theme });
    for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(40);
    expect(lines.map((line) => line.slice(3)).join("")).toBe(command);
  }
});
