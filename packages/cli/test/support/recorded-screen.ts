/** A plain screen whose lines are kept, and whose clock is turned by hand. */

import { PlainScreen } from "../../src/modes/interactive/plain/plain-screen.ts";
import { initialScreenState } from "../../src/modes/interactive/state/screen-state.ts";

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
