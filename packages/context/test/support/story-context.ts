/** Builds the loaded branch, the context and the sent messages of a story, and adds usage to its replies. */

import { buildSessionContext, type SessionContext } from "../../src/context/build-context.ts";
import { convertToLlm } from "../../src/context/convert-to-llm.ts";
import type { Entry } from "../../src/entry.ts";
import type { AssistantMessage, Usage } from "../../src/message.ts";
import type { ModelName } from "../../src/model.ts";
import { type LoadedBranch, loadBranch } from "../../src/session/loaded-branch.ts";
import { emptyUsage, show, story } from "../../src/testing/story.ts";
import { branchEntries, buildTree } from "../../src/tree.ts";

export const storyModel: ModelName = { api: "anthropic-messages", provider: "anthropic", model: "storyteller" };
export const otherModel: ModelName = { api: "openai-completions", provider: "elsewhere", model: "stranger" };

export function loadedBranchAt(
  entries: readonly Entry[],
  leaf: string | null = entries.at(-1)?.id ?? null,
): LoadedBranch {
  return loadBranch(branchEntries(buildTree(entries), leaf));
}

export function contextAt(entries: readonly Entry[], leaf?: string | null): SessionContext {
  return buildSessionContext(loadedBranchAt(entries, leaf));
}

/** The context at the end of a story, one line per message. */
export function contextLines(...lines: readonly string[]): readonly string[] {
  return show(contextAt(story(...lines)).messages).split("\n");
}

/** The messages that are sent at the end of a story, one line per message. */
export function sentLines(...lines: readonly string[]): readonly string[] {
  return sentLinesFor(undefined, ...lines);
}

export function sentLinesFor(model: ModelName | undefined, ...lines: readonly string[]): readonly string[] {
  return show(convertToLlm(contextAt(story(...lines)).messages, model)).split("\n");
}

/** The same entries, with these usages at the replies of these ids. */
export function withUsages(
  entries: readonly Entry[],
  usages: Readonly<Record<string, Partial<Usage>>>,
): readonly Entry[] {
  return mapReplies(entries, (reply, id) => {
    const usage = usages[id];
    return usage ? { ...reply, usage: { ...emptyUsage, ...usage } } : reply;
  });
}

/** The same entries, with each reply changed. */
export function mapReplies(
  entries: readonly Entry[],
  change: (reply: AssistantMessage, id: string) => AssistantMessage,
): readonly Entry[] {
  return entries.map((entry) =>
    entry.type === "message" && entry.message.role === "assistant"
      ? { ...entry, message: change(entry.message, entry.id) }
      : entry,
  );
}
