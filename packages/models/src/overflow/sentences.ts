/** Splits text into normalised sentences without quotations, and recognises overflow and rate-limit codes. */

/** z.ai numbers it. */
const numericOverflowCodes: ReadonlySet<string> = new Set(["1261"]);
const contextWords = ["context", "prompt", "input"];
const excessWords = ["exceed", "overflow", "toolong", "toolarge"];
/** What else may be exceeded: a name with one of these is about something else. */
const unrelatedWords = ["rate", "quota", "minute", "image", "file", "output", "deadline", "time", "schema"];

/** `context_length_exceeded`, `ContextWindowExceededError`, `exceed_context_size_error`, `prompt_too_long` … */
export function isOverflowCode(code: string): boolean {
  const name = normalizeCode(code);
  if (numericOverflowCodes.has(name)) return true;
  if (name.length > 60 || unrelatedWords.some((word) => name.includes(word))) return false;
  return contextWords.some((word) => name.includes(word)) && excessWords.some((word) => name.includes(word));
}

/** `rate_limit_exceeded`, `ThrottlingException`, `RESOURCE_EXHAUSTED` … */
export function isRateLimitCode(code: string): boolean {
  const name = normalizeCode(code);
  return ["ratelimit", "throttl", "toomanyrequests", "resourceexhausted"].some((word) => name.includes(word));
}

/** Codes are compared without case and without what stands between their words. */
export function normalizeCode(code: string): string {
  return code.toLowerCase().replace(/[^a-z0-9]/g, "");
}

const pluralWords = [
  "token",
  "prompt",
  "input",
  "message",
  "context",
  "conversation",
  "limit",
  "length",
  "image",
  "file",
];
const spellings: ReadonlyMap<string, string> = new Map([
  ...pluralWords.map((word) => [`${word}s`, word] as const),
  ...["exceeds", "exceeded", "exceeding", "surpasses", "surpassed"].map((word) => [word, "exceed"] as const),
  ...["overflows", "overflowed", "overflowing"].map((word) => [word, "overflow"] as const),
  ...["maximum", "maximal"].map((word) => [word, "max"] as const),
  ...["history", "chat", "dialogue", "transcript"].map((word) => [word, "conversation"] as const),
  ...["big", "huge"].map((word) => [word, "large"] as const),
  ...["characters", "chars", "char"].map((word) => [word, "character"] as const),
  ...["kb", "gb", "kib", "mib", "bytes", "byte", "megabytes", "pixels", "px"].map((word) => [word, "mb"] as const),
]);

/** The usual case, told without taking the word apart: a hostile text is full of numbers. */
const DIGITS_PATTERN = /^\d{1,15}$/;

/** Upper case first: some letters fall together only that way, and the result must not depend on the case it came in. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}

/** A word or number of a folded text, as one or two words. */
export function normalizeWord(piece: string): readonly string[] {
  if (!startsWithDigit(piece)) return [spellings.get(piece) ?? piece];
  if (DIGITS_PATTERN.test(piece)) return [piece];
  const word = /^\d+\.\d+[km]$/.test(piece) ? piece : piece.replace(/[.,\s]/g, "");
  const [, amount, unit] = /^(\d+)(kb|mb|gb|kib|mib|px|bytes)$/.exec(word) ?? [];
  return amount && unit ? [amount, "mb"] : [word];
}

/** The number a word stands for: `200000`, `200_000`, `256k`, `32.8k`, `1m`. */
export function parseNumber(word: string): number | null {
  if (!startsWithDigit(word)) return null;
  if (DIGITS_PATTERN.test(word)) return Number(word);
  const [, amount = "", unit = ""] = /^(\d[\d_]{0,14}(?:\.\d{1,6}(?=[km]))?)([km]?)$/.exec(word) ?? [];
  if (amount === "") return null;
  return Math.round(Number(amount.replaceAll("_", "")) * (unit === "k" ? 1_000 : unit === "m" ? 1_000_000 : 1));
}

function startsWithDigit(word: string): boolean {
  const first = word.charCodeAt(0);
  return first >= 48 && first <= 57;
}

export interface Sentence {
  readonly words: readonly string[];
  /** The words with one space around each, so that a phrase is found by `includes(" phrase ")`. */
  readonly line: string;
}

