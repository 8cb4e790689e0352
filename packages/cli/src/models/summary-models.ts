/** Creates the summarizers for compaction: the models named in the settings, opened on first use, then the session's model. */

import { type Model, modelSummarizer, type Runtime, type Summarizer, type SummarizerResult } from "@pith/context";
import type { ChooseModelResult } from "./open-model.ts";

export interface SummaryModelOptions {
  /** As `provider/model`, in order of preference. */
  readonly modelNames: readonly string[];
  readonly openModel: (name: string) => Promise<ChooseModelResult>;
  /** Returns the session's current model. */
  readonly currentModel: () => Model;
  readonly runtime: Pick<Runtime, "sleep" | "nonce">;
}

/** A model that cannot be opened or that fails is skipped; the receipt states the reason. */
export function createCompactionSummarizers(options: SummaryModelOptions): readonly Summarizer[] {
  return [
    ...options.modelNames.map((name) => createLazySummarizer(name, options)),
    createSessionModelSummarizer(options),
  ];
}

function createLazySummarizer(name: string, { openModel, runtime }: SummaryModelOptions): Summarizer {
  let summarizer: Summarizer | null = null;
  return {
    route: name,
    isPaid: true,
    async summarize(plan, options): Promise<SummarizerResult> {
      if (!summarizer) {
        const result = await openModel(name);
        if (result.type !== "opened") return { type: "failed", why: result.message };
        summarizer = modelSummarizer(result.model, { runtime });
      }
      const summary = await summarizer.summarize(plan, options);
      // The next attempt opens the model again: the user may have entered another key.
      if (summary.type === "failed") summarizer = null;
      return summary;
    },
  };
}

function createSessionModelSummarizer({ modelNames, currentModel, runtime }: SummaryModelOptions): Summarizer {
  const modelName = (): string => `${currentModel().provider}/${currentModel().model}`;
  return {
    get route(): string {
      return modelName();
    },
    isPaid: true,
    // If the session's model is also in the settings, it has already failed.
    summarize: (plan, options) =>
      modelNames.includes(modelName())
        ? { type: "nothing" }
        : modelSummarizer(currentModel(), { runtime }).summarize(plan, options),
  };
}
