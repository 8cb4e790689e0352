/** Creates the summarizers that the settings or extensions name. */

import type { AgentOptions } from "@pith/agent";
import type { Summarizer } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import type { CompactionSettings } from "../settings/settings.ts";
import type { SummaryModelOptions } from "./summary-models.ts";

/** Imports the module only if the settings or an extension configure a summarizer. */
export async function loadSummarizers(
  { model: setting, modelOrder }: CompactionSettings = {},
  { openModel, currentModel, extensionSummarizers, home }: LoadSummarizersOptions,
): Promise<Pick<AgentOptions, "summarizers" | "summarizerOrder">> {
  if (setting === undefined && extensionSummarizers.length === 0) return {};
  const { createCompactionSummarizers } = await import("./summary-models.ts");
  const { openCatalogue } = await import("./catalogue.ts");
  const { catalogue } = await openCatalogue(home);
  const options = { setting, openModel, currentModel, runtime: nodeRuntime, catalogue };
  return {
    summarizers: [...extensionSummarizers, ...createCompactionSummarizers(options)],
    ...(modelOrder && { summarizerOrder: modelOrder }),
  };
}

export interface LoadSummarizersOptions extends Pick<SummaryModelOptions, "openModel" | "currentModel"> {
  readonly extensionSummarizers: readonly Summarizer[];
  readonly home: string;
}
