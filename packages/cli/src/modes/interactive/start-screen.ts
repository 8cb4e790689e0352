/** Shows the version, the folder, the model and three hints at the beginning of a new session. */

import { isAbsentModel } from "../../models/open-model.ts";
import { formatKeyHint } from "../../settings/keymap.ts";
import type { InteractiveContext } from "./screen-context.ts";

/** Plain mode shows the model and the folder elsewhere. */
export async function showStartScreen({ app, screen }: InteractiveContext): Promise<void> {
  if (!screen.hasPages) return;
  const { model } = app.agent;
  const { state } = screen;
  // START2: a static import would make `pith --version` load the screen.
  const { version } = await import("../../args/help.ts");
  const modelName = isAbsentModel(model) ? "no model yet" : `${model.provider}/${model.model}`;
  const hints = ["/ commands", "@ files", formatKeyHint("stop", "stop", state.keymap)].filter((hint) => hint !== "");
  screen.showNote([`Pith ${version()}`, `${modelName} in ${state.footer.folder}`, hints.join(" · ")].join("\n"));
}
