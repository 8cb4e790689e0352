/** Tells an editor of choices that were made elsewhere, such as by a command: the mode, the model, how long it thinks. */

import type { Desk } from "../../commands/command.ts";
import type { KeyPlaces } from "../../home/keys.ts";
import type { TellEditor } from "../updates/sight.ts";
import { configOptions } from "./options.ts";

export interface ChoicesParts {
  readonly desk: Pick<Desk, "agent" | "mode">;
  readonly place: KeyPlaces;
  readonly tell: TellEditor;
}

/** Nothing is told where nothing has changed since. */
export function choicesTeller({ desk, place, tell }: ChoicesParts): () => Promise<void> {
  const { agent, mode } = desk;
  const now = (): string => [mode?.now(), agent.model.provider, agent.model.model, agent.thinkingLevel].join("\n");
  let last = now();
  let lastMode = mode?.now();
  return async () => {
    if (now() === last) return;
    last = now();
    const currentModeId = mode?.now();
    if (currentModeId !== undefined && currentModeId !== lastMode)
      await tell({ sessionUpdate: "current_mode_update", currentModeId });
    lastMode = currentModeId;
    await tell({ sessionUpdate: "config_option_update", configOptions: await configOptions(desk, place) });
  };
}
