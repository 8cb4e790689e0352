/** Builds the prompts for a summary, and computes how much material fits into one request. It sends nothing. */

import type { Steps } from "../event-loop.ts";
import type { Message, ThinkingLevel } from "../message.ts";
import type { Model, Request } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import { truncateMiddle } from "../text/truncate.ts";
import { messageTokens, textTokens } from "../tokens/estimate-tokens.ts";
import type { TokenPrices } from "./prices.ts";
import {
  formatListedMessages,
  type ListedMessage,
  MATERIAL_MARK_TOKENS,
  type PromptMaterial,
  sumTokens,
  type Transcript,
  type TranscriptChunk,
  toConversationMaterial,
  toSummaryMaterial,
  transcriptTokens,
  wrapMaterials,
} from "./prompt-materials.ts";
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
  USER_MESSAGES_RULE,
} from "./prompts.ts";
import type { SentRequest } from "./sent-request.ts";
import type { TranscriptDetail } from "./transcript.ts";

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

/** The limits of a model that decide how much one request holds. */
export type ModelLimits = Pick<Model, "contextWindow" | "maxTokens">;

/** A request and the random word in its marks. */
export interface PromptRequest {
  readonly request: Request;
  readonly nonce: string;
  /** The estimated tokens of the request. */
  readonly tokens: number;
  /** Set if the request is the session's own and an instruction. */
  readonly isSamePrefix?: true;
}

/** Whether one request holds the transcript with full texts. */
export function fitsInFull(originalJob: PromptJob): boolean {
  const job = limitMaterials(originalJob);
  return transcriptTokens(job.transcript("full")) <= availableMaterialTokens(job);
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

function choosePromptTemplate({ format, previous }: PromptJob): keyof typeof PROMPT_TEMPLATES {
  if (format === "branch") return "branch";
  if (format === "turn") return "turnPrefix";
  return previous === "" ? "initial" : "update";
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

/** The chunk that a request is about, if there are several. */
export interface ChunkPosition {
  readonly part: number;
  readonly parts: number;
}

export function buildChunkPrompt(
  { blocks }: TranscriptChunk,
  job: PromptJob & { readonly chunk: ChunkPosition },
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

export function buildMergePrompt(notes: readonly ChunkNotes[], job: PromptJob): PromptRequest {
  const materials = [
    ...toSummaryMaterial("previous-summary", job.previous),
    ...toMessageMaterials(job),
    ...notes.flatMap(({ origin, text }) => toSummaryMaterial(origin === "turn" ? "turn" : "partial-summary", text)),
  ];
  return buildPrompt(materials, renderTask(job, "merge"), job);
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
export function withReplyRoom(prompt: PromptRequest, job: PromptJob): PromptRequest {
  const room = Math.floor(usableWindow(job.model) - prompt.tokens * estimateMargin(job));
  const reserve = maxAnswerTokens(job);
  return { ...prompt, request: { ...prompt.request, replyBudget: { tokens: Math.max(room, reserve), reserve } } };
}
