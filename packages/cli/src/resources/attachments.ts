/** Builds a message from attached files, piped input and the user's text. */

import { fstatSync } from "node:fs";
import { decodeText, detectImageType, MAX_IMAGE_BYTES, type UserContent, type WorkspaceFiles } from "@pith/agent";
import type { Entry, ImageBlock, TextBlock } from "@pith/context";
import { attachImage, attachText, editableText, entryText } from "@pith/context/host";
import type { Wish } from "../args/args.ts";
import { type Mistake, mistake } from "../text/usage-error.ts";

export type FoundFile = { readonly type: "blocks"; readonly blocks: readonly (TextBlock | ImageBlock)[] } | Mistake;

export const MOST_TEXT: number = 256 * 1024;

export const MOST_PICTURE: number = MAX_IMAGE_BYTES;

/** `files` reads no more than the largest picture. */
export async function fileBlocks(path: string, files: Pick<WorkspaceFiles, "read">): Promise<FoundFile> {
  const read = await files.read(path);
  switch (read.type) {
    case "read":
      return blocksOf(path, read.bytes);
    case "missing":
      return mistake(`@${path}: ${read.message}. An @ names a file; words go behind --`);
    case "folder":
      return mistake(`@${path}: ${read.message}. Name a file of it, or the folder without the @`);
    case "too-large":
      return mistake(tooLong(path, "3.75 MB"));
    case "refused":
      return mistake(`@${path}: ${read.message}`);
  }
}

function blocksOf(path: string, bytes: Uint8Array): FoundFile {
  const mimeType = detectImageType(bytes);
  if (mimeType !== null) {
    const data = Buffer.from(bytes).toString("base64");
    return blocks(...attachImage(path, { type: "image", data, mimeType }));
  }
  const text = decodeText(bytes);
  if (text === null) return mistake(`@${path} is neither a text nor a picture (png, jpeg, gif, webp)`);
  if (bytes.length > MOST_TEXT) return mistake(tooLong(path, "256 KB"));
  return blocks(attachText({ kind: "file", name: path }, text));
}

function tooLong(path: string, bound: string): string {
  return `@${path} has more than ${bound}, too much to be said; name it without the @ and let it read the file`;
}

function blocks(...shown: readonly (TextBlock | ImageBlock)[]): FoundFile {
  return { type: "blocks", blocks: shown };
}

type Block = TextBlock | ImageBlock;

export type Said =
  | { readonly type: "said"; readonly content: UserContent }
  /** So that it goes on with what was left unfinished. */
  | { readonly type: "nothing" }
  | Mistake;

export interface ContentParts {
  readonly files: Pick<WorkspaceFiles, "read">;
  readonly piped: () => Promise<Piped>;
  readonly said?: UserContent | undefined;
}

/** `said` takes the place of the words of the wish, e.g. a template's text. */
export async function contentOf(
  { words, files: paths, session }: Wish,
  { files, piped, said = words }: ContentParts,
): Promise<Said> {
  const named: Block[] = [];
  for (const path of paths) {
    const found = await fileBlocks(path, files);
    if (found.type === "mistake") return found;
    named.push(...found.blocks);
  }
  const arrived = await piped();
  if (arrived.type === "mistake") return arrived;
  const blocks = [...named, ...textBlocks(arrived.text, said)];
  if (blocks.length > 0) return { type: "said", content: simply(blocks) };
  if (session.type === "last" || session.type === "named") return { type: "nothing" };
  return mistake('what should it do? pith -p "what to do"');
}

/** WORD5: input that is piped in alone is what the user says; beside words it is attached to them. */
function textBlocks(piped: string, said: UserContent): readonly Block[] {
  const own: readonly Block[] = typeof said === "string" ? [{ type: "text", text: said }] : said;
  const words = own.filter((block) => block.type !== "text" || block.text !== "");
  if (piped === "") return words;
  return words.length === 0 ? [{ type: "text", text: piped }] : [attachText(STDIN, piped), ...words];
}

const STDIN = { kind: "stdin", name: "stdin" } as const;

/** A single typed text needs no block. */
function simply(blocks: readonly Block[]): UserContent {
  const [first, ...rest] = blocks;
  return first?.type === "text" && first.pith === undefined && rest.length === 0 ? first.text : blocks;
}

export type Piped = { readonly type: "arrived"; readonly text: string } | Mistake;

/** A terminal and `/dev/null` have nothing to say. Whoever leaves a pipe open is waited for, and told so. */
export async function piped(note: (line: string) => void): Promise<Piped> {
  const input = fstatSync(0);
  if (!input.isFIFO() && !input.isFile() && !input.isSocket()) return { type: "arrived", text: "" };
  const reminder = setTimeout(() => note(WAITING), PATIENCE_MS);
  try {
    return await allOf(process.stdin);
  } finally {
    clearTimeout(reminder);
  }
}

const PATIENCE_MS = 3_000;

const WAITING = "waiting for the end of what is piped in; if nothing is, add < /dev/null";

export async function allOf(input: AsyncIterable<Uint8Array>): Promise<Piped> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MOST_TEXT) return mistake("more than 256 KB were piped in; put them into a file and let it read that");
  }
  const bytes = Buffer.concat(chunks, size);
  if (bytes.includes(0)) return mistake("what was piped in is no text");
  return { type: "arrived", text: new TextDecoder().decode(bytes).trimEnd() };
}

/**
 * Recognised by its bytes; its declared type says nothing.
 * Null where it is none, or too large. A wrong one would be refused with every later word of the session.
 */
export function pictureIn(base64: string): ImageBlock | null {
  if (base64.length > MAX_IMAGE_BYTES * 1.4) return null;
  const bytes = Buffer.from(base64, "base64");
  const mimeType = bytes.length > MAX_IMAGE_BYTES ? null : detectImageType(bytes);
  return mimeType === null ? null : { type: "image", data: bytes.toString("base64"), mimeType };
}

/** The text of an entry to be changed and sent again. */
export function entryEditableText(entry: Entry): string {
  if (entry.type !== "message" || entry.message.role !== "user") return entryText(entry);
  return editableText(entry.message.content);
}
