/** Turns the bytes of a web page into readable text: detects its charset and kind, and converts HTML to Markdown. */

import type { WebPage } from "../../ports.ts";
import { HEAD, pictureKind, wideEncoding } from "../../text.ts";
import { sized } from "../output.ts";
import { htmlToMarkdown } from "./html-to-markdown.ts";

export function decode(bytes: Uint8Array, contentType: string | null): string {
  // A byte order mark says more than any header.
  const named = [wideEncoding(bytes), charsetIn(contentType ?? ""), ownWord(bytes)].find(isKnown);
  return new TextDecoder(named ?? triedOn(bytes)).decode(bytes);
}

function charsetIn(text: string): string | null {
  return /charset\s*=\s*["']?([\w:.+-]{1,40})/i.exec(text)?.[1] ?? null;
}

/** What a page says of itself has to stand at its very beginning. */
function ownWord(bytes: Uint8Array): string | null {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, CHARSET_SEARCH_BYTES));
  const meta = /<meta\s[^>]{0,400}/gi;
  const said = [...head.matchAll(meta)].map(([tag]) => charsetIn(tag)).find((charset) => charset !== null);
  return said ?? /^\s{0,40}<\?xml[^>]{0,200}encoding\s{0,9}=\s{0,9}["']([\w.-]{1,40})/i.exec(head)?.[1] ?? null;
}

const CHARSET_SEARCH_BYTES = 2_048;

/** A charset nobody knows is as good as none. */
function isKnown(label: string | null): label is string {
  return label !== null && succeeds(() => new TextDecoder(label));
}

/** Text that is no UTF-8 is most often of the oldest kind. */
function triedOn(bytes: Uint8Array): string {
  const strict = new TextDecoder("utf-8", { fatal: true });
  // Streaming, because the last letter may have been cut in two.
  return succeeds(() => strict.decode(bytes, { stream: true })) ? "utf-8" : "windows-1252";
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    // A decoder has no other way to say no.
    return false;
  }
}

export type Kind = "html" | "text" | "picture" | "binary";

/** By the content type, unless the bytes say otherwise. */
export function kindOf({ contentType, bytes }: Pick<WebPage, "contentType" | "bytes">): Kind {
  const type = mediaType(contentType);
  if (pictureKind(bytes) !== null || PICTURE.test(type)) return "picture";
  if (isBinary(bytes)) return "binary";
  if (HTML.test(type)) return "html";
  if (TEXT.test(type)) return "text";
  if (type !== "" && !UNTOLD.test(type)) return "binary";
  return looksLikeHtml(bytes) ? "html" : "text";
}

/** Without charset and other additions. */
export function mediaType(contentType: string | null): string {
  return (contentType ?? "").split(";", 1)[0]?.trim().slice(0, LONGEST).toLowerCase() ?? "";
}

const LONGEST = 100;
const PICTURE = /^image\/(?!svg)/;
const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;
const TEXT = /^text\/|[/+](?:x-)?(?:json|xml|yaml|toml|javascript|ecmascript|typescript|sh|sql|graphql|ndjson|jsonl)$/;
/** What servers say when they do not know. */
const UNTOLD = /^application\/(?:octet-stream|unknown|x-unknown)$|^binary\//;

/** No text has zeros, except in wide characters, which have a mark. */
function isBinary(bytes: Uint8Array): boolean {
  return wideEncoding(bytes) === null && bytes.subarray(0, HEAD).includes(0);
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  return /^\s*<(?:!doctype html|html|head|body)/i.test(new TextDecoder().decode(bytes.subarray(0, HEAD)));
}

export interface Readable {
  readonly url: string;
  readonly status: number;
  /** Empty where nobody says. */
  readonly type: string;
  readonly title: string;
  readonly text: string;
  /** False where the page goes on, but no more of it was taken. */
  readonly isWhole: boolean;
}

export async function readable(page: WebPage, { signal }: { readonly signal: AbortSignal }): Promise<Readable> {
  const { url, status, contentType } = page;
  const { title, text, isWhole } = await contentOf(page, signal);
  return { url, status, type: mediaType(contentType), title: harmless(title), text: harmless(text), isWhole };
}

type Content = Pick<Readable, "title" | "text" | "isWhole">;

async function contentOf(page: WebPage, signal: AbortSignal): Promise<Content> {
  const { url, bytes, contentType, isWhole } = page;
  const kind = kindOf(page);
  switch (kind) {
    case "html": {
      const markdown = await htmlToMarkdown(decode(bytes, contentType), { url, signal });
      return { ...markdown, isWhole: isWhole && markdown.isWhole };
    }
    case "text":
      return { title: "", text: decode(bytes, contentType), isWhole };
    case "picture":
    case "binary": {
      const what = kind === "picture" ? "a picture" : "a binary file";
      const size = isWhole ? sized(bytes.length) : `more than ${sized(bytes.length)}`;
      return { title: "", text: `[${what} of ${size}; it is not shown]`, isWhole: true };
    }
  }
}

/** Without what a screen obeys and what a person does not see: control, direction and tag characters. */
function harmless(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(UNSEEN, "");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;
