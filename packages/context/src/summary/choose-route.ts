/** Chooses how a summary is requested: with a transcript, or by the session's last request and one instruction, which the provider may have cached. */

import { createUserMessage, toLlmMessage } from "../context/convert-to-llm.ts";
import type { AgentMessage, ToolCallBlock } from "../message.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { messageTokens, textTokens } from "../tokens/estimate-tokens.ts";
import {
  addToRequest,
  availableMaterialTokens,
  buildChunkPrompt,
  buildMergePrompt,
  buildSinglePrompt,
  chunkOptions,
  fitsInFull,
  limitMaterials,
  type PromptJob,
  type PromptRequest,
  renderTask,
  toChunkNotes,
  UNKNOWN_ESTIMATE_MARGIN,
  usableWindow,
} from "./build-prompt.ts";
import { computeSummaryCost, PROCESSING_TIMES, type SummaryUsageEstimate } from "./prices.ts";
import {
  formatListedMessages,
  markMaterials,
  splitTranscript,
  type Transcript,
  toSummaryMaterial,
  transcriptTokens,
  truncateBlocks,
} from "./prompt-materials.ts";
import { CITE_SUMMARY_SO_FAR, fillTemplate, SCOPES, TURN_PLACES } from "./prompts.ts";
import type { SentRequest } from "./sent-request.ts";
import { MAX_CHUNKS } from "./summarize.ts";

/** A route by which a summary can be requested, and what that is expected to cost. */
export interface PricedRoute {
  /** The session's last request and the instruction. Null if a transcript is sent. */
  readonly prompt: PromptRequest | null;
  /** Null if the summary does not fit the model. */
  readonly usage: SummaryUsageEstimate | null;
  /** In dollars. Null if no prices are known, or if the summary does not fit. */
  readonly cost: number | null;
  /** Whether the model reads everything in full. */
  readonly isComplete: boolean;
}

/**
 * Chooses the cheaper route among those with which the model reads everything in full. A route that was asked for but does not exist is
 * replaced by the other one.
 */
export function chooseRoute(job: PromptJob): PricedRoute {
  const samePrefix = job.preferredRoute === "transcript" ? null : priceSamePrefix(job);
  if (samePrefix && job.preferredRoute === "same-prefix") return samePrefix;
  const transcript = priceTranscript(job);
  if (!samePrefix?.usage) return transcript;
  if (!transcript.usage || !transcript.isComplete) return samePrefix;
  const prices = job.prices ?? PROCESSING_TIMES;
  return computeSummaryCost(samePrefix.usage, prices) < computeSummaryCost(transcript.usage, prices)
    ? samePrefix
    : transcript;
}

function priceTranscript(job: PromptJob): PricedRoute {
  const usage = estimateTranscriptUsage(job);
  return { prompt: null, usage, cost: priceUsage(usage, job), isComplete: usage !== null && fitsInFull(job) };
}

function priceSamePrefix(job: PromptJob): PricedRoute | null {
  const prompt = buildSamePrefixPrompt(job);
  if (!prompt || !job.sent) return null;
  const usage = estimateSamePrefixUsage(prompt, job.sent, job);
  return { prompt, usage, cost: priceUsage(usage, job), isComplete: true };
}

function priceUsage(usage: SummaryUsageEstimate | null, { prices }: PromptJob): number | null {
  return usage && prices ? computeSummaryCost(usage, prices) : null;
}

function estimateSamePrefixUsage(
  { request }: PromptRequest,
  { tokens, cachedTokens }: SentRequest,
  job: PromptJob,
): SummaryUsageEstimate {
  const instruction = request.messages.slice(-1).reduce((sum, message) => sum + messageTokens(message), 0);
  const inputTokens = tokens + Math.ceil(instruction * (job.factor ?? 1));
  const outputTokens = expectAnswerTokens(inputTokens, job);
  // The session's requests are marked, so that what is not cached yet is written to the cache.
  return withCorrection({ inputTokens, cachedTokens, writtenTokens: inputTokens - cachedTokens, outputTokens });
}

