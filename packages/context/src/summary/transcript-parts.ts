/** An entry as a summariser is shown it: who speaks, and what was said, long texts as digests. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import { digest } from "../keeping/digest.ts";
import { entryWords } from "../keeping/entry-text.ts";
import { provenance } from "../keeping/provenance.ts";
import { shortArguments } from "../keeping/short-arguments.ts";
import type { AgentMessage, AssistantMessage, BashExecutionMessage, ToolCallBlock } from "../message.ts";
import { LISTED, referenceLine, referenceOf } from "../reading/references.ts";
import { textTokens } from "../reading/tokens/text-tokens.ts";
import { isObject } from "../session/codec/line/read-line.ts";
import { plainText } from "../session/plain-text.ts";

export interface Part {
  readonly label: Label;
  readonly text: string;
}

export type Label =
  | "User"
  | "Assistant thinking"
  | "Assistant"
  | "Assistant tool calls"
  | "Tool result"
  | "Shell"
  | "Note";

export interface Source {
  readonly entry: Entry;
  readonly edits: readonly ContextEditEntry[];
  /** What opens the whole; empty where nothing does. */
  readonly handle: string;
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
  thinking: { whole: 120, share: 0.1, most: 240 },
  /** Of one call. */
  arguments: 400,
} as const;

/** The message is what the entry gives to the context. None for one that is told elsewhere, or says nothing. */
export function partsOf(message: AgentMessage, source: Source): readonly Part[] {
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
      return [{ label: "Tool result", text: wordsOf(source, SHOWN.output) || "(no output)" }];
    case "bashExecution":
      return [{ label: "Shell", text: shellText(message, source) }];
    case "user":
      // SUM3: what a program put there is no word of the user's.
      return provenance(source.entry) === "person" ? said("User", source) : note("program", source);
    case "custom":
      return message.customType === LISTED ? [] : note(message.customType, source);
    case "branchSummary":
      return note("a branch that was left", source);
  }
}

function wordsOf({ entry, edits, handle }: Source, amount: Amount): string {
  return shown(entryWords(entry, edits).trim(), amount, handle);
}

function shown(text: string, { whole, share, most }: Amount, handle: string): string {
  const tokens = textTokens(text);
  return tokens <= whole ? text : digest(text, { tokens: Math.min(most, Math.max(whole, tokens * share)), handle });
}

function replyParts({ content }: AssistantMessage, source: Source): readonly Part[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const thoughts = blocks.flatMap(thoughtIn).join("\n");
  const calls = blocks.flatMap((block) => (isCall(block) ? [callText(block, source)] : []));
  const parts: readonly Part[] = [
    { label: "Assistant thinking", text: shown(thoughts, SHOWN.thinking, source.handle) },
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

function callText({ name, arguments: all }: ToolCallBlock, { handle }: Source): string {
  const given = isObject(all) ? shortArguments(all, { tokens: SHOWN.arguments, handle }) : {};
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

function shellText({ command, output, exitCode, cancelled }: BashExecutionMessage, { handle }: Source): string {
  const ended = cancelled ? "(stopped by the user)" : exitCode ? `(exit code ${asText(exitCode)})` : "";
  const texts = [command, output].map((text) => shown(asText(text ?? "").trim(), SHOWN.output, handle));
  return [`$ ${texts[0]}`, texts[1] ?? "", ended].filter((text) => text !== "").join("\n");
}
