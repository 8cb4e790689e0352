/** What the user asked for last, where the kept part of a context does not say it: the checkpoint ends with it (KEEP4). */

import type { ContextEditEntry, Entry } from "../entry.ts";
import { entryWords } from "./entry-text.ts";
import { provenance } from "./provenance.ts";
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

/** Empty where the kept part says it, and where nobody asked for anything. Where no person speaks, a program's request counts. */
export function latestRequest(parts: RequestParts): string {
  const { covered, kept, edits, before } = parts;
  const isTalk = isUsersRequest(before) || [...covered, ...kept].some((entry) => isTyped(entry, edits));
  return requestBy(parts, isTalk ? { asks: isTyped, lead: LEAD } : { asks: isProgrammed, lead: PROGRAM_LEAD });
}

interface Asker {
  readonly asks: (entry: Entry, edits: readonly ContextEditEntry[]) => boolean;
  readonly lead: string;
}

function requestBy({ before, covered, kept, edits, tokens }: RequestParts, { asks, lead }: Asker): string {
  if (kept.some((entry) => asks(entry, edits))) return "";
  const last = covered.findLast((entry) => asks(entry, edits));
  const told = before.startsWith(lead) ? requestIn(before) : NONE;
  const { id, words } = last ? { id: last.id, words: entryWords(last, edits) } : told;
  if (words === "") return "";
  const handle = `entry:${id}`;
  return `${lead} (${handle}):\n${shortened(words, { tokens, handle })}`;
}

const NONE = { id: "", words: "" };

function isProgrammed(entry: Entry, edits: readonly ContextEditEntry[]): boolean {
  const isRequest = entry.type === "message" && entry.message.role === "user" && provenance(entry) === "program";
  return isRequest && /\S/.test(entryWords(entry, edits));
}

/** Whether a person's request is told. */
export function isUsersRequest(request: string): boolean {
  return request.startsWith(LEAD);
}

/** What such a text says, and whose entry it is: a smaller window may leave less of it than there was before. */
// The first line is ours.
export function requestIn(before: string): { readonly id: string; readonly words: string } {
  const [, id = "", words = ""] = /^[^\n]*\(entry:([^\n]*)\):\n([\s\S]*)$/.exec(before) ?? [];
  return { id, words };
}

const LEAD = "The user's latest request, still open unless what follows says otherwise";
const PROGRAM_LEAD =
  "The latest request, by the program that runs this session, still open unless what follows says otherwise";
