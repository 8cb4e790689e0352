/** Shows the version, the model, the folder, the loaded instructions and a few keys at the beginning of a new session. */

import { relative } from "node:path";
import { isAbsentModel } from "@pith/host/models/open-model";
import { formatCount } from "@pith/host/text/format";
import type { App } from "../../app/start.ts";
import { formatKeyHint } from "../../settings/keymap.ts";
import type { SessionScreen } from "./screen-context.ts";
import { shortenHome } from "./state/footer.ts";

/** Plain mode shows the model and the folder elsewhere. */
export async function showStartScreen({ app, screen }: SessionScreen<"agent" | "cwd" | "getGuidance">): Promise<void> {
  if (!screen.hasPages) return;
  const { model } = app.agent;
  // START2: a static import would make `pith --version` load the screen.
  const { version } = await import("../../args/help.ts");
  const title = `Pith ${version()}`;
  const modelName = isAbsentModel(model) ? "no model yet" : `${model.provider}/${model.model}`;
  const { footer, keymap } = screen.state;
  const hints = ["/ commands", "@ files", "! shell", formatKeyHint("stop", "stop", keymap)];
  const text = [
    `${modelName} in ${footer.folder}`,
    ...describeGuidance(app),
    hints.filter((hint) => hint !== "").join(" · "),
  ].join("\n");
  screen.update((state) => ({
    ...state,
    blocks: [...state.blocks, { kind: "note", id: title, tone: "plain", title, text }],
  }));
}

/** What the model reads before the first message: context files and skills. */
function describeGuidance({ getGuidance, cwd }: Pick<App, "cwd" | "getGuidance">): readonly string[] {
  const { project, catalogue } = getGuidance();
  const parts = [
    ...project.map(({ path }) => shortenPath(path, cwd)),
    ...(catalogue.length > 0 ? [formatCount(catalogue.length, "skill")] : []),
  ];
  return parts.length === 0 ? [] : [`instructions: ${parts.join(", ")}`];
}

function shortenPath(path: string, folder: string): string {
  const relativePath = relative(folder, path);
  return relativePath.startsWith("..") ? shortenHome(path) : relativePath;
}
