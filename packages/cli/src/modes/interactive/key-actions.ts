/** Defines what each key action does, and runs the action bound to a pressed key. */

import { runCommand } from "../../commands/run-command.ts";
import { type ActionId, defaultKeymap, normalizeKey } from "../../settings/keymap.ts";
import { clear, quit, restoreQueue, stop, suspend } from "./interrupt.ts";
import { cycleMode } from "./panels/permission-mode.ts";
import { type InteractiveContext, reportErrors, type ScreenApi, type SessionScreen } from "./screen-context.ts";
import { showResult } from "./send.ts";
import { toggleFolding } from "./state/screen-state.ts";
import { panelCommands } from "./submit.ts";
import { KeyMatcher } from "./terminal/key-input.ts";

/** Returns false if the action does not apply now, so that the editor handles the key. */
export type Action = (context: InteractiveContext) => boolean | Promise<unknown>;

const actions: Readonly<Record<ActionId, Action>> = {
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
  // Sends the text of the editor when the current work is done, or immediately if there is none.
  followUp: ({ screen }) => {
    screen.editor?.sendAsFollowUp();
    return true;
  },
  // Moves queued messages back into the editor. Does not apply if there are none.
  takeBack: (context) => context.app.agent.queue.length > 0 && restoreQueue(context),
  externalEditor: async (context) => (await import("./editor/external-editor.ts")).openExternalEditor(context),
  pasteImage: async (context) => (await import("./editor/attachments.ts")).pasteImage(context),
  mode: cycleMode,
  undoCompaction: async (context) => (await import("./panels/compaction.ts")).toggleCompaction("", context),
  seen: createCommandAction("seen"),
  context: createCommandAction("context"),
  model: createCommandAction("model"),
};

/** Runs a command as if it were typed: opens its panel, or shows its text if it has no panel now. */
function createCommandAction(name: string): Action {
  return async (context) => {
    const panelCommand = await panelCommands[name]?.();
    if (await panelCommand?.("", context)) return;
    const result = await runCommand(`/${name}`, context.app);
    if (result) await showResult(result, context);
  };
}

function isWorking({ app, screen }: SessionScreen): boolean {
  return app.agent.isRunning || screen.state.activity.type !== "idle";
}

export interface KeyContext {
  /** Set if an open panel did not use the key. Only a few actions are available then. */
  readonly panel?: "inline" | "page";
}

/** ASK5: the permission mode may decide an open question. A page would hide the change of the mode. */
const ACTIONS_DURING_PANEL: Readonly<Record<"inline" | "page", ReadonlySet<ActionId>>> = {
  inline: new Set<ActionId>(["suspend", "mode", "followUp"]),
  page: new Set<ActionId>(["suspend"]),
};

/** Returns false if the key has no action, so that the editor handles it. */
export function handleKey(key: string, context: InteractiveContext, { panel }: KeyContext = {}): boolean {
  const { screen } = context;
  const matcher = getKeyMatcher(screen);
  if (isCompletionKey(key, screen)) {
    matcher.reset();
    return false;
  }
  return matcher.handleKey(key, performance.now(), (id) =>
    panel && !ACTIONS_DURING_PANEL[panel].has(id) ? false : runAction(actions[id], context),
  );
}

/** Reports an error on the screen, so that the session continues. A key whose action fails is still handled. */
function runAction(action: Action, context: InteractiveContext): boolean {
  let result = true as ReturnType<Action>;
  const run = async (): Promise<void> => {
    result = action(context);
    await result;
  };
  void reportErrors(run, context);
  return result !== false;
}

/** An open completion handles its own keys first, even if they are bound to an action. */
function isCompletionKey(key: string, { editor, state: { keymap = defaultKeymap } }: ScreenApi): boolean {
  if (!editor?.isShowingAutocomplete()) return false;
  return COMPLETION_KEY_IDS.some((id) => keymap[id]?.includes(normalizeKey(key)));
}

const COMPLETION_KEY_IDS = ["up", "down", "confirm", "cancel"].map((name) => `tui.select.${name}`);

/** Replaces the key bindings of a screen. */
export function setKeyMatcher(matcher: KeyMatcher, screen: ScreenApi): void {
  matchers.set(screen, matcher);
}

/** One matcher per screen, shared by the sessions on it. */
const matchers = new WeakMap<ScreenApi, KeyMatcher>();

function getKeyMatcher(screen: ScreenApi): KeyMatcher {
  const matcher = matchers.get(screen) ?? new KeyMatcher();
  matchers.set(screen, matcher);
  return matcher;
}
