/** Asks a model for a summary of a transcript, in one request or in chunks. All material is enclosed in marks with a random word. */

import { createUserMessage } from "../context/convert-to-llm.ts";
import { runWithPauses, type Steps } from "../event-loop.ts";
import type { AssistantMessage, Message, ThinkingLevel, Usage, UserMessage } from "../message.ts";
import type { Model, Request } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import { escapeSummary } from "../text/sanitize.ts";
import { truncateMiddle } from "../text/truncate.ts";
import { messageTokens, textTokens } from "../tokens/estimate-tokens.ts";
import {
  type Allowance,
  type AskFailure,
  type AskModelOptions,
  askModel,
  type ModelCall,
  type OnProgress,
} from "./ask-model.ts";
import { SPEND_LIMIT_NOTE } from "./limits.ts";
import { type TokenPrices, toUsage } from "./prices.ts";
import {
  CARRIED_LINES_RULE,
  fillTemplate,
  LEAVING_MESSAGES_RULE,
  PROMPT_TEMPLATES,
  SHOWN_MESSAGES_RULE,
  SUMMARY_FORMATS,
  type SummaryFormatName,
  SYSTEM_TEMPLATE,
  TURN_PLACES,
  UNUSABLE_REPLIES,
  USER_MESSAGES_RULE,
} from "./prompts.ts";
import type { SentRequest } from "./sent-request.ts";
import type { TranscriptBlock, TranscriptDetail } from "./transcript.ts";

/** What the prompts for one summary are made from. */
export interface PromptJob {
  readonly model: ModelLimits;
  readonly runtime: Pick<Runtime, "nonce">;
  readonly thinking: ThinkingLevel;
  readonly format: SummaryFormatName;
  /** Renders the transcript with full texts or with excerpts. */
  readonly transcript: (detail: TranscriptDetail) => Transcript;
  /** Renders it in steps, before it is read. */
  readonly computeTranscript: (detail: TranscriptDetail) => Steps<unknown>;
  /** Whether the cut splits a turn, so that the summary has a part about its beginning. */
  readonly hasTurn: boolean;
  /** Real tokens per estimated token, if known. */
  readonly factor?: number | undefined;
  /** The previous summary; empty for none. */
  readonly previous: string;
  readonly instructions: string;
  /** A task of the host that replaces the default prompt. */
  readonly task?: string | undefined;
  /** Whether the user's messages and the file lists are kept next to the summary. */
  readonly keepsMessages: boolean;
  /** The user's messages that earlier compactions kept and this one keeps, as they are shown; empty for none. */
  readonly keptMessages: string;
  /** The user's messages that the summary has to carry over. */
  readonly leaving: readonly ListedMessage[];
  /** The references of messages that only lines of the previous summary carry over. */
  readonly carried: readonly string[];
  /** The maximum size of the summary. */
  readonly tokens: number;
  /** The user's messages to summarize, oldest first. */
  readonly userMessages: readonly ListedMessage[];
  /** The user's message that the split turn begins with. */
  readonly turnStart: ListedMessage | null;
  /** The session's last request, if the summary may be requested with it. */
  readonly sent?: SentRequest | undefined;
  /** The route that is asked for. Default: `cheapest`. */
  readonly preferredRoute?: PreferredRoute | undefined;
  /** What the model's tokens cost, if it is known. */
  readonly prices?: TokenPrices | undefined;
  /** The size of one answer of this model, if it is known from an earlier summary. */
  readonly answerTokens?: number | undefined;
}

/** The route that is asked for: after the session's last request, with a transcript, or whichever is cheaper. */
export type PreferredRoute = "cheapest" | "same-prefix" | "transcript";

/** A message that a prompt refers to by its number. */
export interface ListedMessage {
  /** The reference of the entry, e.g. `#3`. */
  readonly reference: string;
  readonly text: string;
}

/** The limits of a model that decide how much one request holds. */
export type ModelLimits = Pick<Model, "contextWindow" | "maxTokens">;

