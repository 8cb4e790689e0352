/** What a tree shows of an entry: little, so that a hundred thousand of them are no burden. */

import { DRAFT } from "@pith/agent";
import { type AgentMessage, type Entry, entryWords, PIN, plainText, provenance } from "@pith/context";

export interface Sketch {
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: SketchKind;
  /** How it begins, in one line. */
  readonly words: string;
  /** In milliseconds. */
  readonly time: number;
  /** What a reply calls: the id of each call, and the call in a few words. */
  readonly calls?: readonly (readonly [id: string, words: string])[];
  /** The call whose result this is. */
  readonly callId?: string;
  readonly isFailed?: true;
}

/** `calls` is a reply without words; `other` is noted, and nothing to people by itself. */
export type SketchKind =
  | "you"
  | "program"
  | "reply"
  | "calls"
  | "tool"
  | "shell"
  | "compaction"
  | "left"
  | "pin"
  | "draft"
  | "note"
  | "lost"
  | "other";

export function sketchOf(entry: Entry): Sketch {
  const { id, parentId, timestamp } = entry;
  const place = { id, parentId, time: Date.parse(timestamp) || 0 };
  if (entry.type === "message") return { ...place, ...sketchOfMessage(entry, entry.message) };
  return { ...place, kind: kindOf(entry), words: plainText(wordsOf(entry), LETTERS) };
}

/** Enough for a wide line and for a search. */
const LETTERS = 240;

type Told = Omit<Sketch, "id" | "parentId" | "time">;

function sketchOfMessage(entry: Entry, message: AgentMessage): Told {
  const words = plainText(
    entryWords(entry)
      .slice(0, LETTERS * 20)
      .replaceAll("**", ""),
    LETTERS,
  );
  switch (message.role) {
    case "user":
      return { kind: provenance(entry) === "person" ? "you" : "program", words };
    case "assistant":
      return repliedWith(message, words);
    case "toolResult": {
      const failed = message.isError ? { isFailed: true as const } : {};
      const said = message.isError ? words : "";
      return { kind: "tool", words: plainText(`${message.toolName} ${said}`), callId: message.toolCallId, ...failed };
    }
    case "bashExecution":
      return { kind: "shell", words: plainText(message.command, LETTERS) };
    default:
      return { kind: "other", words };
  }
}

type Reply = Extract<AgentMessage, { role: "assistant" }>;

function repliedWith({ content, stopReason, errorMessage }: Reply, words: string): Told {
  const calls = content.flatMap((part) => (part.type === "toolCall" ? [[part.id, callWords(part)] as const] : []));
  const called = calls.length > 0 ? { calls } : {};
  const isBroken = stopReason === "error" || stopReason === "aborted";
  if (isBroken && words === "") {
    const why = errorMessage === undefined ? "it was stopped" : plainText(errorMessage, LETTERS);
    return { kind: "reply", words: why, isFailed: true, ...called };
  }
  return words === ""
    ? { kind: "calls", words: calls.map(([, call]) => call).join(", "), ...called }
    : { kind: "reply", words, ...called };
}

type ToolCall = Extract<Reply["content"][number], { type: "toolCall" }>;

/** A call by what matters most in it: the file, the command, the pattern. */
function callWords({ name, arguments: given }: ToolCall): string {
  const fields: Readonly<Record<string, unknown>> = Object(given);
  const main = MAIN.map((field) => fields[field]).find((value) => typeof value === "string" && value !== "");
  return plainText(`${name} ${typeof main === "string" ? main : JSON.stringify(given ?? {})}`, CALL_LETTERS);
}

const MAIN = ["path", "file_path", "command", "pattern", "query", "url"];
const CALL_LETTERS = 120;

function kindOf(entry: Entry): SketchKind {
  switch (entry.type) {
    case "compaction":
      return "compaction";
    case "branch_summary":
      return "left";
    case "custom_message":
      if (entry.customType === PIN) return "pin";
      return entry.display ? "note" : "other";
    case "custom":
      if (entry.customType === DRAFT) return "draft";
      return entry.customType === PIN ? "pin" : "other";
    case "gap":
      return "lost";
    default:
      return "other";
  }
}

function wordsOf(entry: Exclude<Entry, { type: "message" }>): string {
  switch (entry.type) {
    case "compaction":
      return `${entry.tokensBefore.toLocaleString("en-US")} tokens before it`;
    case "branch_summary":
      return told(entry.summary);
    case "custom_message":
      return entryWords(entry);
    case "custom":
      return textIn(entry.data) ?? entry.customType;
    case "gap":
      return entry.why;
    case "model_change":
      return `model: ${entry.provider}/${entry.modelId}`;
    case "thinking_level_change":
      return `thinking: ${entry.thinkingLevel}`;
    case "label":
      return entry.label === undefined ? "label taken away" : `label: ${entry.label}`;
    case "session_info":
      return `name: ${entry.name ?? ""}`;
    default:
      return entry.type.replaceAll("_", " ");
  }
}

function textIn(data: unknown): string | null {
  const { text } = Object(data) as { readonly text?: unknown };
  return typeof text === "string" ? text : null;
}

/** Without the words that every such summary begins with, its headings and its bullets. */
function told(summary: string): string {
  const lines = summary.replace(/^The user explored[^\n]*\n(?:Summary of that exploration:)?/, "").split("\n");
  const points = lines
    .map((line) => line.replaceAll(/\s*[([]?entry:[\w-]+[)\]]?/g, ""))
    .filter((line) => !/^#|^\s*$|^\W*\(none\)\s*$/.test(line));
  return points.map((line) => line.replace(/^\s*(?:[-*]|\d+\.)\s+(?:\[[ x]\]\s+)?/, "").trim()).join("; ");
}
