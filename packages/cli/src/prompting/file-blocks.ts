/** A file that was named with an @, as what the model is shown of it: a text by its path, or a picture. */

import { LARGEST_PICTURE, pictureKind, textOf, type WorkspaceFiles } from "@pith/agent";
import type { ImageBlock, TextBlock } from "@pith/context";
import { type Mistake, mistake } from "../asking/mistake.ts";

export type FoundFile = { readonly type: "blocks"; readonly blocks: readonly (TextBlock | ImageBlock)[] } | Mistake;

export const MOST_TEXT: number = 256 * 1024;
export const MOST_PICTURE: number = LARGEST_PICTURE;

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
  const mimeType = pictureKind(bytes);
  if (mimeType !== null) {
    const data = Buffer.from(bytes).toString("base64");
    return blocks({ type: "text", text: `The picture ${path}:` }, { type: "image", data, mimeType });
  }
  const text = textOf(bytes);
  if (text === null) return mistake(`@${path} is neither a text nor a picture (png, jpeg, gif, webp)`);
  if (bytes.length > MOST_TEXT) return mistake(tooLong(path, "256 KB"));
  return blocks({ type: "text", text: `<file path="${path}">\n${text}${text.endsWith("\n") ? "" : "\n"}</file>` });
}

function tooLong(path: string, bound: string): string {
  return `@${path} has more than ${bound}, too much to be said; name it without the @ and let it read the file`;
}

function blocks(...shown: readonly (TextBlock | ImageBlock)[]): FoundFile {
  return { type: "blocks", blocks: shown };
}
