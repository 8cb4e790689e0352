/** Extracts the searchable text of an entry. Thinking, signatures, images and system prompts are never included. */

import { ENVIRONMENT_TYPE, readPithDetails, STATE_TYPE } from "../entry.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Redaction } from "../session/session.ts";
import { RECALL_TOOL } from "../settings.ts";
import { removeEscapeSequences } from "../text/sanitize.ts";
import type { ReadStoredOutput } from "./stored-output.ts";

/** Message roles and entry types as spelled in the file; `program` is a user message that a program wrote. The index stores positions in this list. */
export const HIT_KINDS = [
  "user",
  "program",
  "assistant",
  "toolResult",
  "bashExecution",
  "custom",
  "compaction",
  "branch_summary",
  "custom_message",
  "session_info",
  "label",
] as const;

/** The kind of entry that a search hit is. */
export type HitKind = (typeof HIT_KINDS)[number];

export interface SearchableText {
  readonly kind: HitKind;
  readonly text: string;
  /** The tools that the entry calls, or the tool whose result it is. */
  readonly tools: readonly string[];
  /** The stored output that the text ends with. */
  readonly stored?: { readonly hash: string; readonly start: number; readonly isWhole: boolean };
}

export interface ExtractOptions {
  readonly redaction: Redaction;
  readonly readOutput: ReadStoredOutput;
}

/** Extracts the redacted text of a line that is not validated; null if it has none. */
export function extractSearchableText(value: JsonObject, options: ExtractOptions): SearchableText | null {
  const source = value.type === "message" ? collectMessagePieces(value.message) : collectEntryPieces(value);
  if (!source) return null;
  const clean = ({ text, limit }: TextPiece): string =>
    keepHeadAndTail(options.redaction.redact(stripColors(keepHeadAndTail(text, REDACTION_LIMIT))), limit);
  const text = source.pieces
    .map(clean)
    .filter((piece) => piece !== "")
    .join("\n");
  // An empty name is kept: it removes the earlier one.
  if (text === "" && source.kind !== "session_info") return null;
  const { kind, tools = [] } = source;
  const output = kind === "toolResult" && isObject(value.message) ? options.readOutput(value.message) : null;
  if (!output) return { kind, text, tools };
  const outputText = clean({ text: output.text, limit: STORED_LIMIT });
  const isWhole = output.isWhole && outputText.length < STORED_LIMIT.head + STORED_LIMIT.tail;
  const { hash } = output;
  return { kind, text: `${text}\n${outputText}`, tools, stored: { hash, start: text.length + 1, isWhole } };
}

interface EntryTextPieces {
  readonly kind: HitKind;
  readonly pieces: readonly TextPiece[];
  readonly tools?: readonly string[];
}

interface TextPiece {
  readonly text: string;
  readonly limit: TextPieceLimit;
}

/** How many characters of a longer text are kept. */
interface TextPieceLimit {
  readonly head: number;
  readonly tail: number;
}

const MESSAGE_LIMIT: TextPieceLimit = { head: 128 * 1024, tail: 32 * 1024 };
/** More than a tool of Pith shows. */
const OUTPUT_LIMIT: TextPieceLimit = { head: 32 * 1024, tail: 32 * 1024 };
/** Each hit reads it again, so a very long output is not searched as a whole. */
const STORED_LIMIT: TextPieceLimit = { head: 128 * 1024, tail: 128 * 1024 };
/** Far more than is kept, so that no secret is cut before it is redacted. */
const REDACTION_LIMIT: TextPieceLimit = { head: 512 * 1024, tail: 512 * 1024 };

function collectEntryPieces(entry: JsonObject): EntryTextPieces | null {
  const { type, summary, content, name, label } = entry;
  if (type === "compaction" || type === "branch_summary") return { kind: type, pieces: toMessagePieces(summary) };
  if (type === "custom_message")
    return describesState(entry) ? null : { kind: type, pieces: contentPieces(content, MESSAGE_LIMIT) };
  if (type === "session_info") return { kind: type, pieces: toMessagePieces(name) };
  return type === "label" ? { kind: type, pieces: toMessagePieces(label) } : null;
}

/** Such an entry is written again after each compaction, and its text is elsewhere. */
function describesState({ customType }: JsonObject): boolean {
  return typeof customType === "string" && (customType === ENVIRONMENT_TYPE || customType.startsWith(STATE_TYPE));
}

function collectMessagePieces(message: unknown): EntryTextPieces | null {
  if (!isObject(message)) return null;
  const { role, content, pith } = message;
  switch (role) {
    case "user":
      return {
        kind: isObject(pith) && pith.from === "program" ? "program" : role,
        pieces: contentPieces(content, MESSAGE_LIMIT),
      };
    case "assistant":
      return {
        kind: role,
        pieces: [...contentPieces(content, MESSAGE_LIMIT), ...toMessagePieces(message.errorMessage)],
        tools: listCalledTools(content),
      };
    case "toolResult":
      return collectResultPieces(message);
    case "bashExecution":
      return {
        kind: role,
        pieces: [...toMessagePieces(message.command), ...toTextPieces(message.output, OUTPUT_LIMIT)],
      };
    // The role's name in version 2.
    case "hookMessage":
    case "custom":
      return { kind: "custom", pieces: contentPieces(content, MESSAGE_LIMIT) };
    default:
      return null;
  }
}

/** The result of a search in the session repeats what other entries say, so it has no text of its own. */
function collectResultPieces({ toolName, content, details }: JsonObject): EntryTextPieces | null {
  if (toolName === RECALL_TOOL) return null;
  const { path } = readPithDetails(details) as { readonly path?: unknown };
  return {
    kind: "toolResult",
    pieces: [...contentPieces(content, OUTPUT_LIMIT), ...toMessagePieces(path)],
    tools: typeof toolName === "string" ? [toolName] : [],
  };
}

function listCalledTools(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) =>
    isObject(block) && block.type === "toolCall" && typeof block.name === "string" ? [block.name] : [],
  );
}

function contentPieces(content: unknown, limit: TextPieceLimit): readonly TextPiece[] {
  if (typeof content === "string") return toTextPieces(content, limit);
  return Array.isArray(content) ? content.flatMap((block: unknown) => blockPieces(block, limit)) : [];
}

function blockPieces(block: unknown, limit: TextPieceLimit): readonly TextPiece[] {
  if (!isObject(block)) return [];
  if (block.type === "text") return toTextPieces(block.text, limit);
  if (block.type !== "toolCall" || block.name === RECALL_TOOL) return [];
  return [...toMessagePieces(block.name), ...toTextPieces(collectValues(block.arguments).join("\n"), OUTPUT_LIMIT)];
}

// Only the values of arguments; the argument names are the same in every call.
function collectValues(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(collectValues) : [];
}

const toMessagePieces = (text: unknown): readonly TextPiece[] => toTextPieces(text, MESSAGE_LIMIT);

function toTextPieces(text: unknown, limit: TextPieceLimit): readonly TextPiece[] {
  return typeof text === "string" && text !== "" ? [{ text, limit }] : [];
}

// The index would read a color code as a part of the next word.
function stripColors(text: string): string {
  return text.includes("\u001b") ? removeEscapeSequences(text) : text;
}

function keepHeadAndTail(text: string, { head, tail }: TextPieceLimit): string {
  return text.length <= head + tail ? text : `${text.slice(0, head)}\n${text.slice(-tail)}`;
}
