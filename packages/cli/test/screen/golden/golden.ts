/** Screens as they look: each state in two sizes, compared with what was looked at and found right. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { themeNamed } from "../../../src/screen/drawing/theme.ts";
import { Screen } from "../../../src/screen/screen.ts";
import { nothingShown } from "../../../src/screen/state/nothing-shown.ts";
import type { ScreenState } from "../../../src/screen/state/screen-state.ts";
import { Headless } from "../headless.ts";

export interface Shown {
  readonly screen: Screen;
  readonly terminal: Headless;
  /** What is seen now, as text. */
  seen(): Promise<string>;
}

/** Noon of some day, whenever the test runs. */
export const NOW: number = Date.UTC(2026, 0, 1, 12);

export function shownOn(columns: number, rows: number, start: Partial<ScreenState> = {}): Shown {
  const terminal = new Headless(columns, rows);
  const screen = new Screen({
    terminal,
    theme: themeNamed("none"),
    start: { ...nothingShown, ...start },
    now: () => NOW,
    pressed: () => false,
    submitted: () => {},
  });
  screen.start();
  return { screen, terminal, seen: async () => `${(await terminal.screen()).join("\n")}\n` };
}

/** `act` brings the screen into its state; what is seen then must be what `screens/NAME.SIZE.txt` shows. */
export function golden(name: string, act: (shown: Shown) => Promise<void> | void): void {
  for (const [columns, rows] of [
    [80, 24],
    [140, 40],
  ] as const)
    test(`SCR3 ${name} at ${columns}×${rows}`, async () => {
      const shown = shownOn(columns, rows);
      await act(shown);
      await new Promise((resolve) => setTimeout(resolve, 50));
      const file = `${name.replaceAll(/[^\w]+/g, "-")}.${columns}x${rows}.txt`;
      await expect(await shown.seen()).toMatchFileSnapshot(join(import.meta.dirname, "screens", file));
      shown.screen.stop();
    });
}
