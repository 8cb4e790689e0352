/** A hook that brings a summary of its own and notes what it was told, message by message. */

import type { CompactOptions } from "../../src/api/compaction.ts";
import { namesOf } from "./drawn.ts";

export interface Heard {
  readonly history: string;
  readonly turn: string;
  readonly previous: string;
}

export function summing(summary: string, heard: Heard[] = []): Pick<CompactOptions, "hooks"> {
  return {
    hooks: {
      session_before_compact: [
        ({ preparation }) => {
          const { messagesToSummarize, turnPrefixMessages, previousSummary = "" } = preparation;
          heard.push({
            history: namesOf(messagesToSummarize),
            turn: namesOf(turnPrefixMessages),
            previous: previousSummary,
          });
          return { compaction: { summary, firstKeptEntryId: preparation.firstKeptEntryId } };
        },
      ],
    },
  };
}
