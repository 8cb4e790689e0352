/** What each key does that is no typing. */

import type { ActionId } from "../keys/key-table.ts";
import { byKey } from "./fitting/by-key.ts";
import { nextMode } from "./permitting/change-mode.ts";
import { followUp, takeBack } from "./queue.ts";
import { survived } from "./sessions/survived.ts";
import { clear, quit } from "./stopping/leaving.ts";
import { stop } from "./stopping/stop.ts";
import { suspend } from "./stopping/suspend.ts";
import type { Talking } from "./talking.ts";

/** False where it means nothing now, so that the editor gets the key. */
export type Action = (talking: Talking) => boolean;

export const actions: Readonly<Partial<Record<ActionId, Action>>> = {
  transcript: (talking) => {
    void import("./sessions/open-transcript.ts").then(({ openTranscript }) => openTranscript("", talking));
    return true;
  },
  stop,
  tree: (talking) => {
    if (talking.ready.built.agent.isRunning || talking.screen.state.work.type !== "idle") return false;
    void import("./walking/open-tree.ts").then(({ openTree }) => openTree("", talking));
    return true;
  },
  fold: ({ screen }) => {
    screen.change((state) => ({ ...state, isUnfolded: !state.isUnfolded }));
    return true;
  },
  clear,
  quit,
  suspend,
  followUp,
  takeBack,
  externalEditor: (talking) => {
    void survived(async () => (await import("./typing/external-editor.ts")).writeElsewhere(talking), talking);
    return true;
  },
  pasteImage: (talking) => {
    void survived(async () => (await import("./typing/paste-picture.ts")).pastePicture(talking), talking);
    return true;
  },
  mode: nextMode,
  undoCompaction: byKey(async () => (await import("./fitting/step-compaction.ts")).stepCompaction),
  seen: byKey(async () => (await import("./fitting/open-seen.ts")).openSeen),
  context: byKey(async () => (await import("./fitting/open-context.ts")).openContext),
  model: byKey(async () => (await import("./choosing/choose-model.ts")).openModels),
};
