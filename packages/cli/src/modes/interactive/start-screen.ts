/** Shows the version, the folder, the model and three hints at the beginning of a new session. */

import { version } from "../../args/help.ts";
import { isAbsentModel } from "../../models/open-model.ts";
import { formatKeyHint } from "../../settings/keymap.ts";
import type { InteractiveContext } from "./screen-context.ts";

/** The plain screen states the model and the folder by itself. */
export function showStartScreen({ app, screen }: InteractiveContext): void {
  if (screen.hasPages) screen.showNote(formatStartScreen({ app, screen }));
}

function formatStartScreen({ app, screen: { state } }: Pick<InteractiveContext, "app" | "screen">): string {
  const { model } = app.agent;
  const modelName = isAbsentModel(model) ? "no model yet" : `${model.provider}/${model.model}`;
  const hints = ["/ commands", "@ files", formatKeyHint("stop", "stop", state.keymap)].filter((hint) => hint !== "");
  return [`Pith ${version()}`, `${modelName} in ${state.footer.folder}`, hints.join(" · ")].join("\n");
}
