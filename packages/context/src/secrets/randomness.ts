/** Tests whether a text looks random or like a password, and measures its entropy. */

/** Whether a text has enough different characters and does not look like an example. */
export function isVaried(text: string): boolean {
  if (DUMMY_SECRET_PATTERN.test(text)) return false;
  return new Set(text.slice(0, MAX_VARIETY_CHARS)).size >= Math.min(10, Math.ceil(text.length / 3));
}

const MAX_VARIETY_CHARS = 100;
const DUMMY_SECRET_PATTERN =
  /x{6}|X{6}|0{8}|\*{3}|\.{3}|PITH_SECRET_|abcdefghij|0123456789|1234567890|[eE]xample[-_]?[kK]ey/;

/** Whether a text looks random: long, varied, without words; not a name, path or sentence. */
export function isRandom(text: string): boolean {
  if (!isVaried(text)) return false;
  const alphanumerics = text.replace(/[^A-Za-z0-9]/g, "");
  const digits = alphanumerics.replace(/\D/g, "").length;
  if (alphanumerics.length < MIN_RANDOM_CHARS || digits === alphanumerics.length) return false;
  if (UUID_PATTERN.test(text) || HASH_NAME_OR_DATE.test(text)) return false;
  if (HEX_PATTERN.test(alphanumerics))
    return alphanumerics.length >= MIN_RANDOM_HEX_DIGITS && shannonEntropy(alphanumerics) >= 3;
  // Names have few digits and long words, so a text with fewer than two digits needs shorter runs.
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

/** The mean length of runs of one character class; a capital and the lowercase letters after it are one run. */
function meanRunLength(alphanumerics: string): number {
  const runs = alphanumerics.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return alphanumerics.length / Math.max(1, runs.length);
}

/** Whether a text in the position of a password may be one: not an example and not a template slot. */
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

/** The entropy in bits per character. */
export function shannonEntropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
