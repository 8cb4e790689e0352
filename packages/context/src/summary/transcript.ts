/** Renders entries as the transcript a summariser reads, one block per entry. Only code sets the speaker labels (B37). */

import { describeAttachment } from "../context/attachments.ts";
import { entryMessage, latestEdit } from "../context/build-context.ts";
import { entryWords, provenance, userParts } from "../context/entry-text.ts";
import { LISTED, referenceLine, referenceOf } from "../context/loaded-skills.ts";
import { type ContextEditEntry, type Entry, isStateEntry } from "../entry.ts";
import { isObject } from "../format/read-line.ts";
import type {
  AgentMessage,
  AssistantMessage,
  BashExecutionMessage,
  Message,
  ToolCallBlock,
  ToolResultMessage,
} from "../message.ts";
import { entryReference } from "../references.ts";
import { digest } from "../text/excerpt.ts";
import { escaped, plainText } from "../text/sanitize.ts";
import { shortArguments } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { findOutdatedCalls, noneOutdated, type OutdatedCalls } from "./outdated-calls.ts";

export interface Part {
  readonly label: Label;
  readonly text: string;
}

export type Label =
  | "User"
  | "Attachment"
  | "Assistant thinking"
  | "Assistant"
  | "Assistant tool calls"
  | "Tool result"
  | "Shell"
  | "Note";

/** `whole`: every text as it is. `digest`: long texts by their most informative lines, outdated ones by a note. */
export type Detail = "whole" | "digest";

export interface Source {
  readonly entry: Entry;
  readonly edits: readonly ContextEditEntry[];
  /** What opens the whole; empty where nothing does. */
  readonly handle: string;
  readonly detail: Detail;
  readonly outdated: OutdatedCalls;
}

interface Amount {
  readonly whole: number;
  readonly share: number;
  readonly most: number;
}

/** In tokens: up to `whole` a text stays as it is, a longer one becomes a digest: a `share` of it, and at most `most`. */
export const SHOWN = {
  words: { whole: 2_000, share: 0.38, most: 12_000 },
  output: { whole: 400, share: 0.38, most: 12_000 },
  /** Of what failed: why it failed matters more than what worked. */
  errors: { whole: 2_000, share: 0.6, most: 12_000 },
  thinking: { whole: 120, share: 0.1, most: 240 },
  /** Of one call. */
  arguments: 400,
} as const;

/** The message is what the entry gives to the context. None for one that is told elsewhere, or says nothing. */
export function partsOf(message: AgentMessage, source: Source): readonly Part[] {
  if (isStateEntry(source.entry)) return [];
  const reference = referenceOf(source.entry);
  // SKL6: what is attached again word for word is named, so that nobody retells it.
  if (reference)
    return [{ label: message.role === "toolResult" ? "Tool result" : "Note", text: referenceLine(reference) }];
  switch (message.role) {
    case "system":
    case "compactionSummary":
      return [];
    case "assistant":
      return replyParts(message, source);
    case "toolResult":
      return [{ label: "Tool result", text: resultText(message, source) }];
    case "bashExecution":
      return [{ label: "Shell", text: shellText(message, source) }];
    case "user":
      // SUM3: what a program put there is no word of the user's.
      return provenance(source.entry) === "person" ? userBlocks(source) : note("program", source);
    case "custom":
      return message.customType === LISTED ? [] : note(message.customType, source);
    case "branchSummary":
      return note("a branch that was left", source);
  }
}

// WORD3: only what was typed stands below the user's label.
function userBlocks(source: Source): readonly Part[] {
  const { typed, attachments } = userParts(source.entry, source.edits);
  const text = shown(typed.trim(), SHOWN.words, source);
  const attached = attachments.map((attachment): Part => {
    const content = shown(attachment.text, SHOWN.output, source);
    const lead = `(not the user's words) ${describeAttachment(attachment)}`;
    return { label: "Attachment", text: content === "" ? lead : `${lead}\n${content}` };
  });
  return [...(text === "" ? [] : [{ label: "User" as const, text }]), ...attached];
}

function resultText(message: ToolResultMessage, source: Source): string {
  const note = source.outdated.results.get(message);
  if (note !== undefined) return note;
  return wordsOf(source, message.isError ? SHOWN.errors : SHOWN.output) || "(no output)";
}

function wordsOf(source: Source, amount: Amount): string {
  return shown(entryWords(source.entry, source.edits).trim(), amount, source);
}

function shown(text: string, { whole, share, most }: Amount, { handle, detail }: Source): string {
  if (detail === "whole") return text;
  const tokens = textTokens(text);
  return tokens <= whole ? text : digest(text, { tokens: Math.min(most, Math.max(whole, tokens * share)), handle });
}

