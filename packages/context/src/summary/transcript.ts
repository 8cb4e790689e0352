/** Renders entries as the transcript a summarizer reads, one block per entry, without file contents that a later call made outdated. Only code sets the speaker labels (B37). */

import { describeAttachment } from "../context/attachments.ts";
import { entryMessage, latestEdit } from "../context/build-context.ts";
import { authorOf, entryText, splitUserEntry } from "../context/entry-text.ts";
import { formatSkillPlaceholder, readLoadedSkill, SKILL_LIST_TYPE } from "../context/loaded-skills.ts";
import { type ContextEditEntry, type Entry, entryReference, isStateEntry } from "../entry.ts";
import { LONG_STEP, runAtOnce, type Steps } from "../event-loop.ts";
import { isObject } from "../json.ts";
import { fileKey } from "../ledger/apply-touches.ts";
import { collectFinishedCalls, findOutdatedResults, type OutdatedReason } from "../ledger/outdated-results.ts";
import type {
  AgentMessage,
  AssistantMessage,
  BashExecutionMessage,
  Message,
  ToolCallBlock,
  ToolResultMessage,
} from "../message.ts";
import { createExcerpt } from "../text/excerpt.ts";
import { escapePromptMarkup, sanitizeLine } from "../text/sanitize.ts";
import { truncateArguments } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";

/** The transcript of one entry. */
export interface TranscriptBlock {
  readonly entryId: string;
  /** The reference of the entry, e.g. `#3`. */
  readonly reference: string;
  readonly text: string;
  readonly tokens: number;
}

/** The options of `renderTranscript`. */
export interface TranscriptOptions {
  readonly edits: readonly ContextEditEntry[];
  /** Default: `excerpt`. */
  readonly detail?: TranscriptDetail;
}

/** `full`: every text as it is. `excerpt`: excerpts of long texts, and a note in place of outdated ones. */
export type TranscriptDetail = "full" | "excerpt";

/** Renders a block for each entry that the model saw, with its number after the first label: `[User]: [#3] fix the login`. */
export function renderTranscript(entries: readonly Entry[], options: TranscriptOptions): readonly TranscriptBlock[] {
  return runAtOnce(renderTranscriptInSteps(entries, options));
}

export function* renderTranscriptInSteps(
  entries: readonly Entry[],
  { edits, detail = "excerpt" }: TranscriptOptions,
): Steps<readonly TranscriptBlock[]> {
  const blocks: TranscriptBlock[] = [];
  const outdatedCalls = detail === "excerpt" ? findOutdatedCalls(entries, edits) : noOutdatedCalls;
  if (detail === "excerpt") yield LONG_STEP;
  for (const entry of entries) {
    const message = entry.type === "compaction" ? null : entryMessage(entry, latestEdit(edits, entry));
    const reference = entryReference(entry);
    const parts =
      message && isShownToModel(message)
        ? toTranscriptParts(message, { entry, edits, handle: reference, detail, outdatedCalls })
        : [];
    if (parts.length === 0) continue;
    const text = parts
      .map((part, index) => renderTranscriptPart(part, index === 0 ? `[${reference}] ` : ""))
      .join("\n\n");
    blocks.push({ entryId: entry.id, reference, text, tokens: textTokens(text) });
    yield text.length;
  }
  return blocks;
}

function isShownToModel(message: AgentMessage): boolean {
  if (message.role === "assistant") return message.stopReason !== "error" && message.stopReason !== "aborted";
  return message.role !== "bashExecution" || !message.excludeFromContext;
}

/** Renders messages as one transcript, with a blank line between blocks. */
export function serializeConversation(messages: readonly Message[]): string {
  const source = { edits: [], handle: "", detail: "excerpt", outdatedCalls: noOutdatedCalls } as const;
  const parts = messages.flatMap((message) =>
    toTranscriptParts(message, { ...source, entry: toMessageEntry(message) }),
  );
  return parts.map((part) => renderTranscriptPart(part, "")).join("\n\n");
}

function toMessageEntry(message: Message): Entry {
  return { type: "message", id: "", parentId: null, timestamp: "", message };
}

// SUM2: the assembled text is escaped as a whole, whatever fields it came from.
function renderTranscriptPart({ label, text }: TranscriptPart, prefix: string): string {
  return `[${label}]: ${prefix}${escapePromptMarkup(text)}`;
}

/** One text of an entry, with its speaker. */
export interface TranscriptPart {
  readonly label: SpeakerLabel;
  readonly text: string;
}

export type SpeakerLabel =
  | "User"
  | "Attachment"
  | "Assistant thinking"
  | "Assistant"
  | "Assistant tool calls"
  | "Tool result"
  | "Shell"
  | "Note";