/** Everything that the requests for one summary need. */
export interface SummaryJob extends AskModelOptions, PromptJob {
  readonly model: Model;
  readonly runtime: Pick<Runtime, "sleep" | "nonce">;
  readonly tokens: number;
  /** The model calls so far; each request adds its own. */
  readonly calls: ModelCall[];
  /** The replies so far that were billed and not used. */
  readonly unusedReplies: UnusedReply[];
  readonly allowance?: Allowance | undefined;
  readonly progress?: OnProgress | undefined;
  /** The chunk that the request is about, if there are several. */
  readonly chunk?: { readonly part: number; readonly parts: number };
}

/** The blocks to summarize. */
export interface Transcript {
  readonly history: readonly TranscriptBlock[];
  /** The beginning of a turn whose rest is kept; empty if the cut is between turns. */
  readonly turn: readonly TranscriptBlock[];
}

/** A reply that was billed and not used: it was stopped, or is not a summary. */
export interface UnusedReply {
  /** A sentence for users. */
  readonly why: string;
  readonly usage: Usage;
}

/** The reply of a model to the requests for a summary. */
export type SummaryReply =
  | {
      readonly type: "answered";
      readonly text: string;
      readonly prompt: PromptRequest;
      readonly message: AssistantMessage;
    }
  /** `message` is set if the model replied with something else than a summary. */
  | {
      readonly type: "failed";
      readonly failure: AskFailure;
      readonly prompt?: PromptRequest;
      readonly message?: AssistantMessage;
    }
  | { readonly type: "cancelled" };

/** A reply that is not a summary. */
export type OtherReply = Extract<SummaryReply, { type: "failed" }> &
  Required<Pick<Extract<SummaryReply, { type: "failed" }>, "prompt" | "message">>;

/** A request and the random word in its marks. */
export interface PromptRequest {
  readonly request: Request;
  readonly nonce: string;
  /** The estimated tokens of the request. */
  readonly tokens: number;
  /** Set if the request is the session's own and an instruction. */
  readonly isSamePrefix?: true;
}

/**
 * Summarizes a transcript: with full texts if they fit, otherwise with excerpts, and in chunks if these do not fit either. A request
 * that the provider finds too long is sent again with less material.
 */
export async function summarizeTranscript(originalJob: SummaryJob): Promise<SummaryReply> {
  const job = limitMaterials(originalJob);
  let budget = availableMaterialTokens(job);
  const fullTranscript = job.transcript("full");
  let reply: SummaryReply = {
    type: "failed",
    failure: { code: "overflow", note: "the model's context window is too small for a summary" },
  };
  if (transcriptTokens(fullTranscript) <= budget) {
    reply = await summarizeInOneRequest(fullTranscript, job);
    if (!isOverflow(reply)) return reply;
    budget = Math.floor(transcriptTokens(fullTranscript) / 2);
  }
  if (budget < MIN_MATERIAL_TOKENS) return reply;
  await runWithPauses(job.computeTranscript("excerpt"), job.runtime);
  const excerpts = job.transcript("excerpt");
  for (let attempt = 0; attempt < MAX_SIZE_ATTEMPTS && budget >= MIN_MATERIAL_TOKENS; attempt++) {
    reply = await summarizeInBudget(budget, excerpts, job);
    if (!isOverflow(reply)) return reply;
    // The material fitted by our estimate, so the next attempt must be smaller than the material itself.
    budget = Math.floor(Math.min(budget, transcriptTokens(excerpts)) / 2);
  }
  return reply;
}

/** Whether one request holds the transcript with full texts. */
export function fitsInFull(originalJob: PromptJob): boolean {
  const job = limitMaterials(originalJob);
  return transcriptTokens(job.transcript("full")) <= availableMaterialTokens(job);
}

export function transcriptTokens({ history, turn }: Transcript): number {
  return sumTokens(history) + sumTokens(turn);
}

const MAX_SIZE_ATTEMPTS = 3;

/** The smallest material budget: with less, the context window is too small to summarize anything. */
const MIN_MATERIAL_TOKENS = 400;

function isOverflow(reply: SummaryReply): boolean {
  return reply.type === "failed" && ["overflow", "payload", "quota"].includes(reply.failure.code);
}

/**
 * Limits the previous summary, because one that another program wrote may have any size, and leaves out the user's kept messages if the
 * transcript does not fit in full beside them.
 */
