/** A screen on a terminal for tests, with a clock that stands still. */

import { createTheme, type Theme } from "../../src/modes/interactive/render/theme.ts";
import { Screen, type ScreenOptions } from "../../src/modes/interactive/screen.ts";
import { initialScreenState, type ScreenState } from "../../src/modes/interactive/state/screen-state.ts";
import { HeadlessTerminal } from "./headless-terminal.ts";

export interface TestScreen {
  readonly screen: Screen;
  readonly terminal: HeadlessTerminal;
  /** What is seen now, as text. */
  screenText(): Promise<string>;
}

/** Noon of some day, whenever the test runs. */
export const NOW: number = Date.UTC(2026, 0, 1, 12);

export interface TestScreenOptions {
  readonly columns: number;
  readonly rows: number;
  readonly start?: Partial<ScreenState>;
  /** Without colour, unless said. */
  readonly theme?: Theme;
  /** Without it, no key does anything. */
  readonly onKey?: ScreenOptions["onKey"];
}

const known = { cost: 0, isSandboxed: false, permissionMode: "edit" } as const;

export function createTestScreen({
  columns,
  rows,
  start = {},
  theme = createTheme("none"),
  onKey,
}: TestScreenOptions): TestScreen {
  const terminal = new HeadlessTerminal(columns, rows);
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
  return { screen, terminal, screenText: async () => `${(await terminal.screen()).join("\n")}\n` };
}
