/** The interactive mode: one screen, and on it one session after another until somebody has had enough. */

import { format } from "node:util";
import type { Wish } from "../asking/wish.ts";
import type { Exit } from "../work.ts";
import { oneAfterAnother } from "./acting/sessions/one-after-another.ts";
import { keepTitle, restoreTitle } from "./acting/sessions/title.ts";
import { endedFromOutside } from "./acting/stopping/ended-from-outside.ts";
import { restoringOnFault } from "./acting/stopping/restoring-on-fault.ts";
import { suspend, suspendOnSignal } from "./acting/stopping/suspend.ts";
import type { Talk } from "./acting/talk.ts";
import { screenFor } from "./screen-for.ts";
import type { Stage } from "./stage.ts";

export async function interactive(wish: Wish): Promise<Exit> {
  let talk = null as Talk | null;
  /** Sent off before there was a talk. */
  const early: Parameters<Talk["submitted"]>[0][] = [];
  const { screen, notifier, start, stop } = await screenFor(wish, {
    pressed: (key, amid) => (talk ? talk.pressed(key, amid) : pressedEarly(key, screen)),
    submitted: (given) => (talk ? talk.submitted(given) : void early.push(given)),
    isOpen: () => talk !== null,
  });
  const restore = (): void => {
    screen.send(restoreTitle);
    stop();
  };
  const shown = (next: Talk): void => {
    talk = next;
    for (const given of early.splice(0)) void next.submitted(given);
  };
  const outside = endedFromOutside({ isDrawn: screen.hasPages });
  const forgetFaults = restoringOnFault(restore);
  const forgetSleep = suspendOnSignal(screen);
  start();
  screen.send(keepTitle);
  // What an extension prints would be written across the screen.
  const printed = (...words: readonly unknown[]): void => screen.tell(format(...words));
  Object.assign(console, { log: printed, info: printed, debug: printed, warn: printed, error: printed });
  try {
    return await Promise.race([
      oneAfterAnother(wish, { screen, notifier, shown }),
      outside.code.then((code) => ({ code })),
    ]);
  } finally {
    await talk?.close();
    screen.change((state) => ({ ...state, work: { type: "idle" } }));
    outside.forget();
    forgetFaults();
    forgetSleep();
    restore();
  }
}

/** Whatever takes so long can be left, or put to sleep. */
function pressedEarly(key: string, screen: Stage): boolean {
  if (key === "ctrl+c") process.kill(process.pid, "SIGINT");
  if (key === "ctrl+z") void suspend({ screen });
  return key === "ctrl+c" || key === "ctrl+z";
}
