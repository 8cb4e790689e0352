/** Opens the models named for writing summaries when first needed; the session's model comes last. Loaded lazily. */

import { type Model, modelSummarizer, type Runtime, type Summarizer, type SummarizerResult } from "@pith/context";
import type { ChosenModel } from "./open-model.ts";

export interface NamedWriters {
  /** As `provider/model`, in order of preference. */
  readonly names: readonly string[];
  readonly open: (name: string) => Promise<ChosenModel>;
  /** Who speaks at this moment. */
  readonly speaking: () => Model;
  readonly ports: Pick<Runtime, "sleep" | "nonce">;
}

/** One that cannot be opened, or fails, is passed over; the receipt says why. */
export function compactionWriters(named: NamedWriters): readonly Summarizer[] {
  return [...named.names.map((name) => onceNeeded(name, named)), whoSpeaks(named)];
}

function onceNeeded(name: string, { open, ports }: NamedWriters): Summarizer {
  let own: Summarizer | null = null;
  return {
    route: name,
    isPaid: true,
    async summarize(plan, act): Promise<SummarizerResult> {
      if (!own) {
        const opened = await open(name);
        if (opened.type !== "opened") return { type: "failed", why: opened.message };
        own = modelSummarizer(opened.model, { runtime: ports });
      }
      return own.summarize(plan, act);
    },
  };
}

function whoSpeaks({ names, speaking, ports }: NamedWriters): Summarizer {
  const name = (): string => `${speaking().provider}/${speaking().model}`;
  return {
    get route(): string {
      return name();
    },
    isPaid: true,
    // Whoever was asked by name has failed, and would again.
    summarize: (plan, act) =>
      names.includes(name())
        ? { type: "nothing" }
        : modelSummarizer(speaking(), { runtime: ports }).summarize(plan, act),
  };
}
