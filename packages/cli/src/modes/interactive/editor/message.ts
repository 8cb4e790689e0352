/** Defines the message being written: its text, the files it names with @, and its pasted images. */

import { fileURLToPath } from "node:url";
import { detectImageType, fitImage } from "@pith/agent";
import type { ImageBlock } from "@pith/context";
import type { TypedText } from "./paste-markers.ts";

export interface EditorMessage extends TypedText {
  /** The text with the full content of long pastes. */
  readonly text: string;
  readonly images: readonly AttachedImage[];
  /** Sent when the current work is done, instead of before its next request. */
  readonly isFollowUp?: true;
}

export interface AttachedImage {
  /** The marker in the text, such as `[image 1: 340 KB PNG]`. */
  readonly marker: string;
  readonly image: ImageBlock;
}

export function createTextMessage(text: string): EditorMessage {
  return { text, typed: text, images: [] };
}

/** Finds files mentioned as `@src/a.ts` or `@"with blanks.md"`, each once, in order. Does not check whether they exist. */
export function findMentions(text: string): readonly string[] {
  const paths = [...text.matchAll(MENTION)].map(([, quoted, bare]) => quoted ?? bare ?? "");
  return [...new Set(paths)].filter((path) => path !== "");
}

/** Matches only at the beginning of a word: an address such as me@example.org is not a mention. */
const MENTION = /(?<=^|[\s(])@(?:"([^"\n]+)"|([^\s"]+))/gu;

/** Parses image paths as terminals paste dropped files: quoted, escaped or as file URLs. Returns an empty list for any other text. */
export function parseImagePaths(pasted: string): readonly string[] {
  const text = pasted.trim();
  if (text.length > MAX_PASTE_CHARS) return [];
  const words = text.match(WORD) ?? [];
  const paths = words.map(unquotePath);
  if (paths.every(isImagePath)) return paths;
  // Some terminals do not escape the spaces in a file name.
  return /^(?:~?\/|[a-z]:\\)[^\n]*$/i.test(text) && isImagePath(text) ? [text] : [];
}

const MAX_PASTE_CHARS = 16 * 1024;

/** A quoted word, or a word up to the next unescaped space. */
const WORD = /'[^'\n]+'(?!\S)|"[^"\n]+"(?!\S)|(?:\\.|[^\s\\])+/g;

function isImagePath(path: string | null): path is string {
  return path !== null && /\.(?:png|jpe?g|gif|webp)$/i.test(path);
}

function unquotePath(word: string): string | null {
  const [, , inner] = /^(['"])(.+)\1$/.exec(word) ?? [];
  if (inner !== undefined) return inner;
  return word.startsWith("file://") ? parseFileUrl(word) : word.replaceAll(/\\(.)/g, "$1");
}

function parseFileUrl(url: string): string | null {
  try {
    return fileURLToPath(url);
  } catch {
    // A URL of another host is not a local file.
    return null;
  }
}

/** The newest images are kept up to this size, because undo or the history may restore a marker. */
const MAX_STORED_BYTES = 32 * 1024 * 1024;

export type AddImageResult =
  | { readonly type: "added"; readonly marker: string }
  | { readonly type: "refused"; readonly reason: string };

/** Pasted images: each has a marker in the text, and is sent only if its marker is still there. */
export class ImageAttachments {
  #images: readonly AttachedImage[] = [];
  #count = 0;

  /** Shrinks an image that is too large. Its marker then shows the new size. */
  async addBytes(bytes: Uint8Array): Promise<AddImageResult> {
    const mimeType = detectImageType(bytes);
    if (mimeType === null)
      return { type: "refused", reason: "This is not a supported image (PNG, JPEG, GIF or WebP)." };
    const { shrinkImage } = await import("@pith/agent/node");
    const fitted = await fitImage(bytes, { mimeType, shrinkImage });
    if (fitted.type === "failed")
      return { type: "refused", reason: `The image is ${formatSize(bytes.length)}; ${fitted.why}.` };
    return { type: "added", marker: this.add(fitted.image) };
  }

  /** Returns the marker of the image. */
  add(image: ImageBlock): string {
    this.#count += 1;
    const kind = image.mimeType.replace("image/", "").toUpperCase();
    const marker = `[image ${this.#count}: ${formatSize(countBytes(image))} ${kind}]`;
    this.#images = dropOldest([...this.#images, { marker, image }]);
    return marker;
  }

  /** Returns the images whose markers are in the text, in the order of the markers, each once. */
  findIn(text: string): readonly AttachedImage[] {
    const markerIndex = (image: AttachedImage): number => text.indexOf(image.marker);
    return this.#images.filter((image) => markerIndex(image) >= 0).toSorted((a, b) => markerIndex(a) - markerIndex(b));
  }
}

function dropOldest(images: readonly AttachedImage[]): readonly AttachedImage[] {
  let bytes = 0;
  const lastDropped = images.findLastIndex(({ image }) => {
    bytes += countBytes(image);
    return bytes > MAX_STORED_BYTES;
  });
  return images.slice(lastDropped + 1);
}

function countBytes({ data }: ImageBlock): number {
  return Buffer.byteLength(data, "base64");
}

function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
