/** A reply that ended although its context was too much: what that means for it. */

import type { ModelFailure, Usage } from "@pith/context";
import type { Ending } from "../convert/index.ts";
import { overflowInReply, type ReplyOverflow } from "../overflow/index.ts";
import type { Room } from "./room.ts";

export interface EndedParts {
  readonly ending: Extract<Ending, { readonly type: "ended" }>;
  readonly usage: Usage;
  readonly size: Room;
  readonly provider: string;
}

/** Null: there was room enough. */
export function overflowOf({ ending, usage, size, provider }: EndedParts): TooMuch | null {
  const { input, output, cacheRead, cacheWrite } = usage;
  const found = overflowInReply({
    stopReason: ending.raw ?? ending.stopReason,
    ...{ input, output, cacheRead, cacheWrite },
    window: size.window,
    maxOutput: size.maxTokens,
  });
  // Some servers cut every answer short, for reasons of their own: half an empty window is not why.
  if (!found || (found.kind === "squeezed" && usage.totalTokens < size.window / 2)) return null;
  const { keep, limit } = found;
  const failure = { kind: "overflow" as const, message: `${provider} ${told[found.kind]}` };
  return { keep, failure: limit === undefined ? failure : { ...failure, limit } };
}

export interface TooMuch {
  /** Whether the reply counts. */
  readonly keep: boolean;
  readonly failure: ModelFailure;
}

const told: Readonly<Record<ReplyOverflow["kind"], string>> = {
  named: "says that the context window is full",
  "no-room": "had no room left for an answer",
  "over-window": "read more than the context window holds",
  truncated: "read much less than was sent: it seems to have cut the context",
  squeezed: "cut the answer short: the context left too little room for it",
};
