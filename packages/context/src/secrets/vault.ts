/** Replaces secrets with placeholders, and restores them only for tools. The vault is never written to disk. */

import type { Redaction } from "../session/session.ts";
import {
  collectEnvironmentValues,
  collectKeyValues,
  type EnvironmentSecret,
  type EnvironmentValue,
  type EnvironmentVariables,
  isSecretField,
} from "./environment.ts";
import {
  excludeRanges,
  findPlaceholderRanges,
  formatPlaceholder,
  mergeMatches,
  PARTIAL_PLACEHOLDER_PATTERN,
  PLACEHOLDER_PATTERN,
  PLACEHOLDER_PREFIX,
  replaceMatches,
  type SecretKind,
  type SecretMatch,
} from "./matches.ts";
import { LiteralMatcher } from "./prefix-index.ts";
import { isId, isProtectedField, isSignedThinking, removeMatchesInIds } from "./protected-values.ts";
import { isLikelyPassword, isRandom } from "./randomness.ts";
import { type RedactChunkResult, RedactionStream } from "./redact-stream.ts";
import { classifySecret, scanForSecrets } from "./scan.ts";

/** The value with its secrets, or the placeholders that the vault does not know. */
export type RestoreSecretsResult<Value> =
  | { readonly type: "restored"; readonly value: Value }
  | { readonly type: "unknown"; readonly placeholders: readonly string[] };

/** Maps secrets to placeholders and back, in memory only. */
class PlaceholderTable {
  readonly #digest: (value: string) => string;
  readonly #bySecret = new Map<string, string>();
  readonly #byDigits = new Map<string, string>();

  constructor(digest: (value: string) => string) {
    this.#digest = digest;
  }

  /** The placeholder of a secret; undefined if it has none yet. */
  get(secret: string): string | undefined {
    return this.#bySecret.get(secret);
  }

  assign(secret: string, kindId: string): string {
    const digits = this.#digest(secret).slice(0, 12);
    const placeholder = formatPlaceholder(kindId, digits);
    this.#bySecret.set(secret, placeholder);
    this.#byDigits.set(digits, secret);
    return placeholder;
  }

  /** Replaces placeholders with their secrets. Unknown placeholders that occur in `sourceText` are literal text. */
  restore<Value>(value: Value, sourceText: string): RestoreSecretsResult<Value> {
    const unknown = new Set<string>();
    const text = (each: string): string =>
      each.includes(PLACEHOLDER_PREFIX) ? this.#restoreText(each, unknown) : each;
    const restored = mapStrings(value, { mapString: text }) as Value;
    for (const placeholder of findLookalikes(sourceText)) unknown.delete(placeholder);
    return unknown.size > 0 ? { type: "unknown", placeholders: [...unknown] } : { type: "restored", value: restored };
  }

  #restoreText(text: string, unknown: Set<string>): string {
    for (const placeholder of findPartialPlaceholders(text)) unknown.add(placeholder);
    return text.replace(PLACEHOLDER_PATTERN, (placeholder, digits: string) => {
      const secret = this.#byDigits.get(digits);
      if (secret === undefined) unknown.add(placeholder);
      return secret ?? placeholder;
    });
  }
}

function findLookalikes(text: string): readonly string[] {
  return [...(text.match(PLACEHOLDER_PATTERN) ?? []), ...findPartialPlaceholders(text)];
}

/** Complete placeholders are replaced by a space first, so that the text around them is not joined. */
function findPartialPlaceholders(text: string): readonly string[] {
  return text.replace(PLACEHOLDER_PATTERN, " ").match(PARTIAL_PLACEHOLDER_PATTERN) ?? [];
}

/** Finds secret values that are already known, also where no name or shape marks them as secret. */
class SecretValueMatcher {
  readonly #kindByValue = new Map<string, SecretKind>();
  /** The starts, up to the first space, of the values that contain white space. */
  readonly #prefixesBeforeSpace: string[] = [];
  readonly #literals = new LiteralMatcher();

  /** Adds a value. A value that could be an ordinary word is skipped, unless the user lists it. */
  add(value: string, kind: SecretKind, { isListed = false }: { readonly isListed?: boolean } = {}): void {
    if (
      this.#kindByValue.has(value) ||
      this.#kindByValue.size >= MAX_SECRET_VALUES ||
      !(isListed || isDistinctive(value))
    )
      return;
    this.#kindByValue.set(value, kind);
    this.#literals.add(value);
    const [firstWord = "", ...otherWords] = value.split(/\s/);
    if (otherWords.length > 0) this.#prefixesBeforeSpace.push(firstWord.slice(0, VALUE_PREFIX_CHARS));
  }

