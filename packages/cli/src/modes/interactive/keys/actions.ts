/** Defines what each key action does, and runs the action bound to a pressed key. */

import { runCommand } from "../../../commands/run-command.ts";
import { type ActionId, ordered, usualKeymap } from "../../../settings/keymap.ts";
import { clear, quit, stop, suspend, takenBack } from "../interrupt.ts";
import { nextMode } from "../panels/permission-mode.ts";
import { type Stage, survived, type Talking } from "../screen-context.ts";
import { show } from "../send.ts";
import { openOrClose } from "../state/screen-state.ts";
import { openers } from "../submit.ts";
import { Presses } from "./input.ts";

/** Says what stands in the editor when the work under way is done; where nothing is, at once. */
export function followUp({ screen }: Talking): true {
  screen.editor?.sendForLater();
  return true;
}

/** False where nothing waits. */
export function takeBack(talking: Talking): false | Promise<void> {
  return talking.ready.built.agent.queue.length > 0 && takenBack(talking);
}

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
  externalEditor: async (talking) => (await import("../editor/external-editor.ts")).writeElsewhere(talking),
  pasteImage: async (talking) => (await import("../editor/attachments.ts")).pastePicture(talking),
  mode: nextMode,
  undoCompaction: async (talking) => (await import("../panels/compaction.ts")).stepCompaction("", talking),
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

export interface Amid {
  /** What is asked made nothing of the key: then only a few actions are left to it. */
  readonly asked?: "inline" | "page";
}

/** ASK5: the mode may settle what is asked. Behind a page nobody would see it change. */
const LEFT: Readonly<Record<"inline" | "page", ReadonlySet<ActionId>>> = {
  inline: new Set<ActionId>(["suspend", "mode", "followUp"]),
  page: new Set<ActionId>(["suspend"]),
};

/** False where it means nothing, so that the editor gets it. */
export function pressed(key: string, talking: Talking, { asked }: Amid = {}): boolean {
  const { screen } = talking;
  const presses = pressesOn(screen);
  if (isOfCompletion(key, screen)) {
    presses.forget();
    return false;
  }
  return presses.press(key, performance.now(), (id) =>
    asked && !LEFT[asked].has(id) ? false : acted(actions[id], talking),
  );
}

/** Whatever becomes of it, the talk goes on: a fault is told, and the key counts as heard. */
function acted(action: Action, talking: Talking): boolean {
  let came = true as ReturnType<Action>;
  const act = async (): Promise<void> => {
    came = action(talking);
    await came;
  };
  void survived(act, talking);
  return came !== false;
}

/** While a completion is open, its keys are its own, whatever they mean elsewhere: it is closed first. */
function isOfCompletion(key: string, { editor, state: { keymap = usualKeymap } }: Stage): boolean {
  if (!editor?.isShowingAutocomplete()) return false;
  return COMPLETING.some((id) => keymap[id]?.includes(ordered(key)));
}

const COMPLETING = ["up", "down", "confirm", "cancel"].map((act) => `tui.select.${act}`);

/** From now on keys mean what these say. */
export function pressWith(presses: Presses, screen: Stage): void {
  known.set(screen, presses);
}

/** A screen has one keyboard, whichever session is on it. */
const known = new WeakMap<Stage, Presses>();

function pressesOn(screen: Stage): Presses {
  const presses = known.get(screen) ?? new Presses();
  known.set(screen, presses);
  return presses;
}
