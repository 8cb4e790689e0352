/** Names and values of a request or an answer, as `Headers` has them: Node's own bring its whole `fetch` into memory. */

/** As a record, as pairs or as headers. */
export type HeadersAsked = NonNullable<ConstructorParameters<typeof Headers>[0]>;

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
