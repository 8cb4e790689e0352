/** What a terminal gets of a panel: it fits, and where one types is seen. */

import { CURSOR_MARKER, stripTerminalSequences, visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { themeNamed } from "../../../src/screen/drawing/theme.ts";
import { tamed } from "../../../src/screen/panels/tamed.ts";
import { drawLine, lineOf } from "../../../src/screen/widgets/line-input.ts";

test.each(["the last words", "漢字漢字漢字 the last words", "👩‍👩‍👧 the last 漢字"])(
  "SCR28 however long a line is typed, its end and the cursor are seen: …%s",
  (end) => {
    for (let length = 0; length < 90; length++) {
      const typed = drawLine(lineOf(`${"x".repeat(length)}${end}`), themeNamed("dark"));
      const line = tamed(` search: ${typed}  3 found`, 40);
      expect(visibleWidth(line)).toBeLessThanOrEqual(40);
      expect(line).toContain(CURSOR_MARKER);
      expect(line).toContain(end.slice(-8));
    }
  },
);

test("SCR28 a cursor in the middle of a long line is seen, too", () => {
  for (let cursor = 0; cursor <= 100; cursor++) {
    const text = Array.from({ length: 100 }, (_, at) => String.fromCharCode(97 + (at % 26))).join("");
    const line = tamed(` /${drawLine({ text, cursor }, themeNamed("none"))}`, 30);
    expect(visibleWidth(line)).toBeLessThanOrEqual(30);
    const at = stripTerminalSequences(line.slice(line.indexOf(CURSOR_MARKER) + CURSOR_MARKER.length))[0];
    expect(at).toBe(text[cursor] ?? " ");
  }
});
