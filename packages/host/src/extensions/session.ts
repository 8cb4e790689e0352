/** Connects extensions to a session: creates their actions, emits `session_start`, and forwards the events of the agent. */

import {
  type Agent,
  type AgentEventListener,
  createExtensionActions,
  type ExtensionActions,
  type Extensions,
  type ExtensionUi,
  headlessUi,
  type SessionStartEvent,
} from "@pith/agent";
import type { ModelName } from "@pith/context";
import type { OpenModelByName } from "../models/open-model.ts";

export interface SessionActionsOptions {
  readonly agent: Agent;
  readonly cwd: string;
  readonly ui?: ExtensionUi | undefined;
  readonly notify?: ((line: string) => void) | undefined;
  /** The session file. Null if it has none. */
  readonly sessionFile: string | null;
  readonly openModel: OpenModelByName;
}

export function createSessionActions({
  agent,
  cwd,
  ui,
  notify = () => {},
  sessionFile,
  openModel,
}: SessionActionsOptions): ExtensionActions {
  return createExtensionActions(agent, {
    cwd,
    sessionFile,
    ui: ui ?? headlessUi,
    hasUI: ui !== undefined,
    report: (reason) => notify(`an extension action failed: ${reason}`),
    openModel: async (name) => {
      const result = await openModel(name);
      return result.type === "opened" ? result.model : null;
    },
  });
}

/** Why the session was started, and the file of the previous session. */
export type SessionStart = Omit<SessionStartEvent, "type">;

export interface SessionStartOptions {
  readonly extensions: Extensions;
  readonly actions: ExtensionActions;
  /** Default: reason `startup`. */
  readonly start?: SessionStart | undefined;
}

/** Binds the extensions to the session, then emits `session_start`. Actions work from here on. */
export async function emitSessionStart({ extensions, actions, start }: SessionStartOptions): Promise<void> {
  extensions.bind(actions);
  await extensions.dispatch({ type: "session_start", reason: "startup", ...start });
}

/** The model and thinking level at the start of the session. */
export interface ModelSelection {
  readonly model: ModelName;
  readonly level: string;
}

/** Emits `model_select` and `thinking_level_select` on every change, whatever caused it. Does not wait for the handlers. */
function createModelChangeListener(
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

/** Forwards events to `onEvent` and to the extensions. Waits for `onEvent`, so that a slow reader is not overrun, but not for extensions. */
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
