/** Reads the arguments of `fetch` as a plain request (text or bytes to a URL) and defines its headers. */

/** A record, pairs or headers. */
export type HeadersInput = NonNullable<ConstructorParameters<typeof Headers>[0]>;

/** Replaces Node's `Headers`, which would load its whole `fetch`. */
export class PlainHeaders implements Headers {
  readonly #values = new Map<string, readonly string[]>();

  constructor(first: HeadersInput = []) {
    const pairs = Symbol.iterator in first ? first : Object.entries(first);
    for (const [name = "", value] of pairs as Iterable<readonly [string, string]>) this.append(name, value);
  }

  /** Node's headers are instances too, in case this class replaces the global one. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && "getSetCookie" in value && "forEach" in value;
  }

  append(name: string, value: string): void {
    const key = name.toLowerCase();
    this.#values.set(key, [...(this.#values.get(key) ?? []), trimHeaderValue(value)]);
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), [trimHeaderValue(value)]);
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
    return [...(this.#values.get(SET_COOKIE) ?? [])];
  }

  /** Sorted by name. Cookies are separate, because a cookie may contain a comma. */
  *entries(): Generator<[string, string], undefined> {
    for (const name of [...this.#values.keys()].sort()) {
      const values = this.#values.get(name) ?? [];
      for (const value of name === SET_COOKIE ? values : [values.join(", ")]) yield [name, value];
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

const SET_COOKIE = "set-cookie";

// A key read from a file often ends with a line break.
function trimHeaderValue(value: string): string {
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

type FetchOptions = NonNullable<Parameters<typeof fetch>[1]>;

/** Null for any other request, which Node's `fetch` sends. */
export function toPlainRequest(input: unknown, options: FetchOptions = {}): PlainRequest | null {
  const url = parseHttpUrl(input);
  const { method = "GET", body = null, redirect = "follow", signal = null } = options;
  if (url === null || !hasOnlyKnownOptions(options) || !isPlainBody(body)) return null;
  const upperCaseMethod = method.toUpperCase();
  if (!METHODS.has(upperCaseMethod) || (body !== null && METHODS_WITHOUT_BODY.has(upperCaseMethod))) return null;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const headers = buildHeaders(options.headers ?? {}, { isText: bytes !== body, bytes });
  return { url, method: upperCaseMethod, headers, body: bytes, redirect, signal };
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
const METHODS_WITHOUT_BODY: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const KNOWN_OPTIONS: ReadonlySet<string> = new Set(["method", "headers", "body", "redirect", "signal"]);

/** A URL with a user name or password is not plain. */
function parseHttpUrl(input: unknown): URL | null {
  const url = typeof input === "string" || input instanceof URL ? URL.parse(String(input)) : null;
  return url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" ? url : null;
}

function hasOnlyKnownOptions(options: FetchOptions): boolean {
  return Object.entries(options).every(([name, value]) => KNOWN_OPTIONS.has(name) || value === undefined);
}

function isPlainBody(body: unknown): body is string | PlainRequest["body"] {
  return body === null || typeof body === "string" || body instanceof Uint8Array;
}

// No compression: a stream of small events gains little from it and is delayed by it.
function buildHeaders(input: HeadersInput, { isText, bytes }: BodyInfo): PlainHeaders {
  const headers = new PlainHeaders(input);
  const defaults = { accept: "*/*", "accept-encoding": "identity", "user-agent": "pith" };
  const textType = { "content-type": "text/plain;charset=UTF-8" };
  for (const [name, value] of Object.entries({ ...defaults, ...(isText && textType) }))
    if (!headers.has(name)) headers.set(name, value);
  if (bytes !== null) headers.set("content-length", String(bytes.byteLength));
  return headers;
}

interface BodyInfo {
  readonly isText: boolean;
  readonly bytes: Uint8Array | null;
}