export function limitMaterials<Job extends PromptJob>(job: Job): Job {
  const previous = truncateMiddle(job.previous, {
    tokens: Math.floor(usableWindow(job.model) * MAX_PREVIOUS_SUMMARY_SHARE),
    handle: "the summary before",
  });
  const limitedJob = { ...job, previous };
  const fits = transcriptTokens(job.transcript("full")) <= availableMaterialTokens(limitedJob);
  return fits ? limitedJob : { ...limitedJob, keptMessages: "" };
}

/** The estimated tokens of material that fit into one request. */
export function availableMaterialTokens(job: PromptJob): number {
  const { model, previous, instructions } = job;
  const surroundingTexts = [
    SYSTEM_TEMPLATE,
    renderKeptRules({ ...job, keepsMessages: true }),
    PROMPT_TEMPLATES.update,
    fillTemplate(PROMPT_TEMPLATES.turnToo, { turnPlace: TURN_PLACES.transcript }),
    SUMMARY_FORMATS.summary,
    SUMMARY_FORMATS.turn,
    previous,
    job.keptMessages,
    formatListedMessages(job.leaving),
    instructions,
  ];
  const surroundingTokens = surroundingTexts.reduce((sum, text) => sum + textTokens(text), 0);
  const promptTokens = (usableWindow(model) - maxAnswerTokens(job)) / estimateMargin(job);
  const materials = MAX_MATERIALS + toMessageMaterials(job).length;
  return Math.floor(promptTokens) - surroundingTokens - MATERIAL_MARK_TOKENS * materials;
}

/** The tokens reserved for the answer and its thinking: twice the size of the summary, and more if the window is large. */
function maxAnswerTokens({ model, tokens }: PromptJob): number {
  const window = usableWindow(model);
  const wantedTokens = Math.max(2 * tokens, Math.min(MAX_ANSWER_RESERVE.tokens, window * MAX_ANSWER_RESERVE.share));
  return Math.floor(Math.min(model.maxTokens || Number.POSITIVE_INFINITY, wantedTokens, window / 2));
}

/** The factor for estimated tokens: a calibrated estimate is nearly right, any other may be too low by a third. */
function estimateMargin({ factor }: PromptJob): number {
  return factor === undefined ? UNKNOWN_ESTIMATE_MARGIN : factor * 1.1;
}

export const UNKNOWN_ESTIMATE_MARGIN: number = 4 / 3;

export function usableWindow({ contextWindow }: ModelLimits): number {
  return contextWindow > 0 ? Math.min(contextWindow, MAX_SUMMARIZER_WINDOW) : DEFAULT_SUMMARIZER_WINDOW;
}

const MAX_ANSWER_RESERVE = { tokens: 16_384, share: 0.2 };
const MAX_PREVIOUS_SUMMARY_SHARE = 0.2;
/** The context window assumed for a model that states none, and the most that is used of any. */
const DEFAULT_SUMMARIZER_WINDOW = 128_000;
const MAX_SUMMARIZER_WINDOW = 10_000_000;
/** In one request: the previous summary, the conversation and the split turn. */
const MAX_MATERIALS = 3;

