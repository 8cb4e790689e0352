/** What a tree shows of an entry: little, so that a hundred thousand of them are no burden. */

import { type AgentMessage, type Entry, entryWords, plainText, provenance } from "@pith/context";
import { entrySaid } from "../../../prompting/said-words.ts";
import { kindOf, type SketchKind } from "./sketch-kind.ts";

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

/** An entry may come from before redaction, or from another program: a secret goes before anything is cut, else its half stays. */
export function sketchOf(entry: Entry, redacted: (text: string) => string = (text) => text): Sketch {
  const { id, parentId, timestamp } = entry;
  const place = { id, parentId, time: Date.parse(timestamp) || 0 };
  const cut: Cut = (text, most = LETTERS) => plainText(redacted(text.slice(0, most * 5)), most);
  if (entry.type === "message") return { ...place, ...sketchOfMessage(entry, entry.message, cut) };
  return { ...place, kind: kindOf(entry), words: cut(wordsOf(entry)) };
}

/** The beginning of a text, as it may be shown in a line. */
type Cut = (text: string, most?: number) => string;

/** Enough for a wide line and for a search. */
const LETTERS = 240;

type Told = Omit<Sketch, "id" | "parentId" | "time">;

function sketchOfMessage(entry: Entry, message: AgentMessage, cut: Cut): Told {
  switch (message.role) {
    case "user":
      return { kind: provenance(entry) === "person" ? "you" : "program", words: saidIn(entry, cut) };
    case "assistant":
      return repliedWith(message, saidIn(entry, cut), cut);
    case "toolResult": {
      const { toolName, toolCallId: callId } = message;
      // What a tool gave is the call's; only a failure speaks for itself.
      if (!message.isError) return { kind: "tool", words: cut(toolName), callId };
      return { kind: "tool", words: cut(`${toolName} ${entryWords(entry)}`), callId, isFailed: true };
    }
    case "bashExecution":
      return { kind: "shell", words: cut(message.command) };
    default:
      return { kind: "other", words: saidIn(entry, cut) };
  }
}

function saidIn(entry: Entry, cut: Cut): string {
  return cut(
    entrySaid(entry)
      .slice(0, LETTERS * 6)
      .replaceAll("**", ""),
  );
}

type Reply = Extract<AgentMessage, { role: "assistant" }>;

function repliedWith({ content, stopReason, errorMessage }: Reply, words: string, cut: Cut): Told {
  const calls = content.flatMap((part) => (part.type === "toolCall" ? [[part.id, callWords(part, cut)] as const] : []));
  const called = calls.length > 0 ? { calls } : {};
  const isBroken = stopReason === "error" || stopReason === "aborted";
  if (isBroken && words === "") {
    const why = errorMessage === undefined ? "it was stopped" : cut(errorMessage);
    return { kind: "reply", words: why, isFailed: true, ...called };
  }
  return words === ""
    ? { kind: "calls", words: calls.map(([, call]) => call).join(", "), ...called }
    : { kind: "reply", words, ...called };
}

type ToolCall = Extract<Reply["content"][number], { type: "toolCall" }>;

/** A call by what matters most in it: the file, the command, the pattern. */
function callWords({ name, arguments: given }: ToolCall, cut: Cut): string {
  const fields: Readonly<Record<string, unknown>> = Object(given);
  const main = MAIN.map((field) => fields[field]).find((value) => typeof value === "string" && value !== "");
  return cut(`${name} ${typeof main === "string" ? main : JSON.stringify(given ?? {})}`, CALL_LETTERS);
}

const MAIN = ["path", "file_path", "command", "pattern", "query", "url"];
const CALL_LETTERS = 120;

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
