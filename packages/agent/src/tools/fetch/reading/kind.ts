/** What a page is to a reader: by the word of its server, unless its bytes say otherwise. */

import { pictureKind } from "../../../bytes/picture-kind.ts";
import { HEAD, wideEncoding } from "../../../bytes/text-of.ts";
import type { WebPage } from "../web.ts";

export type Kind = "html" | "text" | "picture" | "binary";

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
