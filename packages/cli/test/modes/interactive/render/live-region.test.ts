/** Tests modes/interactive/render/live-region.ts: queue lines, status lines. */

import { stripVTControlCharacters } from "node:util";
import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, test, vi } from "vitest";
import { queueLines, statusLines, Ticking } from "../../../../src/modes/interactive/render/live-region.ts";
import { themeNamed } from "../../../../src/modes/interactive/render/theme.ts";
import { nothingShown, type Work } from "../../../../src/modes/interactive/state/screen-state.ts";
import { usualKeymap } from "../../../../src/settings/keymap.ts";

describe("queue lines", () => {
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
});

describe("status lines", () => {
  const NOW = 1_000_000;

  function told(work: Work, width = 80): string {
    const brush = { width, theme: themeNamed("none"), isUnfolded: false, now: NOW };
    return statusLines({ ...nothingShown, work }, brush)
      .join("\n")
      .trim();
  }

  test("MET7 it says what is under way, how far, for how long, and how to stop it; nothing while nothing is", () => {
    expect(told({ type: "idle" })).toBe("");
    expect(told({ type: "running", since: NOW - 75_000, doing: "answering", letters: 4_812 })).toBe(
      "● answering · about 1,203 tokens · 1 min 15 s · Esc stops it",
    );
    expect(told({ type: "compacting", since: NOW - 3_000, reason: "threshold", step: "part 2 of 3" })).toBe(
      "● compacting: it is full · part 2 of 3 · 3 s · Esc stops it",
    );
    expect(told({ type: "retrying", since: NOW, why: "too busy\nnow", at: NOW + 4_200 })).toBe(
      "● asking again in 5 s · too busy now · 0 s · Esc stops it",
    );
  });

  test("MET7 how to stop it is never what there is no room for", () => {
    const line = told({ type: "compacting", since: NOW, reason: "overflow", step: "word ".repeat(40) });
    expect(stripVTControlCharacters(line)).toMatch(/… · 0 s · Esc stops it$/);
    expect(visibleWidth(line)).toBeLessThanOrEqual(80);
  });

  test("MET7 it is drawn anew once a second while something is under way, and nothing ticks while nothing is", () => {
    vi.useFakeTimers();
    try {
      let ticks = 0;
      const ticking = new Ticking(() => {
        ticks += 1;
      });
      ticking.follow({ type: "running", since: 0, doing: "thinking", letters: 0 });
      ticking.follow({ type: "running", since: 0, doing: "answering", letters: 9 });
      vi.advanceTimersByTime(3_500);
      expect(ticks).toBe(3);
      ticking.follow({ type: "idle" });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
