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
import type { OpenBeside } from "../models/open-model.ts";
import type { ExtensionPlace } from "./extensions.ts";

export interface ActsParts {
  readonly agent: Agent;
  readonly place: Pick<ExtensionPlace, "cwd" | "ui" | "note">;
  /** The session's file; null where nothing is kept. */
  readonly sessionPath: string | null;
  readonly openModel: OpenBeside;
}

export function actsHere({ agent, place, sessionPath, openModel }: ActsParts): ExtensionActions {
  const { cwd, ui, note = () => {} } = place;
  return createExtensionActions(agent, {
    cwd,
    sessionFile: sessionPath,
    ui: ui ?? headlessUi,
    hasUI: ui !== undefined,
    report: (why) => note(`an extension wanted to act, and could not: ${why}`),
    openModel: async (name) => {
      const opened = await openModel(name);
      return opened.type === "opened" ? opened.model : null;
    },
  });
}

/** How one came to a session. */
export type Arrival = Omit<SessionStartEvent, "type">;

export interface Arriving {
  readonly extensions: Extensions;
  readonly acts: ExtensionActions;
  /** At the start of the program, unless said. */
  readonly arrival?: Arrival | undefined;
}

/** From here on what extensions do reaches the session. */
export async function arrive({ extensions, acts, arrival }: Arriving): Promise<void> {
  extensions.bind(acts);
  await extensions.dispatch({ type: "session_start", reason: "startup", ...arrival });
}

export interface Speaking {
  /** At the beginning. */
  readonly model: ModelName;
  readonly level: string;
}

/** Reports every change of the model or the thinking level, whatever caused it. Their answers are not awaited. */
export function choicesTold(
  { dispatch }: Pick<Extensions, "dispatch">,
  { model, level }: Speaking,
): AgentEventListener {
  let spoke: ModelName = { provider: model.provider, model: model.model, api: model.api };
  let thought = level;
  return (event) => {
    if (event.type === "entry_appended" && event.entry.type === "model_change") {
      const { provider, modelId } = event.entry;
      if (provider === spoke.provider && modelId === spoke.model) return;
      const previousModel = spoke;
      spoke = { ...spoke, provider, model: modelId };
      void dispatch({ type: "model_select", model: spoke, previousModel });
    }
    if (event.type !== "thinking_level_changed" || event.level === thought) return;
    const previousLevel = thought;
    thought = event.level;
    void dispatch({ type: "thinking_level_select", level: thought, previousLevel });
  };
}

/** Whoever reads slowly is waited for, and extensions are not. */
export function heardBy(
  listen: AgentEventListener | undefined,
  extensions: Extensions,
  speaking: Speaking,
): AgentEventListener {
  const told = choicesTold(extensions, speaking);
  return (event) => {
    void extensions.onEvent(event);
    void told(event);
    return listen?.(event);
  };
}
