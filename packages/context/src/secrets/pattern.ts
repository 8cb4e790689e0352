/** Defines a family of secrets as data, and tests whether a text looks random or like a password. */

export interface Family {
  /** Stands in placeholders: small letters and digits. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /**
   * One of these stands at its beginning; a text that has none of all needles is looked at no further. Three letters at least,
   * and white space at the end alone: a stream passes whole words on.
   */
  readonly needles: readonly string[];
  /**
   * From the needle on, on one line; where it has a group, the group is the secret and the rest what gives it away. What could
   * go on without end is bounded, or made of letters before which no needle counts, so that looking takes as long as the text.
   */
  readonly pattern: string;
  /** The needle stands within: so many of these letters before it belong to the secret. */
  readonly back?: { readonly letters: RegExp; readonly most: number };
  /** The needle may follow a letter: it is a part of a name, not the beginning of the secret. */
  readonly isWithinWords?: true;
  /** Counts only where no other family knows the secret better. */
  readonly isWeak?: true;
  /** What else must hold of the secret; that it is varied, unless said. */
  readonly isLikely?: (secret: string) => boolean;
}

/** Not a row of the same few letters, as examples have. */
export function isVaried(text: string): boolean {
  if (DUMMY.test(text)) return false;
  return new Set(text.slice(0, ENOUGH)).size >= Math.min(10, Math.ceil(text.length / 3));
}

const ENOUGH = 100;
const DUMMY = /x{6}|X{6}|0{8}|\*{3}|\.{3}|PITH_SECRET_|abcdefghij|0123456789|1234567890|[eE]xample[-_]?[kK]ey/;

/** Long, varied, without words in it: a name, a path, a sentence is none. */
export function isRandom(text: string): boolean {
  if (!isVaried(text)) return false;
  const signs = text.replace(/[^A-Za-z0-9]/g, "");
  const digits = signs.replace(/\D/g, "").length;
  if (signs.length < LEAST_SIGNS || digits === signs.length) return false;
  if (IDENTITY.test(text) || DATED.test(text)) return false;
  if (HEXADECIMAL.test(signs)) return signs.length >= LEAST_HEXADECIMAL && entropy(signs) >= 3;
  // Names of things have few digits and long words; what has hardly any digit must be the wilder in its letters.
  const longest = digits >= 2 ? LONGEST_MEAN : LONGEST_MEAN_WITHOUT_DIGITS;
  return entropy(signs) >= 3.3 && longestWord(text) <= LONGEST_WORD && meanRun(signs) <= longest;
}

const LEAST_SIGNS = 14;
const LEAST_HEXADECIMAL = 32;
const HEXADECIMAL = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
const IDENTITY = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DATED = /^(?:sha\d{3}|md5|\d{4}-\d\d-\d\d)/;

const LONGEST_WORD = 16;
const LONGEST_MEAN = 3.6;
const LONGEST_MEAN_WITHOUT_DIGITS = 2.5;

function longestWord(text: string): number {
  return Math.max(0, ...(text.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []).map(({ length }) => length));
}

/** How long a stretch of one sort is: a capital and the small letters behind it are one. */
function meanRun(signs: string): number {
  const runs = signs.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return signs.length / Math.max(1, runs.length);
}

/** What somebody may have for a password where it is plain that one stands there: no example, and no slot to fill. */
export function isPassword(text: string): boolean {
  const bare = text.toLowerCase().replace(/[^a-z]/g, "");
  if (/PITH_SECRET_|[*%]{2}|^[<[(%]|[>\])]$|^%s|\.\.\./.test(text) || new Set(text).size < 4) return false;
  return !EXAMPLES.some((example) => bare === example || bare === `${example}${example}`) && !/^x+$/.test(bare);
}

const EXAMPLES: readonly string[] = [
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
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
