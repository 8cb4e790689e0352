/** Turns the bytes of a web page into readable text: detects its charset and kind, and converts HTML to Markdown. */

import type { WebPage } from "../../ports.ts";
import { detectImageType, detectUtf16, TEXT_SAMPLE_BYTES } from "../../text.ts";
import { formatBytes } from "../output.ts";
import { htmlToMarkdown } from "./html-to-markdown.ts";

export function decodePage(bytes: Uint8Array, contentType: string | null): string {
  // A byte order mark says more than any header.
  const charset = [detectUtf16(bytes), findCharset(contentType ?? ""), declaredCharset(bytes)].find(isKnownCharset);
  return new TextDecoder(charset ?? guessCharset(bytes)).decode(bytes);
}

function findCharset(text: string): string | null {
  return /charset\s*=\s*["']?([\w:.+-]{1,40})/i.exec(text)?.[1] ?? null;
}

/** What a page says of itself has to stand at its very beginning. */
function declaredCharset(bytes: Uint8Array): string | null {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, CHARSET_SEARCH_BYTES));
  const meta = /<meta\s[^>]{0,400}/gi;
  const metaCharset = [...head.matchAll(meta)].map(([tag]) => findCharset(tag)).find((charset) => charset !== null);
  return metaCharset ?? /^\s{0,40}<\?xml[^>]{0,200}encoding\s{0,9}=\s{0,9}["']([\w.-]{1,40})/i.exec(head)?.[1] ?? null;
}

const CHARSET_SEARCH_BYTES = 2_048;

/** A charset nobody knows is as good as none. */
function isKnownCharset(label: string | null): label is string {
  return label !== null && succeeds(() => new TextDecoder(label));
}

/** Text that is no UTF-8 is most often of the oldest kind. */
function guessCharset(bytes: Uint8Array): string {
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

export type PageKind = "html" | "text" | "picture" | "binary";

/** By the content type, unless the bytes say otherwise. */
export function detectPageKind({ contentType, bytes }: Pick<WebPage, "contentType" | "bytes">): PageKind {
  const type = mediaType(contentType);
  if (detectImageType(bytes) !== null || IMAGE_TYPE.test(type)) return "picture";
  if (isBinary(bytes)) return "binary";
  if (HTML_TYPE.test(type)) return "html";
  if (TEXT_TYPE.test(type)) return "text";
  if (type !== "" && !UNKNOWN_TYPE.test(type)) return "binary";
  return looksLikeHtml(bytes) ? "html" : "text";
}

/** Without charset and other additions. */
export function mediaType(contentType: string | null): string {
  return (contentType ?? "").split(";", 1)[0]?.trim().slice(0, MAX_TYPE_CHARS).toLowerCase() ?? "";
}

const MAX_TYPE_CHARS = 100;
const IMAGE_TYPE = /^image\/(?!svg)/;
const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/;
const TEXT_TYPE =
  /^text\/|[/+](?:x-)?(?:json|xml|yaml|toml|javascript|ecmascript|typescript|sh|sql|graphql|ndjson|jsonl)$/;
/** What servers say when they do not know. */
const UNKNOWN_TYPE = /^application\/(?:octet-stream|unknown|x-unknown)$|^binary\//;

/** No text has zeros, except in wide characters, which have a mark. */
function isBinary(bytes: Uint8Array): boolean {
  return detectUtf16(bytes) === null && bytes.subarray(0, TEXT_SAMPLE_BYTES).includes(0);
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  return /^\s*<(?:!doctype html|html|head|body)/i.test(new TextDecoder().decode(bytes.subarray(0, TEXT_SAMPLE_BYTES)));
}

export interface ReadablePage {
  readonly url: string;
  readonly status: number;
  /** Empty where nobody says. */
  readonly type: string;
  readonly title: string;
  readonly text: string;
  /** False where the page goes on, but no more of it was taken. */
  readonly isComplete: boolean;
}

export async function toReadablePage(
  page: WebPage,
  { signal }: { readonly signal: AbortSignal },
): Promise<ReadablePage> {
  const { url, status, contentType } = page;
  const { title, text, isComplete } = await extractContent(page, signal);
  return {
    url,
    status,
    type: mediaType(contentType),
    title: stripControls(title),
    text: stripControls(text),
    isComplete,
  };
}

type PageContent = Pick<ReadablePage, "title" | "text" | "isComplete">;

async function extractContent(page: WebPage, signal: AbortSignal): Promise<PageContent> {
  const { url, bytes, contentType, isComplete } = page;
  const kind = detectPageKind(page);
  switch (kind) {
    case "html": {
      const markdown = await htmlToMarkdown(decodePage(bytes, contentType), { url, signal });
      return { ...markdown, isComplete: isComplete && markdown.isComplete };
    }
    case "text":
      return { title: "", text: decodePage(bytes, contentType), isComplete };
    case "picture":
    case "binary": {
      const label = kind === "picture" ? "a picture" : "a binary file";
      const size = isComplete ? formatBytes(bytes.length) : `more than ${formatBytes(bytes.length)}`;
      return { title: "", text: `[${label} of ${size}; it is not shown]`, isComplete: true };
    }
  }
}

/** Without what a screen obeys and what a person does not see: control, direction and tag characters. */
function stripControls(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(INVISIBLE, "");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
const INVISIBLE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;
