/** Asks a model for a summary, in one request or in parts. All material stands between marks that contain a random word. */

import { createUserMessage } from "../context/convert-to-llm.ts";
import type { AssistantMessage, ThinkingLevel, Usage, UserMessage } from "../message.ts";
import type { Model, Request } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import { escapeSummary } from "../text/sanitize.ts";
import { truncateMiddle } from "../text/truncate.ts";
import { requestTokens, textTokens } from "../tokens/estimate-tokens.ts";
import {
  type Allowance,
  type AskFailure,
  type AskModelOptions,
  askModel,
  type ModelCall,
  type OnProgress,
} from "./ask-model.ts";
import {
  fillTemplate,
  PROMPT_TEMPLATES,
  SUMMARY_FORMATS,
  type SummaryFormatName,
  SYSTEM_TEMPLATE,
  USER_MESSAGES_RULE,
} from "./prompts.ts";
import type { TranscriptBlock, TranscriptDetail } from "./transcript.ts";

export interface ItemWithTokens {
  readonly tokens: number;
}

/** As few groups as fit, of about the same size each, in order. What is bigger than the room by itself is a group of its own. */
export function splitIntoChunks<Each extends ItemWithTokens>(
  items: readonly Each[],
  maxTokens: number,
): readonly (readonly Each[])[] {
  const fewestChunks = fillChunks(items, maxTokens);
  const evenChunks = fillChunks(
    items,
    Math.min(maxTokens, (sumTokens(items) / fewestChunks.length) * CHUNK_SIZE_TOLERANCE),
  );
  return evenChunks.length === fewestChunks.length ? evenChunks : fewestChunks;
}

/** Groups differ by the size of what stands at their ends. */
const CHUNK_SIZE_TOLERANCE = 1.15;

function fillChunks<Each extends ItemWithTokens>(
  items: readonly Each[],
  maxTokens: number,
): readonly (readonly Each[])[] {
  const chunks: Each[][] = [];
  let remainingTokens = 0;
  for (const each of items) {
    const last = chunks.at(-1);
    if (last && each.tokens <= remainingTokens) last.push(each);
    else chunks.push([each]);
    remainingTokens = (last && each.tokens <= remainingTokens ? remainingTokens : maxTokens) - each.tokens;
  }
  return chunks;
}

