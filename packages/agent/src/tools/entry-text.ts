/** Renders an entry of the session as text for a model: who wrote it and what it says, without thinking and binary data. */

import type { AgentMessage, BashExecutionMessage, Entry, ToolCallBlock, UserMessage } from "@pith/context";
import { describeAttachment, entryReference, splitContent } from "@pith/context/host";
import type { FoundCall } from "./call-results.ts";
import { formatBytes } from "./tool-io.ts";

/** The text of an entry, after a line that names it, and the call that it answers: `Created a.ts` alone does not say what was written. */
export function entryText(entry: Entry, call: FoundCall | null): string {
  const { kind, text } = describeEntry(entry);
  const callText = call ? `; the call in ${entryReference(call.entry)}: ${formatCall(call.call)}` : "";
  return `[${entryReference(entry)}: ${kind}${text === "" ? ", without text" : ""}${callText}]\n${text}`;
}

/** On one line, because the lines of a result are counted. The reference opens the whole call. */
function formatCall({ arguments: args }: ToolCallBlock): string {
  return formatArguments(args)
    .map((argument) => {
      const line = argument.replaceAll(/\s+/g, " ").trim();
      return line.length <= MAX_ARGUMENT_CHARS ? line : `${line.slice(0, MAX_ARGUMENT_CHARS).toWellFormed()}…`;
    })
    .join("; ");
}

const MAX_ARGUMENT_CHARS = 300;

export interface EntryDescription {
  readonly kind: string;
  readonly text: string;
}

/** Thinking is left out: it is not part of the conversation. */
export function describeEntry(entry: Entry): EntryDescription {
  switch (entry.type) {
    case "message":
      return describeMessage(entry.message);
    case "compaction":
    case "branch_summary":
      return { kind: entry.type, text: entry.summary };
    case "custom_message":
      return { kind: entry.customType, text: contentText(entry.content) };
    case "gap":
      return { kind: "gap", text: entry.why };
    case "context_edit":
    case "model_change":
    case "thinking_level_change":
    case "active_tools_change":
    case "label":
    case "session_info":
    case "usage":
    case "custom":
    case "unknown":
      return { kind: entry.type, text: "" };
  }
}

function describeMessage(message: AgentMessage): EntryDescription {
  switch (message.role) {
    case "bashExecution":
      return describeShellCommand(message);
    case "compactionSummary":
    case "branchSummary":
      return { kind: message.role, text: message.summary };
    case "toolResult":
      return { kind: resultKind(message), text: contentText(message.content) };
    case "custom":
      return { kind: message.customType, text: contentText(message.content) };
    case "user":
      return describeUserMessage(message);
    case "system":
    case "assistant":
      return { kind: message.role, text: contentText(message.content) };
  }
}

// WORD3: the typed text comes first, so that no attachment can imitate it.
function describeUserMessage({ content, pith }: UserMessage): EntryDescription {
  const { typed, attachments } = splitContent(content);
  if (pith?.from === "program" || attachments.length === 0) return { kind: "user", text: contentText(content) };
  const count = attachments.length === 1 ? "1 attachment" : `${attachments.length} attachments`;
  const kind = `user; the text that the user typed, then ${count} not written by the user`;
  const images = Array.isArray(content) ? content.filter((block) => block?.type === "image").flatMap(blockTexts) : [];
  const attached = attachments.map((each) =>
    [`[attachment: ${describeAttachment(each)}]`, each.text].join("\n").trimEnd(),
  );
  return { kind, text: [typed || "(nothing typed)", ...attached, ...images].join("\n\n") };
}

function resultKind({ toolName, isError }: { readonly toolName: string; readonly isError: boolean }): string {
  return `tool result: ${toolName}${isError ? ", failed" : ""}`;
}

// LED6: a reference does not show the model a command that the user excluded from the context.
function describeShellCommand({
  command,
  output,
  exitCode,
  cancelled,
  excludeFromContext,
}: BashExecutionMessage): EntryDescription {
  if (excludeFromContext) return { kind: "shell command that the user excluded from the context", text: "" };
  const end = cancelled ? "\n(stopped by the user)" : exitCode ? `\n(exit code ${exitCode})` : "";
  return { kind: "shell command run by the user", text: `$ ${command}\n${output}${end}` };
}

// Session files are not validated block by block, so the content may have any shape.
function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.flatMap(blockTexts).join("\n\n") : "";
}

function blockTexts(block: Readonly<Record<string, unknown>> | null): readonly string[] {
  switch (block?.type) {
    case "text":
      return [String(block.text ?? "")];
    case "image":
      return [`[${block.mimeType}, ${formatBytes(Math.floor(String(block.data ?? "").length * 0.75))}]`];
    case "toolCall":
      return [`[tool call: ${block.name}]\n${formatArguments(block.arguments).join("\n")}`];
    default:
      return [];
  }
}

/** Strings are shown unquoted; other values as JSON. */
function formatArguments(args: unknown): readonly string[] {
  const pairs = typeof args === "object" ? Object.entries(args ?? {}) : [];
  return pairs.map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
}
