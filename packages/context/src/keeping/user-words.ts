/** What the user wrote and a compaction covers, word for word: a block for each compaction, newest chosen first, oldest shown first. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import { textTokens } from "../reading/tokens/text-tokens.ts";
import { entryWords } from "./entry-text.ts";
import { provenance } from "./provenance.ts";
import { shortened } from "./shortened.ts";

/** A block as it stands in the front. It is never rendered again: it stays byte for byte, or goes as a whole. */
export interface WordsBlock {
  readonly text: string;
  readonly tokens: number;
}

export interface KeptWords {
  readonly blocks: readonly WordsBlock[];
  /** Of all blocks. */
  readonly tokens: number;
  /** How many earlier blocks went to make room. */
  readonly evictedBlocks: number;
  /** Entries whose words are not in the new block for lack of room. They can be recalled. */
  readonly evicted: readonly string[];
  /** Entries of which head and tail are left. */
  readonly shortened: readonly string[];
}

export interface WordsParts {
  /** The blocks of the compaction before, oldest first. */
  readonly before: readonly WordsBlock[];
  /** Oldest first. */
  readonly covered: readonly Entry[];
  /** What the context has in the place of what was written: removed words do not come back. */
  readonly edits: readonly ContextEditEntry[];
  /** Of all blocks together. */
  readonly tokens: number;
}

export function keptWords({ before, covered, edits, tokens }: WordsParts): KeptWords {
  const typed = covered.filter((entry) => isTyped(entry, edits));
  const { chosen, evicted } = newestFirst(typed, { edits, tokens });
  const block = chosen.length === 0 ? [] : [blockOf(chosen)];
  const stays = newestThatFit(before, tokens - (block[0]?.tokens ?? 0));
  const blocks = [...stays, ...block];
  return {
    blocks,
    tokens: blocks.reduce((sum, each) => sum + each.tokens, 0),
    evictedBlocks: before.length - stays.length,
    evicted,
    shortened: chosen.filter((quote) => quote.isShortened).map(({ id }) => id),
  };
}

/** Whether a person typed it and there is something to read. */
export function isTyped(entry: Entry, edits: readonly ContextEditEntry[]): boolean {
  return provenance(entry) === "person" && /\S/.test(entryWords(entry, edits));
}

interface Quote {
  readonly id: string;
  readonly text: string;
  readonly tokens: number;
  readonly isShortened: boolean;
}

type Room = Pick<WordsParts, "edits" | "tokens">;

// A long paste that has no room does not keep a short rule before it from staying.
function newestFirst(typed: readonly Entry[], room: Room): { chosen: readonly Quote[]; evicted: readonly string[] } {
  const whole = chosenOf(typed, room, LONGEST);
  return whole.evicted.length === 0
    ? whole
    : chosenOf(typed, room, Math.min(LONGEST, Math.floor(room.tokens * LARGEST_SHARE)));
}

function chosenOf(
  typed: readonly Entry[],
  room: Room,
  longest: number,
): { chosen: readonly Quote[]; evicted: readonly string[] } {
  const chosen: Quote[] = [];
  const evicted: string[] = [];
  let left = room.tokens - textTokens(LEAD);
  for (const entry of typed.toReversed()) {
    const quote = left < LEAST ? null : quoted(entry, room, longest);
    if (quote && quote.tokens <= left) {
      left -= quote.tokens;
      chosen.unshift(quote);
    } else evicted.unshift(entry.id);
  }
  return { chosen, evicted };
}

function quoted(entry: Entry, { edits }: Room, longest: number): Quote {
  const words = entryWords(entry, edits);
  const handle = `entry:${entry.id}`;
  const kept = shortened(words, { tokens: longest, handle });
  const text = `\n[${handle}]\n${kept}\n`;
  return { id: entry.id, text, tokens: textTokens(text) + 1, isShortened: kept !== words };
}

function blockOf(quotes: readonly Quote[]): WordsBlock {
  const text = `${LEAD}${quotes.map((quote) => quote.text).join("")}\n`;
  return { text, tokens: textTokens(text) };
}

function newestThatFit(blocks: readonly WordsBlock[], tokens: number): readonly WordsBlock[] {
  let room = tokens;
  let from = blocks.length;
  for (const { tokens: needed } of [...blocks].reverse()) {
    room -= needed;
    if (room < 0) break;
    from--;
  }
  return blocks.slice(from);
}

const LEAD = "What the user wrote, word for word:\n";
/** Tokens of one message, and, where not all of them fit, its share of all; of a longer one head and tail are kept. */
const LONGEST = 2_000;
const LARGEST_SHARE = 1 / 8;
/** Tokens below which there is no room for anybody. */
const LEAST = 12;
