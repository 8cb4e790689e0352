/** Connects extensions to a session: what they can do in it, its start, and the events they receive. */

import {
  type Agent,
  type AgentEventListener,
  createExtensionActions,
  type ExtensionActions,
  type Extensions,
  headlessUi,
  type SessionStartEvent,
} from "@pith/agent";
import type { ModelName } from "@pith/context";
import type { OpenModelByName } from "../models/open-model.ts";
import type { ExtensionOptions } from "./extensions.ts";

export interface SessionActionsOptions {
  readonly agent: Agent;
  readonly options: Pick<ExtensionOptions, "cwd" | "ui" | "notify">;
  /** The session's file; null where nothing is kept. */
  readonly sessionPath: string | null;
  readonly openModel: OpenModelByName;
}

export function createSessionActions({
  agent,
  options,
  sessionPath,
  openModel,
}: SessionActionsOptions): ExtensionActions {
  const { cwd, ui, notify = () => {} } = options;
  return createExtensionActions(agent, {
    cwd,
    sessionFile: sessionPath,
    ui: ui ?? headlessUi,
    hasUI: ui !== undefined,
    report: (reason) => notify(`an extension wanted to act, and could not: ${reason}`),
    openModel: async (name) => {
      const result = await openModel(name);
      return result.type === "opened" ? result.model : null;
    },
  });
}

/** How one came to a session. */
export type SessionStart = Omit<SessionStartEvent, "type">;

export interface SessionStartOptions {
  readonly extensions: Extensions;
  readonly actions: ExtensionActions;
  /** At the start of the program, unless said. */
  readonly start?: SessionStart | undefined;
}

/** From here on what extensions do reaches the session. */
export async function emitSessionStart({ extensions, actions, start }: SessionStartOptions): Promise<void> {
  extensions.bind(actions);
  await extensions.dispatch({ type: "session_start", reason: "startup", ...start });
}

export interface ModelSelection {
  /** At the beginning. */
  readonly model: ModelName;
  readonly level: string;
}

/** Reports every change of the model or the thinking level, whatever caused it. Their answers are not awaited. */
export function createModelChangeListener(
  { dispatch }: Pick<Extensions, "dispatch">,
  { model, level }: ModelSelection,
): AgentEventListener {
  let currentModel: ModelName = { provider: model.provider, model: model.model, api: model.api };
  let currentLevel = level;
  return (event) => {
    if (event.type === "entry_appended" && event.entry.type === "model_change") {
      const { provider, modelId } = event.entry;
      if (provider === currentModel.provider && modelId === currentModel.model) return;
      const previousModel = currentModel;
      currentModel = { ...currentModel, provider, model: modelId };
      void dispatch({ type: "model_select", model: currentModel, previousModel });
    }
    if (event.type !== "thinking_level_changed" || event.level === currentLevel) return;
    const previousLevel = currentLevel;
    currentLevel = event.level;
    void dispatch({ type: "thinking_level_select", level: currentLevel, previousLevel });
  };
}

/** Whoever reads slowly is waited for, and extensions are not. */
export function createSessionListener(
  onEvent: AgentEventListener | undefined,
  extensions: Extensions,
  selection: ModelSelection,
): AgentEventListener {
  const onModelChange = createModelChangeListener(extensions, selection);
  return (event) => {
    void extensions.onEvent(event);
    void onModelChange(event);
    return onEvent?.(event);
  };
}
