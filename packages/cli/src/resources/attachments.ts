/** Builds a message from attached files, piped input and the user's text. */

import { fstatSync } from "node:fs";
import { decodeText, detectImageType, MAX_IMAGE_BYTES, type UserContent, type WorkspaceFiles } from "@pith/agent";
import type { Entry, ImageBlock, TextBlock } from "@pith/context";
import { attachImage, attachText, editableText, entryText } from "@pith/context/host";
import type { CliArgs } from "../args/args.ts";
import { type UsageError, usageError } from "../text/usage-error.ts";

export type FileBlocksResult =
  | { readonly type: "blocks"; readonly blocks: readonly (TextBlock | ImageBlock)[] }
  | UsageError;

export const MAX_TEXT_BYTES: number = 256 * 1024;

export const MAX_ATTACHED_IMAGE_BYTES: number = MAX_IMAGE_BYTES;

/** `files` reads no more than the largest picture. */
export async function readFileBlocks(path: string, files: Pick<WorkspaceFiles, "read">): Promise<FileBlocksResult> {
  const read = await files.read(path);
  switch (read.type) {
    case "read":
      return toFileBlocks(path, read.bytes);
    case "missing":
      return usageError(`@${path}: ${read.message}. An @ names a file; words go behind --`);
    case "folder":
      return usageError(`@${path}: ${read.message}. Name a file of it, or the folder without the @`);
    case "too-large":
      return usageError(describeTooLarge(path, "3.75 MB"));
    case "refused":
      return usageError(`@${path}: ${read.message}`);
  }
}

function toFileBlocks(path: string, bytes: Uint8Array): FileBlocksResult {
  const mimeType = detectImageType(bytes);
  if (mimeType !== null) {
    const data = Buffer.from(bytes).toString("base64");
    return createBlocksResult(...attachImage(path, { type: "image", data, mimeType }));
  }
  const text = decodeText(bytes);
  if (text === null) return usageError(`@${path} is neither a text nor a picture (png, jpeg, gif, webp)`);
  if (bytes.length > MAX_TEXT_BYTES) return usageError(describeTooLarge(path, "256 KB"));
  return createBlocksResult(attachText({ kind: "file", name: path }, text));
}

function describeTooLarge(path: string, limit: string): string {
  return `@${path} has more than ${limit}, too much to be said; name it without the @ and let it read the file`;
}

function createBlocksResult(...content: readonly (TextBlock | ImageBlock)[]): FileBlocksResult {
  return { type: "blocks", blocks: content };
}

type Block = TextBlock | ImageBlock;

export type PromptContent =
  | { readonly type: "said"; readonly content: UserContent }
  /** So that it goes on with what was left unfinished. */
  | { readonly type: "nothing" }
  | UsageError;

export interface ContentOptions {
  readonly files: Pick<WorkspaceFiles, "read">;
  readonly readStdin: () => Promise<StdinResult>;
  readonly content?: UserContent | undefined;
}

/** `said` takes the place of the words of the wish, e.g. a template's text. */
export async function buildPromptContent(
  { prompt, files: paths, session }: CliArgs,
  { files, readStdin, content = prompt }: ContentOptions,
): Promise<PromptContent> {
  const attachedBlocks: Block[] = [];
  for (const path of paths) {
    const result = await readFileBlocks(path, files);
    if (result.type === "mistake") return result;
    attachedBlocks.push(...result.blocks);
  }
  const stdin = await readStdin();
  if (stdin.type === "mistake") return stdin;
  const blocks = [...attachedBlocks, ...textBlocks(stdin.text, content)];
  if (blocks.length > 0) return { type: "said", content: simplifyContent(blocks) };
  if (session.type === "last" || session.type === "named") return { type: "nothing" };
  return usageError('what should it do? pith -p "what to do"');
}

/** WORD5: input that is piped in alone is what the user says; beside words it is attached to them. */
function textBlocks(stdinText: string, content: UserContent): readonly Block[] {
  const promptBlocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const nonEmptyBlocks = promptBlocks.filter((block) => block.type !== "text" || block.text !== "");
  if (stdinText === "") return nonEmptyBlocks;
  return nonEmptyBlocks.length === 0
    ? [{ type: "text", text: stdinText }]
    : [attachText(STDIN, stdinText), ...nonEmptyBlocks];
}

const STDIN = { kind: "stdin", name: "stdin" } as const;

/** A single typed text needs no block. */
function simplifyContent(blocks: readonly Block[]): UserContent {
  const [first, ...rest] = blocks;
  return first?.type === "text" && first.pith === undefined && rest.length === 0 ? first.text : blocks;
}

export type StdinResult = { readonly type: "arrived"; readonly text: string } | UsageError;

/** A terminal and `/dev/null` have nothing to say. Whoever leaves a pipe open is waited for, and told so. */
export async function readStdin(notify: (line: string) => void): Promise<StdinResult> {
  const stdinStats = fstatSync(0);
  if (!stdinStats.isFIFO() && !stdinStats.isFile() && !stdinStats.isSocket()) return { type: "arrived", text: "" };
  const reminder = setTimeout(() => notify(WAIT_NOTICE), WAIT_NOTICE_DELAY_MS);
  try {
    return await readAllText(process.stdin);
  } finally {
    clearTimeout(reminder);
  }
}

const WAIT_NOTICE_DELAY_MS = 3_000;

const WAIT_NOTICE = "waiting for the end of what is piped in; if nothing is, add < /dev/null";

export async function readAllText(input: AsyncIterable<Uint8Array>): Promise<StdinResult> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_TEXT_BYTES)
      return usageError("more than 256 KB were piped in; put them into a file and let it read that");
  }
  const bytes = Buffer.concat(chunks, size);
  if (bytes.includes(0)) return usageError("what was piped in is no text");
  return { type: "arrived", text: new TextDecoder().decode(bytes).trimEnd() };
}

/**
 * Recognised by its bytes; its declared type says nothing.
 * Null where it is none, or too large. A wrong one would be refused with every later word of the session.
 */
export function parseImage(base64: string): ImageBlock | null {
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
