/** What extensions can do in this session, from the parts it was built of. */

import {
  type Agent,
  actsOn,
  type ExtensionActs,
  type Extensions,
  type Listen,
  nobodyThere,
  type SessionStartEvent,
} from "@pith/agent";
import type { ModelName } from "@pith/context";
import type { Place } from "../app/app-options.ts";
import type { OpenBeside } from "../app/model.ts";

export interface ActsParts {
  readonly agent: Agent;
  readonly place: Pick<Place, "cwd" | "ui" | "note">;
  /** The session's file; null where nothing is kept. */
  readonly sessionPath: string | null;
  readonly openModel: OpenBeside;
}

export function actsHere({ agent, place, sessionPath, openModel }: ActsParts): ExtensionActs {
  const { cwd, ui, note = () => {} } = place;
  return actsOn(agent, {
    cwd,
    sessionFile: sessionPath,
    ui: ui ?? nobodyThere,
    hasUI: ui !== undefined,
    report: (why) => note(`an extension wanted to act, and could not: ${why}`),
    openModel: async (name) => {
      const opened = await openModel(name);
      return opened.type === "opened" ? opened.model : null;
    },
  });
}

// The beginning of a session for its extensions: what they do reaches it from here on, and they are told how one came to it.

/** How one came to a session. */
export type Arrival = Omit<SessionStartEvent, "type">;

export interface Arriving {
  readonly extensions: Extensions;
  readonly acts: ExtensionActs;
  /** At the start of the program, unless said. */
  readonly arrival?: Arrival | undefined;
}

export async function arrive({ extensions, acts, arrival }: Arriving): Promise<void> {
  extensions.bind(acts);
  await extensions.asked({ type: "session_start", reason: "startup", ...arrival });
}

// Extensions are told who speaks and how long it thinks as soon as that has changed, whoever changed it.

export interface Speaking {
  /** At the beginning. */
  readonly model: ModelName;
  readonly level: string;
}

/** Nobody waits for what they say to it. */
export function choicesTold({ asked }: Pick<Extensions, "asked">, { model, level }: Speaking): Listen {
  let spoke: ModelName = { provider: model.provider, model: model.model, api: model.api };
  let thought = level;
  return (event) => {
    if (event.type === "entry_appended" && event.entry.type === "model_change") {
      const { provider, modelId } = event.entry;
      if (provider === spoke.provider && modelId === spoke.model) return;
      const previousModel = spoke;
      spoke = { ...spoke, provider, model: modelId };
      void asked({ type: "model_select", model: spoke, previousModel });
    }
    if (event.type !== "thinking_level_changed" || event.level === thought) return;
    const previousLevel = thought;
    thought = event.level;
    void asked({ type: "thinking_level_select", level: thought, previousLevel });
  };
}

// All that happens in a session is told to whoever shows it and to its extensions.

/** Whoever reads slowly is waited for, and extensions are not. */
export function heardBy(listen: Listen | undefined, extensions: Extensions, speaking: Speaking): Listen {
  const told = choicesTold(extensions, speaking);
  return (event) => {
    void extensions.listen(event);
    void told(event);
    return listen?.(event);
  };
}
