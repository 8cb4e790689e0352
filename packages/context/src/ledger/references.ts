/** Finds URLs, commits, ids and images in messages, by which the things they name can be found again. */

import { entryMessage, latestEdit } from "../context/build-context.ts";
import { LISTED, referenceOf } from "../context/loaded-skills.ts";
import type { Entry } from "../entry.ts";
import { isObject } from "../format/read-line.ts";
import type { AgentMessage } from "../message.ts";
import { blobHandle, blobOf, isImage } from "../session/blobs.ts";
import { plainText } from "../text/sanitize.ts";
import { edges } from "../text/truncate.ts";
import { imageSize } from "../tokens/estimate-tokens.ts";
import { LETTERS, type LedgerImage, type LedgerReference } from "./ledger.ts";

export interface Said {
  readonly entryId: string;
  readonly message: AgentMessage;
  /** As it stands in the log. */
  readonly unedited: AgentMessage;
}

/** Messages as edits have left them: what was taken out of the context must not come back through the ledger. */
export function saidIn(entries: readonly Entry[]): readonly Said[] {
  const edits = entries.filter((entry) => entry.type === "context_edit");
  return entries.flatMap((entry) => {
    const message = told(entry, entryMessage(entry, latestEdit(edits, entry)));
    const unedited = told(entry, entryMessage(entry, undefined));
    return message && unedited && !isPrivate(message) ? [{ entryId: entry.id, message, unedited }] : [];
  });
}

// SKL6: the words of a skill are its own, and come back with it.
function told(entry: Entry, message: AgentMessage | null): AgentMessage | null {
  if (message?.role === "custom" && message.customType === LISTED) return null;
  const isReference = message && "content" in message && referenceOf(entry) !== null;
  return isReference ? ({ ...message, content: [] } as AgentMessage) : message;
}

// LED6: a shell line that the user keeps from the model has said nothing.
function isPrivate(message: AgentMessage): boolean {
  return message.role === "bashExecution" && Boolean(message.excludeFromContext);
}

/** Without the texts that stand for a blob. Summaries are told by ledgers of their own, system messages by nobody. */
export function textsOf(message: AgentMessage): readonly string[] {
  switch (message.role) {
    case "user":
    case "assistant":
    case "toolResult":
    case "custom":
      return typeof message.content === "string" ? [message.content] : blocksOf(message).flatMap(textOf);
    case "bashExecution":
      return [message.command, message.output].filter((text) => typeof text === "string");
    case "system":
    case "compactionSummary":
    case "branchSummary":
      return [];
  }
}

/** Files are not checked block by block, so each may be anything. */
export function blocksOf(message: AgentMessage): readonly unknown[] {
  return "content" in message && Array.isArray(message.content) ? message.content : [];
}

function textOf(block: unknown): readonly string[] {
  if (!isObject(block) || block.type !== "text" || blobOf(block)) return [];
  return typeof block.text === "string" ? [block.text] : [];
}

/** The first few of a message, so that one long list does not push out all others. */
export function referencesOf({ entryId, message }: Said): readonly LedgerReference[] {
  const found = textsOf(message).flatMap(edges).flatMap(pointersIn);
  const distinct = new Map(found.map((pointer) => [pointer.text, pointer]));
  return [...distinct.values()].slice(0, MOST_PER_MESSAGE).map((pointer) => ({ ...pointer, entryId }));
}

const MOST_PER_MESSAGE = 12;

type Pointer = Omit<LedgerReference, "entryId">;

function pointersIn(text: string): readonly Pointer[] {
  return telling(text).flatMap(({ word, at }) => {
    const said = parts(word);
    return said.flatMap((part, index) => {
      const kind = kindOf(part);
      if (kind === null || isSecret(part, () => said[index - 1] ?? partBefore(text, at))) return [];
      return [{ kind, text: part }];
    });
  });
}

interface PlacedWord {
  readonly word: string;
  readonly at: number;
}

/** The words that have a digit or an address in them: all others point at nothing, and are not even taken apart. */
function telling(text: string): readonly PlacedWord[] {
  const found: PlacedWord[] = [];
  const sign = /\d|:\/\//g;
  const ending = new RegExp(SEPARATOR, "g");
  for (let match = sign.exec(text); match; match = sign.exec(text)) {
    const at = startOfWord(text, match.index);
    ending.lastIndex = match.index;
    const end = ending.exec(text)?.index ?? text.length;
    if (end - at <= LETTERS.reference) found.push({ word: text.slice(at, end), at });
    sign.lastIndex = end;
  }
  return found;
}

