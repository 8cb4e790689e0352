/** The session told to a model: in one question where it has room, in parts where not. */

import { shortened } from "../../keeping/shortened.ts";
import type { Model } from "../../model.ts";
import { textTokens } from "../../reading/tokens/text-tokens.ts";
import { FORMATS, PROMPTS, SYSTEM } from "../prompts.ts";
import type { TranscriptBlock } from "../transcript.ts";
import type { AskFailure } from "./ask.ts";
import { tokensOf } from "./chunks.ts";
import { MARK_TOKENS, summaryMaterial } from "./marked.ts";
import { conversation, question, type Telling, type Told, taskOf } from "./question.ts";
import { toldInParts } from "./tell-in-parts.ts";

/** What a provider finds too long is told once more in smaller parts. */
export async function tell(whole: Telling): Promise<Told> {
  const telling = { ...whole, previous: fittingBefore(whole) };
  let room = roomIn(telling);
  let told: Told = { type: "failed", failure: { code: "overflow", note: "its window is too small" } };
  for (let size = 0; size < MOST_SIZES && room >= LEAST_ROOM; size++) {
    told = await toldWithin(room, telling);
    if (told.type !== "failed" || !isTooLong(told.failure)) return told;
    // What had room by our own account is not asked again as it was.
    room = Math.floor(Math.min(room, tokensOf(telling.history) + tokensOf(telling.turn)) / 2);
  }
  return told;
}

const MOST_SIZES = 3;

/** Tokens of material below which a window is too small for this work. */
const LEAST_ROOM = 400;

const isTooLong = ({ code }: AskFailure): boolean => code === "overflow" || code === "payload" || code === "quota";

// What was told before may be of any size, where others wrote it.
function fittingBefore({ model, previous }: Telling): string {
  return shortened(previous, { tokens: Math.floor(windowOf(model) * LARGEST_BEFORE), handle: "the summary before" });
}

// Estimates may be too low by a third, and the answer needs room as well.
function roomIn({ model, previous, instructions }: Telling): number {
  const window = windowOf(model);
  const answer = Math.min(model.maxTokens || Number.POSITIVE_INFINITY, window * LARGEST_ANSWER);
  const around = [SYSTEM, PROMPTS.update, PROMPTS.turnToo, FORMATS.summary, FORMATS.turn, previous, instructions];
  const taken = around.reduce((sum, text) => sum + textTokens(text), 0);
  return Math.floor((window - answer) * SAFE) - taken - MARK_TOKENS * MOST_MATERIALS;
}

function windowOf({ contextWindow }: Model): number {
  return contextWindow > 0 ? Math.min(contextWindow, LARGEST_WINDOW) : UNKNOWN_WINDOW;
}

const LARGEST_ANSWER = 0.25;
const LARGEST_BEFORE = 0.2;
/** What is taken for a window that nobody knows, and the most that is used of one. */
const UNKNOWN_WINDOW = 128_000;
const LARGEST_WINDOW = 10_000_000;
const SAFE = 0.7;
/** In one question: the summary so far, the conversation, the turn that is cut. */
const MOST_MATERIALS = 3;

function toldWithin(room: number, telling: Telling): Promise<Told> {
  const history = telling.history.map((block) => fitting(block, room));
  const turn = telling.turn.map((block) => fitting(block, room));
  if (tokensOf(history) + tokensOf(turn) > room) return toldInParts({ ...telling, history, turn }, room);
  const materials = [
    ...summaryMaterial("previous-summary", telling.previous),
    ...conversation("conversation", history),
    ...conversation("turn", turn),
  ];
  return question(materials, taskOf(telling, promptOf(telling)), telling);
}

function promptOf({ format, previous }: Telling): keyof typeof PROMPTS {
  if (format === "branch") return "branch";
  if (format === "turn") return "turnPrefix";
  return previous === "" ? "initial" : "update";
}

function fitting(block: TranscriptBlock, room: number): TranscriptBlock {
  if (block.tokens <= room) return block;
  const text = shortened(block.text, { tokens: room, handle: `entry:${block.entryId}` });
  return { ...block, text, tokens: textTokens(text) };
}
