/** Replaces secrets by placeholders, and restores them for tools alone. Nothing in the vault is ever written. */

import type { Redaction } from "../session/session.ts";
import { expectedValues, isSecretField, type Variables } from "./environment.ts";
import { isHandle, outsideHandles } from "./handles.ts";
import { isHoldingSigned, isPassedBy, walk } from "./map-strings.ts";
import {
  BROKEN,
  inOrder,
  type Kind,
  outside,
  PLACEHOLDER,
  PREFIX,
  placeholderFor,
  placeholdersIn,
  replaced,
  type Spot,
} from "./matches.ts";
import { isPassword, isRandom } from "./pattern.ts";
import { Literals } from "./prefix-index.ts";
import { type Piece, SecretStream } from "./redact-stream.ts";
import { kindOfAll, scan } from "./scan.ts";

export type SecretsRestored<Value> =
  | { readonly type: "restored"; readonly value: Value }
  | { readonly type: "unknown"; readonly placeholders: readonly string[] };

/** The placeholders that were given, and their secrets. Held in memory alone. */
export class GivenPlaceholders {
  readonly #digest: (value: string) => string;
  readonly #bySecret = new Map<string, string>();
  readonly #byDigits = new Map<string, string>();

  constructor(digest: (value: string) => string) {
    this.#digest = digest;
  }

  /** Undefined where it has none yet. */
  of(secret: string): string | undefined {
    return this.#bySecret.get(secret);
  }

  give(secret: string, family: string): string {
    const digits = this.#digest(secret).slice(0, 12);
    const placeholder = placeholderFor(family, digits);
    this.#bySecret.set(secret, placeholder);
    this.#byDigits.set(digits, secret);
    return placeholder;
  }

  /** What looks like a placeholder in `own` stands for itself, unless one was given that is the same. */
  restored<Value>(value: Value, own: string): SecretsRestored<Value> {
    const unknown = new Set<string>();
    const text = (each: string): string => (each.includes(PREFIX) ? this.#restoredText(each, unknown) : each);
    const restored = walk(value, { text }) as Value;
    for (const word of lookalikes(own)) unknown.delete(word);
    return unknown.size > 0 ? { type: "unknown", placeholders: [...unknown] } : { type: "restored", value: restored };
  }

  #restoredText(text: string, unknown: Set<string>): string {
    for (const word of broken(text)) unknown.add(word);
    return text.replace(PLACEHOLDER, (placeholder, digits: string) => {
      const secret = this.#byDigits.get(digits);
      if (secret === undefined) unknown.add(placeholder);
      return secret ?? placeholder;
    });
  }
}

function lookalikes(text: string): readonly string[] {
  return [...(text.match(PLACEHOLDER) ?? []), ...broken(text)];
}

/** What is left of whole ones is looked at apart, so that nothing grows together. */
function broken(text: string): readonly string[] {
  return text.replace(PLACEHOLDER, " ").match(BROKEN) ?? [];
}

/** Finds values that were met before, also without the name that gave them away. */
export class KnownValues {
  readonly #kinds = new Map<string, Kind>();
  /** How those begin that have white space in them: letters that no space comes before. */
  readonly #spaced: string[] = [];
  readonly #all = new Literals();

