/** Tests modes/interactive/render/live-region.ts: queue lines, status lines. */

import { stripVTControlCharacters } from "node:util";
import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, test, vi } from "vitest";
import { RedrawTimer, renderActivity, renderQueue } from "../../../../src/modes/interactive/render/live-region.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import { type Activity, initialScreenState } from "../../../../src/modes/interactive/state/screen-state.ts";
import { defaultKeymap } from "../../../../src/settings/keymap.ts";

describe("queue lines", () => {
  const brush = { width: 60, theme: createTheme("none"), isUnfolded: false, now: 0 };
  const queue = { steering: ["first"], followUp: ["日本語の長い言葉".repeat(20), "c", "d", "e"] };

  test("TYP2 queued messages take a few lines with the rest counted, and the hint names the configured key", () => {
    expect(renderQueue({ queue: { steering: ["first"], followUp: ["c"] } }, brush).slice(1, 3)).toEqual([
      "  ↳ next request: first",
      "  ↳ when done:    c",
    ]);
    expect(renderQueue({ queue }, brush).at(-1)).toBe("  and 1 more · Alt+Up edit queued");
    const keymap = { ...defaultKeymap, takeBack: ["ctrl+x"] };
    expect(renderQueue({ queue }, { ...brush, keymap }).at(-1)).toBe("  and 1 more · Ctrl+X edit queued");
    expect(renderQueue({ queue: { ...queue, followUp: [] } }, { ...brush, keymap: { takeBack: [] } })).toHaveLength(2);
    for (const width of [5, 20, 40])
      for (const line of renderQueue({ queue }, { ...brush, width }))
        expect(visibleWidth(line)).toBeLessThanOrEqual(width);
  });
});

describe("status lines", () => {
  const NOW = 1_000_000;

  function activityText(work: Activity, width = 80): string {
    const brush = { width, theme: createTheme("none"), isUnfolded: false, now: NOW };
    return renderActivity({ ...initialScreenState, activity: work }, brush)
      .join("\n")
      .trim();
  }

  test("MET7 the status line shows the activity, its progress and duration, and the key to stop it; an idle one is empty", () => {
    expect(activityText({ type: "idle" })).toBe("");
    expect(activityText({ type: "running", startedAt: NOW - 75_000, phase: "answering", chars: 4_812 })).toBe(
      "● answering · about 1,203 tokens · 1 min 15 s · Esc stop",
    );
    expect(activityText({ type: "compacting", startedAt: NOW - 3_000, reason: "threshold", step: "part 2 of 3" })).toBe(
      "● compacting: the context is full · part 2 of 3 · 3 s · Esc stop",
    );
    expect(
      activityText({ type: "retrying", startedAt: NOW, errorMessage: "too busy\nnow", retryAt: NOW + 4_200 }),
    ).toBe("● retrying in 5 s · too busy now · 0 s · Esc stop");
  });

  test("MET7 a status that is too long is shortened before the key to stop", () => {
    const line = activityText({ type: "compacting", startedAt: NOW, reason: "overflow", step: "word ".repeat(40) });
    expect(stripVTControlCharacters(line)).toMatch(/… · 0 s · Esc stop$/);
    expect(visibleWidth(line)).toBeLessThanOrEqual(80);
  });

  test("MET7 the status is redrawn once a second during a run, and has no timer when idle", () => {
    vi.useFakeTimers();
    try {
      let ticks = 0;
      const ticking = new RedrawTimer(() => {
        ticks += 1;
      });
      ticking.update({ type: "running", startedAt: 0, phase: "thinking", chars: 0 });
      ticking.update({ type: "running", startedAt: 0, phase: "answering", chars: 9 });
      vi.advanceTimersByTime(3_500);
      expect(ticks).toBe(3);
      ticking.update({ type: "idle" });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