/** Adds the instruction to the last request. Null if it does not fit the window together with an answer, or if the host has a task of its own. */
function buildSamePrefixPrompt(job: PromptJob): PromptRequest | null {
  const { sent, model, runtime } = job;
  if (!sent || job.task !== undefined) return null;
  const materials = toSummaryMaterial("leaving-messages", formatListedMessages(job.leaving));
  const { nonce, texts } = markMaterials(materials, runtime);
  const instruction = createUserMessage([renderInstruction(job, sent), ...texts].join("\n\n"), 0);
  const freeTokens = usableWindow(model) - sent.tokens;
  const answerTokens = Math.min(model.maxTokens || Number.POSITIVE_INFINITY, 2 * job.tokens);
  if (freeTokens - messageTokens(instruction) * UNKNOWN_ESTIMATE_MARGIN < answerTokens) return null;
  const { replyBudget } = sent.request;
  const request = { ...sent.request, ...(replyBudget && { replyBudget: { ...replyBudget, tokens: freeTokens } }) };
  return addToRequest({ request, nonce, tokens: sent.tokens }, [instruction]);
}

function renderInstruction(job: PromptJob, sent: SentRequest): string {
  const cut = sent.kept[0] ? describeMessage(sent.kept[0]) : null;
  const turnPlace = fillTemplate(TURN_PLACES.conversation, { turnStart: describeTurnStart(job) });
  const count = sent.kept.length === 1 ? "1 message" : `${sent.kept.length} messages`;
  const slots = { cut: cut ?? "this message", count, turnPlace };
  const scopes = [
    job.format === "turn" ? SCOPES.turn : cut === null ? SCOPES.all : SCOPES.beforeCut,
    ...(job.previous === "" ? [] : [SCOPES.update]),
  ];
  const scope = scopes.map((text) => fillTemplate(text, slots)).join("\n\n");
  const earlier = job.previous === "" ? "" : CITE_SUMMARY_SO_FAR;
  // The kept messages are in the conversation.
  const task = renderTask({ ...job, keptMessages: "" }, "samePrefix", { scope, turnPlace, earlier });
  const list = renderList(job, MAX_INSTRUCTION_TOKENS - textTokens(task) + textTokens(job.instructions));
  return list === "" ? task : `${task}\n\n${list}`;
}

/** Without the instructions of the user and without the messages that leave. */
const MAX_INSTRUCTION_TOKENS = 1_500;

/** Lists the user's messages with their numbers, the newest if there is not enough space for all. */
function renderList({ userMessages }: PromptJob, maxTokens: number): string {
  const lines: string[] = [];
  let freeTokens = maxTokens - textTokens(LIST_TITLE) - LIST_MARGIN_TOKENS;
  for (const { reference, text } of userMessages.toReversed()) {
    const line = `[${reference}] ${quoteStart(text)}`;
    freeTokens -= textTokens(line) + 1;
    if (freeTokens < 0) break;
    lines.unshift(line);
  }
  return lines.length === 0 ? "" : `${LIST_TITLE}\n${lines.join("\n")}`;
}

const LIST_TITLE = "The user's messages to summarize, by number:";
const LIST_MARGIN_TOKENS = 10;

function describeTurnStart({ turnStart }: PromptJob): string {
  return turnStart
    ? `the user's message ${turnStart.reference}, ${quoteStart(turnStart.text)}`
    : "the last message of the user";
}

/** Describes a message so that a model finds it: its sender and its first words. */
function describeMessage(message: AgentMessage): string {
  const { role, content = [] } = toLlmMessage(message) ?? {};
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
  const call = blocks.find((block): block is ToolCallBlock => block.type === "toolCall");
  if (role === "assistant" && text.trim() === "" && call)
    return `your call of ${sanitizeLine(String(call.name), MAX_NAME_CHARS)} with ${quoteStart(JSON.stringify(call.arguments) ?? "")}`;
  const sender = role === "assistant" ? "your" : message.role === "user" ? "the user's" : "the";
  return text.trim() === "" ? `${sender} message` : `${sender} message that begins ${quoteStart(text)}`;
}

const MAX_NAME_CHARS = 80;

