/** Encloses the material of a prompt in marks with a random word, and splits a transcript into chunks that fit. */

import { createUserMessage } from "../context/convert-to-llm.ts";
import type { UserMessage } from "../message.ts";
import type { Runtime } from "../runtime.ts";
import { escapeSummary } from "../text/sanitize.ts";
import { truncateMiddle } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import type { TranscriptBlock } from "./transcript.ts";

/** The blocks to summarize. */
export interface Transcript {
  readonly history: readonly TranscriptBlock[];
  /** The beginning of a turn whose rest is kept; empty if the cut is between turns. */
  readonly turn: readonly TranscriptBlock[];
}

export function transcriptTokens({ history, turn }: Transcript): number {
  return sumTokens(history) + sumTokens(turn);
}

/** Shortens each block that does not fit into a request by itself. */
export function truncateBlocks({ history, turn }: Transcript, budget: number): Transcript {
  return {
    history: history.map((block) => truncateBlock(block, budget)),
    turn: turn.map((block) => truncateBlock(block, budget)),
  };
}

function truncateBlock(block: TranscriptBlock, budget: number): TranscriptBlock {
  if (block.tokens <= budget) return block;
  const text = truncateMiddle(block.text, { tokens: budget, handle: block.reference });
  return { ...block, text, tokens: textTokens(text) };
}

/** The blocks of one request. The split turn has chunks of its own. */
export interface TranscriptChunk {
  readonly origin: "history" | "turn";
  readonly blocks: readonly TranscriptBlock[];
}

export function splitTranscript({ history, turn }: Transcript, budget: number): readonly TranscriptChunk[] {
  return [
    ...splitIntoChunks(history, budget).map((blocks) => ({ origin: "history" as const, blocks })),
    ...splitIntoChunks(turn, budget).map((blocks) => ({ origin: "turn" as const, blocks })),
  ];
}

export interface ItemWithTokens {
  readonly tokens: number;
}

/** Splits items into as few chunks as fit, in order and of similar size. An item larger than the limit is a chunk of its own. */
export function splitIntoChunks<Item extends ItemWithTokens>(
  items: readonly Item[],
  maxTokens: number,
): readonly (readonly Item[])[] {
  const fewestChunks = fillChunks(items, maxTokens);
  const evenChunks = fillChunks(
    items,
    Math.min(maxTokens, (sumTokens(items) / fewestChunks.length) * CHUNK_SIZE_TOLERANCE),
  );
  return evenChunks.length === fewestChunks.length ? evenChunks : fewestChunks;
}

/** Chunks may exceed the mean size by this factor, because items are not divided. */
const CHUNK_SIZE_TOLERANCE = 1.15;

function fillChunks<Item extends ItemWithTokens>(
  items: readonly Item[],
  maxTokens: number,
): readonly (readonly Item[])[] {
  const chunks: Item[][] = [];
  let remainingTokens = 0;
  for (const item of items) {
    const last = chunks.at(-1);
    if (last && item.tokens <= remainingTokens) last.push(item);
    else chunks.push([item]);
    remainingTokens = (last && item.tokens <= remainingTokens ? remainingTokens : maxTokens) - item.tokens;
  }
  return chunks;
}

export function sumTokens(items: readonly ItemWithTokens[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** A message that a prompt refers to by its number. */
export interface ListedMessage {
  /** The reference of the entry, e.g. `#3`. */
  readonly reference: string;
  readonly text: string;
}

/** Formats messages in full, each after a line with its reference. */
export function formatListedMessages(messages: readonly ListedMessage[]): string {
  return messages.map(({ reference, text }) => `[${reference}]\n${text.trim()}`).join("\n\n");
}

/** Material of a prompt. It is enclosed in marks with a random word, which no content can predict or imitate. */
export interface PromptMaterial {
  readonly tag:
    | "conversation"
    | "turn"
    | "previous-summary"
    | "partial-summary"
    | "user-messages"
    | "leaving-messages"
    | "findings";
  /** Already escaped: transcripts when they are rendered, summaries by `toSummaryMaterial`. */
  readonly text: string;
  readonly tokens: number;
}

/** The maximum tokens of the marks around one piece of material. */
export const MATERIAL_MARK_TOKENS = 60;

export function toConversationMaterial(
  tag: "conversation" | "turn",
  blocks: readonly TranscriptBlock[],
): readonly PromptMaterial[] {
  if (blocks.length === 0) return [];
  return [{ tag, text: blocks.map(({ text }) => text).join("\n\n"), tokens: sumTokens(blocks) }];
}

/** Escapes a summary as material: text that a model wrote is trusted no more than what it read. */
export function toSummaryMaterial(tag: PromptMaterial["tag"], summary: string): readonly PromptMaterial[] {
  const text = escapeSummary(summary);
  return text === "" ? [] : [{ tag, text, tokens: textTokens(text) }];
}

/** Creates a message with the material in marks, followed by the task outside of all marks. */
export function wrapMaterials(
  materials: readonly PromptMaterial[],
  task: string,
  { nonce }: Pick<Runtime, "nonce">,
): { readonly nonce: string; readonly message: UserMessage } {
  const { nonce: nonceWord, texts } = markMaterials(materials, { nonce });
  return { nonce: nonceWord, message: createUserMessage([...texts, task].join("\n\n"), 0) };
}

/** Encloses each piece of material in marks. */
export function markMaterials(
  materials: readonly PromptMaterial[],
  { nonce }: Pick<Runtime, "nonce">,
): { readonly nonce: string; readonly texts: readonly string[] } {
  const nonceWord = drawUniqueNonce(nonce, materials);
  const texts = materials.map(({ tag, text }) => `<${tag} ${nonceWord}>\n${text}\n</${tag} ${nonceWord}>`);
  return { nonce: nonceWord, texts };
}

function drawUniqueNonce(nonce: () => string, materials: readonly PromptMaterial[]): string {
  for (let tries = 0; ; tries++) {
    // A generator that always returns the same word would loop forever.
    const candidate = tries < 10 ? nonce() : `${nonce()}${tries}`;
    if (candidate !== "" && !materials.some(({ text }) => text.includes(candidate))) return candidate;
  }
}
