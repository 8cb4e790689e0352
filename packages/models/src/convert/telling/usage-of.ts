/** What a reply took, in our words: the four ways tokens are counted never overlap. */

import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "@pith/context";
import { costOf, type Prices } from "./cost-of.ts";

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
