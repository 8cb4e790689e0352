/** Defines the message being written: its text, the files it names with @, and its pasted images. */

import { fileURLToPath } from "node:url";
import { detectImageType, MAX_IMAGE_BYTES } from "@pith/agent";
import type { ImageBlock } from "@pith/context";

export interface Written {
  /** With long pastes in their places. */
  readonly text: string;
  /** As it stood in the editor: only what is seen there names files to be said, and no paste does so unseen. */
  readonly typed: string;
  readonly pictures: readonly Picture[];
  /** Long pastes that the editor shows as markers, each with its text. */
  readonly pastes?: readonly Paste[];
  /** It is said when the work under way is done, and not before its next request. */
  readonly isForLater?: true;
}

export interface Picture {
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
export function pastesIn(typed: string, pastes: ReadonlyMap<number, string>): readonly Paste[] {
  const found = new Map([...typed.matchAll(PASTE)].map(([marker, number]) => [marker, pastes.get(Number(number))]));
  return [...found].flatMap(([marker, text]) => (text === undefined ? [] : [{ marker, text }]));
}

/** As the editor spells it. */
const PASTE = /\[paste #(\d+)(?: (?:\+\d+ lines|\d+ chars))?\]/g;

/**
 * WORD6: pastes that were sent. A message that comes back into the editor, by an arrow up, Esc or a branch, holds them in full; sent again, they
 * are still pastes and not typed text.
 */
export class SentPastes {
  #texts: readonly string[] = [];

  /** The message with each of them as a marker again; remembers those that it has. */
  collapse(written: Written): Written {
    let { typed } = written;
    const pastes = [...(written.pastes ?? [])];
    for (const text of this.#texts) {
      if (!typed.includes(text)) continue;
      const marker = freeMarker(typed, text);
      typed = typed.replaceAll(text, () => marker);
      pastes.push({ marker, text });
    }
    this.#remember(pastes);
    return pastes.length === 0 ? written : { ...written, typed, pastes };
  }

  #remember(pastes: readonly Paste[]): void {
    const texts = new Set([...pastes.map(({ text }) => text), ...this.#texts]);
    this.#texts = [...texts].slice(0, MOST_REMEMBERED);
  }
}

const MOST_REMEMBERED = 50;

function freeMarker(typed: string, text: string): string {
  const numbers = [...typed.matchAll(PASTE)].map(([, number]) => Number(number));
  return `[paste #${Math.max(0, ...numbers) + 1} +${text.split("\n").length} lines]`;
}

/** WORD6: pastes beside typed text are attached to it; pastes that are the whole message are what the user says. */
export function attachedPastes({ typed, pastes = [] }: Pick<Written, "typed" | "pastes">): readonly Paste[] {
  const rest = pastes.reduce((text, { marker }) => text.replaceAll(marker, " "), typed);
  return /\S/.test(rest) ? pastes : [];
}

export function justWords(text: string): Written {
  return { text, typed: text, pictures: [] };
}

/** Files named as `@src/a.ts` or `@"with blanks.md"`, each once, in their order; whether they exist is not known here. */
export function mentions(words: string): readonly string[] {
  const found = [...words.matchAll(MENTION)].map(([, quoted, bare]) => quoted ?? bare ?? "");
  return [...new Set(found)].filter((path) => path !== "");
}

/** At the beginning of a word: an address such as me@example.org names nothing. */
const MENTION = /(?<=^|[\s(])@(?:"([^"\n]+)"|([^\s"]+))/gu;

/** Image paths as terminals paste dropped files: quoted, escaped or as file URLs. Empty where the text is anything else. */
export function picturePaths(pasted: string): readonly string[] {
  const text = pasted.trim();
  if (text.length > LONGEST) return [];
  const words = text.match(WORD) ?? [];
  const paths = words.map(unquoted);
  if (paths.every(isPicture)) return paths;
  // Some terminals leave a blank in a name as it is.
  return /^(?:~?\/|[a-z]:\\)[^\n]*$/i.test(text) && isPicture(text) ? [text] : [];
}

const LONGEST = 16 * 1024;

/** A quoted one, or one up to the next blank that is not escaped. */
const WORD = /'[^'\n]+'(?!\S)|"[^"\n]+"(?!\S)|(?:\\.|[^\s\\])+/g;

function isPicture(path: string | null): path is string {
  return path !== null && /\.(?:png|jpe?g|gif|webp)$/i.test(path);
}

function unquoted(word: string): string | null {
  const [, , inner] = /^(['"])(.+)\1$/.exec(word) ?? [];
  if (inner !== undefined) return inner;
  return word.startsWith("file://") ? fromAddress(word) : word.replaceAll(/\\(.)/g, "$1");
}

function fromAddress(line: string): string | null {
  try {
    return fileURLToPath(line);
  } catch {
    // An address of another machine is no file here.
    return null;
  }
}

/** So many bytes of them are kept, the newest first: an undo or the history may bring a marker back. */
const MOST_BYTES = 32 * 1024 * 1024;

export type Taken =
  | { readonly type: "taken"; readonly marker: string }
  | { readonly type: "refused"; readonly why: string };

/** Pasted images: each has a marker in the text, and is sent only if its marker is still there. */
export class Pictures {
  #kept: readonly Picture[] = [];
  #count = 0;

  take(bytes: Uint8Array): Taken {
    const mimeType = detectImageType(bytes);
    if (mimeType === null) return { type: "refused", why: "that is no picture (png, jpeg, gif, webp)" };
    if (bytes.length > MAX_IMAGE_BYTES)
      return { type: "refused", why: `the picture has ${sized(bytes.length)}; up to 3.75 MB can be said` };
    return {
      type: "taken",
      marker: this.put({ type: "image", data: Buffer.from(bytes).toString("base64"), mimeType }),
    };
  }

  /** The marker of it. */
  put(image: ImageBlock): string {
    this.#count += 1;
    const kind = image.mimeType.replace("image/", "");
    const marker = `[picture ${this.#count}: ${sized(bytesIn(image))} ${kind}]`;
    this.#kept = bounded([...this.#kept, { marker, image }]);
    return marker;
  }

  /** In the order in which they are named, each once. */
  in(text: string): readonly Picture[] {
    const at = (each: Picture): number => text.indexOf(each.marker);
    return this.#kept.filter((each) => at(each) >= 0).toSorted((one, other) => at(one) - at(other));
  }
}

function bounded(pictures: readonly Picture[]): readonly Picture[] {
  let bytes = 0;
  const over = pictures.findLastIndex(({ image }) => {
    bytes += bytesIn(image);
    return bytes > MOST_BYTES;
  });
  return pictures.slice(over + 1);
}

function bytesIn({ data }: ImageBlock): number {
  return Buffer.byteLength(data, "base64");
}

function sized(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
