/** Keeps the user's covered messages word for word (one block per compaction, newest chosen first) and the latest request. */

import { entryWords, provenance } from "../context/entry-text.ts";
import type { ContextEditEntry, Entry } from "../entry.ts";
import { shortened } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";

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

interface Choice {
  readonly chosen: readonly Quote[];
  readonly evicted: readonly string[];
}

// Where all of them have room they stay as they are; where not, a long paste does not push out a short rule before it.
function newestFirst(typed: readonly Entry[], room: Room): Choice {
  const longest = Math.min(LONGEST, Math.floor(room.tokens * LARGEST_SHARE));
  const whole = chosenOf(typed, room, LONGEST);
  return whole.evicted.length === 0 || longest === LONGEST ? whole : chosenOf(typed, room, longest);
}

function chosenOf(typed: readonly Entry[], room: Room, longest: number): Choice {
  const chosen: Quote[] = [];
  const evicted: string[] = [];
  let left = room.tokens - textTokens(LEAD);
  for (const entry of typed.toReversed()) {
    const quote = left < LEAST ? null : quoted(entry, room, longest);
    const stays = quote !== null && quote.tokens <= left;
    if (stays) left -= quote.tokens;
    if (stays) chosen.push(quote);
    else evicted.push(entry.id);
  }
  return { chosen: chosen.reverse(), evicted: evicted.reverse() };
}

function quoted(entry: Entry, { edits }: Room, longest: number): Quote {
  const words = entryWords(entry, edits);
  const handle = `entry:${entry.id}`;
  const whole = tokensOf(entry, words);
  const kept = whole <= longest ? words : shortened(words, { tokens: longest, handle });
  const lead = `\n[${handle}]\n`;
  const tokens = textTokens(lead) + (kept === words ? whole : textTokens(kept)) + SEAMS;
  return { id: entry.id, text: `${lead}${kept}\n`, tokens, isShortened: kept !== words };
}

// Plans are made before every request near the limit, and what was typed stays what it is: it is counted once.
function tokensOf(entry: Entry, words: string): number {
  const known = counted.get(entry);
  if (known?.words === words) return known.tokens;
  const tokens = textTokens(words);
  counted.set(entry, { words, tokens });
  return tokens;
}

const counted = new WeakMap<Entry, { readonly words: string; readonly tokens: number }>();

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
/** Tokens that texts put together may have more than each by itself. */
const SEAMS = 2;
/** Tokens below which there is no room for anybody. */
const LEAST = 12;

export interface RequestParts {
  /** What the checkpoint before ended with: the request may be older than all that is loaded. */
  readonly before: string;
  readonly covered: readonly Entry[];
  readonly kept: readonly Entry[];
  readonly edits: readonly ContextEditEntry[];
  readonly tokens: number;
}

/**
 * KEEP4: the checkpoint ends with it. Empty where the kept part says it, and where nobody asked for anything. Where no person speaks,
 * a program's request counts.
 */
export function latestRequest(parts: RequestParts): string {
  const { covered, kept, edits, before } = parts;
  const isTalk = isUsersRequest(before) || [...covered, ...kept].some((entry) => isTyped(entry, edits));
  return requestBy(parts, isTalk ? { asks: isTyped, lead: REQUEST_LEAD } : { asks: isProgrammed, lead: PROGRAM_LEAD });
}

interface Asker {
  readonly asks: (entry: Entry, edits: readonly ContextEditEntry[]) => boolean;
  readonly lead: string;
}

function requestBy({ before, covered, kept, edits, tokens }: RequestParts, { asks, lead }: Asker): string {
  if (kept.some((entry) => asks(entry, edits))) return "";
  const last = covered.findLast((entry) => asks(entry, edits));
  const told = before.startsWith(lead) ? requestIn(before) : NONE;
  const { id, words } = last ? { id: last.id, words: entryWords(last, edits) } : told;
  if (words === "") return "";
  const handle = `entry:${id}`;
  return `${lead} (${handle}):\n${shortened(words, { tokens, handle })}`;
}

const NONE = { id: "", words: "" };

function isProgrammed(entry: Entry, edits: readonly ContextEditEntry[]): boolean {
  const isRequest = entry.type === "message" && entry.message.role === "user" && provenance(entry) === "program";
  return isRequest && /\S/.test(entryWords(entry, edits));
}

/** Whether a person's request is told. */
export function isUsersRequest(request: string): boolean {
  return request.startsWith(REQUEST_LEAD);
}

/** What such a text says, and whose entry it is: a smaller window may leave less of it than there was before. The first line is ours. */
export function requestIn(before: string): { readonly id: string; readonly words: string } {
  const [, id = "", words = ""] = /^[^\n]*\(entry:([^\n]*)\):\n([\s\S]*)$/.exec(before) ?? [];
  return { id, words };
}

const REQUEST_LEAD = "The user's latest request, still open unless what follows says otherwise";
const PROGRAM_LEAD =
  "The latest request, by the program that runs this session, still open unless what follows says otherwise";
