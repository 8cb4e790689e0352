/** A screen on a terminal for tests, with a clock that stands still. */

import { createTheme, type Theme } from "../../../src/modes/interactive/render/theme.ts";
import { Screen, type ScreenOptions } from "../../../src/modes/interactive/screen.ts";
import { initialScreenState, type ScreenState } from "../../../src/modes/interactive/state/screen-state.ts";
import { Headless } from "./headless.ts";

export interface Shown {
  readonly screen: Screen;
  readonly terminal: Headless;
  /** What is seen now, as text. */
  seen(): Promise<string>;
}

/** Noon of some day, whenever the test runs. */
export const NOW: number = Date.UTC(2026, 0, 1, 12);

export interface Showing {
  readonly columns: number;
  readonly rows: number;
  readonly start?: Partial<ScreenState>;
  /** Without colour, unless said. */
  readonly theme?: Theme;
  /** Without it, no key does anything. */
  readonly onKey?: ScreenOptions["onKey"];
}

const known = { cost: 0, isSandboxed: false, permissionMode: "edit" } as const;

export function shownOn({ columns, rows, start = {}, theme = createTheme("none"), onKey }: Showing): Shown {
  const terminal = new Headless(columns, rows);
  const screen = new Screen({
    terminal,
    theme,
    quietMs: 0,
    initialState: { ...initialScreenState, footer: { ...initialScreenState.footer, ...known }, ...start },
    now: () => NOW,
    onKey: onKey ?? (() => false),
    onSubmit: () => {},
  });
  screen.start();
  return { screen, terminal, seen: async () => `${(await terminal.screen()).join("\n")}\n` };
}
