/** Creates stories whose replies have usage. */

import type { Entry } from "../../src/entry.ts";
import type { AssistantMessage, Usage } from "../../src/message.ts";
import { emptyUsage } from "../../src/testing/story.ts";

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
