/** One entry as a paragraph: who, when, its id, and what was said, called or answered. */

import { type AgentMessage, type Entry, receiptOf } from "@pith/context";
import { amount } from "../../../printing/amounts.ts";
import { oneLine } from "../../../printing/one-line.ts";

/** Letters of one entry, where many are shown. */
const SHORT = 4_000;
/** Letters of one that is shown alone. */
export const WHOLE: number = 256 * 1024;

/** Null for what nobody said or did. */
export function toldEntry(entry: Entry, most: number = SHORT): string | null {
  const told = toldOf(entry);
  if (told === null) return null;
  const head = `${oneLine(told.who)} · ${timeOf(entry.timestamp)} · ${oneLine(entry.id)}`;
  return told.words === "" ? head : `${head}\n${indented(shortened(told.words, most))}`;
}

interface Told {
  readonly who: string;
  readonly words: string;
}

function toldOf(entry: Entry): Told | null {
  switch (entry.type) {
    case "message":
      return toldMessage(entry.message);
    case "compaction": {
      const tokens = receiptOf(entry)?.tokens;
      const sizes = tokens ? `${tokens.before} → ${tokens.after} tokens` : `${entry.tokensBefore} tokens before`;
      return { who: `compaction (${sizes})`, words: entry.summary };
    }
    case "branch_summary":
      return { who: "of a branch that was left", words: entry.summary };
    case "custom_message":
      return entry.display ? { who: entry.customType, words: contentWords(entry.content) } : null;
    case "model_change":
      return { who: `model: ${entry.provider}/${entry.modelId}`, words: "" };
    case "gap":
      return { who: "lost", words: entry.why };
    default:
      return null;
  }
}

function toldMessage(message: AgentMessage): Told | null {
  switch (message.role) {
    case "user":
      return { who: "user", words: contentWords(message.content) };
    case "assistant": {
      const how = message.stopReason === "error" || message.stopReason === "aborted" ? ` (${message.stopReason})` : "";
      return { who: `${message.provider}/${message.model}${how}`, words: contentWords(message.content) };
    }
    case "toolResult":
      return { who: `${message.toolName}${message.isError ? " failed" : ""}`, words: contentWords(message.content) };
    case "bashExecution":
      return { who: "user's command", words: `$ ${message.command}\n${message.output}` };
    case "custom":
      return { who: message.customType, words: contentWords(message.content) };
    case "compactionSummary":
    case "branchSummary":
      return { who: message.role, words: message.summary };
    case "system":
      return null;
  }
}

// Files are not checked block by block.
function contentWords(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.flatMap(blockWords).join("\n") : "";
}

function blockWords(block: Readonly<Record<string, unknown>> | null): readonly string[] {
  switch (block?.type) {
    case "text":
      return [String(block.text ?? "")];
    case "thinking":
      return [];
    case "image":
      return ["[image]"];
    case "toolCall":
      return [`→ ${block.name} ${JSON.stringify(block.arguments ?? {})}`];
    default:
      return [];
  }
}

/** So that no words can look like the head of another entry. */
function indented(words: string): string {
  return words.replace(/^(?=.)/gm, "  ");
}

function timeOf(timestamp: string): string {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? "at no known time" : new Date(time).toISOString().slice(0, 16).replace("T", " ");
}

function shortened(words: string, most: number): string {
  if (words.length <= most) return words;
  const head = words.slice(0, most).toWellFormed();
  return `${head}\n… ${amount(words.length - most)} more letters`;
}
