/** What waits, as it is seen. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { themeNamed } from "../../../src/screen/drawing/theme.ts";
import { usualKeymap } from "../../../src/screen/keys/keymap.ts";
import { queueLines } from "../../../src/screen/live/queue-lines.ts";

const brush = { width: 60, theme: themeNamed("none"), isUnfolded: false, now: 0 };
const queue = { steering: ["first"], followUp: ["日本語の長い言葉".repeat(20), "c", "d", "e"] };

test("TYP2 what waits is seen in few lines, the rest is counted, and the key that takes it back is the one of the keymap", () => {
  expect(queueLines({ queue }, brush).at(-1)).toBe("  and 1 more; Alt+Up takes them back");
  const keymap = { ...usualKeymap, takeBack: ["ctrl+x"] };
  expect(queueLines({ queue }, { ...brush, keymap }).at(-1)).toBe("  and 1 more; Ctrl+X takes them back");
  expect(queueLines({ queue: { ...queue, followUp: [] } }, { ...brush, keymap: { takeBack: [] } })).toHaveLength(2);
  for (const width of [5, 20, 40])
    for (const line of queueLines({ queue }, { ...brush, width }))
      expect(visibleWidth(line)).toBeLessThanOrEqual(width);
});
