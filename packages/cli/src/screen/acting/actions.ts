/** What each key does that is no typing. */

import { runCommand } from "../../commands/run-command.ts";
import type { ActionId } from "../keys/key-table.ts";
import { openOrClose } from "../state/open-or-close.ts";
import { openers } from "./openers.ts";
import { nextMode } from "./permitting/change-mode.ts";
import { followUp, takeBack } from "./queue.ts";
import { show } from "./show-answer.ts";
import { clear, quit } from "./stopping/leaving.ts";
import { stop } from "./stopping/stop.ts";
import { suspend } from "./stopping/suspend.ts";
import type { Talking } from "./talking.ts";

/** False where it means nothing now, so that the editor gets the key; a promise where it takes a while. */
export type Action = (talking: Talking) => boolean | Promise<unknown>;

export const actions: Readonly<Record<ActionId, Action>> = {
  transcript: called("transcript"),
  stop,
  tree: (talking) => !isAtWork(talking) && called("tree")(talking),
  fold: ({ screen }) => {
    screen.change(openOrClose);
    return true;
  },
  clear,
  quit,
  suspend,
  followUp,
  takeBack,
  externalEditor: async (talking) => (await import("./typing/external-editor.ts")).writeElsewhere(talking),
  pasteImage: async (talking) => (await import("./typing/paste-picture.ts")).pastePicture(talking),
  mode: nextMode,
  undoCompaction: async (talking) => (await import("./fitting/step-compaction.ts")).stepCompaction("", talking),
  seen: called("seen"),
  context: called("context"),
  model: called("model"),
};

/** As if its command had been typed: what opens no panel now is answered in words. */
function called(name: string): Action {
  return async (talking) => {
    const open = await openers[name]?.();
    if (await open?.("", talking)) return;
    const answer = await runCommand(`/${name}`, talking.desk);
    if (answer) await show(answer, talking);
  };
}

function isAtWork({ ready, screen }: Talking): boolean {
  return ready.built.agent.isRunning || screen.state.work.type !== "idle";
}