let cachedTokenPattern: RegExp | null = null;
const tokenPattern = (): RegExp => {
  cachedTokenPattern ??= new RegExp(
    [
      /\d{1,3}(?:[.,\u00a0\u202f]\d{3})+(?![\d.]*\d)/,
      // With a space between the thousands; but `400 413` are two, as libraries put the status in front.
      /(?<![\d.,] ?)(?![45]\d\d (?!000))\d{1,3}(?: \d{3})+(?! ?\d)/,
      /\d{1,6}\.\d{1,6}[km]\b/,
      /(?<![\p{L}\p{N}_])-\d{1,9}\b/u,
      /[\p{L}\p{N}_]+/u,
      /(?<![-=])[<>]+=?/,
      /[.!?;](?=\s|$)/,
    ]
      .map(({ source }) => source)
      .join("|"),
    "gu",
  );
  return cachedTokenPattern;
};
/** A single quote between letters is an apostrophe. */
const openingQuotePattern = (): RegExp => /["`]|(?<![\p{L}\p{N}_])'(?=[\p{L}\p{N}_])/gu;
const TAG_PATTERN = /<[a-z/!][^<>]*>/g;
/** A quotation in single quotes is hardly longer. */
const MAX_SINGLE_QUOTE_LENGTH = 200;
const statusPrefixes = new Set(["error", "code", "status", "http", "rejected"]);

/** The text is folded. */
export function splitSentences(text: string): readonly Sentence[] {
  const sentences: string[][] = [[]];
  for (const piece of removeQuotations(text.replace(TAG_PATTERN, " ")).match(tokenPattern()) ?? []) {
    if (".!?;".includes(piece)) sentences.push([]);
    else sentences.at(-1)?.push(...normalizeWord(piece));
  }
  return sentences.filter((words) => words.length > 0).map(createSentence);
}

export function createSentence(words: readonly string[]): Sentence {
  return { words, line: ` ${words.join(" ")} ` };
}

/** Phrases to look for, ready for `says`. */
export function padPhrases(...lists: readonly (readonly string[])[]): readonly string[] {
  return lists.flat().map((phrase) => ` ${phrase} `);
}

export function includesPhrase({ line }: Sentence, paddedPhrases: readonly string[]): boolean {
  return paddedPhrases.some((phrase) => line.includes(phrase));
}

/** Libraries put the status in front: `429 status code (no body)`, `Error code: 400 - …`. */
export function isStatusAt(words: readonly string[], at: number): boolean {
  if (!/^[45]\d\d$/.test(words[at] ?? "") || words[at + 1] === "token") return false;
  return at === 0 || statusPrefixes.has(words[at - 1] ?? "");
}

/**
 * Quotation marks hold what somebody else said: a user, a model, a field. Only single words between backticks or single
 * quotes stay, for they name parameters.
 */
function removeQuotations(text: string): string {
  const plain = text.replace(/[“”«»]/g, '"').replace(/[‘’]/g, "'");
  const closingQuote = createClosingQuoteFinder(plain);
  let result = "";
  let position = 0;
  for (const { index: at } of plain.matchAll(openingQuotePattern())) {
    if (at < position) continue;
    const end = closingQuote(at);
    if (end < 0 && plain[at] === '"') return result + plain.slice(position, at);
    if (end < 0) continue;
    result += `${plain.slice(position, at)} ${plain[at] === '"' ? "" : parameterName(plain.slice(at + 1, end))} `;
    position = end + 1;
  }
  return result + plain.slice(position);
}

/** Single quotes are looked for nearby only: most of them are apostrophes. To be asked from left to right. */
function createClosingQuoteFinder(text: string): (at: number) => number {
  const closing = /'(?![\p{L}\p{N}_])/gu;
  let next = -1;
  return (at) => {
    const mark = text[at] ?? "";
    if (mark !== "'") return text.indexOf(mark, at + 1);
    closing.lastIndex = at + 1;
    if (next <= at) next = closing.exec(text)?.index ?? Number.POSITIVE_INFINITY;
    return next - at > MAX_SINGLE_QUOTE_LENGTH ? -1 : next;
  };
}

function parameterName(quoted: string): string {
  return quoted.includes(" ") || (quoted.length > 12 && isOverflowCode(quoted)) ? "" : quoted;
}
