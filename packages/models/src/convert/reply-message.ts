/** Builds the assistant message from a finished draft: content, usage, cost and how the reply ended. */

import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { AssistantMessage, Cost, ModelName, StopReason, Usage } from "@pith/context";
import { findProtocol } from "./find-protocol.ts";
import type { Protocol } from "./protocol.ts";
import { type Draft, type DraftBlock, parseArguments, thinkingText } from "./reply-draft.ts";
import { toServerToolTextBlock } from "./server-tools.ts";

/** Dollars for a million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** In dollars; zero without prices. */
export function computeCost(usage: Omit<Usage, "cost" | "totalTokens">, prices: Prices | undefined): Cost {
  const computePart = (tokenKind: keyof Prices): number => (usage[tokenKind] * (prices?.[tokenKind] ?? 0)) / MILLION;
  const cost = {
    input: computePart("input"),
    output: computePart("output"),
    cacheRead: computePart("cacheRead"),
    cacheWrite: computePart("cacheWrite"),
  };
  return { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite };
}

const MILLION = 1_000_000;

/** Converts usage so that input, output, cache reads and cache writes do not overlap. */
export function toUsage(usage: LanguageModelV4Usage | null, prices: Prices | undefined): Usage {
  const { total, noCache, cacheRead, cacheWrite } = usage?.inputTokens ?? {};
  const [cacheReadTokens, cacheWriteTokens] = [validTokenCount(cacheRead), validTokenCount(cacheWrite)];
  const tokens = {
    input:
      noCache === undefined
        ? validTokenCount(validTokenCount(total) - cacheReadTokens - cacheWriteTokens)
        : validTokenCount(noCache),
    output: validTokenCount(usage?.outputTokens.total),
    cacheRead: cacheReadTokens,
    cacheWrite: cacheWriteTokens,
  };
  const totalTokens = tokens.input + tokens.output + cacheReadTokens + cacheWriteTokens;
  return { ...tokens, totalTokens, cost: computeCost(tokens, prices) };
}

// Proxies send invalid counts, and a difference of counts may be negative.
function validTokenCount(tokens: number | undefined): number {
  return typeof tokens === "number" && Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}

export interface MessageOptions {
  readonly modelName: ModelName;
  readonly stopReason: StopReason;
  readonly timestamp: number;
  readonly prices?: Prices | undefined;
  readonly errorMessage?: string;
}

export function buildAssistantMessage(
  { blocks, usage }: Draft,
  { modelName, stopReason, timestamp, prices, errorMessage }: MessageOptions,
): AssistantMessage {
  const protocol = findProtocol(modelName);
  const signedBlocks = protocol.attachSignatures?.(blocks) ?? blocks;
  const isAfterThought = (at: number): boolean => signedBlocks.slice(0, at).some(({ kind }) => kind === "thinking");
  return {
    role: "assistant",
    content: signedBlocks.flatMap((block, at) => toContentBlocks(block, { protocol, thought: isAfterThought(at) })),
    api: modelName.api,
    provider: modelName.provider,
    model: modelName.model,
    usage: toUsage(usage, prices),
    stopReason,
    ...(errorMessage !== undefined && { errorMessage }),
    timestamp,
  };
}

// A block without text and signature is dropped: the provider started it and sent nothing.
function toContentBlocks(
  block: DraftBlock,
  { protocol, thought }: { readonly protocol: Protocol; readonly thought: boolean },
): AssistantMessage["content"] {
  switch (block.kind) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text, ...protocol.readTextFields(block) }];
    case "thinking": {
      const [thinking, fields] = [thinkingText(block), protocol.readThinkingFields(block)];
      return thinking === "" && !fields.thinkingSignature ? [] : [{ type: "thinking", thinking, ...fields }];
    }
    case "call": {
      const { id, ...signatureFields } = protocol.readCallFields(block);
      return [{ type: "toolCall", id, name: block.name, ...parseArguments(block), ...signatureFields }];
    }
    case "server-tool":
      return [toServerToolTextBlock(block, { thought })];
  }
}

export type Ending =
  | { readonly type: "ended"; readonly stopReason: StopReason; readonly raw?: string }
  | { readonly type: "filtered"; readonly raw?: string }
  /** The stream ended without a stop reason, or with one that reports a failure. */
  | { readonly type: "broken"; readonly raw?: string }
  | { readonly type: "error"; readonly thrown: unknown };

export function determineEnding({ finish, error, blocks }: Draft): Ending {
  if (error) return { type: "error", thrown: error.thrown };
  const raw = finish?.raw === undefined ? {} : { raw: finish.raw };
  // Some providers report `stop` after a call.
  const stopReason = blocks.some(({ kind }) => kind === "call") ? "toolUse" : "stop";
  switch (finish?.unified) {
    case "stop":
    case "tool-calls":
      // Even without content: some models end this way after results, and a retry would end the same.
      return { type: "ended", stopReason, ...raw };
    case "length":
      return { type: "ended", stopReason: "length", ...raw };
    case "content-filter":
      return { type: "filtered", ...raw };
    // A reason that the package does not know. The reply is valid if it has content.
    case "other":
      if (!blocks.some(hasContent)) return { type: "broken", ...raw };
      if (LENGTH_REASON.test(finish.raw ?? "")) return { type: "ended", stopReason: "length", ...raw };
      return FAILURE_REASON.test(finish.raw ?? "") ? { type: "broken", ...raw } : { type: "ended", stopReason, ...raw };
    case "interrupted":
    case "error":
    case undefined:
      return { type: "broken", ...raw };
  }
}

const LENGTH_REASON = /length|max_?tokens|context/i;
const FAILURE_REASON = /error|fail|cancel|unexpected|malformed|too_many/i;

function hasContent(block: DraftBlock): boolean {
  return block.kind !== "text" || block.text !== "";
}
