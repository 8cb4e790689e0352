/** Limits the output tokens of a request so that the request and its answer fit the context window. */

import type { Request } from "@pith/context";
import { requestTokens } from "@pith/context/host";

export interface Room {
  /** Tokens of the request, estimated when somebody wants to know. */
  readonly tokens: () => number;
  readonly window: number;
  /** To be asked for. */
  readonly maxTokens: number;
}

export function room(
  request: Request,
  { window, maxTokens }: { readonly window: number; readonly maxTokens: number },
): Room {
  const tokens = (): number => requestTokens(request);
  const { replyBudget: replyRoom } = request;
  if (replyRoom) return { tokens, window, maxTokens: limitOutput(replyRoom.tokens, { window, maxTokens }) };
  // A short request needs no estimate, and a program that has just started no estimator.
  if (isShort(request, (window - maxTokens) / MOST_PER_LETTER)) return { tokens, window, maxTokens };
  const left = Math.floor(window - tokens() * ESTIMATES_MISS);
  return { tokens, window, maxTokens: limitOutput(left, { window, maxTokens }) };
}

function limitOutput(left: number, { window, maxTokens }: Pick<Room, "window" | "maxTokens">): number {
  return Math.min(maxTokens, window, Math.max(left, LEAST_ANSWER));
}

// A request that leaves less is refused, and says so: better than an answer of one token.
const LEAST_ANSWER = 1024;

/**
 * The room for a second try where a provider refused input and answer together, and the input alone should fit; null where it should not.
 * Nobody counts as the provider does, and the refused request has cost nothing.
 */
export function smallerRoom(size: Room, limit: number = size.window): Room | null {
  const tokens = size.tokens();
  const maxTokens = Math.max(LEAST_ANSWER, Math.min(SMALL_ANSWER, limit - tokens));
  return tokens < limit && maxTokens < size.maxTokens ? { ...size, maxTokens } : null;
}

const SMALL_ANSWER = 4096;
const ESTIMATES_MISS = 1.1;
/** Tokens of one letter in the worst of scripts. */
const MOST_PER_LETTER = 3;

/** Counted as it would be written down, names, ids and pictures in full; no further than it takes to know. */
function isShort({ system, tools, messages }: Request, most: number): boolean {
  let letters = 0;
  for (const part of [system, tools, ...messages]) {
    letters += lettersOf(part);
    if (letters > most) return false;
  }
  return true;
}

const counted = new WeakMap<object, number>();

/** Once for each: a request repeats the one before it, and messages never change. */
function lettersOf(part: object): number {
  const known = counted.get(part);
  if (known !== undefined) return known;
  const letters = JSON.stringify(part).length;
  counted.set(part, letters);
  return letters;
}