function summarizeInBudget(budget: number, transcript: Transcript, job: SummaryJob): Promise<SummaryReply> {
  const truncated = truncateBlocks(transcript, budget);
  const isTooMuch = transcriptTokens(truncated) > budget;
  return isTooMuch ? summarizeInChunks(truncated, job, budget) : summarizeInOneRequest(truncated, job);
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

function summarizeInOneRequest(transcript: Transcript, job: SummaryJob): Promise<SummaryReply> {
  return sendPrompt(buildSinglePrompt(transcript, job), job);
}

/** Builds the prompt for the summary of a transcript that fits into one request. */
export function buildSinglePrompt({ history, turn }: Transcript, job: PromptJob): PromptRequest {
  const materials = [
    ...toSummaryMaterial("previous-summary", job.previous),
    ...toMessageMaterials(job),
    ...toConversationMaterial("conversation", history),
    ...toConversationMaterial("turn", turn),
  ];
  return buildPrompt(materials, renderTask(job, choosePromptTemplate(job)), job);
}

/** The user's messages of earlier compactions, so that the summary can be compared with them, and those to carry over. */
function toMessageMaterials({ keptMessages, leaving }: PromptJob): readonly PromptMaterial[] {
  return [
    ...toSummaryMaterial("user-messages", keptMessages),
    ...toSummaryMaterial("leaving-messages", formatListedMessages(leaving)),
  ];
}

/** Formats messages in full, each after a line with its reference. */
export function formatListedMessages(messages: readonly ListedMessage[]): string {
  return messages.map(({ reference, text }) => `[${reference}]\n${text.trim()}`).join("\n\n");
}

function choosePromptTemplate({ format, previous }: PromptJob): keyof typeof PROMPT_TEMPLATES {
  if (format === "branch") return "branch";
  if (format === "turn") return "turnPrefix";
  return previous === "" ? "initial" : "update";
}

/** Summarizes in chunks. Requests are sequential, because many local servers have one slot (B43). */
async function summarizeInChunks(transcript: Transcript, job: SummaryJob, budget: number): Promise<SummaryReply> {
  const chunks = splitTranscript(transcript, budget);
  if (chunks.length > MAX_CHUNKS)
    return {
      type: "failed",
      failure: { code: "overflow", note: `the session is too long for this model, even in ${MAX_CHUNKS} parts` },
    };
  const notes: ChunkNotes[] = [];
  for (const [index, chunk] of chunks.entries()) {
    const chunkJob = { ...job, ...chunkOptions(job, budget), chunk: { part: index + 1, parts: chunks.length } };
    const reply = await sendPrompt(buildChunkPrompt(chunk, chunkJob), chunkJob);
    if (reply.type !== "answered") return reply;
    notes.push(toChunkNotes(chunk.origin, reply.text));
  }
  return mergeNotes(notes, job, budget);
}

/** The maximum number of requests for one summary. */
export const MAX_CHUNKS = 32;

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

/** The changes to a job for the notes on one chunk: a plain summary of at most a quarter of the budget. */
export function chunkOptions(
  job: PromptJob,
  budget: number,
): Pick<PromptJob, "format" | "hasTurn" | "task" | "keptMessages" | "leaving" | "carried" | "tokens"> {
  const tokens = Math.min(job.tokens, Math.floor(budget / 4));
  const noMessages = { keptMessages: "", leaving: [], carried: [] };
  return { format: "summary", hasTurn: false, task: undefined, ...noMessages, tokens };
}

export function buildChunkPrompt(
  { blocks }: TranscriptChunk,
  job: PromptJob & Required<Pick<SummaryJob, "chunk">>,
): PromptRequest {
  const slots = { part: String(job.chunk.part), parts: String(job.chunk.parts) };
  return buildPrompt(toConversationMaterial("conversation", blocks), renderTask(job, "map", slots), job);
}

export interface ChunkNotes {
  readonly origin: TranscriptChunk["origin"];
  readonly text: string;
  readonly tokens: number;
}

export function toChunkNotes(origin: ChunkNotes["origin"], text: string): ChunkNotes {
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
  return sendPrompt(buildMergePrompt(notes, job), job);
}

export function buildMergePrompt(notes: readonly ChunkNotes[], job: PromptJob): PromptRequest {
  const materials = [
    ...toSummaryMaterial("previous-summary", job.previous),
    ...toMessageMaterials(job),
    ...notes.flatMap(toNotesMaterial),
  ];
  return buildPrompt(materials, renderTask(job, "merge"), job);
}

async function mergeInGroups(
  notes: readonly ChunkNotes[],
  job: SummaryJob,
  budget: number,
): Promise<readonly ChunkNotes[] | SummaryReply> {
  const chunkJob = { ...job, ...chunkOptions(job, budget) };
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
    const prompt = buildPrompt(group.flatMap(toNotesMaterial), renderTask(chunkJob, "merge"), chunkJob);
    const reply = await sendPrompt(prompt, chunkJob);
    if (reply.type !== "answered") return reply;
    mergedNotes.push(toChunkNotes(first.origin, reply.text));
  }
  return mergedNotes;
}

