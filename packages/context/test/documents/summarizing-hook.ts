/** Creates a hook that returns its own summary and records its input. */

import type { CompactOptions } from "../../src/default-compaction.ts";
import { messageNames } from "./draw-session.ts";

export interface HookInput {
  readonly history: string;
  readonly turn: string;
  readonly previous: string;
}

export function summarizingHook(summary: string, inputs: HookInput[] = []): Pick<CompactOptions, "hooks"> {
  return {
    hooks: {
      session_before_compact: [
        ({ preparation }) => {
          const { messagesToSummarize, turnPrefixMessages, previousSummary = "" } = preparation;
          inputs.push({
            history: messageNames(messagesToSummarize),
            turn: messageNames(turnPrefixMessages),
            previous: previousSummary,
          });
          return { compaction: { summary, firstKeptEntryId: preparation.firstKeptEntryId } };
        },
      ],
    },
  };
}
