/** Opens the models named for writing summaries when first needed; the session's model comes last. Loaded lazily. */

import { type Model, modelSummarizer, type Runtime, type Summarizer, type SummarizerResult } from "@pith/context";
import type { ChooseModelResult } from "./open-model.ts";

export interface SummaryModelOptions {
  /** As `provider/model`, in order of preference. */
  readonly modelNames: readonly string[];
  readonly openModel: (name: string) => Promise<ChooseModelResult>;
  /** Who speaks at this moment. */
  readonly currentModel: () => Model;
  readonly runtime: Pick<Runtime, "sleep" | "nonce">;
}

/** One that cannot be opened, or fails, is passed over; the receipt says why. */
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
      return summarizer.summarize(plan, options);
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
    // Whoever was asked by name has failed, and would again.
    summarize: (plan, options) =>
      modelNames.includes(modelName())
        ? { type: "nothing" }
        : modelSummarizer(currentModel(), { runtime }).summarize(plan, options),
  };
}