function quoteStart(text: string): string {
  const line = sanitizeLine(text.trim(), MAX_QUOTE_CHARS);
  return `“${line}”`;
}

const MAX_QUOTE_CHARS = 80;

/**
 * Estimates a summary as `summarizeTranscript` requests it. No other request begins like these, so none of them is cached.
 * Returns null if the transcript does not fit the model, even in chunks.
 */
function estimateTranscriptUsage(originalJob: PromptJob): SummaryUsageEstimate | null {
  const job = limitMaterials({ ...originalJob, runtime: { nonce: () => "estimated-nonce" } });
  const budget = availableMaterialTokens(job);
  const fullTranscript = job.transcript("full");
  const fitsInFull = transcriptTokens(fullTranscript) <= budget;
  const transcript = fitsInFull ? fullTranscript : truncateBlocks(job.transcript("excerpt"), Math.max(0, budget));
  if (transcriptTokens(transcript) > budget) return estimateChunks(transcript, job, budget);
  return withCorrection(estimatePrompts([buildSinglePrompt(transcript, job)], job));
}

/** Roughly the share of summaries for which a correction is requested. A correction sends the last prompt again, with the answer. */
const CORRECTION_SHARE = 0.15;

function withCorrection(usage: SummaryUsageEstimate): SummaryUsageEstimate {
  const { inputTokens, cachedTokens, writtenTokens, outputTokens } = usage;
  return {
    inputTokens: inputTokens + Math.ceil((inputTokens + outputTokens) * CORRECTION_SHARE),
    // The correction reads from the cache what the first request has written to it.
    cachedTokens: cachedTokens + Math.floor((cachedTokens + writtenTokens) * CORRECTION_SHARE),
    writtenTokens,
    outputTokens: outputTokens + Math.ceil(outputTokens * CORRECTION_SHARE),
  };
}

function estimateChunks(transcript: Transcript, job: PromptJob, budget: number): SummaryUsageEstimate | null {
  const chunks = budget > 0 ? splitTranscript(transcript, budget) : [];
  if (chunks.length === 0 || chunks.length > MAX_CHUNKS) return null;
  const options = chunkOptions(job, budget);
  const prompts = chunks.map((chunk, index) =>
    buildChunkPrompt(chunk, { ...job, ...options, chunk: { part: index + 1, parts: chunks.length } }),
  );
  const notes = estimatePrompts(prompts, { ...job, ...options });
  // The merge reads the notes, whose text is not known yet.
  const emptyMerge = buildMergePrompt([toChunkNotes("history", "")], job).tokens;
  const merge = withCorrection({
    inputTokens: emptyMerge + notes.outputTokens,
    cachedTokens: 0,
    writtenTokens: 0,
    outputTokens: expectAnswerTokens(notes.inputTokens, job),
  });
  return {
    inputTokens: notes.inputTokens + merge.inputTokens,
    cachedTokens: 0,
    writtenTokens: 0,
    outputTokens: notes.outputTokens + merge.outputTokens,
  };
}

function estimatePrompts(prompts: readonly PromptRequest[], job: PromptJob): SummaryUsageEstimate {
  const inputs = prompts.map(({ tokens }) => Math.ceil(tokens * (job.factor ?? 1)));
  const outputs = inputs.map((tokens) => expectAnswerTokens(tokens, job));
  return { inputTokens: sum(inputs), cachedTokens: 0, writtenTokens: 0, outputTokens: sum(outputs) };
}

/**
 * The size of the last answer, or the usual size. Recorded summaries of 1,600 to 8,300 tokens are 400 to 1,100 tokens long, and those of
 * 180,000 tokens are 900 to 1,100. A turn alone has a third of the sections.
 */
function expectAnswerTokens(inputTokens: number, { format, tokens, answerTokens }: PromptJob): number {
  const usualTokens = Math.min(USUAL_ANSWER_TOKENS, Math.round(10 * Math.sqrt(inputTokens)));
  return answerTokens ?? Math.min(tokens, format === "turn" ? Math.round(usualTokens / 3) : usualTokens);
}

const USUAL_ANSWER_TOKENS = 900;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
