/** Estimates the requests and tokens that a summary of a transcript takes, with the prompts that would be sent. It sends nothing. */

import type { SummaryUsageEstimate } from "./prices.ts";
import {
  availableMaterialTokens,
  buildChunkPrompt,
  buildMergePrompt,
  buildSinglePrompt,
  chunkOptions,
  limitMaterials,
  MAX_CHUNKS,
  type PromptJob,
  type PromptRequest,
  splitTranscript,
  type Transcript,
  toChunkNotes,
  transcriptTokens,
  truncateBlocks,
} from "./summarize.ts";

/**
 * Estimates a summary as `summarizeTranscript` requests it. No other request begins like these, so none of them is cached.
 * Returns null if the transcript does not fit the model, even in chunks.
 */
export function estimateTranscriptUsage(originalJob: PromptJob): SummaryUsageEstimate | null {
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

export function withCorrection(usage: SummaryUsageEstimate): SummaryUsageEstimate {
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
export function expectAnswerTokens(inputTokens: number, { format, tokens, answerTokens }: PromptJob): number {
  const usualTokens = Math.min(USUAL_ANSWER_TOKENS, Math.round(10 * Math.sqrt(inputTokens)));
  return answerTokens ?? Math.min(tokens, format === "turn" ? Math.round(usualTokens / 3) : usualTokens);
}

const USUAL_ANSWER_TOKENS = 900;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
