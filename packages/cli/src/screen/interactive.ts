/** The interactive mode: one screen, and on it one session after another until somebody has had enough. */

import type { Wish } from "../asking/wish.ts";
import type { Exit } from "../work.ts";
import { trustAsked } from "./acting/permitting/ask-trust.ts";
import { firstWish } from "./acting/sessions/first-wish.ts";
import { oneAfterAnother } from "./acting/sessions/one-after-another.ts";
import { keepTitle, restoreTitle } from "./acting/sessions/title.ts";
import { endedFromOutside } from "./acting/stopping/ended-from-outside.ts";
import { restoringOnFault } from "./acting/stopping/restoring-on-fault.ts";
import { suspendOnSignal } from "./acting/stopping/suspend.ts";
import type { Talk } from "./acting/talk.ts";
import { screenFor } from "./screen-for.ts";

export async function interactive(wish: Wish): Promise<Exit> {
  let talk = null as Talk | null;
  /** Sent off before there was a talk. */
  const early: Parameters<Talk["submitted"]>[0][] = [];
  const { screen, notifier, start, stop } = await screenFor(wish, {
    pressed: (key) => (talk ? talk.pressed(key) : isLeaving(key)),
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
  const talks = async (): Promise<Exit> => {
    const first = await firstWish(await trustAsked(wish, screen), screen);
    return await oneAfterAnother(first, { screen, notifier, shown });
  };
  const outside = endedFromOutside({ isDrawn: screen.hasPages });
  const forgetFaults = restoringOnFault(restore);
  const forgetSleep = suspendOnSignal(screen);
  start();
  screen.send(keepTitle);
  try {
    return await Promise.race([talks(), outside.code.then((code) => ({ code }))]);
  } finally {
    await talk?.close();
    screen.change((state) => ({ ...state, work: { type: "idle" } }));
    outside.forget();
    forgetFaults();
    forgetSleep();
    restore();
  }
}

/** Whatever takes so long can be left. */
function isLeaving(key: string): boolean {
  if (key === "ctrl+c") process.kill(process.pid, "SIGINT");
  return key === "ctrl+c";
}
