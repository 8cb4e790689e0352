/** Defines the message being written: its text, the files it names with @, and its pasted images. */

import { fileURLToPath } from "node:url";
import { detectImageType, MAX_IMAGE_BYTES } from "@pith/agent";
import type { ImageBlock } from "@pith/context";

export interface EditorMessage {
  /** With long pastes in their places. */
  readonly text: string;
  /** As it stood in the editor: only what is seen there names files to be said, and no paste does so unseen. */
  readonly typed: string;
  readonly images: readonly AttachedImage[];
  /** Long pastes that the editor shows as markers, each with its text. */
  readonly pastes?: readonly Paste[];
  /** It is said when the work under way is done, and not before its next request. */
  readonly isFollowUp?: true;
}

export interface AttachedImage {
  /** What stands for it in the words, such as `[picture 1: 340 KB png]`. */
  readonly marker: string;
  readonly image: ImageBlock;
}

export interface Paste {
  /** What stands for it in the editor, such as `[paste #1 +42 lines]`. */
  readonly marker: string;
  readonly text: string;
}

/** In the order in which the typed text names them, each once. `pastes` are the texts by their numbers. */
export function findPastes(typed: string, pastes: ReadonlyMap<number, string>): readonly Paste[] {
  const found = new Map(
    [...typed.matchAll(PASTE_MARKER)].map(([marker, number]) => [marker, pastes.get(Number(number))]),
  );
  return [...found].flatMap(([marker, text]) => (text === undefined ? [] : [{ marker, text }]));
}

/** As the editor spells it. */
const PASTE_MARKER = /\[paste #(\d+)(?: (?:\+\d+ lines|\d+ chars))?\]/g;

/**
 * WORD6: pastes that were sent. A message that comes back into the editor, by an arrow up, Esc or a branch, holds them in full; sent again, they
 * are still pastes and not typed text.
 */
export class SentPastes {
  #texts: readonly string[] = [];

  /** The message with each of them as a marker again; remembers those that it has. */
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

/** WORD6: pastes beside typed text are attached to it; pastes that are the whole message are what the user says. */
export function getAttachedPastes({ typed, pastes = [] }: Pick<EditorMessage, "typed" | "pastes">): readonly Paste[] {
  const rest = pastes.reduce((text, { marker }) => text.replaceAll(marker, " "), typed);
  return /\S/.test(rest) ? pastes : [];
}

export function createTextMessage(text: string): EditorMessage {
  return { text, typed: text, images: [] };
}

/** Files named as `@src/a.ts` or `@"with blanks.md"`, each once, in their order; whether they exist is not known here. */
export function findMentions(text: string): readonly string[] {
  const found = [...text.matchAll(MENTION)].map(([, quoted, bare]) => quoted ?? bare ?? "");
  return [...new Set(found)].filter((path) => path !== "");
}

/** At the beginning of a word: an address such as me@example.org names nothing. */
const MENTION = /(?<=^|[\s(])@(?:"([^"\n]+)"|([^\s"]+))/gu;

/** Image paths as terminals paste dropped files: quoted, escaped or as file URLs. Empty where the text is anything else. */
export function parseImagePaths(pasted: string): readonly string[] {
  const text = pasted.trim();
  if (text.length > MAX_PASTE_CHARS) return [];
  const words = text.match(WORD) ?? [];
  const paths = words.map(unquotePath);
  if (paths.every(isImagePath)) return paths;
  // Some terminals leave a blank in a name as it is.
  return /^(?:~?\/|[a-z]:\\)[^\n]*$/i.test(text) && isImagePath(text) ? [text] : [];
}

const MAX_PASTE_CHARS = 16 * 1024;

/** A quoted one, or one up to the next blank that is not escaped. */
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
    // An address of another machine is no file here.
    return null;
  }
}

/** So many bytes of them are kept, the newest first: an undo or the history may bring a marker back. */
const MAX_STORED_BYTES = 32 * 1024 * 1024;

export type AddImageResult =
  | { readonly type: "taken"; readonly marker: string }
  | { readonly type: "refused"; readonly reason: string };

/** Pasted images: each has a marker in the text, and is sent only if its marker is still there. */
export class ImageAttachments {
  #images: readonly AttachedImage[] = [];
  #count = 0;

  addBytes(bytes: Uint8Array): AddImageResult {
    const mimeType = detectImageType(bytes);
    if (mimeType === null) return { type: "refused", reason: "that is no picture (png, jpeg, gif, webp)" };
    if (bytes.length > MAX_IMAGE_BYTES)
      return { type: "refused", reason: `the picture has ${formatSize(bytes.length)}; up to 3.75 MB can be said` };
    return {
      type: "taken",
      marker: this.add({ type: "image", data: Buffer.from(bytes).toString("base64"), mimeType }),
    };
  }

  /** The marker of it. */
  add(image: ImageBlock): string {
    this.#count += 1;
    const kind = image.mimeType.replace("image/", "");
    const marker = `[picture ${this.#count}: ${formatSize(countBytes(image))} ${kind}]`;
    this.#images = dropOldest([...this.#images, { marker, image }]);
    return marker;
  }

  /** In the order in which they are named, each once. */
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