  findMatches(text: string): readonly SecretMatch[] {
    if (this.#kindByValue.size === 0) return [];
    const matches: SecretMatch[] = [];
    // Character by character: a value may start inside another and end after it.
    for (let match = this.#literals.findNext(text, 0); match; match = this.#literals.findNext(text, match.index + 1)) {
      const { literal, index } = match;
      const kind = this.#kindByValue.get(literal);
      if (kind) matches.push({ start: index, end: index + literal.length, kind });
    }
    return mergeMatches(removeMatchesInIds(text, excludeRanges(findPlaceholderRanges(text), matches), true));
  }

  /** Whether a value with white space may continue after the end of this text. */
  hasPartialMatch(text: string): boolean {
    return this.#prefixesBeforeSpace.some((prefix) => text.includes(prefix));
  }
}

/** A limit on memory; a text with more is a list of secrets. */
const MAX_SECRET_VALUES = 5_000;
const VALUE_PREFIX_CHARS = 4;

function isDistinctive(value: string): boolean {
  return value.length >= 40 || isRandom(value) || (value.length >= 12 && /\d/.test(value) && isLikelyPassword(value));
}

/** Options for a `Vault`. */
export interface VaultOptions {
  /** A keyed hash with at least twelve lowercase hexadecimal digits; keyed, so that values cannot be guessed from their placeholders. */
  readonly digest: (value: string) => string;
  readonly environment?: EnvironmentVariables;
  /** Variables whose values always count as secrets. */
  readonly variableNames?: readonly string[];
  /** Keys that the program uses, such as those of model providers. They count as secrets whatever their names and shapes. */
  readonly keys?: readonly EnvironmentSecret[];
}

/** A secret that was redacted. */
export interface SecretFinding {
  /** The kind of secret, or the name of its variable; for display. */
  readonly family: string;
  readonly placeholder: string;
}

/** Redacts secrets with placeholders and restores them; the same secret always gets the same placeholder. */
export class Vault implements Redaction {
  readonly #options: VaultOptions;
  readonly #secretValues = new SecretValueMatcher();
  readonly #placeholders: PlaceholderTable;
  readonly #cleanObjects = new WeakSet<object>();
  readonly #reportedPlaceholders = new Set<string>();
  /** Values of the environment without a placeholder; their digests are computed on demand. */
  readonly #pendingValues = new Map<string, SecretKind>();
  #findings: SecretFinding[] = [];
  #isEnvironmentLoaded = false;

  constructor(options: VaultOptions) {
    this.#options = options;
    this.#placeholders = new PlaceholderTable(options.digest);
  }

  /** Replaces the secrets in all strings of a value; returns the same value if there are none. */
  redact<Value>(value: Value): Value {
    this.#loadEnvironment();
    const text = (each: string, key: string | null): string => this.#redactText(each, key);
    return mapStrings(value, {
      mapString: text,
      isProtected: isProtectedField,
      shouldDrop: isSignedThinking,
      cleanObjects: this.#cleanObjects,
    }) as Value;
  }

