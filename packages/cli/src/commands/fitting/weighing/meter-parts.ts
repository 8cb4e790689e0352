/** How a context divides into what a bar can show, in tokens that add up to what the next request weighs. Pure. */

import { type Budget, contextSize, type FrontKind, type Window } from "@pith/context";
import { type RawParts, rawParts } from "./raw-parts.ts";
import { scaled } from "./scaled.ts";

/** What stays first and cached, what is kept as it was said, what came since. */
export interface MeterParts {
  readonly system: number;
  readonly pins: number;
  readonly words: number;
  readonly checkpoint: number;
  readonly tail: number;
  readonly fresh: number;
}

export function meterParts(window: Window, budget: Pick<Budget, "to" | "fixed">): MeterParts {
  const { tokens, fixed } = contextSize(window, budget);
  const said = saidIn(rawParts(window, budget.to));
  const own = { tokens: fixed };
  // An estimate of the system above what was measured in all would leave no room for what was said.
  const parts = tokens <= fixed ? scaled([own, ...said], tokens) : [own, ...scaled(said, tokens - fixed)];
  const [system = 0, pins = 0, words = 0, checkpoint = 0, tail = 0, fresh = 0] = parts.map((part) => part.tokens);
  return { system, pins, words, checkpoint, tail, fresh };
}

interface Part {
  readonly tokens: number;
}

function saidIn({ front, kept, fresh }: RawParts): readonly Part[] {
  const of = (isIt: (kind: FrontKind) => boolean): Part => ({
    tokens: front.filter(({ kind }) => isIt(kind)).reduce((sum, { tokens }) => sum + tokens, 0),
  });
  return [
    of((kind) => kind === "pins"),
    of((kind) => kind === "words"),
    of((kind) => kind !== "pins" && kind !== "words"),
    { tokens: sum(kept) },
    { tokens: sum(fresh) },
  ];
}

function sum(kinds: ReadonlyMap<string, number>): number {
  let all = 0;
  for (const tokens of kinds.values()) all += tokens;
  return all;
}
