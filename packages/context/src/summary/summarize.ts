/** Asks a model for a summary, in one request or in parts. All material stands between marks that contain a random word. */

import { userText } from "../context/convert-to-llm.ts";
import type { AssistantMessage, ThinkingLevel, Usage, UserMessage } from "../message.ts";
import type { Model, Request } from "../model.ts";
import type { Ports } from "../runtime.ts";
import { escapeSummary } from "../text/sanitize.ts";
import { shortened } from "../text/truncate.ts";
import { requestTokens, textTokens } from "../tokens/estimate-tokens.ts";
import { type Allowance, type Asker, type AskFailure, ask, type Call, type TellProgress } from "./ask-model.ts";
import { FORMATS, type Format, fill, KEPT, PROMPTS, SYSTEM } from "./prompts.ts";
import type { Detail, TranscriptBlock } from "./transcript.ts";

export interface Sized {
  readonly tokens: number;
}

/** As few groups as fit, of about the same size each, in order. What is bigger than the room by itself is a group of its own. */
export function chunksOf<Each extends Sized>(list: readonly Each[], room: number): readonly (readonly Each[])[] {
  const fewest = filledChunks(list, room);
  const even = filledChunks(list, Math.min(room, (tokensOf(list) / fewest.length) * UNEVEN));
  return even.length === fewest.length ? even : fewest;
}

/** Groups differ by the size of what stands at their ends. */
const UNEVEN = 1.15;

function filledChunks<Each extends Sized>(list: readonly Each[], room: number): readonly (readonly Each[])[] {
  const chunks: Each[][] = [];
  let left = 0;
  for (const each of list) {
    const last = chunks.at(-1);
    if (last && each.tokens <= left) last.push(each);
    else chunks.push([each]);
    left = (last && each.tokens <= left ? left : room) - each.tokens;
  }
  return chunks;
}

