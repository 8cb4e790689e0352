/** Replaces secrets by placeholders, and restores them for tools alone. Nothing in the vault is ever written. */

import type { Redaction } from "../session/session.ts";
import { collectEnvironmentValues, type EnvironmentVariables, isSecretField } from "./environment.ts";
import { isHandle, removeMatchesInHandles } from "./handles.ts";
import { isProtectedField, isSignedThinking, mapStrings } from "./map-strings.ts";
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
import { isLikelyPassword, isRandom } from "./pattern.ts";
import { LiteralMatcher } from "./prefix-index.ts";
import { type RedactChunkResult, RedactionStream } from "./redact-stream.ts";
import { classifySecret, scanForSecrets } from "./scan.ts";

export type RestoreSecretsResult<Value> =
  | { readonly type: "restored"; readonly value: Value }
  | { readonly type: "unknown"; readonly placeholders: readonly string[] };

/** The placeholders that were given, and their secrets. Held in memory alone. */
export class PlaceholderTable {
  readonly #digest: (value: string) => string;
  readonly #bySecret = new Map<string, string>();
  readonly #byDigits = new Map<string, string>();

  constructor(digest: (value: string) => string) {
    this.#digest = digest;
  }

  /** Undefined where it has none yet. */
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

  /** What looks like a placeholder in `own` stands for itself, unless one was given that is the same. */
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

/** What is left of whole ones is looked at apart, so that nothing grows together. */
function findPartialPlaceholders(text: string): readonly string[] {
  return text.replace(PLACEHOLDER_PATTERN, " ").match(PARTIAL_PLACEHOLDER_PATTERN) ?? [];
}

/** Finds values that were met before, also without the name that gave them away. */
export class SecretValueMatcher {
  readonly #kindByValue = new Map<string, SecretKind>();
  /** How those begin that have white space in them: letters that no space comes before. */
  readonly #prefixesBeforeSpace: string[] = [];
  readonly #literals = new LiteralMatcher();

  /** What could be a common word is not looked for by itself, unless the user says so. */
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
    // From letter to letter: one may begin within another and end behind it.
    for (let match = this.#literals.findNext(text, 0); match; match = this.#literals.findNext(text, match.index + 1)) {
      const { literal, index } = match;
      const kind = this.#kindByValue.get(literal);
      if (kind) matches.push({ start: index, end: index + literal.length, kind });
    }
    return mergeMatches(removeMatchesInHandles(text, excludeRanges(findPlaceholderRanges(text), matches), true));
  }

  /** Whether one of them may have begun where this text ends, so that more must be heard first. */
  hasPartialMatch(text: string): boolean {
    return this.#prefixesBeforeSpace.some((prefix) => text.includes(prefix));
  }
}

/** Whoever meets more has a log of nothing else. */
const MAX_SECRET_VALUES = 5_000;
const VALUE_PREFIX_CHARS = 4;

function isDistinctive(value: string): boolean {
  return value.length >= 40 || isRandom(value) || (value.length >= 12 && /\d/.test(value) && isLikelyPassword(value));
}

export interface VaultOptions {
  /** At least twelve small hexadecimal digits; keyed, so that nobody can try values against it. */
  readonly digest: (value: string) => string;
  readonly environment?: EnvironmentVariables;
  /** Variables whose values are secrets whatever they look like. */
  readonly variableNames?: readonly string[];
}

export interface SecretFinding {
  /** What it is, for people: a family, or the variable that holds it. */
  readonly family: string;
  readonly placeholder: string;
}

export class Vault implements Redaction {
  readonly #options: VaultOptions;
  readonly #secretValues = new SecretValueMatcher();
  readonly #placeholders: PlaceholderTable;
  readonly #cleanObjects = new WeakSet<object>();
  readonly #reportedPlaceholders = new Set<string>();
  /** Of the environment: a digest is made where one is needed. */
  readonly #pendingValues = new Map<string, SecretKind>();
  #findings: SecretFinding[] = [];
  #isEnvironmentLoaded = false;

  constructor(options: VaultOptions) {
    this.#options = options;
    this.#placeholders = new PlaceholderTable(options.digest);
  }

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

  /** A piece of a text that comes in pieces; `key` as it came back with the piece before. */
  redactChunk(text: string, { keyState: key }: Pick<RedactChunkResult, "keyState">): RedactChunkResult {
    this.#loadEnvironment();
    const result = scanForSecrets(text, { keyState: key });
    const matches = mergeMatches([...result.matches, ...this.#secretValues.findMatches(text)]);
    return { text: matches.length === 0 ? text : this.#replaceMatches(text, matches), keyState: result.keyState };
  }

  /** For a text that comes in pieces. */
  stream(): RedactionStream {
    return new RedactionStream(this);
  }

  /** Whether a text has the beginning of something that may go on behind it. */
  mayContinue(text: string): boolean {
    this.#loadEnvironment();
    return this.#secretValues.hasPartialMatch(text);
  }

  /**
   * The value with what its placeholders stand for; or those of which nobody knows it. What looks like one in `own` stands
   * for itself: examples in somebody's documents.
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

  /** The whole placeholders that stand in a value, each once, whoever gave them. */
  listPlaceholders(value: unknown): readonly string[] {
    const results = new Set<string>();
    const text = (each: string): string => {
      for (const placeholder of each.match(PLACEHOLDER_PATTERN) ?? []) results.add(placeholder);
      return each;
    };
    mapStrings(value, { mapString: text });
    return [...results];
  }

  /** Takes in the secrets of a text that stands where it belongs, such as a file of the user. */
  learn(text: string): void {
    this.#loadEnvironment();
    for (const { start, end, kind } of scanForSecrets(text).matches)
      this.#assignPlaceholder(text.slice(start, end), kind);
  }

  /** What was found since this was asked last, each once. */
  takeFindings(): readonly SecretFinding[] {
    const results = this.#findings;
    this.#findings = [];
    return results;
  }

  #redactText(text: string, key: string | null): string {
    if (text.length < MIN_SECRET_CHARS) return text;
    if (
      key !== null &&
      text.length <= MAX_FIELD_SECRET_CHARS &&
      isSecretField(key) &&
      isRandom(text) &&
      !isHandle(text)
    )
      return this.#usePlaceholder(text, classifySecret(text) ?? FIELD_SECRET_KIND);
    const matches = mergeMatches([...scanForSecrets(text).matches, ...this.#secretValues.findMatches(text)]);
    if (matches.length === 0) return text;
    const redactedText = this.#replaceMatches(text, matches);
    // What its name gave away may stand there without it, too.
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

  /** The environment is looked at when something is first looked through, not when the program starts. */
  #loadEnvironment(): void {
    if (this.#isEnvironmentLoaded) return;
    this.#isEnvironmentLoaded = true;
    const { environment = {}, variableNames = [] } = this.#options;
    for (const { text, kind, isListed } of collectEnvironmentValues(environment, variableNames)) {
      this.#secretValues.add(text, kind, { isListed });
      if (kind.value === undefined && !this.#pendingValues.has(text)) this.#pendingValues.set(text, kind);
    }
  }
}

/** Nothing shorter is a secret that anybody could tell from a word. */
const MIN_SECRET_CHARS = 6;
const MAX_FIELD_SECRET_CHARS = 512;
const FIELD_SECRET_KIND: SecretKind = { id: "assigned", name: "secret behind a name" };
