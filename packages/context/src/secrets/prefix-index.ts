/** Indexes the prefixes of all secret patterns, so that a text is searched for all of them at once. Built on first use. */

import type { SecretPattern } from "./matches.ts";
import { secretPatterns } from "./patterns.ts";

export interface LiteralMatch {
  readonly literal: string;
  readonly index: number;
}

/** Searches for many literals at once. A rolling hash of three characters decides where one may start. */
export class LiteralMatcher {
  /** The group by the hash of the first three characters; 0 for none. */
  readonly #groupByHash = new Uint16Array(HASH_MASK + 1);
  readonly #groups: LiteralGroup[][] = [[]];

  /** Each literal has at least three characters. */
  constructor(literals: Iterable<string> = []) {
    for (const literal of literals) this.add(literal);
  }

  add(literal: string): void {
    let hash = 0;
    for (let index = 0; index < 3; index += 1) hash = ((hash << HASH_SHIFT) ^ literal.charCodeAt(index)) & HASH_MASK;
    this.#groupByHash[hash] ||= this.#groups.push([]) - 1;
    addLiteral(this.#groups[this.#groupByHash[hash] ?? 0] ?? [], literal);
  }

  /** The first match at or after `from`; of several at one index the longest. */
  findNext(text: string, from: number): LiteralMatch | null {
    const groupByHash = this.#groupByHash;
    const end = text.length;
    let hash = 0;
    for (let index = from; index < end; index += 1) {
      hash = ((hash << HASH_SHIFT) ^ text.charCodeAt(index)) & HASH_MASK;
      if (groupByHash[hash] === 0) continue;
      const literal = index - from < 2 ? undefined : this.#matchLiteral(text, index - 2, hash);
      if (literal !== undefined) return { literal, index: index - 2 };
    }
    return null;
  }

  #matchLiteral(text: string, index: number, hash: number): string | undefined {
    for (const { length, literals } of this.#groups[this.#groupByHash[hash] ?? 0] ?? []) {
      const match = literals.get(text.slice(index, index + length))?.find((literal) => text.startsWith(literal, index));
      if (match !== undefined) return match;
    }
    return undefined;
  }
}

/** Literals of one length, or of any length above the maximum, by their first characters: thousands may share the first three. */
interface LiteralGroup {
  readonly length: number;
  readonly literals: Map<string, readonly string[]>;
}

const MAX_COMPARED_CHARS = 64;

function addLiteral(groups: LiteralGroup[], literal: string): void {
  const length = Math.min(literal.length, MAX_COMPARED_CHARS);
  const group = groups.find((candidate) => candidate.length === length) ?? { length, literals: new Map() };
  if (!groups.includes(group)) groups.push(group);
  const prefix = literal.slice(0, length);
  group.literals.set(prefix, [...(group.literals.get(prefix) ?? []), literal].sort(compareLongestFirst));
  groups.sort(compareLongestFirst);
}

function compareLongestFirst(one: { readonly length: number }, other: { readonly length: number }): number {
  return other.length - one.length;
}

// A character is shifted out of the hash after three more.
const HASH_SHIFT = 5;
const HASH_MASK: number = (1 << (3 * HASH_SHIFT)) - 1;

export interface PatternMatcher {
  readonly secretPattern: SecretPattern;
  /** Matches at the start of the secret; compiled on first use. */
  readonly regExp: () => RegExp;
}

interface PrefixIndex {
  readonly literals: LiteralMatcher;
  /** The patterns that a prefix may belong to, the most likely first. */
  readonly findMatchers: (prefix: string) => readonly PatternMatcher[];
}

export function getPrefixIndex(): PrefixIndex {
  prefixIndexCache ??= buildPrefixIndex();
  return prefixIndexCache;
}

let prefixIndexCache: PrefixIndex | null = null;

/** The start of the header and footer lines of a private key. */
export const KEY_HEADER_PREFIX = "-----BEGIN ";
export const KEY_FOOTER_PREFIX = "-----END ";

function buildPrefixIndex(): PrefixIndex {
  const matchersByPrefix = new Map<string, PatternMatcher[]>();
  for (const secretPattern of secretPatterns) {
    let regExp: RegExp | null = null;
    const matcher = {
      secretPattern,
      regExp: () => (regExp ??= new RegExp(withEncodedCharacters(secretPattern.pattern), "dy")),
    };
    for (const prefix of secretPattern.prefixes)
      matchersByPrefix.set(prefix, [...(matchersByPrefix.get(prefix) ?? []), matcher]);
  }
  return {
    literals: new LiteralMatcher([...matchersByPrefix.keys(), KEY_HEADER_PREFIX, KEY_FOOTER_PREFIX]),
    findMatchers: createMatcherLookup(matchersByPrefix),
  };
}

/** Makes a pattern also match the URL-encoded forms `%2B`, `%2F` and `%3D` of `+`, `/` and `=` in classes and before counts. */
function withEncodedCharacters(pattern: string): string {
  return pattern.replace(/\\.|=(?=\{)|\[(?!\^)((?:\\.|[^\]\\])*)\]/g, (part, characters: string = part) => {
    if (part.startsWith("\\") || characters.includes("%")) return part;
    const encoded = Object.entries(URL_ENCODED_FORMS).flatMap(([character, form]) =>
      characters.includes(character) ? [form] : [],
    );
    return encoded.length === 0 ? part : `(?:${part}|%(?:${encoded.join("|")}))`;
  });
}

const URL_ENCODED_FORMS: Readonly<Record<string, string>> = { "+": "2[Bb]", "/": "2[Ff]", "=": "3[Dd]" };

/** If one prefix starts with another, only the longer is found, so the patterns of the shorter one are added after its own. */
function createMatcherLookup(
  matchersByPrefix: ReadonlyMap<string, readonly PatternMatcher[]>,
): PrefixIndex["findMatchers"] {
  const cache = new Map<string, readonly PatternMatcher[]>();
  return (prefix) => {
    const cached = cache.get(prefix);
    if (cached) return cached;
    const shorterPrefixes = Array.from({ length: prefix.length }, (_, offset) =>
      prefix.slice(0, prefix.length - offset),
    );
    const matchers = [...new Set(shorterPrefixes.flatMap((candidate) => matchersByPrefix.get(candidate) ?? []))];
    cache.set(prefix, matchers);
    return matchers;
  };
}
