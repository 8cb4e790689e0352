/** Builds the content of a message (files and folders named with @, images and pastes, then the text), and inserts pasted images. */

import { MAX_IMAGE_SOURCE_BYTES, type UserContent, type WorkspaceFiles } from "@pith/agent";
import { nodeFiles, nodeSearch } from "@pith/agent/node";
import type { ImageBlock, TextBlock } from "@pith/context";
import { attachImage, attachText } from "@pith/context/host";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import { type FileBlocksResult, readFileBlocks } from "../../../resources/attachments.ts";
import type { SessionScreen } from "../screen-context.ts";
import { readClipboardImage } from "./clipboard.ts";
import { type EditorMessage, findMentions } from "./message.ts";
import { getAttachedPastes } from "./paste-markers.ts";

export type MessageContent = { readonly type: "content"; readonly content: UserContent } | UsageError;

/** A mention of a file that does not exist stays plain text. `template` replaces the text. */
export async function buildMessageContent(
  { template, ...message }: EditorMessage & { readonly template?: readonly (TextBlock | ImageBlock)[] },
  paths: { readonly cwd: string },
): Promise<MessageContent> {
  const { typed, images } = message;
  const mentionedPaths = findMentions(typed);
  const pastes = template ? [] : getAttachedPastes(message);
  const text = pastes.length === 0 ? message.text : typed.trim();
  if (mentionedPaths.length + images.length + pastes.length === 0)
    return { type: "content", content: template ?? text };
  const blocks: (TextBlock | ImageBlock)[] = [];
  let fileCount = 0;
  for (const path of mentionedPaths.slice(0, MAX_MENTION_LOOKUPS)) {
    const result = await readMention(path, paths.cwd);
    if (result.type === "mistake") return result;
    blocks.push(...result.blocks);
    if (result.blocks.length > 0) fileCount += 1;
    if (fileCount > MAX_MENTIONED_FILES)
      return usageError(
        `More than ${MAX_MENTIONED_FILES} files are mentioned with @. Mention fewer files in one message.`,
      );
  }
  for (const { marker, image } of images) blocks.push(...attachImage(marker, image, marker));
  for (const { marker, text: pastedText } of pastes)
    blocks.push(attachText({ kind: "paste", name: marker.slice(1, -1) }, pastedText));
  const textBlocks = template ?? [{ type: "text", text }];
  return { type: "content", content: blocks.length === 0 ? (template ?? text) : [...blocks, ...textBlocks] };
}

const MAX_MENTIONED_FILES = 20;

/** Most words with an @ refer to no file, such as user names. */
const MAX_MENTION_LOOKUPS = 500;

const MAX_FOLDER_ENTRIES = 300;

async function readMention(path: string, root: string): Promise<FileBlocksResult> {
  const files = nodeFiles({ root, maxBytes: MAX_IMAGE_SOURCE_BYTES });
  for (const candidate of [path, path.replace(/[.,;:!?)\]}'"]+$/, "")]) {
    if (candidate === "") continue;
    const read = await files.read(candidate);
    if (read.type === "missing") continue;
    if (read.type === "folder") return await listFolder(candidate, root);
    const cachedFiles: Pick<WorkspaceFiles, "read"> = { read: async () => read };
    return await readFileBlocks(candidate, cachedFiles);
  }
  return { type: "blocks", blocks: [] };
}

async function listFolder(path: string, root: string): Promise<FileBlocksResult> {
  const options = { signal: new AbortController().signal, maxResults: MAX_FOLDER_ENTRIES };
  const result = await nodeSearch({ root }).list(path, options);
  if (result.type !== "found") return usageError(`@${path}: ${result.message}`);
  const names = result.items.map(({ name }) => name);
  const ellipsis = result.isComplete ? [] : ["…"];
  const block = attachText({ kind: "folder", name: path }, [...names, ...ellipsis].join("\n"));
  return { type: "blocks", blocks: [block] };
}

export async function pasteImage({ app, screen }: SessionScreen<"environment">): Promise<void> {
  const clipboard = await readClipboardImage(app.environment);
  if (clipboard.type === "none") return screen.showNote(clipboard.reason, "warning");
  const image = await screen.editor?.images.addBytes(clipboard.bytes);
  if (image?.type === "refused") return screen.showNote(image.reason, "warning");
  if (image) screen.editorText.insert(`${image.marker} `);
}

/** Returns false if the file is not an image, so that the path is inserted as text. */
export async function attachImageFile(path: string, { app, screen }: SessionScreen<"cwd">): Promise<boolean> {
  const files = nodeFiles({ root: app.cwd, maxBytes: MAX_IMAGE_SOURCE_BYTES });
  const file = await files.read(path);
  if (file.type === "too-large") screen.showNote(`${path}: ${file.message}; images can be up to 32 MB`, "warning");
  const image = file.type === "read" ? await screen.editor?.images.addBytes(file.bytes) : undefined;
  if (image?.type !== "added") return false;
  screen.editorText.insert(`${image.marker} `);
  return true;
}