export function sumTokens(items: readonly ItemWithTokens[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Material between marks that contain a random word: no content can predict it, so none can imitate a mark. */
export interface PromptMaterial {
  readonly tag: "conversation" | "turn" | "previous-summary" | "partial-summary" | "findings";
  /** Escaped already where it is a transcript; what models wrote is escaped here. */
  readonly text: string;
}

export interface MaterialMessage {
  readonly nonce: string;
  readonly message: UserMessage;
}

/** What the marks around one piece of material take at most. */
export const MATERIAL_MARK_TOKENS = 60;

/** The material first, and then, outside of all marks, what is to be done with it. */
export function wrapMaterials(
  materials: readonly PromptMaterial[],
  task: string,
  { nonce }: Pick<Runtime, "nonce">,
): MaterialMessage {
  const nonceWord = drawUniqueNonce(nonce, materials);
  const parts = materials.map(({ tag, text }) => `<${tag} ${nonceWord}>\n${text}\n</${tag} ${nonceWord}>`);
  return { nonce: nonceWord, message: createUserMessage([...parts, task].join("\n\n"), 0) };
}

/** A summary as material: what a model once wrote is no more to be trusted than what it read. */
export function toSummaryMaterial(tag: PromptMaterial["tag"], summary: string): readonly PromptMaterial[] {
  return summary === "" ? [] : [{ tag, text: escapeSummary(summary) }];
}

function drawUniqueNonce(nonce: () => string, materials: readonly PromptMaterial[]): string {
  for (let tries = 0; ; tries++) {
    // One that always draws the same would never end.
    const candidate = tries < 10 ? nonce() : `${nonce()}${tries}`;
    if (candidate !== "" && !materials.some(({ text }) => text.includes(candidate))) return candidate;
  }
}

export interface Transcript {
  readonly history: readonly TranscriptBlock[];
  /** The beginning of a turn whose end is kept; empty where the cut falls between turns. */
  readonly turn: readonly TranscriptBlock[];
}

export interface SummaryJob extends Omit<AskModelOptions, "spent"> {
  readonly runtime: Pick<Runtime, "sleep" | "nonce">;
  readonly thinking: ThinkingLevel;
  readonly format: SummaryFormatName;
  /** What the model is to read: whole texts, or digests where these do not fit. */
  readonly transcript: (detail: TranscriptDetail) => Transcript;
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
  readonly calls: ModelCall[];
  readonly allowance?: Allowance | undefined;
  readonly progress?: OnProgress | undefined;
  /** Which of several questions this is about. */
  readonly chunk?: { readonly part: number; readonly parts: number };
}

export type SummaryReply =
  | {
      readonly type: "answered";
      /** What it answered. */
      readonly text: string;
      readonly prompt: PromptRequest;
      readonly message: AssistantMessage;
    }
  | { readonly type: "failed"; readonly failure: AskFailure }
  | { readonly type: "cancelled" };

/** A request and the word that its marks bear. */
export interface PromptRequest {
  readonly request: Request;
  readonly nonce: string;
}

/** The answer is not audited here. */
export function requestSummary(
  materials: readonly PromptMaterial[],
  task: string,
  job: SummaryJob,
): Promise<SummaryReply> {
  const { nonce, message } = wrapMaterials(materials, task, job.runtime);
  const request: Request = {
    system: [{ name: "prompt", text: fillTemplate(SYSTEM_TEMPLATE, { nonce }) }],
    tools: [],
    messages: [message],
    thinking: job.thinking,
    toolChoice: "none",
    cacheMarks: [],
  };
  return sendPrompt({ request: withReplyRoom(request, job), nonce }, job);
}

/** What is paid is noted, whatever comes of it. */
async function sendPrompt(prompt: PromptRequest, job: SummaryJob): Promise<SummaryReply> {
  if (isAllowanceSpent(job)) return { type: "failed", failure: SPEND_LIMIT_FAILURE };
  const { api, provider, model } = job.model;
  job.progress?.({ step: "asking", model: `${provider}/${model}`, ...job.chunk });
  const onFailedAttemptUsage = (usage: Usage): void => void job.calls.push({ by: { api, provider, model }, usage });
  const reply = await askModel(prompt.request, { ...job, onFailedAttemptUsage });
  if (reply.call) job.calls.push(reply.call);
  switch (reply.type) {
    case "answered":
      return { type: "answered", text: reply.text, prompt, message: reply.message };
    case "failed":
      return { type: "failed", failure: reply.failure };
    case "cancelled":
      return { type: "cancelled" };
  }
}

// GUARD3: a long session told in many parts stops between them.
function isAllowanceSpent({ calls, allowance }: SummaryJob): boolean {
  if (!allowance) return false;
  return (
    calls.length >= allowance.calls || calls.reduce((sum, { usage }) => sum + usage.cost.total, 0) >= allowance.cost
  );
}

const SPEND_LIMIT_FAILURE: AskFailure = {
  code: "spend-limit",
  note: "summaries have cost as much as they may within an hour",
};

/** The same conversation goes on: what was found names lines of the answer, so it is material like any other. */
export function requestCorrection(
  { prompt: { request, nonce }, message: answer }: Extract<SummaryReply, { type: "answered" }>,
  findings: readonly string[],
  job: SummaryJob,
): Promise<SummaryReply> {
  const text = findings
    .map((finding) => `- ${finding}`)
    .join("\n")
    .replaceAll(nonce, "");
  const { message } = wrapMaterials(toSummaryMaterial("findings", text), PROMPT_TEMPLATES.correction, {
    nonce: () => nonce,
  });
  const followUp = { ...request, messages: [...request.messages, answer, message] };
  return sendPrompt({ request: withReplyRoom(followUp, job), nonce }, job);
}

/** What is asked of the model; the user's focus joins every question. */
export function renderTask(
  { format, hasTurn, instructions, task, tokens, keepsMessages }: SummaryJob,
  template: keyof typeof PROMPT_TEMPLATES,
  slots: Readonly<Record<string, string>> = {},
): string {
  if (task !== undefined) return task;
  const size = { tokens: String(tokens), words: String(Math.floor(tokens * SUMMARY_WORDS_PER_TOKEN)) };
  return [
    fillTemplate(PROMPT_TEMPLATES[template], {
      format: SUMMARY_FORMATS[format],
      kept: keepsMessages ? USER_MESSAGES_RULE : "",
      ...size,
      ...slots,
    }),
    ...(format === "summary" && hasTurn
      ? [fillTemplate(PROMPT_TEMPLATES.turnToo, { turnFormat: SUMMARY_FORMATS.turn })]
      : []),
    ...(instructions === "" ? [] : [fillTemplate(PROMPT_TEMPLATES.focus, { instructions })]),
  ].join("\n\n");
}

const SUMMARY_WORDS_PER_TOKEN = 0.6;

export function toConversationMaterial(
  tag: "conversation" | "turn",
  blocks: readonly TranscriptBlock[],
): readonly PromptMaterial[] {
  return blocks.length === 0 ? [] : [{ tag, text: blocks.map(({ text }) => text).join("\n\n") }];
}

/** The turn that is cut stays apart. One question after the other: many a server at home has one slot (B43). */
async function summarizeInChunks(
  { history, turn }: Transcript,
  job: SummaryJob,
  budget: number,
): Promise<SummaryReply> {
  const chunks = [
    ...splitIntoChunks(history, budget).map((blocks) => ({ of: "history" as const, blocks })),
    ...splitIntoChunks(turn, budget).map((blocks) => ({ of: "turn" as const, blocks })),
  ];
  if (chunks.length > MAX_CHUNKS)
    return { type: "failed", failure: { code: "overflow", note: `the session does not fit into ${MAX_CHUNKS} parts` } };
  const chunkJob = createChunkJob(job, budget);
  const notes: ChunkNotes[] = [];
  for (const [index, { of: origin, blocks }] of chunks.entries()) {
    const slots = { part: String(index + 1), parts: String(chunks.length) };
    const positionedJob = { ...chunkJob, chunk: { part: index + 1, parts: chunks.length } };
    const reply = await requestSummary(
      toConversationMaterial("conversation", blocks),
      renderTask(chunkJob, "map", slots),
      positionedJob,
    );
    if (reply.type !== "answered") return reply;
    notes.push(toChunkNotes(origin, reply.text));
  }
  return mergeNotes(notes, job, budget);
}

/** More questions than these are too many for one story. */
const MAX_CHUNKS = 32;

interface ChunkNotes {
  readonly origin: "history" | "turn";
  readonly text: string;
  readonly tokens: number;
}

function createChunkJob(job: SummaryJob, budget: number): SummaryJob {
  const tokens = Math.min(job.tokens, Math.floor(budget / 4));
  return { ...job, format: "summary", hasTurn: false, task: undefined, tokens };
}

function toChunkNotes(origin: ChunkNotes["origin"], text: string): ChunkNotes {
  return { origin, text, tokens: textTokens(text) + MATERIAL_MARK_TOKENS };
}

async function mergeNotes(notes: readonly ChunkNotes[], job: SummaryJob, budget: number): Promise<SummaryReply> {
  if (sumTokens(notes) > budget) {
    const mergedNotes = await mergeInGroups(notes, job, budget);
    if ("type" in mergedNotes) return mergedNotes;
    return mergedNotes.length < notes.length ? mergeNotes(mergedNotes, job, budget) : requestMerge(mergedNotes, job);
  }
  return requestMerge(notes, job);
}

function requestMerge(notes: readonly ChunkNotes[], job: SummaryJob): Promise<SummaryReply> {
  const materials = [...toSummaryMaterial("previous-summary", job.previous), ...notes.flatMap(toNotesMaterial)];
  return requestSummary(materials, renderTask(job, "merge"), job);
}

async function mergeInGroups(
  notes: readonly ChunkNotes[],
  job: SummaryJob,
  budget: number,
): Promise<readonly ChunkNotes[] | SummaryReply> {
  const chunkJob = createChunkJob(job, budget);
  const mergedNotes: ChunkNotes[] = [];
  const groups = (["history", "turn"] as const).flatMap((origin) =>
    splitIntoChunks(
      notes.filter((each) => each.origin === origin),
      budget,
    ),
  );
  for (const group of groups) {
    const [first] = group;
    if (!first) continue;
    const reply = await requestSummary(group.flatMap(toNotesMaterial), renderTask(chunkJob, "merge"), chunkJob);
    if (reply.type !== "answered") return reply;
    mergedNotes.push(toChunkNotes(first.origin, reply.text));
  }
  return mergedNotes;
}

function toNotesMaterial({ origin, text }: ChunkNotes): readonly PromptMaterial[] {
  return toSummaryMaterial(origin === "turn" ? "turn" : "partial-summary", text);
}

/** Whole texts where all of them fit; else digests, in parts where these do not fit either. What a provider finds too long is asked again in less. */
export async function summarizeTranscript(originalJob: SummaryJob): Promise<SummaryReply> {
  const job = { ...originalJob, previous: truncatePreviousSummary(originalJob) };
  let budget = availableMaterialTokens(job);
  const fullTranscript = job.transcript("whole");
  let reply: SummaryReply = { type: "failed", failure: { code: "overflow", note: "its window is too small" } };
  if (transcriptTokens(fullTranscript) <= budget) {
    reply = await summarizeInOneRequest(fullTranscript, job);
    if (!isOverflow(reply)) return reply;
    budget = Math.floor(transcriptTokens(fullTranscript) / 2);
  }
  const excerpts = budget >= MIN_MATERIAL_TOKENS ? job.transcript("digest") : fullTranscript;
  for (let attempt = 0; attempt < MAX_SIZE_ATTEMPTS && budget >= MIN_MATERIAL_TOKENS; attempt++) {
    reply = await summarizeInBudget(budget, excerpts, job);
    if (!isOverflow(reply)) return reply;
    // What had room by our own account is not asked again as it was.
    budget = Math.floor(Math.min(budget, transcriptTokens(excerpts)) / 2);
  }
  return reply;
}

function transcriptTokens({ history, turn }: Transcript): number {
  return sumTokens(history) + sumTokens(turn);
}

const MAX_SIZE_ATTEMPTS = 3;

/** Tokens of material below which a window is too small for this work. */
const MIN_MATERIAL_TOKENS = 400;

function isOverflow(reply: SummaryReply): boolean {
  return reply.type === "failed" && ["overflow", "payload", "quota"].includes(reply.failure.code);
}

// What was told before may be of any size, where others wrote it.
function truncatePreviousSummary({ model, previous }: SummaryJob): string {
  return truncateMiddle(previous, {
    tokens: Math.floor(usableWindow(model) * MAX_PREVIOUS_SUMMARY_SHARE),
    handle: "the summary before",
  });
}

/** Tokens of material, as they are estimated, that one question has room for. */
function availableMaterialTokens(job: SummaryJob): number {
  const { model, previous, instructions } = job;
  const surroundingTexts = [
    SYSTEM_TEMPLATE,
    USER_MESSAGES_RULE,
    PROMPT_TEMPLATES.update,
    PROMPT_TEMPLATES.turnToo,
    SUMMARY_FORMATS.summary,
    SUMMARY_FORMATS.turn,
    previous,
    instructions,
  ];
  const surroundingTokens = surroundingTexts.reduce((sum, text) => sum + textTokens(text), 0);
  const promptTokens = (usableWindow(model) - maxAnswerTokens(job)) / estimateMargin(job);
  return Math.floor(promptTokens) - surroundingTokens - MATERIAL_MARK_TOKENS * MAX_MATERIALS;
}

/** The model would estimate the room with less knowledge than there is here. */
function withReplyRoom(request: Request, job: SummaryJob): Request {
  const tokens = Math.floor(usableWindow(job.model) - requestTokens(request) * estimateMargin(job));
  const reserve = maxAnswerTokens(job);
  return { ...request, replyBudget: { tokens: Math.max(tokens, reserve), reserve } };
}

/** What is left for the answer: twice its size, thinking included, and more where the window is large. */
function maxAnswerTokens({ model, tokens }: SummaryJob): number {
  const window = usableWindow(model);
  const wantedTokens = Math.max(2 * tokens, Math.min(MAX_ANSWER_RESERVE.tokens, window * MAX_ANSWER_RESERVE.share));
  return Math.floor(Math.min(model.maxTokens || Number.POSITIVE_INFINITY, wantedTokens, window / 2));
}

/** An estimate that replies have corrected is nearly right; any other may be too low by a third. */
function estimateMargin({ factor }: SummaryJob): number {
  return factor === undefined ? 4 / 3 : factor * 1.1;
}

function usableWindow({ contextWindow }: Model): number {
  return contextWindow > 0 ? Math.min(contextWindow, MAX_SUMMARIZER_WINDOW) : DEFAULT_SUMMARIZER_WINDOW;
}

const MAX_ANSWER_RESERVE = { tokens: 16_384, share: 0.2 };
const MAX_PREVIOUS_SUMMARY_SHARE = 0.2;
/** What is taken for a window that nobody knows, and the most that is used of one. */
const DEFAULT_SUMMARIZER_WINDOW = 128_000;
const MAX_SUMMARIZER_WINDOW = 10_000_000;
/** In one question: the summary so far, the conversation, the turn that is cut. */
const MAX_MATERIALS = 3;

function summarizeInBudget(budget: number, transcript: Transcript, job: SummaryJob): Promise<SummaryReply> {
  const history = transcript.history.map((block) => truncateBlock(block, budget));
  const turn = transcript.turn.map((block) => truncateBlock(block, budget));
  const isTooMuch = transcriptTokens({ history, turn }) > budget;
  return isTooMuch ? summarizeInChunks({ history, turn }, job, budget) : summarizeInOneRequest({ history, turn }, job);
}

function summarizeInOneRequest({ history, turn }: Transcript, job: SummaryJob): Promise<SummaryReply> {
  const materials = [
    ...toSummaryMaterial("previous-summary", job.previous),
    ...toConversationMaterial("conversation", history),
    ...toConversationMaterial("turn", turn),
  ];
  return requestSummary(materials, renderTask(job, choosePromptTemplate(job)), job);
}

function choosePromptTemplate({ format, previous }: SummaryJob): keyof typeof PROMPT_TEMPLATES {
  if (format === "branch") return "branch";
  if (format === "turn") return "turnPrefix";
  return previous === "" ? "initial" : "update";
}

function truncateBlock(block: TranscriptBlock, budget: number): TranscriptBlock {
  if (block.tokens <= budget) return block;
  const text = truncateMiddle(block.text, { tokens: budget, handle: block.reference });
  return { ...block, text, tokens: textTokens(text) };
}