function toNotesMaterial({ origin, text }: ChunkNotes): readonly PromptMaterial[] {
  return toSummaryMaterial(origin === "turn" ? "turn" : "partial-summary", text);
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

/** Renders the task of a request. The user's instructions are part of every task. */
export function renderTask(
  job: PromptJob,
  template: keyof typeof PROMPT_TEMPLATES,
  slots: Readonly<Record<string, string>> = {},
): string {
  const { format, hasTurn, instructions, task, tokens } = job;
  if (task !== undefined) return task;
  const size = { tokens: String(tokens), words: String(Math.floor(tokens * SUMMARY_WORDS_PER_TOKEN)) };
  return [
    fillTemplate(PROMPT_TEMPLATES[template], {
      format: SUMMARY_FORMATS[format],
      kept: renderKeptRules(job),
      ...size,
      ...slots,
    }),
    ...(format === "summary" && hasTurn
      ? [
          fillTemplate(PROMPT_TEMPLATES.turnToo, {
            turnFormat: SUMMARY_FORMATS.turn,
            turnPlace: TURN_PLACES.transcript,
            ...slots,
          }),
        ]
      : []),
    ...(instructions === "" ? [] : [fillTemplate(PROMPT_TEMPLATES.focus, { instructions })]),
  ].join("\n\n");
}

/** The rules about the user's messages: what is kept, what leaves, and what an earlier summary carries over. */
function renderKeptRules({
  keepsMessages,
  keptMessages,
  leaving,
  carried,
}: Pick<PromptJob, "keepsMessages" | "keptMessages" | "leaving" | "carried">): string {
  if (!keepsMessages) return "";
  return [
    USER_MESSAGES_RULE,
    keptMessages === "" ? "" : SHOWN_MESSAGES_RULE,
    leaving.length > 0 ? LEAVING_MESSAGES_RULE : "",
    carried.length === 0 ? "" : fillTemplate(CARRIED_LINES_RULE, { references: carried.join(", ") }),
  ].join("");
}

const SUMMARY_WORDS_PER_TOKEN = 0.6;

/** Builds the request for a summary of the material. */
function buildPrompt(materials: readonly PromptMaterial[], task: string, job: PromptJob): PromptRequest {
  const { nonce, message } = wrapMaterials(materials, task, job.runtime);
  const request: Request = {
    system: [{ name: "prompt", text: fillTemplate(SYSTEM_TEMPLATE, { nonce }) }],
    tools: [],
    messages: [message],
    thinking: job.thinking,
    toolChoice: "none",
    cacheMarks: [],
  };
  // PREP7: the text of a transcript is long, and its blocks are counted already.
  const tokens =
    sumTokens(materials) + sumTokens([SYSTEM_TEMPLATE, task].map((text) => ({ tokens: textTokens(text) })));
  return withReplyRoom({ request, nonce, tokens: tokens + MATERIAL_MARK_TOKENS * materials.length }, job);
}

/** Requests a correction in the same conversation. The findings are about an answer of the model, so they are material too. */
export function requestCorrection(
  { prompt, message: answer }: Extract<SummaryReply, { type: "answered" }>,
  findings: readonly string[],
  job: SummaryJob,
): Promise<SummaryReply> {
  const { request, nonce, tokens } = prompt;
  const text = findings.map((finding) => `- ${finding}`).join("\n");
  const { message } = wrapMaterials(toSummaryMaterial("findings", text), PROMPT_TEMPLATES.correction, {
    nonce: () => nonce,
  });
  if (prompt.isSamePrefix) return sendPrompt(addToRequest(prompt, [answer, message]), job);
  const followUp = { ...request, messages: [...request.messages, answer, message] };
  const addedTokens = messageTokens(answer) + messageTokens(message);
  return sendPrompt(withReplyRoom({ request: followUp, nonce, tokens: tokens + addedTokens }, job), job);
}

/**
 * PFX3: requests the summary once more in the same conversation, which the provider has cached. A call that is not followed by its result
 * would be refused, so only the text of the reply is repeated.
 */
export function requestAgain({ prompt, message, failure }: OtherReply, job: SummaryJob): Promise<SummaryReply> {
  const text = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
  const shown = truncateMiddle(text, { tokens: job.tokens, handle: "the reply" });
  const reply: AssistantMessage = {
    ...message,
    content: [{ type: "text", text: shown.trim() === "" ? NO_TEXT : shown }],
    stopReason: "stop",
  };
  const why = UNUSABLE_REPLIES[failure.code === "tool-call" || failure.code === "empty" ? failure.code : "too-long"];
  const request = createUserMessage(fillTemplate(PROMPT_TEMPLATES.again, { why }), 0);
  return sendPrompt(addToRequest(prompt, [reply, request]), job);
}

/** Stands for a reply without text. */
const NO_TEXT = "(no text)";

/** Adds messages to a request of the session and changes nothing else that a provider's cache depends on. */
export function addToRequest({ request, nonce, tokens }: PromptRequest, added: readonly Message[]): PromptRequest {
  const { replyBudget } = request;
  const addedTokens = added.reduce((sum, message) => sum + messageTokens(message), 0);
  const room = replyBudget && Math.floor(replyBudget.tokens - addedTokens * UNKNOWN_ESTIMATE_MARGIN);
  return {
    request: {
      ...request,
      messages: [...request.messages, ...added],
      ...(replyBudget && { replyBudget: { ...replyBudget, tokens: Math.max(0, room ?? 0) } }),
    },
    nonce,
    tokens: tokens + addedTokens,
    isSamePrefix: true,
  };
}

/** Sets the reply budget of a request: the estimate here is better than the one that the model would make. */
function withReplyRoom(prompt: PromptRequest, job: PromptJob): PromptRequest {
  const room = Math.floor(usableWindow(job.model) - prompt.tokens * estimateMargin(job));
  const reserve = maxAnswerTokens(job);
  return { ...prompt, request: { ...prompt.request, replyBudget: { tokens: Math.max(room, reserve), reserve } } };
}

/** Sends a request and records its model calls, whatever the outcome. */
export async function sendPrompt(prompt: PromptRequest, job: SummaryJob): Promise<SummaryReply> {
  if (isAllowanceSpent(job)) return { type: "failed", failure: SPEND_LIMIT_FAILURE };
  const { api, provider, model } = job.model;
  job.progress?.({ step: "asking", model: `${provider}/${model}`, ...job.chunk });
  const onFailedAttemptUsage = (usage: Usage): void => {
    job.calls.push({ by: { api, provider, model }, usage });
    job.unusedReplies.push({ why: "it broke off, and the request was sent again", usage });
  };
  const estimateUsage = (outputTokens: number): Usage => estimateStoppedUsage(prompt, job, outputTokens);
  const reply = await askModel(prompt.request, { ...job, onFailedAttemptUsage, estimateUsage });
  if (reply.call) job.calls.push(reply.call);
  switch (reply.type) {
    case "answered":
      return { type: "answered", text: reply.text, prompt, message: reply.message };
    case "failed": {
      const { failure, message, call } = reply;
      if (call) job.unusedReplies.push({ why: failure.note, usage: call.usage });
      return { type: "failed", failure, ...(message && { prompt, message }) };
    }
    case "cancelled":
      return { type: "cancelled" };
  }
}

function estimateStoppedUsage(
  { tokens, isSamePrefix }: PromptRequest,
  { factor = 1, sent, prices }: SummaryJob,
  outputTokens: number,
): Usage {
  const inputTokens = isSamePrefix ? tokens : Math.ceil(tokens * factor);
  const cachedTokens = isSamePrefix ? Math.min(inputTokens, sent?.cachedTokens ?? 0) : 0;
  return toUsage({ inputTokens, cachedTokens, writtenTokens: 0, outputTokens }, prices);
}

// GUARD3: a summary in many chunks stops between two requests.
function isAllowanceSpent({ calls, allowance }: SummaryJob): boolean {
  if (!allowance) return false;
  return (
    calls.length >= allowance.calls || calls.reduce((sum, { usage }) => sum + usage.cost.total, 0) >= allowance.cost
  );
}

const SPEND_LIMIT_FAILURE: AskFailure = {
  code: "spend-limit",
  note: SPEND_LIMIT_NOTE,
};

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

export interface MaterialMessage {
  readonly nonce: string;
  readonly message: UserMessage;
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
): MaterialMessage {
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