/** Goes no further back than a word may be long. */
function startOfWord(text: string, from: number): number {
  let at = from;
  while (at > 0 && from - at <= LETTERS.reference && !isSeparator(text[at - 1] ?? "")) at--;
  return at;
}

// A letter at a time, a set is faster than a pattern.
function isSeparator(letter: string): boolean {
  return letter <= "~" ? SEPARATORS.has(letter) : SEPARATOR.test(letter);
}

const SEPARATOR = /[\s"'`<>()[\]{},;|\\]/;

const SEPARATORS: ReadonlySet<string> = new Set(
  Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter((letter) => SEPARATOR.test(letter)),
);

function partBefore(text: string, at: number): string {
  const words = text.slice(Math.max(0, at - LETTERS.reference), at).split(SEPARATOR);
  const last = words.findLast((word) => word !== "");
  return last === undefined ? "" : (parts(last).at(-1) ?? "");
}

/** An address whole, all else where a name and its value meet; without the full stop of the sentence around it. */
function parts(word: string): readonly string[] {
  if (word.length > LETTERS.reference) return [];
  const address = word.search(/https?:\/\//);
  const split = address < 0 ? word.split(/[:=]|\.{2,3}/) : [word.slice(address)];
  return split.map((part) => part.replace(/[.,:!?*]{1,5}$/, ""));
}

/** What opens a door does not belong in a ledger, which is shown for ever. */
function isSecret(word: string, before: () => string): boolean {
  if (isAddress(word)) return /^https?:\/\/[^/]*@|[?&][\w-]*(?:key|token|secret|sig|signature|password)=/i.test(word);
  return word.length >= 20 && (KEY.test(word) || /key|token|secret|passw|bearer/i.test(before().slice(-40)));
}

const KEY = /^(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|npm|hf)[-_]|^(?:AKIA|ASIA|AIza|eyJ|ya29)/;

function kindOf(word: string): LedgerReference["kind"] | null {
  if (isAddress(word)) return "url";
  if (!/\d/.test(word)) return null;
  if (COMMIT.test(word)) return "commit";
  return UUID.test(word) || ISSUE.test(word) || isTicket(word) || isLongId(word) ? "id" : null;
}

const isAddress = (word: string): boolean => /^https?:\/\/[^/]{3,}/.test(word);
const COMMIT = /^(?:(?=\d*[a-f])(?=[a-f]*\d)[\da-f]{7,12}|[\da-f]{40})$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const ISSUE = /^(?:[\w.-]{1,40}\/[\w.-]{1,60})?#\d{1,5}$/;

// Standards are written like tickets.
function isTicket(word: string): boolean {
  return /^[A-Z][A-Z\d]{1,9}-\d{1,6}$/.test(word) && !/^(?:UTF|SHA|ISO|RFC|AES|RSA|MD|GPT|HTTP)-/.test(word);
}

function isLongId(word: string): boolean {
  return /^[\w-]{20,100}$/.test(word) && /[A-Za-z\d]{16}/.test(word) && /[A-Za-z]/.test(word) && digits(word) >= 4;
}

const digits = (word: string): number => word.replace(/\D/g, "").length;

/** What is kept of an image that is no longer shown (B51). `path` is the file named by the call whose result this is. */
export function imagesOf(said: Said, path: string | null): readonly LedgerImage[] {
  // An edit may have left a mark where the image was; it is the image that must not be lost.
  const images = blocksOf(said.unedited).flatMap((block) => {
    const handle = handleOf(block, said.entryId);
    return handle === null ? [] : [{ handle, size: sizeOf(block) }];
  });
  if (images.length === 0) return [];
  const beside = {
    path: path !== null && path.length <= LETTERS.path ? path : null,
    caption: captionOf(said),
    entryId: said.entryId,
  };
  return images.map((image) => ({ ...image, ...beside }));
}

/** The first line beside it, which is not a mark in its place. */
function captionOf({ message }: Said): string | null {
  const beside = textsOf(message).find((text) => /\S/.test(text) && !text.startsWith("[image ")) ?? "";
  const [first = ""] = beside.trimStart().split(/[\r\n]/, 1);
  return plainText(first, LETTERS.caption) || null;
}

function handleOf(block: unknown, entryId: string): string | null {
  if (isObject(block) && block.type === "image") return `entry:${entryId}`;
  const blob = blobOf(block);
  return blob && isImage(blob) ? blobHandle(blob.hash) : null;
}

/** Of one that stands in the entry; a blob would have to be opened. */
function sizeOf(block: unknown): string | null {
  const size = isObject(block) && typeof block.data === "string" ? imageSize(block.data) : null;
  return size && `${size.width}x${size.height}`;
}
