/** Builds the assistant message from a finished draft: content, usage, cost and how the reply ended. */

import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { AssistantMessage, Cost, ModelName, StopReason, Usage } from "@pith/context";
import type { Dialect } from "./dialects/dialect.ts";
import { dialectOf } from "./dialects/registry.ts";
import { argumentsOf, type Draft, type DraftBlock, thinkingText } from "./draft.ts";
import { servedTextBlock } from "./server-tools.ts";

/** Dollars for a million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** In dollars; nothing where no price is known. */
export function costOf(usage: Omit<Usage, "cost" | "totalTokens">, prices: Prices | undefined): Cost {
  const price = (of: keyof Prices): number => (usage[of] * (prices?.[of] ?? 0)) / MILLION;
  const cost = {
    input: price("input"),
    output: price("output"),
    cacheRead: price("cacheRead"),
    cacheWrite: price("cacheWrite"),
  };
  return { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite };
}

const MILLION = 1_000_000;

/** Input, output, cache reads and cache writes never overlap. */
export function usageOf(usage: LanguageModelV4Usage | null, prices: Prices | undefined): Usage {
  const { total, noCache, cacheRead, cacheWrite } = usage?.inputTokens ?? {};
  const [read, written] = [counted(cacheRead), counted(cacheWrite)];
  const tokens = {
    input: noCache === undefined ? counted(counted(total) - read - written) : counted(noCache),
    output: counted(usage?.outputTokens.total),
    cacheRead: read,
    cacheWrite: written,
  };
  const totalTokens = tokens.input + tokens.output + read + written;
  return { ...tokens, totalTokens, cost: costOf(tokens, prices) };
}

// Proxies send anything, and differences of what they send may be negative.
function counted(tokens: number | undefined): number {
  return typeof tokens === "number" && Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}

export interface MessageParts {
  readonly from: ModelName;
  readonly stopReason: StopReason;
  readonly timestamp: number;
  readonly prices?: Prices | undefined;
  readonly errorMessage?: string;
}

export function messageOf(
  { blocks, usage }: Draft,
  { from, stopReason, timestamp, prices, errorMessage }: MessageParts,
): AssistantMessage {
  const dialect = dialectOf(from);
  const settled = dialect.settled?.(blocks) ?? blocks;
  const isAfterThought = (at: number): boolean => settled.slice(0, at).some(({ kind }) => kind === "thinking");
  return {
    role: "assistant",
    content: settled.flatMap((block, at) => blockOf(block, { dialect, thought: isAfterThought(at) })),
    api: from.api,
    provider: from.provider,
    model: from.model,
    usage: usageOf(usage, prices),
    stopReason,
    ...(errorMessage !== undefined && { errorMessage }),
    timestamp,
  };
}

// What holds neither words nor a signed thought was only announced.
function blockOf(
  block: DraftBlock,
  { dialect, thought }: { readonly dialect: Dialect; readonly thought: boolean },
): AssistantMessage["content"] {
  switch (block.kind) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text, ...dialect.textFields(block) }];
    case "thinking": {
      const [thinking, fields] = [thinkingText(block), dialect.thinkingFields(block)];
      return thinking === "" && !fields.thinkingSignature ? [] : [{ type: "thinking", thinking, ...fields }];
    }
    case "call": {
      const { id, ...signed } = dialect.callFields(block);
      return [{ type: "toolCall", id, name: block.name, ...argumentsOf(block), ...signed }];
    }
    case "served":
      return [servedTextBlock(block, { thought })];
  }
}

export type Ending =
  | { readonly type: "ended"; readonly stopReason: StopReason; readonly raw?: string }
  | { readonly type: "filtered"; readonly raw?: string }
  /** Without an end, or with one that only says that something went wrong. */
  | { readonly type: "broken"; readonly raw?: string }
  | { readonly type: "error"; readonly thrown: unknown };

export function endingOf({ finish, error, blocks }: Draft): Ending {
  if (error) return { type: "error", thrown: error.thrown };
  const raw = finish?.raw === undefined ? {} : { raw: finish.raw };
  // Some say `stop` after a call.
  const stopReason = blocks.some(({ kind }) => kind === "call") ? "toolUse" : "stop";
  switch (finish?.unified) {
    case "stop":
    case "tool-calls":
      // Also without a word: some end so after results, and would end so again.
      return { type: "ended", stopReason, ...raw };
    case "length":
      return { type: "ended", stopReason: "length", ...raw };
    case "content-filter":
      return { type: "filtered", ...raw };
    // A reason that the package does not know. Where words came, they count; without any, nothing was said.
    case "other":
      if (!blocks.some(isSaid)) return { type: "broken", ...raw };
      if (CUT.test(finish.raw ?? "")) return { type: "ended", stopReason: "length", ...raw };
      return WENT_WRONG.test(finish.raw ?? "") ? { type: "broken", ...raw } : { type: "ended", stopReason, ...raw };
    case "interrupted":
    case "error":
    case undefined:
      return { type: "broken", ...raw };
  }
}

const CUT = /length|max_?tokens|context/i;
const WENT_WRONG = /error|fail|cancel|unexpected|malformed|too_many/i;

// A text without words was only announced.
function isSaid(block: DraftBlock): boolean {
  return block.kind !== "text" || block.text !== "";
}