  /** Redacts one chunk of a longer text; `keyState` comes from the result of the previous chunk. */
  redactChunk(text: string, { keyState: key }: Pick<RedactChunkResult, "keyState">): RedactChunkResult {
    this.#loadEnvironment();
    const result = scanForSecrets(text, { keyState: key });
    const matches = mergeMatches([...result.matches, ...this.#secretValues.findMatches(text)]);
    return { text: matches.length === 0 ? text : this.#replaceMatches(text, matches), keyState: result.keyState };
  }

  /** Creates a stream that redacts text in chunks. */
  stream(): RedactionStream {
    return new RedactionStream(this);
  }

  /** Whether a known secret may continue after the end of the text. */
  mayContinue(text: string): boolean {
    this.#loadEnvironment();
    return this.#secretValues.hasPartialMatch(text);
  }

  /**
   * Replaces placeholders with their secrets, or returns the unknown placeholders. Unknown placeholders that occur in `sourceText`, such as
   * examples in a document, are literal text.
   */
  restore<Value>(
    value: Value,
    { sourceText = "" }: { readonly sourceText?: string } = {},
  ): RestoreSecretsResult<Value> {
    this.#loadEnvironment();
    const firstResult = this.#placeholders.restore(value, sourceText);
    if (firstResult.type === "restored" || this.#pendingValues.size === 0) return firstResult;
    for (const [secret, kind] of this.#pendingValues) this.#assignPlaceholder(secret, kind);
    this.#pendingValues.clear();
    return this.#placeholders.restore(value, sourceText);
  }

  /** Lists the distinct placeholders in a value, known or not. */
  listPlaceholders(value: unknown): readonly string[] {
    const results = new Set<string>();
    const text = (each: string): string => {
      for (const placeholder of each.match(PLACEHOLDER_PATTERN) ?? []) results.add(placeholder);
      return each;
    };
    mapStrings(value, { mapString: text });
    return [...results];
  }

  /** Adds the secrets in a text that is not redacted itself, such as one of the user's files. */
  learn(text: string): void {
    this.#loadEnvironment();
    for (const { start, end, kind } of scanForSecrets(text).matches)
      this.#assignPlaceholder(text.slice(start, end), kind);
  }

  /** Adds a key that became known after the start, such as one that the user has just entered. The name is for display. */
  addKey(name: string, value: string): void {
    this.#loadEnvironment();
    this.#addValues(collectKeyValues({ name, value }));
  }

  /** Returns the secrets redacted since the last call, each reported once. */
  takeFindings(): readonly SecretFinding[] {
    const results = this.#findings;
    this.#findings = [];
    return results;
  }

  #redactText(text: string, key: string | null): string {
    if (text.length < MIN_SECRET_CHARS) return text;
    if (key !== null && text.length <= MAX_FIELD_SECRET_CHARS && isSecretField(key) && isRandom(text) && !isId(text))
      return this.#usePlaceholder(text, classifySecret(text) ?? FIELD_SECRET_KIND);
    const matches = mergeMatches([...scanForSecrets(text).matches, ...this.#secretValues.findMatches(text)]);
    if (matches.length === 0) return text;
    const redactedText = this.#replaceMatches(text, matches);
    // A value found by its name may occur again without the name.
    return this.#replaceMatches(redactedText, this.#secretValues.findMatches(redactedText));
  }

  #replaceMatches(text: string, matches: readonly SecretMatch[]): string {
    return replaceMatches(text, matches, ({ start, end, kind }) => this.#usePlaceholder(text.slice(start, end), kind));
  }

  #usePlaceholder(text: string, kind: SecretKind): string {
    const placeholder = this.#assignPlaceholder(kind.value ?? text, kind);
    if (!this.#reportedPlaceholders.has(placeholder)) this.#findings.push({ family: kind.name, placeholder });
    this.#reportedPlaceholders.add(placeholder);
    return placeholder;
  }

  #assignPlaceholder(secret: string, kind: SecretKind): string {
    const existing = this.#placeholders.get(secret);
    if (existing !== undefined) return existing;
    this.#secretValues.add(secret, kind);
    return this.#placeholders.assign(secret, kind.id);
  }

  /** Reads the environment on first use, not at program start. */
  #loadEnvironment(): void {
    if (this.#isEnvironmentLoaded) return;
    this.#isEnvironmentLoaded = true;
    const { environment = {}, variableNames = [], keys = [] } = this.#options;
    this.#addValues(collectEnvironmentValues(environment, variableNames));
    this.#addValues(keys.flatMap(collectKeyValues));
  }

  #addValues(values: readonly EnvironmentValue[]): void {
    for (const { text, kind, isListed } of values) {
      this.#secretValues.add(text, kind, { isListed });
      if (kind.value === undefined && !this.#pendingValues.has(text)) this.#pendingValues.set(text, kind);
    }
  }
}

/** Shorter values cannot be told from ordinary words. */
const MIN_SECRET_CHARS = 6;
const MAX_FIELD_SECRET_CHARS = 512;
const FIELD_SECRET_KIND: SecretKind = { id: "assigned", name: "secret assigned to a name" };

/** `key` is the field that contains the text; null at the top and in a list. */
type StringMapper = (text: string, key: string | null) => string;

interface MapStringsOptions {
  readonly mapString: StringMapper;
  /** Whether a field is skipped. */
  readonly isProtected?: (key: string, object: PlainFields) => boolean;
  /** Whether a changed item is removed from its list. */
  readonly shouldDrop?: (mapped: unknown, original: unknown) => boolean;
  /** Objects that are already mapped and need no second pass. */
  readonly cleanObjects?: WeakSet<object>;
}

type PlainFields = Readonly<Record<string, unknown>>;

/** Maps all strings in a value, including object keys. */
function mapStrings(value: unknown, options: MapStringsOptions, key: string | null = null): unknown {
  if (typeof value === "string") return options.mapString(value, key);
  if (typeof value !== "object" || value === null || options.cleanObjects?.has(value)) return value;
  // Bytes and dates contain no strings.
  if (!Array.isArray(value) && !isPlainFields(value)) return value;
  const mapped = Array.isArray(value) ? mapListStrings(value, options) : mapFieldStrings(value as PlainFields, options);
  if (typeof mapped === "object" && mapped !== null) options.cleanObjects?.add(mapped);
  return mapped;
}

function mapListStrings(value: readonly unknown[], options: MapStringsOptions): readonly unknown[] {
  let copy: unknown[] | null = null;
  for (const [index, item] of value.entries()) {
    const mapped = mapStrings(item, options);
    if (mapped === item) {
      copy?.push(item);
      continue;
    }
    copy ??= value.slice(0, index);
    if (!options.shouldDrop?.(mapped, item)) copy.push(mapped);
  }
  return copy ?? value;
}

function mapFieldStrings(value: PlainFields, options: MapStringsOptions): PlainFields {
  let isUnchanged = true;
  const mappedFields = Object.entries(value).map(([key, fieldValue]): [string, unknown] => {
    if (options.isProtected?.(key, value)) return [key, fieldValue];
    const mappedKey = options.mapString(key, null);
    const mappedValue = mapStrings(fieldValue, options, key);
    isUnchanged &&= mappedKey === key && mappedValue === fieldValue;
    return [mappedKey, mappedValue];
  });
  return isUnchanged ? value : Object.fromEntries(mappedFields);
}

function isPlainFields(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