/** An entry and how to render it. */
export interface TranscriptSource {
  readonly entry: Entry;
  readonly edits: readonly ContextEditEntry[];
  /** The reference that opens the full text; empty for none. */
  readonly handle: string;
  readonly detail: TranscriptDetail;
  readonly outdatedCalls: OutdatedCalls;
}

/** Returns the parts of an entry, given its message in the context. Empty for an entry that is shown elsewhere or has no text. */
function toTranscriptParts(message: AgentMessage, source: TranscriptSource): readonly TranscriptPart[] {
  if (isStateEntry(source.entry)) return [];
  const skill = readLoadedSkill(source.entry);
  // SKL6: a skill is attached again in full, so the transcript only names it.
  if (skill)
    return [{ label: message.role === "toolResult" ? "Tool result" : "Note", text: formatSkillPlaceholder(skill) }];
  switch (message.role) {
    case "system":
    case "compactionSummary":
      return [];
    case "assistant":
      return assistantParts(message, source);
    case "toolResult":
      return [{ label: "Tool result", text: toolResultText(message, source) }];
    case "bashExecution":
      return [{ label: "Shell", text: renderShellRun(message, source) }];
    case "user":
      // SUM3: text that a program added is not the user's.
      return authorOf(source.entry) === "person" ? userMessageParts(source) : noteParts("program", source);
    case "custom":
      return message.customType === SKILL_LIST_TYPE ? [] : noteParts(message.customType, source);
    case "branchSummary":
      return noteParts("a branch that was left", source);
  }
}

interface ExcerptLimits {
  readonly fullTokens: number;
  readonly share: number;
  readonly maxTokens: number;
}

/** In tokens: a text of up to `fullTokens` stays as it is. A longer one becomes an excerpt: a `share` of it, at most `maxTokens`. */
const TRANSCRIPT_LIMITS = {
  text: { fullTokens: 2_000, share: 0.38, maxTokens: 12_000 },
  output: { fullTokens: 400, share: 0.38, maxTokens: 12_000 },
  /** Failed output gets more: the cause of a failure matters more than normal output. */
  errors: { fullTokens: 2_000, share: 0.6, maxTokens: 12_000 },
  thinking: { fullTokens: 120, share: 0.1, maxTokens: 240 },
  /** The arguments of one call. */
  arguments: 400,
} as const;

// WORD3: only typed text gets the user's label.
function userMessageParts(source: TranscriptSource): readonly TranscriptPart[] {
  const { typed, attachments } = splitUserEntry(source.entry, source.edits);
  const text = limitText(typed.trim(), TRANSCRIPT_LIMITS.text, source);
  const attachmentParts = attachments.map((attachment): TranscriptPart => {
    const content = limitText(attachment.text, TRANSCRIPT_LIMITS.output, source);
    const description = `(not the user's words) ${describeAttachment(attachment)}`;
    return { label: "Attachment", text: content === "" ? description : `${description}\n${content}` };
  });
  return [...(text === "" ? [] : [{ label: "User" as const, text }]), ...attachmentParts];
}

function assistantParts({ content }: AssistantMessage, source: TranscriptSource): readonly TranscriptPart[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const thoughts = blocks.flatMap(parseThinking).join("\n");
  const calls = blocks.flatMap((block) => (isToolCallValue(block) ? [renderToolCall(block, source)] : []));
  const parts: readonly TranscriptPart[] = [
    { label: "Assistant thinking", text: limitText(thoughts, TRANSCRIPT_LIMITS.thinking, source) },
    ...entryTextParts("Assistant", source),
    { label: "Assistant tool calls", text: calls.join("; ") },
  ];
  return parts.filter(({ text }) => text !== "");
}

// Session files are not validated block by block.
function parseThinking(block: unknown): readonly string[] {
  if (!isObject(block) || block.type !== "thinking" || block.redacted) return [];
  return typeof block.thinking === "string" && /\S/.test(block.thinking) ? [block.thinking.trim()] : [];
}

function isToolCallValue(block: unknown): block is ToolCallBlock {
  return isObject(block) && block.type === "toolCall";
}

function renderToolCall(call: ToolCallBlock, { handle, detail, outdatedCalls }: TranscriptSource): string {
  const { name } = call;
  const args = outdatedCalls.arguments.get(call) ?? call.arguments;
  const isComplete = detail === "full" || !isObject(args);
  const shownArgs = isComplete
    ? Object(args)
    : truncateArguments(args, { tokens: TRANSCRIPT_LIMITS.arguments, handle });
  const pairs = Object.entries(shownArgs).map(([key, value]) => `${sanitizeToolName(key)}=${JSON.stringify(value)}`);
  return `${sanitizeToolName(name)}(${pairs.join(", ")})`;
}

