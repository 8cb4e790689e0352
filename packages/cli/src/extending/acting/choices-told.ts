/** Extensions are told who speaks and how long it thinks as soon as that has changed, whoever changed it. */

import type { Extensions, Listen } from "@pith/agent";
import type { ModelName } from "@pith/context";

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
