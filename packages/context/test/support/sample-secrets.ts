/** Generates random secrets for every pattern, so that the repository contains none. */

import type { SecretPattern } from "../../src/secrets/matches.ts";
import { secretPatterns } from "../../src/secrets/patterns.ts";
import { isVaried } from "../../src/secrets/randomness.ts";
import type { RandomSource } from "./seeded-random.ts";

/** Generates a text that matches a pattern with groups, alternatives, classes and counts; lookaheads are ignored. `group` is the text of its group. */
function sampleFromPattern(
  pattern: string,
  random: RandomSource,
): { readonly text: string; readonly group: string | null } {
  const sampler = new PatternSampler(pattern, random);
  const text = sampler.sampleAlternatives();
  return { text, group: sampler.group };
}

class PatternSampler {
  readonly #pattern: string;
  readonly #random: RandomSource;
  #index = 0;
  group: string | null = null;

  constructor(pattern: string, random: RandomSource) {
    this.#pattern = pattern;
    this.#random = random;
  }

  /** Generates all alternatives and returns one. */
  sampleAlternatives(): string {
    const result = [this.#sampleSequence()];
    while (this.#currentChar === "|") {
      this.#index += 1;
      result.push(this.#sampleSequence());
    }
    return result[this.#randomInt(result.length)] ?? "";
  }

  get #currentChar(): string {
    return this.#pattern.charAt(this.#index);
  }

  #randomInt(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #sampleSequence(): string {
    let result = "";
    while (this.#currentChar !== "" && this.#currentChar !== "|" && this.#currentChar !== ")") {
      const start = this.#index;
      const first = this.#sampleAtom();
      const times = this.#sampleCount();
      const end = this.#index;
      result += times > 0 ? first : "";
      for (let repeat = 1; repeat < times; repeat += 1) {
        this.#index = start;
        result += this.#sampleAtom();
      }
      this.#index = end;
    }
    return result;
  }

  #sampleAtom(): string {
    if (this.#currentChar === "(") return this.#sampleGroup();
    if (this.#currentChar === "[") return this.#sampleClass();
    const char = this.#readChar();
    return char.length === 1 ? char : (char[this.#randomInt(char.length)] ?? "");
  }

  #sampleGroup(): string {
    const [opening = "("] = /^\((?:\?[:!=])?/.exec(this.#pattern.slice(this.#index)) ?? [];
    this.#index += opening.length;
    const result = this.sampleAlternatives();
    this.#index += 1;
    if (opening === "(") this.group = result;
    return opening === "(?!" || opening === "(?=" ? "" : result;
  }

  #sampleClass(): string {
    this.#index += 1;
    const isNegated = this.#currentChar === "^";
    if (isNegated) this.#index += 1;
    let classChars = "";
    while (this.#currentChar !== "]") classChars += this.#readRange();
    this.#index += 1;
    const candidates = isNegated
      ? Array.from(SAMPLE_CHARS).filter((char) => !classChars.includes(char))
      : Array.from(classChars);
    return candidates[this.#randomInt(candidates.length)] ?? "";
  }

  #readRange(): string {
    const first = this.#readChar();
    if (this.#currentChar !== "-" || this.#pattern.charAt(this.#index + 1) === "]") return first;
    this.#index += 1;
    const last = this.#readChar();
    const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)];
    return Array.from({ length: to - from + 1 }, (_, offset) => String.fromCharCode(from + offset)).join("");
  }

  /** Reads one character, or all characters of an escape class. */
  #readChar(): string {
    const char = this.#currentChar;
    this.#index += 1;
    if (char !== "\\") return char;
    const escapeChar = this.#currentChar;
    this.#index += 1;
    return ESCAPE_CLASS_CHARS[escapeChar] ?? escapeChar;
  }

  #sampleCount(): number {
    const [count, min, comma, max] = /^\{(\d+)(,?)(\d*)\}/.exec(this.#pattern.slice(this.#index)) ?? [];
    if (count !== undefined) {
      this.#index += count.length;
      const from = Number(min);
      const to = max ? Math.min(Number(max), from + MAX_EXTRA_REPEATS) : from + (comma ? MAX_EXTRA_REPEATS : 0);
      return from + this.#randomInt(to - from + 1);
    }
    if (this.#currentChar !== "?") return 1;
    this.#index += 1;
    return this.#randomInt(2);
  }
}

const MAX_EXTRA_REPEATS = 6;
const ASCII_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ASCII_DIGITS = "0123456789";
const SAMPLE_CHARS = `${ASCII_LETTERS}${ASCII_DIGITS}!#%&()*+,-.;=?^_|~`;
const ESCAPE_CLASS_CHARS: Readonly<Record<string, string>> = {
  w: `${ASCII_LETTERS}${ASCII_DIGITS}_`,
  d: ASCII_DIGITS,
  s: " ",
  t: " ",
  n: "\n",
};

export interface SampleSecret {
  readonly patternId: string;
  /** The secret with its context. */
  readonly text: string;
  readonly secret: string;
}

/** Generates secrets for all patterns in turn. */
export function createSampleSecrets(count: number, random: RandomSource): readonly SampleSecret[] {
  return Array.from({ length: count }, (_, index) => {
    const pattern = secretPatterns[index % (secretPatterns.length + 1)];
    return pattern ? createSampleSecret(pattern, random) : createSamplePrivateKey(random);
  });
}

function createSampleSecret(pattern: SecretPattern, random: RandomSource): SampleSecret {
  const sampleSecret =
    SAMPLERS_BY_PATTERN[pattern.id] ??
    ((randomSource: RandomSource) => sampleFromPattern(pattern.pattern, randomSource));
  const { isLikely = isVaried } = pattern;
  for (let attempt = 0; attempt < MAX_SAMPLE_ATTEMPTS; attempt += 1) {
    const { text, group } = sampleSecret(random);
    const secret = group ?? text;
    if (isLikely(secret) && pattern.prefixes.some((prefix) => text.includes(prefix)))
      return { patternId: pattern.id, text: `${TEXT_BEFORE_SAMPLE[pattern.id] ?? ""}${text}`, secret };
  }
  throw new Error(`no ${pattern.name} was generated in ${MAX_SAMPLE_ATTEMPTS} attempts`);
}

const MAX_SAMPLE_ATTEMPTS = 1_000;

type SecretSampler = (random: RandomSource) => { readonly text: string; readonly group: string | null };

/** Samplers for patterns that need valid content or context. */
const SAMPLERS_BY_PATTERN: Readonly<Record<string, SecretSampler>> = {
  jwt: (random) => ({
    text: `${btoa('{"alg":"HS256","typ":"JWT"}').replaceAll("=", "")}.eyJ${sampleChars(40, random)}.${sampleChars(43, random)}`,
    group: null,
  }),
  dockerlogin: (random) => {
    const group = sampleLogin(random);
    return { text: `"auth": "${group}"`, group };
  },
  basic: (random) => {
    const group = sampleLogin(random);
    return { text: `Authorization: Basic ${group}`, group };
  },
  aws: (random) => {
    const group = sampleFromPattern("[A-Za-z0-9+/]{40}", random).text;
    return { text: `aws_secret_access_key = ${group}`, group };
  },
  awssession: (random) => {
    const group = sampleFromPattern("[A-Za-z0-9+/]{200}", random).text;
    return { text: `AWS_SESSION_TOKEN="${group}"`, group };
  },
  azure: (random) => {
    const group = sampleFromPattern("[A-Za-z0-9+/]{86}==", random).text;
    return { text: `AccountName=a;AccountKey=${group};EndpointSuffix=b`, group };
  },
  flagged: (random) => {
    const group = sampleChars(28, random);
    return { text: `deploy --api-token ${group}`, group };
  },
  assigned: (random) => {
    const group = sampleChars(28, random);
    return { text: `DB_PASSWORD=${group}`, group };
  },
};

/** Text before samples whose prefix is only the end of a name. */
const TEXT_BEFORE_SAMPLE: Readonly<Record<string, string>> = {
  login: "machine host login me p",
  urlpassword: "postgres",
  bearer: "authorization: B",
};

function createSamplePrivateKey(random: RandomSource): SampleSecret {
  const secret = sampleChars(64, random);
  const markerLine = (word: string): string => `-----${word} RSA PRIVATE ${"KEY"}-----`;
  return {
    patternId: "privatekey",
    text: `${markerLine("BEGIN")}\n${secret}\n${sampleChars(20, random)}==\n${markerLine("END")}`,
    secret,
  };
}

function sampleLogin(random: RandomSource): string {
  return btoa(`robot:${sampleChars(24, random)}`);
}

function sampleChars(count: number, random: RandomSource): string {
  return sampleFromPattern(`[A-Za-z0-9]{${count}}`, random).text;
}
