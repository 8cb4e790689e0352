/** Answers a question for permission with a key. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Tmux } from "./tmux.ts";

/** Keys count once nobody is typing any more, so that one meant for the editor permits nothing. */
export async function answerPermission(key: "y" | "n", terminal: Tmux): Promise<void> {
  await terminal.waitFor(LAST);
  await sleep(500);
  for (let screen = await terminal.screen(); screen.includes(LAST); screen = await terminal.screen()) {
    await terminal.press(key);
    await sleep(1_000);
  }
}

const LAST = "No, and tell the model why";
