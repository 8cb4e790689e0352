/** What stories are asked in tests: the window, the context and the sent messages of one. */

import { buildSessionContext, type SessionContext } from "../src/context/build-context.ts";
import { convertToLlm } from "../src/context/convert-to-llm.ts";
import type { Entry } from "../src/entry.ts";
import type { ModelName } from "../src/model.ts";
import { type LoadedBranch, loadBranch } from "../src/session/loaded-branch.ts";
import { show, story } from "../src/testing/story.ts";
import { branchEntries, buildTree } from "../src/tree.ts";

export const storyteller: ModelName = { api: "anthropic-messages", provider: "anthropic", model: "storyteller" };
export const stranger: ModelName = { api: "openai-completions", provider: "elsewhere", model: "stranger" };

export function windowAt(entries: readonly Entry[], leaf: string | null = entries.at(-1)?.id ?? null): LoadedBranch {
  return loadBranch(branchEntries(buildTree(entries), leaf));
}

export function contextAt(entries: readonly Entry[], leaf?: string | null): SessionContext {
  return buildSessionContext(windowAt(entries, leaf));
}

/** The context of a story's end, one line per message. */
export function contextOf(...lines: readonly string[]): readonly string[] {
  return show(contextAt(story(...lines)).messages).split("\n");
}

/** What is sent at a story's end, one line per message. */
export function sentOf(...lines: readonly string[]): readonly string[] {
  return sentTo(undefined, ...lines);
}

export function sentTo(to: ModelName | undefined, ...lines: readonly string[]): readonly string[] {
  return show(convertToLlm(contextAt(story(...lines)).messages, to)).split("\n");
}