  /** What could be a common word is not looked for by itself, unless the user says so. */
  add(value: string, kind: Kind, { isListed = false }: { readonly isListed?: boolean } = {}): void {
    if (this.#kinds.has(value) || this.#kinds.size >= MOST || !(isListed || isTelling(value))) return;
    this.#kinds.set(value, kind);
    this.#all.add(value);
    const [first = "", ...more] = value.split(/\s/);
    if (more.length > 0) this.#spaced.push(first.slice(0, BEGINNING));
  }

  spotsIn(text: string): readonly Spot[] {
    if (this.#kinds.size === 0) return [];
    const spots: Spot[] = [];
    // From letter to letter: one may begin within another and end behind it.
    for (let hit = this.#all.next(text, 0); hit; hit = this.#all.next(text, hit.index + 1)) {
      const { literal, index } = hit;
      const kind = this.#kinds.get(literal);
      if (kind) spots.push({ start: index, end: index + literal.length, kind });
    }
    return inOrder(outsideHandles(text, outside(placeholdersIn(text), spots), true));
  }

  /** Whether one of them may have begun where this text ends, so that more must be heard first. */
  mayBeginIn(text: string): boolean {
    return this.#spaced.some((beginning) => text.includes(beginning));
  }
}

/** Whoever meets more has a log of nothing else. */
const MOST = 5_000;
const BEGINNING = 4;

function isTelling(value: string): boolean {
  return value.length >= 40 || isRandom(value) || (value.length >= 12 && /\d/.test(value) && isPassword(value));
}

export interface VaultParts {
  /** At least twelve small hexadecimal digits; keyed, so that nobody can try values against it. */
  readonly digest: (value: string) => string;
  readonly environment?: Variables;
  /** Variables whose values are secrets whatever they look like. */
  readonly names?: readonly string[];
}

export interface SecretFound {
  /** What it is, for people: a family, or the variable that holds it. */
  readonly family: string;
  readonly placeholder: string;
}

export class Vault implements Redaction {
  readonly #parts: VaultParts;
  readonly #known = new KnownValues();
  readonly #given: GivenPlaceholders;
  readonly #clean = new WeakSet<object>();
  readonly #told = new Set<string>();
  /** Of the environment: a digest is made where one is needed. */
  readonly #unnamed = new Map<string, Kind>();
  #found: SecretFound[] = [];
  #isReady = false;

  constructor(parts: VaultParts) {
    this.#parts = parts;
    this.#given = new GivenPlaceholders(parts.digest);
  }

  redacted<Value>(value: Value): Value {
    this.#makeReady();
    const text = (each: string, key: string | null): string => this.#redactedText(each, key);
    return walk(value, { text, isPassedBy, isDropped: isHoldingSigned, seen: this.#clean }) as Value;
  }

  /** A piece of a text that comes in pieces; `key` as it came back with the piece before. */
  redactedPiece(text: string, { key }: Pick<Piece, "key">): Piece {
    this.#makeReady();
    const scanned = scan(text, { key });
    const spots = inOrder([...scanned.spots, ...this.#known.spotsIn(text)]);
    return { text: spots.length === 0 ? text : this.#replaced(text, spots), key: scanned.key };
  }

  /** For a text that comes in pieces. */
  stream(): SecretStream {
    return new SecretStream(this);
  }

  /** Whether a text has the beginning of something that may go on behind it. */
  mayGoOn(text: string): boolean {
    this.#makeReady();
    return this.#known.mayBeginIn(text);
  }

  /**
   * The value with what its placeholders stand for; or those of which nobody knows it. What looks like one in `own` stands
   * for itself: examples in somebody's documents.
   */
  restored<Value>(value: Value, { own = "" }: { readonly own?: string } = {}): SecretsRestored<Value> {
    this.#makeReady();
    const first = this.#given.restored(value, own);
    if (first.type === "restored" || this.#unnamed.size === 0) return first;
    for (const [secret, kind] of this.#unnamed) this.#placeholderOf(secret, kind);
    this.#unnamed.clear();
    return this.#given.restored(value, own);
  }

  /** The whole placeholders that stand in a value, each once, whoever gave them. */
  placeholdersIn(value: unknown): readonly string[] {
    const found = new Set<string>();
    const text = (each: string): string => {
      for (const placeholder of each.match(PLACEHOLDER) ?? []) found.add(placeholder);
      return each;
    };
    walk(value, { text });
    return [...found];
  }

  /** Takes in the secrets of a text that stands where it belongs, such as a file of the user. */
  learn(text: string): void {
    this.#makeReady();
    for (const { start, end, kind } of scan(text).spots) this.#placeholderOf(text.slice(start, end), kind);
  }

  /** What was found since this was asked last, each once. */
  found(): readonly SecretFound[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #redactedText(text: string, key: string | null): string {
    if (text.length < LEAST) return text;
    if (key !== null && text.length <= LONGEST_NAMED && isSecretField(key) && isRandom(text) && !isHandle(text))
      return this.#use(text, kindOfAll(text) ?? NAMED);
    const spots = inOrder([...scan(text).spots, ...this.#known.spotsIn(text)]);
    if (spots.length === 0) return text;
    const once = this.#replaced(text, spots);
    // What its name gave away may stand there without it, too.
    return this.#replaced(once, this.#known.spotsIn(once));
  }

  #replaced(text: string, spots: readonly Spot[]): string {
    return replaced(text, spots, ({ start, end, kind }) => this.#use(text.slice(start, end), kind));
  }

  #use(seen: string, kind: Kind): string {
    const placeholder = this.#placeholderOf(kind.value ?? seen, kind);
    if (!this.#told.has(placeholder)) this.#found.push({ family: kind.name, placeholder });
    this.#told.add(placeholder);
    return placeholder;
  }

  #placeholderOf(secret: string, kind: Kind): string {
    const given = this.#given.of(secret);
    if (given !== undefined) return given;
    this.#known.add(secret, kind);
    return this.#given.give(secret, kind.id);
  }

  /** The environment is looked at when something is first looked through, not when the program starts. */
  #makeReady(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    const { environment = {}, names = [] } = this.#parts;
    for (const { seen, kind, isListed } of expectedValues(environment, names)) {
      this.#known.add(seen, kind, { isListed });
      if (kind.value === undefined && !this.#unnamed.has(seen)) this.#unnamed.set(seen, kind);
    }
  }
}

/** Nothing shorter is a secret that anybody could tell from a word. */
const LEAST = 6;
const LONGEST_NAMED = 512;
const NAMED: Kind = { id: "assigned", name: "secret behind a name" };