function replyParts({ content }: AssistantMessage, source: Source): readonly Part[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const thoughts = blocks.flatMap(thoughtIn).join("\n");
  const calls = blocks.flatMap((block) => (isCall(block) ? [callText(block, source)] : []));
  const parts: readonly Part[] = [
    { label: "Assistant thinking", text: shown(thoughts, SHOWN.thinking, source) },
    ...said("Assistant", source),
    { label: "Assistant tool calls", text: calls.join("; ") },
  ];
  return parts.filter(({ text }) => text !== "");
}

// Files are not checked block by block.
function thoughtIn(block: unknown): readonly string[] {
  if (!isObject(block) || block.type !== "thinking" || block.redacted) return [];
  return typeof block.thinking === "string" && /\S/.test(block.thinking) ? [block.thinking.trim()] : [];
}

function isCall(block: unknown): block is ToolCallBlock {
  return isObject(block) && block.type === "toolCall";
}

function callText(call: ToolCallBlock, { handle, detail, outdated }: Source): string {
  const { name } = call;
  const all = outdated.arguments.get(call) ?? call.arguments;
  const isShort = detail === "whole" || !isObject(all);
  const given = isShort ? Object(all) : shortArguments(all, { tokens: SHOWN.arguments, handle });
  const pairs = Object.entries(given).map(([key, value]) => `${oneLine(key)}=${JSON.stringify(value)}`);
  return `${oneLine(name)}(${pairs.join(", ")})`;
}

function oneLine(name: unknown): string {
  return plainText(asText(name), LONGEST_NAME);
}

/** It comes from a file, where anything can stand; not everything can be made a text of by itself. */
function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

const LONGEST_NAME = 80;

function said(label: Label, source: Source): readonly Part[] {
  const text = wordsOf(source, SHOWN.words);
  return text === "" ? [] : [{ label, text }];
}

function note(kind: string, source: Source): readonly Part[] {
  return said("Note", source).map(({ label, text }) => ({ label, text: `(${oneLine(kind)}) ${text}` }));
}

function shellText({ command, output, exitCode, cancelled }: BashExecutionMessage, source: Source): string {
  const ended = cancelled ? "(stopped by the user)" : exitCode ? `(exit code ${asText(exitCode)})` : "";
  const amount = cancelled || exitCode ? SHOWN.errors : SHOWN.output;
  const texts = [command, output].map((text) => shown(asText(text ?? "").trim(), amount, source));
  return [`$ ${texts[0]}`, texts[1] ?? "", ended].filter((text) => text !== "").join("\n");
}

export interface TranscriptBlock {
  readonly entryId: string;
  /** What opens the entry. */
  readonly reference: string;
  readonly text: string;
  readonly tokens: number;
}

/** Messages as one text, a blank line between them. */
export function serializeConversation(messages: readonly Message[]): string {
  const source = { edits: [], handle: "", detail: "digest", outdated: noneOutdated } as const;
  const parts = messages.flatMap((message) => partsOf(message, { ...source, entry: asEntry(message) }));
  return parts.map((part) => written(part, "")).join("\n\n");
}

export interface TranscriptParts {
  readonly edits: readonly ContextEditEntry[];
  /** `digest`, where nothing else is said. */
  readonly detail?: Detail;
}

/** A block for each entry that the model saw, with its number behind its first label: `[User]: [#3] fix the login`. */
export function transcriptOf(
  entries: readonly Entry[],
  { edits, detail = "digest" }: TranscriptParts,
): readonly TranscriptBlock[] {
  const blocks: TranscriptBlock[] = [];
  const outdated = detail === "digest" ? findOutdatedCalls(entries, edits) : noneOutdated;
  for (const entry of entries) {
    const message = entry.type === "compaction" ? null : entryMessage(entry, latestEdit(edits, entry));
    const reference = entryReference(entry);
    const parts =
      message && wasSeen(message) ? partsOf(message, { entry, edits, handle: reference, detail, outdated }) : [];
    if (parts.length === 0) continue;
    const text = parts.map((part, at) => written(part, at === 0 ? `[${reference}] ` : "")).join("\n\n");
    blocks.push({ entryId: entry.id, reference, text, tokens: textTokens(text) });
  }
  return blocks;
}

function asEntry(message: Message): Entry {
  return { type: "message", id: "", parentId: null, timestamp: "", message };
}

function wasSeen(message: AgentMessage): boolean {
  if (message.role === "assistant") return message.stopReason !== "error" && message.stopReason !== "aborted";
  return message.role !== "bashExecution" || !message.excludeFromContext;
}

// SUM2: whatever was put together, from whatever fields, is escaped as one text.
function written({ label, text }: Part, number: string): string {
  return `[${label}]: ${number}${escaped(text)}`;
}
