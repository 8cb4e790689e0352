/** Reads the arguments of `fetch` as a plain request, a text or bytes to a web address, and defines its headers. */

/** As a record, as pairs or as headers. */
export type HeadersAsked = NonNullable<ConstructorParameters<typeof Headers>[0]>;

/** Replaces Node's own `Headers`, which would load its whole `fetch` into memory. */
export class PlainHeaders implements Headers {
  readonly #values = new Map<string, readonly string[]>();

  constructor(first: HeadersAsked = []) {
    const pairs = Symbol.iterator in first ? first : Object.entries(first);
    for (const [name = "", value] of pairs as Iterable<readonly [string, string]>) this.append(name, value);
  }

  /** Node's own are headers too, where this class has been put in their place. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && "getSetCookie" in value && "forEach" in value;
  }

  append(name: string, value: string): void {
    const key = name.toLowerCase();
    this.#values.set(key, [...(this.#values.get(key) ?? []), trimmed(value)]);
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), [trimmed(value)]);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase())?.join(", ") ?? null;
  }

  getSetCookie(): string[] {
    return [...(this.#values.get(COOKIES) ?? [])];
  }

  /** By name; cookies one by one, because a comma may stand inside each. */
  *entries(): Generator<[string, string], undefined> {
    for (const name of [...this.#values.keys()].sort()) {
      const values = this.#values.get(name) ?? [];
      for (const value of name === COOKIES ? values : [values.join(", ")]) yield [name, value];
    }
  }

  *keys(): Generator<string, undefined> {
    for (const [name] of this.entries()) yield name;
  }

  *values(): Generator<string, undefined> {
    for (const [, value] of this.entries()) yield value;
  }

  forEach(each: (value: string, name: string, headers: Headers) => void, self?: unknown): void {
    for (const [name, value] of this.entries()) each.call(self, value, name, this);
  }

  [Symbol.iterator](): Generator<[string, string], undefined> {
    return this.entries();
  }
}

const COOKIES = "set-cookie";

// A key that was read from a file often ends in a line break.
function trimmed(value: string): string {
  return String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
}

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
