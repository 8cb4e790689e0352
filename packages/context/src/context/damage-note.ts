/** Creates the note that replaces a damaged entry in the context. The note states the kind of the entry and never quotes it. */

import type { Entry, GapEntry, LostKind, UnknownEntry } from "../entry.ts";

/** The custom type of the message with a damage note. */
export const DAMAGE_TYPE = "pith.damage";

/** Creates the note for a damaged entry. Returns null for an intact entry, and for a kind that is never in the context. */
export function damageNote(entry: GapEntry | UnknownEntry): string | null {
  if (!isLostEntry(entry)) return null;
  const kind = readLostKind(entry);
  const description = kind === undefined ? UNKNOWN_KIND_NOTE : notesByLostKind[kind];
  if (description === null) return null;
  const name = entry.number === undefined ? "an entry" : `entry #${entry.number}`;
  return `[Pith: ${name} in this session is damaged and cannot be read. ${description} ${DAMAGE_ADVICE}]`;
}

/** Whether an entry represents a line that cannot be read. A kind from a newer version is not damage. */
export function isLostEntry(entry: Entry): entry is GapEntry | UnknownEntry {
  return entry.type === "gap" || (entry.type === "unknown" && isEntryKind(entry.kind));
}

/** Whether a damaged entry was, or may have been, a message in the conversation. */
export function mayBeLostMessage(entry: Entry): boolean {
  const kind = isLostEntry(entry) ? readLostKind(entry) : null;
  return kind === undefined || kind === "user" || kind === "assistant" || kind === "toolResult";
}

/** The note for a session file whose end was cut off. It is a new entry, because nothing remains of the lost entries. */
export const TORN_END_NOTE =
  "[Pith: the last lines of this session were cut off, as after a crash or on a full disk, and cannot be read. The latest messages and actions may be missing here. Check the state of the work before you rely on it.]";

function readLostKind(entry: GapEntry | UnknownEntry): LostKind | undefined {
  if (entry.type === "gap") return entry.kind;
  const lostKind = entry.kind === "message" ? Object(entry.value.message).role : entry.kind;
  return typeof lostKind === "string" && Object.hasOwn(notesByLostKind, lostKind) ? (lostKind as LostKind) : undefined;
}

function isEntryKind(kind: string): boolean {
  return kind === "message" || (Object.hasOwn(notesByLostKind, kind) && !MISSING_MESSAGE_ROLES.has(kind));
}

/** A lost message is named by its role. */
const MISSING_MESSAGE_ROLES: ReadonlySet<string> = new Set<LostKind>([
  "user",
  "assistant",
  "toolResult",
  "system",
  "bashExecution",
]);

const UNKNOWN_KIND_NOTE = "It may have been a message from the user, one of your replies, a tool result or a summary.";
const DAMAGE_ADVICE = "Do not guess its content. If you need it, ask the user, or get it again with a tool.";

/** The note for each kind; null for a kind that is never in the context. */
const notesByLostKind: Readonly<Record<LostKind, string | null>> = {
  user: "It was a message from the user.",
  assistant: "It was one of your replies, possibly with tool calls.",
  toolResult: "It was the result of a tool call.",
  bashExecution: "It was a shell command that the user ran, with its output.",
  custom_message: "It was a note added by a program, not by the user.",
  compaction: "It was a summary of the messages before it, which are shown again in full.",
  branch_summary: "It was a summary of another branch of the conversation.",
  system: null,
  context_edit: null,
  model_change: null,
  thinking_level_change: null,
  active_tools_change: null,
  label: null,
  session_info: null,
  usage: null,
  custom: null,
};