export function tokensOf(list: readonly Sized[]): number {
  return list.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Material between marks that contain a random word: no content can predict it, so none can imitate a mark. */
export interface Material {
  readonly tag: "conversation" | "turn" | "previous-summary" | "partial-summary" | "findings";
  /** Escaped already where it is a transcript; what models wrote is escaped here. */
  readonly text: string;
}

export interface Marked {
  readonly nonce: string;
  readonly message: UserMessage;
}

/** What the marks around one piece of material take at most. */
export const MARK_TOKENS = 60;

/** The material first, and then, outside of all marks, what is to be done with it. */
export function marked(materials: readonly Material[], task: string, { nonce }: Pick<Ports, "nonce">): Marked {
  const word = unusedWord(nonce, materials);
  const parts = materials.map(({ tag, text }) => `<${tag} ${word}>\n${text}\n</${tag} ${word}>`);
  return { nonce: word, message: userText([...parts, task].join("\n\n"), 0) };
}

/** A summary as material: what a model once wrote is no more to be trusted than what it read. */
export function summaryMaterial(tag: Material["tag"], summary: string): readonly Material[] {
  return summary === "" ? [] : [{ tag, text: escapeSummary(summary) }];
}

function unusedWord(nonce: () => string, materials: readonly Material[]): string {
  for (let tries = 0; ; tries++) {
    // One that always draws the same would never end.
    const word = tries < 10 ? nonce() : `${nonce()}${tries}`;
    if (word !== "" && !materials.some(({ text }) => text.includes(word))) return word;
  }
}

export interface Transcript {
  readonly history: readonly TranscriptBlock[];
  /** The beginning of a turn whose end is kept; empty where the cut falls between turns. */
  readonly turn: readonly TranscriptBlock[];
}

export interface Telling extends Omit<Asker, "spent"> {
  readonly ports: Pick<Ports, "sleep" | "nonce">;
  readonly thinking: ThinkingLevel;
  readonly format: Format;
  /** What the model is to read: whole texts, or digests where these do not fit. */
  readonly transcript: (detail: Detail) => Transcript;
  /** Whether the cut falls into a turn, so that the summary has a part about its beginning. */
  readonly hasTurn: boolean;
  /** Real tokens for each estimated one, where that is known. */
  readonly factor?: number | undefined;
  /** The summary so far; empty where there is none. */
  readonly previous: string;
  readonly instructions: string;
  /** In the place of our own task, where a host has one. */
  readonly task?: string | undefined;
  /** Whether the user's messages and the file lists stand beside the summary. */
  readonly keepsMessages: boolean;
  /** Of the story, at most. */
  readonly tokens: number;
  /** What was paid so far. */
  readonly calls: Call[];
  readonly allowance?: Allowance | undefined;
  readonly progress?: TellProgress | undefined;
  /** Which of several questions this is about. */
  readonly place?: { readonly part: number; readonly parts: number };
}

export type Told =
  | {
      readonly type: "told";
      /** What it answered. */
      readonly text: string;
      readonly asked: Asked;
      readonly said: AssistantMessage;
    }
  | { readonly type: "failed"; readonly failure: AskFailure }
  | { readonly type: "cancelled" };

/** A request and the word that its marks bear. */
export interface Asked {
  readonly request: Request;
  readonly nonce: string;
}

/** The answer is not audited here. */
export function question(materials: readonly Material[], task: string, telling: Telling): Promise<Told> {
  const { nonce, message } = marked(materials, task, telling.ports);
  const request: Request = {
    system: [{ name: "prompt", text: fill(SYSTEM, { nonce }) }],
    tools: [],
    messages: [message],
    thinking: telling.thinking,
    toolChoice: "none",
    cacheMarks: [],
  };
  return answered({ request: withReplyRoom(request, telling), nonce }, telling);
}

/** What is paid is noted, whatever comes of it. */
async function answered(asked: Asked, telling: Telling): Promise<Told> {
  if (isSpent(telling)) return { type: "failed", failure: SPENT };
  const { api, provider, model } = telling.model;
  telling.progress?.({ step: "asking", model: `${provider}/${model}`, ...telling.place });
  const spent = (usage: Usage): void => void telling.calls.push({ by: { api, provider, model }, usage });
  const reply = await ask(asked.request, { ...telling, spent });
  if (reply.call) telling.calls.push(reply.call);
  switch (reply.type) {
    case "said":
      return { type: "told", text: reply.text, asked, said: reply.message };
    case "failed":
      return { type: "failed", failure: reply.failure };
    case "cancelled":
      return { type: "cancelled" };
  }
}

// GUARD3: a long session told in many parts stops between them.
function isSpent({ calls, allowance }: Telling): boolean {
  if (!allowance) return false;
  return (
    calls.length >= allowance.calls || calls.reduce((sum, { usage }) => sum + usage.cost.total, 0) >= allowance.cost
  );
}

const SPENT: AskFailure = { code: "spend-limit", note: "summaries have cost as much as they may within an hour" };

/** The same conversation goes on: what was found names lines of the answer, so it is material like any other. */
export function correction(
  { asked: { request, nonce }, said }: Extract<Told, { type: "told" }>,
  findings: readonly string[],
  telling: Telling,
): Promise<Told> {
  const text = findings
    .map((finding) => `- ${finding}`)
    .join("\n")
    .replaceAll(nonce, "");
  const { message } = marked(summaryMaterial("findings", text), PROMPTS.correction, { nonce: () => nonce });
  const again = { ...request, messages: [...request.messages, said, message] };
  return answered({ request: withReplyRoom(again, telling), nonce }, telling);
}

/** What is asked of the model; the user's focus joins every question. */
export function taskOf(
  { format, hasTurn, instructions, task, tokens, keepsMessages }: Telling,
  prompt: keyof typeof PROMPTS,
  slots: Readonly<Record<string, string>> = {},
): string {
  if (task !== undefined) return task;
  const size = { tokens: String(tokens), words: String(Math.floor(tokens * WORDS_PER_TOKEN)) };
  return [
    fill(PROMPTS[prompt], { format: FORMATS[format], kept: keepsMessages ? KEPT : "", ...size, ...slots }),
    ...(format === "summary" && hasTurn ? [fill(PROMPTS.turnToo, { turnFormat: FORMATS.turn })] : []),
    ...(instructions === "" ? [] : [fill(PROMPTS.focus, { instructions })]),
  ].join("\n\n");
}

const WORDS_PER_TOKEN = 0.6;

export function conversation(tag: "conversation" | "turn", blocks: readonly TranscriptBlock[]): readonly Material[] {
  return blocks.length === 0 ? [] : [{ tag, text: blocks.map(({ text }) => text).join("\n\n") }];
}

/** The turn that is cut stays apart. One question after the other: many a server at home has one slot (B43). */
async function toldInParts({ history, turn }: Transcript, telling: Telling, room: number): Promise<Told> {
  const chunks = [
    ...chunksOf(history, room).map((blocks) => ({ of: "history" as const, blocks })),
    ...chunksOf(turn, room).map((blocks) => ({ of: "turn" as const, blocks })),
  ];
  if (chunks.length > MOST_PARTS)
    return { type: "failed", failure: { code: "overflow", note: `the session does not fit into ${MOST_PARTS} parts` } };
  const about = aboutPart(telling, room);
  const notes: Notes[] = [];
  for (const [at, { of, blocks }] of chunks.entries()) {
    const slots = { part: String(at + 1), parts: String(chunks.length) };
    const asking = { ...about, place: { part: at + 1, parts: chunks.length } };
    const told = await question(conversation("conversation", blocks), taskOf(about, "map", slots), asking);
    if (told.type !== "told") return told;
    notes.push(notesOn(of, told.text));
  }
  return joined(notes, telling, room);
}

/** More questions than these are too many for one story. */
const MOST_PARTS = 32;

interface Notes {
  readonly of: "history" | "turn";
  readonly text: string;
  readonly tokens: number;
}

function aboutPart(telling: Telling, room: number): Telling {
  const tokens = Math.min(telling.tokens, Math.floor(room / 4));
  return { ...telling, format: "summary", hasTurn: false, task: undefined, tokens };
}

function notesOn(of: Notes["of"], text: string): Notes {
  return { of, text, tokens: textTokens(text) + MARK_TOKENS };
}

async function joined(notes: readonly Notes[], telling: Telling, room: number): Promise<Told> {
  if (tokensOf(notes) > room) {
    const fewer = await joinedInGroups(notes, telling, room);
    if ("type" in fewer) return fewer;
    return fewer.length < notes.length ? joined(fewer, telling, room) : merged(fewer, telling);
  }
  return merged(notes, telling);
}

function merged(notes: readonly Notes[], telling: Telling): Promise<Told> {
  const materials = [...summaryMaterial("previous-summary", telling.previous), ...notes.flatMap(material)];
  return question(materials, taskOf(telling, "merge"), telling);
}

async function joinedInGroups(
  notes: readonly Notes[],
  telling: Telling,
  room: number,
): Promise<readonly Notes[] | Told> {
  const about = aboutPart(telling, room);
  const fewer: Notes[] = [];
  const groups = (["history", "turn"] as const).flatMap((of) =>
    chunksOf(
      notes.filter((each) => each.of === of),
      room,
    ),
  );
  for (const group of groups) {
    const [first] = group;
    if (!first) continue;
    const told = await question(group.flatMap(material), taskOf(about, "merge"), about);
    if (told.type !== "told") return told;
    fewer.push(notesOn(first.of, told.text));
  }
  return fewer;
}

function material({ of, text }: Notes): readonly Material[] {
  return summaryMaterial(of === "turn" ? "turn" : "partial-summary", text);
}

/** Whole texts where all of them fit; else digests, in parts where these do not fit either. What a provider finds too long is asked again in less. */
export async function tell(given: Telling): Promise<Told> {
  const telling = { ...given, previous: fittingBefore(given) };
  let room = roomIn(telling);
  const whole = telling.transcript("whole");
  let told: Told = { type: "failed", failure: { code: "overflow", note: "its window is too small" } };
  if (sizeOf(whole) <= room) {
    told = await toldAtOnce(whole, telling);
    if (!isTooLong(told)) return told;
    room = Math.floor(sizeOf(whole) / 2);
  }
  const digests = room >= LEAST_ROOM ? telling.transcript("digest") : whole;
  for (let size = 0; size < MOST_SIZES && room >= LEAST_ROOM; size++) {
    told = await toldWithin(room, digests, telling);
    if (!isTooLong(told)) return told;
    // What had room by our own account is not asked again as it was.
    room = Math.floor(Math.min(room, sizeOf(digests)) / 2);
  }
  return told;
}

function sizeOf({ history, turn }: Transcript): number {
  return tokensOf(history) + tokensOf(turn);
}

const MOST_SIZES = 3;

/** Tokens of material below which a window is too small for this work. */
const LEAST_ROOM = 400;

function isTooLong(told: Told): boolean {
  return told.type === "failed" && ["overflow", "payload", "quota"].includes(told.failure.code);
}

// What was told before may be of any size, where others wrote it.
function fittingBefore({ model, previous }: Telling): string {
  return shortened(previous, { tokens: Math.floor(windowOf(model) * LARGEST_BEFORE), handle: "the summary before" });
}

/** Tokens of material, as they are estimated, that one question has room for. */
function roomIn(telling: Telling): number {
  const { model, previous, instructions } = telling;
  const around = [SYSTEM, KEPT, PROMPTS.update, PROMPTS.turnToo, FORMATS.summary, FORMATS.turn, previous, instructions];
  const taken = around.reduce((sum, text) => sum + textTokens(text), 0);
  const room = (windowOf(model) - answerTokens(telling)) / marginOf(telling);
  return Math.floor(room) - taken - MARK_TOKENS * MOST_MATERIALS;
}

/** The model would estimate the room with less knowledge than there is here. */
function withReplyRoom(request: Request, telling: Telling): Request {
  const tokens = Math.floor(windowOf(telling.model) - requestTokens(request) * marginOf(telling));
  const reserve = answerTokens(telling);
  return { ...request, replyRoom: { tokens: Math.max(tokens, reserve), reserve } };
}

/** What is left for the answer: twice its size, thinking included, and more where the window is large. */
function answerTokens({ model, tokens }: Telling): number {
  const window = windowOf(model);
  const wanted = Math.max(2 * tokens, Math.min(LARGEST_ANSWER.tokens, window * LARGEST_ANSWER.share));
  return Math.floor(Math.min(model.maxTokens || Number.POSITIVE_INFINITY, wanted, window / 2));
}

/** An estimate that replies have corrected is nearly right; any other may be too low by a third. */
function marginOf({ factor }: Telling): number {
  return factor === undefined ? 4 / 3 : factor * 1.1;
}

function windowOf({ contextWindow }: Model): number {
  return contextWindow > 0 ? Math.min(contextWindow, LARGEST_WINDOW) : UNKNOWN_WINDOW;
}

const LARGEST_ANSWER = { tokens: 16_384, share: 0.2 };
const LARGEST_BEFORE = 0.2;
/** What is taken for a window that nobody knows, and the most that is used of one. */
const UNKNOWN_WINDOW = 128_000;
const LARGEST_WINDOW = 10_000_000;
/** In one question: the summary so far, the conversation, the turn that is cut. */
const MOST_MATERIALS = 3;

function toldWithin(room: number, transcript: Transcript, telling: Telling): Promise<Told> {
  const history = transcript.history.map((block) => fitting(block, room));
  const turn = transcript.turn.map((block) => fitting(block, room));
  const isTooMuch = sizeOf({ history, turn }) > room;
  return isTooMuch ? toldInParts({ history, turn }, telling, room) : toldAtOnce({ history, turn }, telling);
}

function toldAtOnce({ history, turn }: Transcript, telling: Telling): Promise<Told> {
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
  const text = shortened(block.text, { tokens: room, handle: block.reference });
  return { ...block, text, tokens: textTokens(text) };
}
