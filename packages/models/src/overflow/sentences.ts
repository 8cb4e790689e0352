/** Splits text into normalised sentences without quotations, and recognises overflow and rate-limit codes. */

/** The code of z.ai. */
const numericOverflowCodes: ReadonlySet<string> = new Set(["1261"]);
const contextWords = ["context", "prompt", "input"];
const excessWords = ["exceed", "overflow", "toolong", "toolarge"];
/** A code with one of these words is about another limit. */
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

/** Codes are compared without case and separators. */
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

/** A fast path: a hostile text may be full of numbers. */
const DIGITS_PATTERN = /^\d{1,15}$/;

/** Upper case first: some letters become equal only that way, and the result must not depend on the original case. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}

/** Normalises a word or number of a case-folded text to one or two words. */
function normalizeWord(piece: string): readonly string[] {
  if (!startsWithDigit(piece)) return [spellings.get(piece) ?? piece];
  if (DIGITS_PATTERN.test(piece)) return [piece];
  const word = /^\d+\.\d+[km]$/.test(piece) ? piece : piece.replace(/[.,\s]/g, "");
  const [, amount, unit] = /^(\d+)(kb|mb|gb|kib|mib|px|bytes)$/.exec(word) ?? [];
  return amount && unit ? [amount, "mb"] : [word];
}

/** Parses a number: `200000`, `200_000`, `256k`, `32.8k`, `1m`. */
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
      // Thousands separated by spaces. `400 413` are two numbers, since libraries put the status in front.
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
/** Longer texts between single quotes are not quotations. */
const MAX_SINGLE_QUOTE_LENGTH = 200;
const statusPrefixes = new Set(["error", "code", "status", "http", "rejected"]);

/** Expects case-folded text. */
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

/** Pads phrases with spaces for `includesPhrase`. */
export function padPhrases(...lists: readonly (readonly string[])[]): readonly string[] {
  return lists.flat().map((phrase) => ` ${phrase} `);
}

export function includesPhrase({ line }: Sentence, paddedPhrases: readonly string[]): boolean {
  return paddedPhrases.some((phrase) => line.includes(phrase));
}

/** Whether the word is a status that a library put in front: `429 status code (no body)`, `Error code: 400 - …`. */
export function isStatusAt(words: readonly string[], at: number): boolean {
  if (!/^[45]\d\d$/.test(words[at] ?? "") || words[at + 1] === "token") return false;
  return at === 0 || statusPrefixes.has(words[at - 1] ?? "");
}

/**
 * Removes quotations, which repeat a user, a model or a field. Single words between backticks or single quotes stay, since
 * they name parameters.
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

/** Finds closing quotes from left to right. A closing single quote must be near, since most are apostrophes. */
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