function sanitizeToolName(name: unknown): string {
  return sanitizeLine(toDisplayText(name), MAX_TOOL_NAME_CHARS);
}

const MAX_TOOL_NAME_CHARS = 80;

/** Converts a value from a session file, which may have any type, to text. */
function toDisplayText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function toolResultText(message: ToolResultMessage, source: TranscriptSource): string {
  const outdatedNote = source.outdatedCalls.results.get(message);
  if (outdatedNote !== undefined) return outdatedNote;
  return limitEntryText(source, message.isError ? TRANSCRIPT_LIMITS.errors : TRANSCRIPT_LIMITS.output) || "(no output)";
}

function renderShellRun(
  { command, output, exitCode, cancelled }: BashExecutionMessage,
  source: TranscriptSource,
): string {
  const outcome = cancelled ? "(stopped by the user)" : exitCode ? `(exit code ${toDisplayText(exitCode)})` : "";
  const limits = cancelled || exitCode ? TRANSCRIPT_LIMITS.errors : TRANSCRIPT_LIMITS.output;
  const texts = [command, output].map((text) => limitText(toDisplayText(text ?? "").trim(), limits, source));
  return [`$ ${texts[0]}`, texts[1] ?? "", outcome].filter((text) => text !== "").join("\n");
}

function noteParts(kind: string, source: TranscriptSource): readonly TranscriptPart[] {
  return entryTextParts("Note", source).map(({ label, text }) => ({
    label,
    text: `(${sanitizeToolName(kind)}) ${text}`,
  }));
}

function entryTextParts(label: SpeakerLabel, source: TranscriptSource): readonly TranscriptPart[] {
  const text = limitEntryText(source, TRANSCRIPT_LIMITS.text);
  return text === "" ? [] : [{ label, text }];
}

function limitEntryText(source: TranscriptSource, limits: ExcerptLimits): string {
  return limitText(entryText(source.entry, source.edits).trim(), limits, source);
}

function limitText(
  text: string,
  { fullTokens: whole, share, maxTokens: most }: ExcerptLimits,
  { handle, detail }: TranscriptSource,
): string {
  if (detail === "full") return text;
  const tokens = textTokens(text);
  return tokens <= whole
    ? text
    : createExcerpt(text, { tokens: Math.min(most, Math.max(whole, tokens * share)), handle });
}

/** The outdated calls of a transcript, and what replaces their text. */
export interface OutdatedCalls {
  /** The line that replaces the result of a outdated read. */
  readonly results: ReadonlyMap<ToolResultMessage, string>;
  /** The arguments of a outdated write, with a line in place of the content. */
  readonly arguments: ReadonlyMap<ToolCallBlock, Readonly<Record<string, unknown>>>;
}

const noOutdatedCalls: OutdatedCalls = { results: new Map(), arguments: new Map() };

/**
 * Finds outdated calls. A read is outdated if a later read shows the same text or the whole file, or if the file is written as a whole; a
 * write is outdated if the file is written as a whole again. Failed calls and partial edits make nothing outdated.
 */
function findOutdatedCalls(entries: readonly Entry[], edits: readonly ContextEditEntry[]): OutdatedCalls {
  const outdatedResults = findOutdatedResults(entries, {
    edits,
    accepts: ({ why }) => Object.hasOwn(OUTDATED_NOTES, why),
  });
  const results = outdatedResults.flatMap(({ result, why, newer }) =>
    result ? [[result, `(outdated: ${OUTDATED_NOTES[why]} in ${entryReference(newer)})`] as const] : [],
  );
  const changedArguments = new Map<ToolCallBlock, Readonly<Record<string, unknown>>>();
  const newestWrites = new Map<string, string>();
  for (const { call, callEntry, writePath } of collectFinishedCalls(entries, edits).toReversed()) {
    if (writePath === null) continue;
    const laterWrite = newestWrites.get(fileKey(writePath));
    if (laterWrite)
      changedArguments.set(call, { ...call.arguments, content: `(outdated: written again in ${laterWrite})` });
    else newestWrites.set(fileKey(writePath), entryReference(callEntry));
  }
  return { results: new Map(results), arguments: changedArguments };
}

/** The summarizer sees the other outdated results in full: they tell what happened. */
const OUTDATED_NOTES: Readonly<Partial<Record<OutdatedReason, string>>> = {
  "read-again": "read again",
  written: "the file was written",
};
