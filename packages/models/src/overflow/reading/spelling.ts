/** Words in one spelling: without case, without plural, synonyms as one; and the numbers among them. */

const plurals = ["token", "prompt", "input", "message", "context", "conversation", "limit", "length", "image", "file"];
const spellings: ReadonlyMap<string, string> = new Map([
  ...plurals.map((word) => [`${word}s`, word] as const),
  ...["exceeds", "exceeded", "exceeding", "surpasses", "surpassed"].map((word) => [word, "exceed"] as const),
  ...["overflows", "overflowed", "overflowing"].map((word) => [word, "overflow"] as const),
  ...["maximum", "maximal"].map((word) => [word, "max"] as const),
  ...["history", "chat", "dialogue", "transcript"].map((word) => [word, "conversation"] as const),
  ...["big", "huge"].map((word) => [word, "large"] as const),
  ...["characters", "chars", "char"].map((word) => [word, "character"] as const),
  ...["kb", "gb", "kib", "mib", "bytes", "byte", "megabytes", "pixels", "px"].map((word) => [word, "mb"] as const),
]);

/** The usual case, told without taking the word apart: a hostile text is full of numbers. */
const digits = /^\d{1,15}$/;

/** Upper case first: some letters fall together only that way, and the result must not depend on the case it came in. */
export function folded(text: string): string {
  return text.toUpperCase().toLowerCase();
}

/** A word or number of a folded text, as one or two words. */
export function spelled(piece: string): readonly string[] {
  if (!startsWithDigit(piece)) return [spellings.get(piece) ?? piece];
  if (digits.test(piece)) return [piece];
  const word = /^\d+\.\d+[km]$/.test(piece) ? piece : piece.replace(/[.,\s]/g, "");
  const [, amount, unit] = /^(\d+)(kb|mb|gb|kib|mib|px|bytes)$/.exec(word) ?? [];
  return amount && unit ? [amount, "mb"] : [word];
}

/** The number a word stands for: `200000`, `200_000`, `256k`, `32.8k`, `1m`. */
export function numberOf(word: string): number | null {
  if (!startsWithDigit(word)) return null;
  if (digits.test(word)) return Number(word);
  const [, amount = "", unit = ""] = /^(\d[\d_]{0,14}(?:\.\d{1,6}(?=[km]))?)([km]?)$/.exec(word) ?? [];
  if (amount === "") return null;
  return Math.round(Number(amount.replaceAll("_", "")) * (unit === "k" ? 1_000 : unit === "m" ? 1_000_000 : 1));
}

function startsWithDigit(word: string): boolean {
  const first = word.charCodeAt(0);
  return first >= 48 && first <= 57;
}
