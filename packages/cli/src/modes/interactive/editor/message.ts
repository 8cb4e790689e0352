/** Defines the message being written: its text, the files it names with @, and its pasted images. */

import { fileURLToPath } from "node:url";
import { detectImageType, fitImage } from "@pith/agent";
import type { ImageBlock } from "@pith/context";

export interface EditorMessage {
  /** The text with the full content of long pastes. */
  readonly text: string;
  /** The text as shown in the editor, with markers for long pastes. Only this text can mention files, so a paste cannot attach a file unseen. */
  readonly typed: string;
  readonly images: readonly AttachedImage[];
  /** Long pastes that the editor shows as markers, each with its text. */
  readonly pastes?: readonly Paste[];
  /** Sent when the current work is done, instead of before its next request. */
  readonly isFollowUp?: true;
}

export interface AttachedImage {
  /** The marker in the text, such as `[image 1: 340 KB PNG]`. */
  readonly marker: string;
  readonly image: ImageBlock;
}

export interface Paste {
  /** The marker in the editor, such as `[paste #1 +42 lines]`. */
  readonly marker: string;
  readonly text: string;
}

/** Returns the pastes in the order of their markers, each once. `pastes` maps the number of a marker to its text. */
export function findPastes(typed: string, pastes: ReadonlyMap<number, string>): readonly Paste[] {
  const textByMarker = new Map(
    [...typed.matchAll(PASTE_MARKER)].map(([marker, number]) => [marker, pastes.get(Number(number))]),
  );
  return [...textByMarker].flatMap(([marker, text]) => (text === undefined ? [] : [{ marker, text }]));
}

/** The format of pi-tui's editor. */
const PASTE_MARKER = /\[paste #(\d+)(?: (?:\+\d+ lines|\d+ chars))?\]/g;

/**
 * WORD6: remembers the pastes that were sent. A message that returns to the editor, by the up arrow, Esc or a branch, contains them in
 * full. When it is sent again, they are still pastes and not typed text.
 */
export class SentPastes {
  #texts: readonly string[] = [];

  /** Replaces each known paste in the message by a marker, and remembers the pastes of the message. */
  collapse(message: EditorMessage): EditorMessage {
    let { typed } = message;
    const pastes = [...(message.pastes ?? [])];
    for (const text of this.#texts) {
      if (!typed.includes(text)) continue;
      const marker = createMarker(typed, text);
      typed = typed.replaceAll(text, () => marker);
      pastes.push({ marker, text });
    }
    this.#remember(pastes);
    return pastes.length === 0 ? message : { ...message, typed, pastes };
  }

  #remember(pastes: readonly Paste[]): void {
    const texts = new Set([...pastes.map(({ text }) => text), ...this.#texts]);
    this.#texts = [...texts].slice(0, MAX_REMEMBERED_PASTES);
  }
}

const MAX_REMEMBERED_PASTES = 50;

function createMarker(typed: string, text: string): string {
  const numbers = [...typed.matchAll(PASTE_MARKER)].map(([, number]) => Number(number));
  return `[paste #${Math.max(0, ...numbers) + 1} +${text.split("\n").length} lines]`;
}

/** WORD6: pastes next to typed text are attachments. If a message consists only of pastes, they are the text of the message. */
export function getAttachedPastes({ typed, pastes = [] }: Pick<EditorMessage, "typed" | "pastes">): readonly Paste[] {
  const rest = pastes.reduce((text, { marker }) => text.replaceAll(marker, " "), typed);
  return /\S/.test(rest) ? pastes : [];
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
