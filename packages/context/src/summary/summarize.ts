/** Asks a model for a summary of a transcript, in one request or in chunks, and for a correction of its answer. */

import { createUserMessage } from "../context/convert-to-llm.ts";
import { runWithPauses, yieldToEventLoop } from "../event-loop.ts";
import type { AssistantMessage, Usage } from "../message.ts";
import type { Model } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import { truncateMiddle } from "../text/truncate.ts";
import { messageTokens } from "../tokens/estimate-tokens.ts";
import { type Allowance, type AskFailure, type AskModelOptions, askModel, type ModelCall } from "./ask-model.ts";
import {
  addToRequest,
  availableMaterialTokens,
  buildChunkPrompt,
  buildMergePrompt,
  buildSinglePrompt,
  type ChunkNotes,
  type ChunkPosition,
  chunkOptions,
  limitMaterials,
  type PromptJob,
  type PromptRequest,
  toChunkNotes,
  withReplyRoom,
} from "./build-prompt.ts";
import { SPEND_LIMIT_NOTE } from "./limits.ts";
import { toUsage } from "./prices.ts";
import {
  splitIntoChunks,
  splitTranscript,
  sumTokens,
  type Transcript,
  toSummaryMaterial,
  transcriptTokens,
  truncateBlocks,
  wrapMaterials,
} from "./prompt-materials.ts";
import { fillTemplate, PROMPT_TEMPLATES, UNUSABLE_REPLIES } from "./prompts.ts";

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
  readonly chunk?: ChunkPosition;
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
    reply = await sendPrompt(buildSinglePrompt(fullTranscript, job), job);
    if (!isOverflow(reply)) return reply;
    budget = Math.floor(transcriptTokens(fullTranscript) / 2);
  }
  if (budget < MIN_MATERIAL_TOKENS) return reply;
  await runWithPauses(job.computeTranscript("excerpt"), job.runtime);
  const excerpts = job.transcript("excerpt");
  for (let attempt = 0; attempt < MAX_SIZE_ATTEMPTS && budget >= MIN_MATERIAL_TOKENS; attempt++) {
    const transcript = truncateBlocks(excerpts, budget);
    reply =
      transcriptTokens(transcript) > budget
        ? await summarizeInChunks(transcript, job, budget)
        : await sendPrompt(buildSinglePrompt(transcript, job), job);
    if (!isOverflow(reply)) return reply;
    // The material fitted by our estimate, so the next attempt must be smaller than the material itself.
    budget = Math.floor(Math.min(budget, transcriptTokens(excerpts)) / 2);
  }
  return reply;
}

const MAX_SIZE_ATTEMPTS = 3;

/** The smallest material budget: with less, the context window is too small to summarize anything. */
const MIN_MATERIAL_TOKENS = 400;

function isOverflow(reply: SummaryReply): boolean {
  return reply.type === "failed" && ["overflow", "payload", "quota"].includes(reply.failure.code);
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
    const prompt = buildChunkPrompt(chunk, chunkJob);
    await yieldToEventLoop(job.runtime);
    const reply = await sendPrompt(prompt, chunkJob);
    if (reply.type !== "answered") return reply;
    notes.push(toChunkNotes(chunk.origin, reply.text));
  }
  return mergeNotes(notes, job, budget);
}

/** The maximum number of requests for one summary. */
export const MAX_CHUNKS = 32;

async function mergeNotes(notes: readonly ChunkNotes[], job: SummaryJob, budget: number): Promise<SummaryReply> {
  if (sumTokens(notes) <= budget) return sendPrompt(buildMergePrompt(notes, job), job);
  const mergedNotes = await mergeInGroups(notes, job, budget);
  if ("type" in mergedNotes) return mergedNotes;
  return mergedNotes.length < notes.length
    ? mergeNotes(mergedNotes, job, budget)
    : sendPrompt(buildMergePrompt(mergedNotes, job), job);
}

async function mergeInGroups(
  notes: readonly ChunkNotes[],
  job: SummaryJob,
  budget: number,
): Promise<readonly ChunkNotes[] | SummaryReply> {
  const groupJob = { ...job, ...chunkOptions(job, budget), previous: "" };
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
    const reply = await sendPrompt(buildMergePrompt(group, groupJob), groupJob);
    if (reply.type !== "answered") return reply;
    mergedNotes.push(toChunkNotes(first.origin, reply.text));
  }
  return mergedNotes;
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

/** Sends a request and records its model calls, whatever the outcome. */
export async function sendPrompt(prompt: PromptRequest, job: SummaryJob): Promise<SummaryReply> {
  if (isAllowanceSpent(job)) return { type: "failed", failure: { code: "spend-limit", note: SPEND_LIMIT_NOTE } };
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
