/** Defines a family of secrets as data, and tests whether a text looks random or like a password. */

export interface SecretPattern {
  /** Stands in placeholders: small letters and digits. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /**
   * One of these stands at its beginning; a text that has none of all needles is looked at no further. Three letters at least,
   * and white space at the end alone: a stream passes whole words on.
   */
  readonly prefixes: readonly string[];
  /**
   * From the needle on, on one line; where it has a group, the group is the secret and the rest what gives it away. What could
   * go on without end is bounded, or made of letters before which no needle counts, so that looking takes as long as the text.
   */
  readonly pattern: string;
  /** The needle stands within: so many of these letters before it belong to the secret. */
  readonly lookbehind?: { readonly chars: RegExp; readonly maxChars: number };
  /** The needle may follow a letter: it is a part of a name, not the beginning of the secret. */
  readonly isWithinWords?: true;
  /** Counts only where no other family knows the secret better. */
  readonly isWeak?: true;
  /** What else must hold of the secret; that it is varied, unless said. */
  readonly isLikely?: (secret: string) => boolean;
}

/** Not a row of the same few letters, as examples have. */
export function isVaried(text: string): boolean {
  if (DUMMY_SECRET_PATTERN.test(text)) return false;
  return new Set(text.slice(0, MAX_VARIETY_CHARS)).size >= Math.min(10, Math.ceil(text.length / 3));
}

const MAX_VARIETY_CHARS = 100;
const DUMMY_SECRET_PATTERN =
  /x{6}|X{6}|0{8}|\*{3}|\.{3}|PITH_SECRET_|abcdefghij|0123456789|1234567890|[eE]xample[-_]?[kK]ey/;

/** Long, varied, without words in it: a name, a path, a sentence is none. */
export function isRandom(text: string): boolean {
  if (!isVaried(text)) return false;
  const alphanumerics = text.replace(/[^A-Za-z0-9]/g, "");
  const digits = alphanumerics.replace(/\D/g, "").length;
  if (alphanumerics.length < MIN_RANDOM_CHARS || digits === alphanumerics.length) return false;
  if (UUID_PATTERN.test(text) || HASH_NAME_OR_DATE.test(text)) return false;
  if (HEX_PATTERN.test(alphanumerics))
    return alphanumerics.length >= MIN_RANDOM_HEX_DIGITS && shannonEntropy(alphanumerics) >= 3;
  // Names of things have few digits and long words; what has hardly any digit must be the wilder in its letters.
  const maxMeanRun = digits >= 2 ? MAX_MEAN_RUN : MAX_MEAN_RUN_WITHOUT_DIGITS;
  return (
    shannonEntropy(alphanumerics) >= 3.3 &&
    longestWordLength(text) <= MAX_RANDOM_WORD_CHARS &&
    meanRunLength(alphanumerics) <= maxMeanRun
  );
}

const MIN_RANDOM_CHARS = 14;
const MIN_RANDOM_HEX_DIGITS = 32;
const HEX_PATTERN = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HASH_NAME_OR_DATE = /^(?:sha\d{3}|md5|\d{4}-\d\d-\d\d)/;

const MAX_RANDOM_WORD_CHARS = 16;
const MAX_MEAN_RUN = 3.6;
const MAX_MEAN_RUN_WITHOUT_DIGITS = 2.5;

function longestWordLength(text: string): number {
  return Math.max(0, ...(text.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []).map(({ length }) => length));
}

/** How long a stretch of one sort is: a capital and the small letters behind it are one. */
function meanRunLength(alphanumerics: string): number {
  const runs = alphanumerics.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return alphanumerics.length / Math.max(1, runs.length);
}

/** What somebody may have for a password where it is plain that one stands there: no example, and no slot to fill. */
export function isLikelyPassword(text: string): boolean {
  const lettersOnly = text.toLowerCase().replace(/[^a-z]/g, "");
  if (/PITH_SECRET_|[*%]{2}|^[<[(%]|[>\])]$|^%s|\.\.\./.test(text) || new Set(text).size < 4) return false;
  return (
    !EXAMPLE_PASSWORDS.some((example) => lettersOnly === example || lettersOnly === `${example}${example}`) &&
    !/^x+$/.test(lettersOnly)
  );
}

const EXAMPLE_PASSWORDS: readonly string[] = [
  ..."password passwort passwd pass pw pwd secret token key mysecret mypassword yourpassword changeme example user".split(
    " ",
  ),
  ..."username admin root postgres mysql redis guest test testing dummy hunter letmein foobar foo bar baz value port".split(
    " ",
  ),
  ..."apikey api string host hostname localhost secretpassword dbpassword pass word abc abcdef qwerty ssh git".split(
    " ",
  ),
];

/** Bits per letter. */
export function shannonEntropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
