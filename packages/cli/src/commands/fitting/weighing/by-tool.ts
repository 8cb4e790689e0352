/** What fills a context by the tool that said it, the most first. Pure. */

import type { EntryWeight } from "./entry-weights.ts";

export interface ToolWeight {
  readonly tool: string;
  /** How often it has answered. */
  readonly results: number;
  readonly tokens: number;
}

export function byTool(weights: readonly EntryWeight[]): readonly ToolWeight[] {
  const tools = new Map<string, ToolWeight>();
  for (const { message, tokens } of weights) {
    if (message.role !== "toolResult") continue;
    const known = tools.get(message.toolName) ?? { tool: message.toolName, results: 0, tokens: 0 };
    tools.set(message.toolName, { ...known, results: known.results + 1, tokens: known.tokens + tokens });
  }
  return [...tools.values()].toSorted((one, other) => other.tokens - one.tokens);
}
