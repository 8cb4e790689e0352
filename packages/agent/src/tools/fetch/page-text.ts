/** Converts the bytes of a web page to readable text: detects charset and kind, and converts HTML to Markdown. */

import type { WebPage } from "../../ports.ts";
import { detectImageType, detectUtf16, TEXT_SAMPLE_BYTES } from "../../text.ts";
import { formatBytes } from "../tool-io.ts";
import { htmlToMarkdown } from "./html-to-markdown.ts";

export interface ReadablePage {
  readonly url: string;
  readonly status: number;
  /** The media type; empty if unknown. */
  readonly type: string;
  readonly title: string;
  readonly text: string;
  /** False if the page is longer than what was loaded. */
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
    case "image":
    case "binary": {
      const label = kind === "image" ? "an image" : "a binary file";
      const size = isComplete ? formatBytes(bytes.length) : `more than ${formatBytes(bytes.length)}`;
      return { title: "", text: `[${label} of ${size}; not shown]`, isComplete: true };
    }
  }
}

/** Removes control, direction and tag characters. */
function stripControls(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(INVISIBLE, "");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed.
const INVISIBLE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

export type PageKind = "html" | "text" | "image" | "binary";

/** Detects the kind by content type, unless the bytes contradict it. */
function detectPageKind({ contentType, bytes }: Pick<WebPage, "contentType" | "bytes">): PageKind {
  const type = mediaType(contentType);
  if (detectImageType(bytes) !== null || IMAGE_TYPE.test(type)) return "image";
  if (isBinary(bytes)) return "binary";
  if (HTML_TYPE.test(type)) return "html";
  if (TEXT_TYPE.test(type)) return "text";
  if (type !== "" && !UNKNOWN_TYPE.test(type)) return "binary";
  return looksLikeHtml(bytes) ? "html" : "text";
}

/** The content type without parameters. */
function mediaType(contentType: string | null): string {
  return (contentType ?? "").split(";", 1)[0]?.trim().slice(0, MAX_TYPE_CHARS).toLowerCase() ?? "";
}

const MAX_TYPE_CHARS = 100;
const IMAGE_TYPE = /^image\/(?!svg)/;
const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/;
const TEXT_TYPE =
  /^text\/|[/+](?:x-)?(?:json|xml|yaml|toml|javascript|ecmascript|typescript|sh|sql|graphql|ndjson|jsonl)$/;
/** Types that servers send for unknown content. */
const UNKNOWN_TYPE = /^application\/(?:octet-stream|unknown|x-unknown)$|^binary\//;

/** Text contains no zero bytes, except UTF-16, which is detected by its mark. */
function isBinary(bytes: Uint8Array): boolean {
  return detectUtf16(bytes) === null && bytes.subarray(0, TEXT_SAMPLE_BYTES).includes(0);
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  return /^\s*<(?:!doctype html|html|head|body)/i.test(new TextDecoder().decode(bytes.subarray(0, TEXT_SAMPLE_BYTES)));
}

function decodePage(bytes: Uint8Array, contentType: string | null): string {
  // A byte order mark takes precedence over the header.
  const charset = [detectUtf16(bytes), findCharset(contentType ?? ""), findDeclaredCharset(bytes)].find(isKnownCharset);
  return new TextDecoder(charset ?? guessCharset(bytes)).decode(bytes);
}

function findCharset(text: string): string | null {
  return /charset\s*=\s*["']?([\w:.+-]{1,40})/i.exec(text)?.[1] ?? null;
}

/** The charset that the page declares near its start. */
function findDeclaredCharset(bytes: Uint8Array): string | null {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, CHARSET_SEARCH_BYTES));
  const meta = /<meta\s[^>]{0,400}/gi;
  const metaCharset = [...head.matchAll(meta)].map(([tag]) => findCharset(tag)).find((charset) => charset !== null);
  return metaCharset ?? /^\s{0,40}<\?xml[^>]{0,200}encoding\s{0,9}=\s{0,9}["']([\w.-]{1,40})/i.exec(head)?.[1] ?? null;
}

const CHARSET_SEARCH_BYTES = 2_048;

function isKnownCharset(label: string | null): label is string {
  return label !== null && succeeds(() => new TextDecoder(label));
}

/** Text that is not UTF-8 is most often windows-1252. */
function guessCharset(bytes: Uint8Array): string {
  const strict = new TextDecoder("utf-8", { fatal: true });
  // Streaming, because the last character may be incomplete.
  return succeeds(() => strict.decode(bytes, { stream: true })) ? "utf-8" : "windows-1252";
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    // Decoders report unknown labels and invalid bytes by throwing.
    return false;
  }
}
