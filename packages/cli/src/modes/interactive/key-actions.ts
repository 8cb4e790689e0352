/** Defines what each key action does, and runs the action bound to a pressed key. */

import { runCommand } from "../../commands/run-command.ts";
import { type ActionId, defaultKeymap, normalizeKey } from "../../settings/keymap.ts";
import { clear, quit, restoreQueue, stop, suspend } from "./interrupt.ts";
import { cycleMode } from "./panels/permission-mode.ts";
import { type InteractiveContext, reportErrors, type ScreenApi } from "./screen-context.ts";
import { showResult } from "./send.ts";
import { toggleFolding } from "./state/screen-state.ts";
import { panelCommands } from "./submit.ts";
import { KeyMatcher } from "./terminal/key-input.ts";

/** Says what stands in the editor when the work under way is done; where nothing is, at once. */
export function sendFollowUp({ screen }: InteractiveContext): true {
  screen.editor?.sendAsFollowUp();
  return true;
}

/** False where nothing waits. */
export function takeBackQueue(context: InteractiveContext): false | Promise<void> {
  return context.app.agent.queue.length > 0 && restoreQueue(context);
}

/** False where it means nothing now, so that the editor gets the key; a promise where it takes a while. */
export type Action = (context: InteractiveContext) => boolean | Promise<unknown>;

export const actions: Readonly<Record<ActionId, Action>> = {
  transcript: createCommandAction("transcript"),
  stop,
  tree: (context) => !isWorking(context) && createCommandAction("tree")(context),
  fold: ({ screen }) => {
    screen.update(toggleFolding);
    return true;
  },
  clear,
  quit,
  suspend,
  followUp: sendFollowUp,
  takeBack: takeBackQueue,
  externalEditor: async (context) => (await import("./editor/external-editor.ts")).openExternalEditor(context),
  pasteImage: async (context) => (await import("./editor/attachments.ts")).pasteImage(context),
  mode: cycleMode,
  undoCompaction: async (context) => (await import("./panels/compaction.ts")).toggleCompaction("", context),
  seen: createCommandAction("seen"),
  context: createCommandAction("context"),
  model: createCommandAction("model"),
};

/** As if its command had been typed: what opens no panel now is answered in words. */
function createCommandAction(name: string): Action {
  return async (context) => {
    const panelCommand = await panelCommands[name]?.();
    if (await panelCommand?.("", context)) return;
    const result = await runCommand(`/${name}`, context.app);
    if (result) await showResult(result, context);
  };
}

function isWorking({ app, screen }: InteractiveContext): boolean {
  return app.agent.isRunning || screen.state.activity.type !== "idle";
}

export interface KeyContext {
  /** What is asked made nothing of the key: then only a few actions are left to it. */
  readonly asked?: "inline" | "page";
}

/** ASK5: the mode may settle what is asked. Behind a page nobody would see it change. */
const ACTIONS_DURING_PANEL: Readonly<Record<"inline" | "page", ReadonlySet<ActionId>>> = {
  inline: new Set<ActionId>(["suspend", "mode", "followUp"]),
  page: new Set<ActionId>(["suspend"]),
};

/** False where it means nothing, so that the editor gets it. */
export function handleKey(key: string, context: InteractiveContext, { asked }: KeyContext = {}): boolean {
  const { screen } = context;
  const matcher = getKeyMatcher(screen);
  if (isCompletionKey(key, screen)) {
    matcher.reset();
    return false;
  }
  return matcher.handleKey(key, performance.now(), (id) =>
    asked && !ACTIONS_DURING_PANEL[asked].has(id) ? false : runAction(actions[id], context),
  );
}

/** Whatever becomes of it, the talk goes on: a fault is told, and the key counts as heard. */
function runAction(action: Action, context: InteractiveContext): boolean {
  let result = true as ReturnType<Action>;
  const run = async (): Promise<void> => {
    result = action(context);
    await result;
  };
  void reportErrors(run, context);
  return result !== false;
}

/** While a completion is open, its keys are its own, whatever they mean elsewhere: it is closed first. */
function isCompletionKey(key: string, { editor, state: { keymap = defaultKeymap } }: ScreenApi): boolean {
  if (!editor?.isShowingAutocomplete()) return false;
  return COMPLETION_KEY_IDS.some((id) => keymap[id]?.includes(normalizeKey(key)));
}

const COMPLETION_KEY_IDS = ["up", "down", "confirm", "cancel"].map((name) => `tui.select.${name}`);

/** From now on keys mean what these say. */
export function setKeyMatcher(matcher: KeyMatcher, screen: ScreenApi): void {
  matchers.set(screen, matcher);
}

/** A screen has one keyboard, whichever session is on it. */
const matchers = new WeakMap<ScreenApi, KeyMatcher>();

function getKeyMatcher(screen: ScreenApi): KeyMatcher {
  const matcher = matchers.get(screen) ?? new KeyMatcher();
  matchers.set(screen, matcher);
  return matcher;
}
