/** What is asked of `fetch`, where it is the plain case: a text or bytes to a web address. */

import { type HeadersAsked, PlainHeaders } from "./plain-headers.ts";

export interface PlainRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: PlainHeaders;
  readonly body: Uint8Array | null;
  readonly redirect: "follow" | "manual" | "error";
  readonly signal: AbortSignal | null;
}

type Wish = NonNullable<Parameters<typeof fetch>[1]>;

/** Null for anything else, which is left to Node's own. */
export function plainRequest(address: unknown, wish: Wish = {}): PlainRequest | null {
  const url = webAddress(address);
  const { method = "GET", body = null, redirect = "follow", signal = null } = wish;
  if (url === null || !isKnown(wish) || !isPlain(body)) return null;
  const verb = method.toUpperCase();
  if (!METHODS.has(verb) || (body !== null && BODILESS.has(verb))) return null;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const headers = headersOf(wish.headers ?? {}, { isText: bytes !== body, bytes });
  return { url, method: verb, headers, body: bytes, redirect, signal };
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const KNOWN: ReadonlySet<string> = new Set(["method", "headers", "body", "redirect", "signal"]);

/** One with a name and a password in it is no plain address. */
function webAddress(address: unknown): URL | null {
  const url = typeof address === "string" || address instanceof URL ? URL.parse(String(address)) : null;
  return url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" ? url : null;
}

function isKnown(wish: Wish): boolean {
  return Object.entries(wish).every(([name, value]) => KNOWN.has(name) || value === undefined);
}

function isPlain(body: unknown): body is string | PlainRequest["body"] {
  return body === null || typeof body === "string" || body instanceof Uint8Array;
}

// Unpacked as it comes: a stream of small events gains little from being packed, and waits for it.
function headersOf(asked: HeadersAsked, { isText, bytes }: Said): PlainHeaders {
  const headers = new PlainHeaders(asked);
  const usual = { accept: "*/*", "accept-encoding": "identity", "user-agent": "pith" };
  const kind = { "content-type": "text/plain;charset=UTF-8" };
  for (const [name, value] of Object.entries({ ...usual, ...(isText && kind) }))
    if (!headers.has(name)) headers.set(name, value);
  if (bytes !== null) headers.set("content-length", String(bytes.byteLength));
  return headers;
}

interface Said {
  readonly isText: boolean;
  readonly bytes: Uint8Array | null;
}
