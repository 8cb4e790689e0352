/** Creates screens for tests, on a terminal or with kept lines, whose clocks stand still, and the facts of a session that is half full. */

import { PlainScreen } from "../../src/modes/interactive/plain/plain-screen.ts";
import { createTheme, type Theme } from "../../src/modes/interactive/render/theme.ts";
import { Screen, type ScreenOptions } from "../../src/modes/interactive/screen.ts";
import type { ContextMeter, FooterData } from "../../src/modes/interactive/state/footer.ts";
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

export interface RecordedScreen {
  readonly screen: PlainScreen;
  /** All that was said and not yet taken. */
  takeOutput(): readonly string[];
  /** So many seconds pass. */
  passTime(seconds: number): void;
}

export function createRecordedScreen(): RecordedScreen {
  const output: string[] = [];
  const timers: { act: () => void; at: number }[] = [];
  let now = 0;
  const later = (act: () => void, ms: number): (() => void) => {
    const timer = { act, at: now + ms };
    timers.push(timer);
    return () => void timers.splice(timers.indexOf(timer), 1);
  };
  const say = (lines: readonly string[]): void => void output.push(...lines);
  const screen = new PlainScreen({
    writeLines: say,
    initialState: initialScreenState,
    now: () => now,
    schedule: later,
    releaseTerminal: (run) => run(),
  });
  const passTime = (seconds: number): void => {
    now += seconds * 1_000;
    for (const due of timers.filter(({ at }) => at <= now)) {
      timers.splice(timers.indexOf(due), 1);
      due.act();
    }
  };
  return { screen, takeOutput: () => output.splice(0), passTime };
}

export const sampleMeter: ContextMeter = {
  tokens: 84_211,
  isEstimate: false,
  contextWindow: 200_000,
  limit: 183_616,
  softLimit: 146_892,
  isAutoCompactEnabled: true,
  pauseReason: null,
  isSummaryReady: false,
  parts: { system: 9_400, pins: 700, userMessages: 3_100, summary: 6_200, kept: 19_800, recent: 45_011 },
};

export const sampleFooter: FooterData = {
  model: "anthropic/claude-sonnet-4-5",
  thinkingLevel: "high",
  folder: "~/work/parser",
  gitBranch: "main",
  sessionName: "fix the parser",
  treePosition: "3 branches",
  cost: 1.42,
  isSandboxed: true,
  permissionMode: "edit",
  meter: sampleMeter,
};
