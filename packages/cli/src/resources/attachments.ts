/** Builds a prompt from attached files, piped input and the user's text, and converts images and entries for editing. */

import { decodeFile, detectImageType, fitImage, type UserContent, type WorkspaceFiles } from "@pith/agent";
import type { Entry, ImageBlock, TextBlock } from "@pith/context";
import { attachImage, attachText, editableText, entryText } from "@pith/context/host";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import type { CliArgs } from "../args/args.ts";
import type { StdinResult } from "./read-stdin.ts";

export type FileBlocksResult =
  | { readonly type: "blocks"; readonly blocks: readonly (TextBlock | ImageBlock)[] }
  | UsageError;

export const MAX_TEXT_BYTES: number = 256 * 1024;

/** `files` must refuse files that are larger than the largest allowed image. */
export async function readFileBlocks(path: string, files: Pick<WorkspaceFiles, "read">): Promise<FileBlocksResult> {
  const result = await files.read(path);
  switch (result.type) {
    case "read":
      return await toFileBlocks(path, result.bytes);
    case "missing":
      return usageError(`@${path}: ${result.message}. @ attaches a file; put text that starts with @ after --`);
    case "folder":
      return usageError(`@${path}: ${result.message}. Specify a file in it, or write the folder without the @`);
    case "too-large":
      return usageError(describeTooLarge(path, "32 MB"));
    case "refused":
      return usageError(`@${path}: ${result.message}`);
  }
}

async function toFileBlocks(path: string, bytes: Uint8Array): Promise<FileBlocksResult> {
  const mimeType = detectImageType(bytes);
  if (mimeType !== null) {
    const { shrinkImage } = await import("@pith/agent/node");
    const fitted = await fitImage(bytes, { mimeType, shrinkImage });
    if (fitted.type === "failed") return usageError(`@${path} cannot be attached: ${fitted.why}`);
    return createBlocksResult(...attachImage(path + fitted.note, fitted.image));
  }
  const decoded = await decodeFile(bytes);
  if (!decoded || decoded.looksBinary)
    return usageError(`@${path} is neither text nor an image (png, jpeg, gif, webp)`);
  if (bytes.length > MAX_TEXT_BYTES) return usageError(describeTooLarge(path, "256 KB"));
  return createBlocksResult(attachText({ kind: "file", name: path }, decoded.text.replace(/^\ufeff/, "")));
}

function describeTooLarge(path: string, limit: string): string {
  return `@${path} is larger than ${limit} and cannot be attached; write its path without the @ and let the model read it`;
}

function createBlocksResult(...content: readonly (TextBlock | ImageBlock)[]): FileBlocksResult {
  return { type: "blocks", blocks: content };
}

type Block = TextBlock | ImageBlock;

export type PromptContent =
  | { readonly type: "content"; readonly content: UserContent }
  /** There is no prompt: the session continues its unfinished turn. */
  | { readonly type: "nothing" }
  | UsageError;

export interface ContentOptions {
  readonly files: Pick<WorkspaceFiles, "read">;
  readonly readStdin: () => Promise<StdinResult>;
  readonly content?: UserContent | undefined;
}

/** `content` replaces the prompt of the command line, e.g. with the text of a template. */
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
  if (blocks.length > 0) return { type: "content", content: simplifyContent(blocks) };
  if (session.type === "last" || session.type === "named") return { type: "nothing" };
  return usageError('the prompt is missing; run: pith -p "what to do"');
}

/** WORD5: piped input without a prompt is the prompt. With a prompt, it is an attachment. */
function textBlocks(stdinText: string, content: UserContent): readonly Block[] {
  const promptBlocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const nonEmptyBlocks = promptBlocks.filter((block) => block.type !== "text" || block.text !== "");
  if (stdinText === "") return nonEmptyBlocks;
  return nonEmptyBlocks.length === 0
    ? [{ type: "text", text: stdinText }]
    : [attachText(STDIN, stdinText), ...nonEmptyBlocks];
}

const STDIN = { kind: "stdin", name: "stdin" } as const;

/** A single typed text is sent as a string. */
function simplifyContent(blocks: readonly Block[]): UserContent {
  const [first, ...rest] = blocks;
  return first?.type === "text" && first.pith === undefined && rest.length === 0 ? first.text : blocks;
}

/** Returns the text of an entry for the editor, so that the user can change it and send it again. */
export function entryEditableText(entry: Entry): string {
  if (entry.type !== "message" || entry.message.role !== "user") return entryText(entry);
  return editableText(entry.message.content);
}
