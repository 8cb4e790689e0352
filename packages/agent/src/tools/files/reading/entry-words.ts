/** An entry as a text: who speaks, what was said, what was called and what came of it, whole. */

import type { AgentMessage, BashExecutionMessage, Entry } from "@pith/context";
import { sized } from "../../output.ts";

/** Beginning with a line that names the entry. */
export function entryWords(entry: Entry): string {
  const { kind, words } = told(entry);
  return `[entry:${entry.id}: ${kind}${words === "" ? ", without words" : ""}]\n${words}`;
}

interface Told {
  readonly kind: string;
  readonly words: string;
}

function told(entry: Entry): Told {
  switch (entry.type) {
    case "message":
      return toldMessage(entry.message);
    case "compaction":
    case "branch_summary":
      return { kind: entry.type, words: entry.summary };
    case "custom_message":
      return { kind: entry.customType, words: contentWords(entry.content) };
    case "gap":
      return { kind: "gap", words: entry.why };
    case "context_edit":
    case "model_change":
    case "thinking_level_change":
    case "active_tools_change":
    case "label":
    case "session_info":
    case "usage":
    case "custom":
    case "unknown":
      return { kind: entry.type, words: "" };
  }
}

function toldMessage(message: AgentMessage): Told {
  switch (message.role) {
    case "bashExecution":
      return toldShell(message);
    case "compactionSummary":
    case "branchSummary":
      return { kind: message.role, words: message.summary };
    case "toolResult":
      return { kind: resultKind(message), words: contentWords(message.content) };
    case "custom":
      return { kind: message.customType, words: contentWords(message.content) };
    case "system":
    case "user":
    case "assistant":
      return { kind: message.role, words: contentWords(message.content) };
  }
}

function resultKind({ toolName, isError }: { readonly toolName: string; readonly isError: boolean }): string {
  return `result of ${toolName}${isError ? ", which failed" : ""}`;
}

// LED6: what the user keeps from the model is not told to it by way of a handle.
function toldShell({ command, output, exitCode, cancelled, excludeFromContext }: BashExecutionMessage): Told {
  if (excludeFromContext) return { kind: "a command that the user keeps to themselves", words: "" };
  const end = cancelled ? "\n(stopped by the user)" : exitCode ? `\n(exit code ${exitCode})` : "";
  return { kind: "a command of the user's", words: `$ ${command}\n${output}${end}` };
}

// Files are not checked block by block.
function contentWords(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.flatMap(blockWords).join("\n\n") : "";
}

function blockWords(block: Readonly<Record<string, unknown>> | null): readonly string[] {
  switch (block?.type) {
    case "text":
      return [String(block.text ?? "")];
    case "thinking":
      return block.redacted ? [] : [`[thinking]\n${block.thinking}`];
    case "image":
      return [`[${block.mimeType}, ${sized(Math.floor(String(block.data ?? "").length * 0.75))}]`];
    case "toolCall":
      return [`[call of ${block.name}]\n${argumentWords(block.arguments)}`];
    default:
      return [];
  }
}

/** Text stands as it is, because it was meant to be read. */
function argumentWords(given: unknown): string {
  const pairs = typeof given === "object" ? Object.entries(given ?? {}) : [];
  return pairs.map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join("\n");
}
