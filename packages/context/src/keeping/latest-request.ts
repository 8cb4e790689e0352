/** What the user asked for last, where the kept part of a context does not say it: the checkpoint ends with it (KEEP4). */

import type { ContextEditEntry, Entry } from "../entry.ts";
import { entryWords } from "./entry-text.ts";
import { shortened } from "./shortened.ts";
import { isTyped } from "./user-words.ts";

export interface RequestParts {
  /** What the checkpoint before ended with: the request may be older than all that is loaded. */
  readonly before: string;
  readonly covered: readonly Entry[];
  readonly kept: readonly Entry[];
  readonly edits: readonly ContextEditEntry[];
  readonly tokens: number;
}

/** Empty where the kept part says it, and where nobody asked for anything. */
export function latestRequest({ before, covered, kept, edits, tokens }: RequestParts): string {
  const asks = (entry: Entry): boolean => isTyped(entry, edits);
  if (kept.some(asks)) return "";
  const last = covered.findLast(asks);
  const { id, words } = last ? { id: last.id, words: entryWords(last, edits) } : requestIn(before);
  if (words === "") return "";
  const handle = `entry:${id}`;
  return `${LEAD} (${handle}):\n${shortened(words, { tokens, handle })}`;
}

/** What such a text says, and whose entry it is: a smaller window may leave less of it than there was before. */
// The first line is ours.
export function requestIn(before: string): { readonly id: string; readonly words: string } {
  const [, id = "", words = ""] = /^[^\n]*\(entry:([^\n]*)\):\n([\s\S]*)$/.exec(before) ?? [];
  return { id, words };
}

const LEAD = "The user's latest request, still open unless what follows says otherwise";
