/** The entries that fill a context most, and what becomes free without each. Pure. */

import { entryWords, plainText, type ToolCallBlock } from "@pith/context";
import { blocksIn, type EntryWeight } from "./entry-weights.ts";

export interface BigEntry {
  readonly id: string;
  /** For people. */
  readonly kind: string;
  /** How it begins, or what was called for it. */
  readonly words: string;
  readonly tokens: number;
  readonly frees: {
    /** By a compaction now: all of it, or nothing where it would be kept. */
    readonly compaction: number;
    /** By moving to before it: it, and all that came behind it. */
    readonly moving: number;
  };
}

/** Those that a compaction now would cover are named by `covered`. */
export function biggest(weights: readonly EntryWeight[], covered: ReadonlySet<string>): readonly BigEntry[] {
  let behind = 0;
  const moving = new Map(
    weights.toReversed().map(({ entry, tokens }) => {
      behind += tokens;
      return [entry.id, behind];
    }),
  );
  return weights
    .toSorted((one, other) => other.tokens - one.tokens)
    .slice(0, MOST)
    .map((weight) => {
      const { entry, kind, tokens } = weight;
      const frees = { compaction: covered.has(entry.id) ? tokens : 0, moving: moving.get(entry.id) ?? tokens };
      return { id: entry.id, kind, words: wordsOf(weight), tokens, frees };
    });
}

const MOST = 20;
const WIDTH = 80;

function wordsOf({ entry, message, call }: EntryWeight): string {
  const words = call ? argumentsIn(call) : entryWords(entry);
  if (words.trim() !== "") return plainText(words, WIDTH);
  return plainText(
    blocksIn(message)
      .map((made) => `${made.name} ${argumentsIn(made)}`)
      .join("; "),
    WIDTH,
  );
}

function argumentsIn({ arguments: given }: ToolCallBlock): string {
  const values = Object.values(Object(given) as Readonly<Record<string, unknown>>);
  return values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" ");
}
