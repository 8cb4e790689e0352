/** Extracts the searchable text of an entry. Thinking, signatures, images and system prompts are never included. */

import { isObject, type JsonObject } from "../format/read-line.ts";
import { asItIs, type Redaction } from "../session/session.ts";
import { withoutSequences } from "../text/sanitize.ts";

/** Roles of messages and kinds of entries, as the file spells them; `program` is a user message that no person typed. */
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

export type HitKind = (typeof HIT_KINDS)[number];

export interface Searchable {
  readonly kind: HitKind;
  readonly text: string;
}

/** Null for an entry without words of its own. Takes a line as it is: files are not checked field by field. */
export function searchable(value: JsonObject, redaction: Redaction = asItIs): Searchable | null {
  const found = value.type === "message" ? inMessage(value.message) : inEntry(value);
  if (!found) return null;
  const texts = found.pieces.map(({ text, amount }) =>
    bounded(redaction.redacted(uncoloured(bounded(text, REDACTABLE))), amount),
  );
  const text = texts.filter((piece) => piece !== "").join("\n");
  // A name that was taken away is still the latest.
  return text === "" && found.kind !== "session_info" ? null : { kind: found.kind, text };
}

interface Found {
  readonly kind: HitKind;
  readonly pieces: readonly Piece[];
}

interface Piece {
  readonly text: string;
  readonly amount: Amount;
}

/** Letters that are kept of a longer text. */
interface Amount {
  readonly head: number;
  readonly tail: number;
}

const SAID: Amount = { head: 128 * 1024, tail: 32 * 1024 };
const OUTPUT: Amount = { head: 16 * 1024, tail: 16 * 1024 };
/** Far more than is kept, so that no secret is cut in two before it is recognised. */
const REDACTABLE: Amount = { head: 512 * 1024, tail: 512 * 1024 };

function inEntry({ type, summary, content, name, label }: JsonObject): Found | null {
  if (type === "compaction" || type === "branch_summary") return { kind: type, pieces: said(summary) };
  if (type === "custom_message") return { kind: type, pieces: contentPieces(content, SAID) };
  if (type === "session_info") return { kind: type, pieces: said(name) };
  return type === "label" ? { kind: type, pieces: said(label) } : null;
}

function inMessage(message: unknown): Found | null {
  if (!isObject(message)) return null;
  const { role, content, pith } = message;
  switch (role) {
    case "user":
      return {
        kind: isObject(pith) && pith.from === "program" ? "program" : role,
        pieces: contentPieces(content, SAID),
      };
    case "assistant":
      return { kind: role, pieces: [...contentPieces(content, SAID), ...said(message.errorMessage)] };
    case "toolResult":
      return { kind: role, pieces: contentPieces(content, OUTPUT) };
    case "bashExecution":
      return { kind: role, pieces: [...said(message.command), ...piece(message.output, OUTPUT)] };
    // As version 2 called it.
    case "hookMessage":
    case "custom":
      return { kind: "custom", pieces: contentPieces(content, SAID) };
    default:
      return null;
  }
}

function contentPieces(content: unknown, amount: Amount): readonly Piece[] {
  if (typeof content === "string") return piece(content, amount);
  return Array.isArray(content) ? content.flatMap((block: unknown) => blockPieces(block, amount)) : [];
}

function blockPieces(block: unknown, amount: Amount): readonly Piece[] {
  if (!isObject(block)) return [];
  if (block.type === "text") return piece(block.text, amount);
  if (block.type !== "toolCall") return [];
  return [...said(block.name), ...piece(valuesIn(block.arguments).join("\n"), OUTPUT)];
}

// The values a model wrote; their names are always the same.
function valuesIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(valuesIn) : [];
}

const said = (text: unknown): readonly Piece[] => piece(text, SAID);

function piece(text: unknown, amount: Amount): readonly Piece[] {
  return typeof text === "string" && text !== "" ? [{ text, amount }] : [];
}

// A colour would become a part of the word behind it.
function uncoloured(text: string): string {
  return text.includes("\u001b") ? withoutSequences(text) : text;
}

function bounded(text: string, { head, tail }: Amount): string {
  return text.length <= head + tail ? text : `${text.slice(0, head)}\n${text.slice(-tail)}`;
}
