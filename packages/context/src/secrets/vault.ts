/** The vault: what is secret goes in and a placeholder comes out; the way back is for tools alone. Nothing of it is ever written. */

import type { Redaction } from "../session/redaction.ts";
import { isSecretField, type Variables } from "./environment.ts";
import { expectedValues } from "./expected-values.ts";
import { GivenPlaceholders, type SecretsRestored } from "./given-placeholders.ts";
import { KnownValues } from "./known-values.ts";
import { isHoldingSigned, isPassedBy } from "./passed-by.ts";
import { isRandom } from "./scanning/random.ts";
import { kindOfAll, scan } from "./scanning/scan.ts";
import { inOrder, type Kind, replaced, type Spot } from "./scanning/spot.ts";
import { type Piece, SecretStream } from "./streaming/secret-stream.ts";
import { walk } from "./walk.ts";

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
    if (key !== null && text.length <= LONGEST_NAMED && isSecretField(key) && isRandom(text))
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
