/** Computes what a character costs in tokens after the one before it: nothing, a full token, or a measured fraction of one. */

export type CharKind = "lower" | "capital" | "digit" | "space" | "newline" | PunctuationKind | NonAsciiKind;

/** ASCII punctuation, by how often it shares a token with a following word. */
export type PunctuationKind = "close" | "near" | "loose" | "apart";

/** Characters beyond ASCII: scripts, marks, symbols, and the halves of surrogate pairs. */
export type NonAsciiKind = ScriptKind | "mark" | "symbol" | "line" | "highSurrogate" | "lowSurrogate";

type ScriptKind =
  | ("accented" | "greek" | "cyrillic" | "armenian" | "georgian" | "hebrew" | "arabic" | "indic" | "thai")
  | ("han" | "kana" | "hangul" | "rare");

/** A class of characters: each ASCII letter and punctuation mark has its own, all others share one per kind. */
export interface CharClass {
  readonly kind: CharKind;
  /** The character code of a class with one character; -1 for others. */
  readonly code: number;
}

const asciiKinds: readonly (readonly [CharKind, string])[] = [
  ["lower", "abcdefghijklmnopqrstuvwxyz"],
  ["capital", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"],
  ["close", "._-\\("],
  ["near", "/,'=[<%&!"],
  ["loose", ':;?")+#*'],
  ["apart", "{}|>`@$~^]"],
];

/** A later range overrides an earlier one. */
const charRanges: readonly (readonly [CharKind, first: number, last: number])[] = [
  ["rare", 0x0000, 0xffff],
  ["mark", 0x0000, 0x00a0],
  ["space", 0x0009, 0x0009],
  ["newline", 0x000a, 0x000a],
  ["newline", 0x000d, 0x000d],
  ["space", 0x0020, 0x0020],
  ["digit", 0x0030, 0x0039],
  ["symbol", 0x00a1, 0x00bf],
  ["accented", 0x00c0, 0x024f],
  ["mark", 0x0300, 0x036f],
  ["greek", 0x0370, 0x03ff],
  ["cyrillic", 0x0400, 0x052f],
  ["armenian", 0x0530, 0x058f],
  ["hebrew", 0x0590, 0x05ff],
  ["arabic", 0x0600, 0x077f],
  ["indic", 0x0900, 0x0dff],
  ["thai", 0x0e00, 0x0e7f],
  ["georgian", 0x10a0, 0x10ff],
  ["accented", 0x1e00, 0x1eff],
  ["greek", 0x1f00, 0x1fff],
  ["mark", 0x2000, 0x206f],
  ["symbol", 0x2070, 0x2bff],
  ["line", 0x2500, 0x257f],
  ["mark", 0x3000, 0x303f],
  ["kana", 0x3040, 0x30ff],
  ["han", 0x3400, 0x9fff],
  ["hangul", 0xac00, 0xd7af],
  ["highSurrogate", 0xd800, 0xdbff],
  ["lowSurrogate", 0xdc00, 0xdfff],
  ["han", 0xf900, 0xfaff],
  ["mark", 0xfe00, 0xfe0f],
  ["mark", 0xff00, 0xffef],
];

/** All classes; those of one kind are adjacent. */
const charClasses: readonly CharClass[] = [
  ...[...new Set(charRanges.map(([kind]) => kind))].map((kind) => ({ kind, code: -1 })),
  ...asciiKinds.flatMap(([kind, chars]) => [...chars].map((char) => ({ kind, code: char.charCodeAt(0) }))),
];

/** The range of class indexes of each kind. */
const kindSpans: readonly { readonly kind: CharKind; readonly from: number; readonly to: number }[] = [
  ...new Set(charClasses.map(({ kind }) => kind)),
].map((kind) => ({
  kind,
  from: charClasses.findIndex((charClass) => charClass.kind === kind),
  to: charClasses.findLastIndex((charClass) => charClass.kind === kind) + 1,
}));

/** Whether the kind is ASCII punctuation. */
function isPunctuation(kind: CharKind): kind is PunctuationKind {
  return kind === "close" || kind === "near" || kind === "loose" || kind === "apart";
}

/** The index in `charClasses` for every UTF-16 unit. */
export const charClassIndexes: Uint8Array = buildCharClassTable();

function buildCharClassTable(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const [kind, first, last] of charRanges) {
    const classIndex = charClasses.findIndex((charClass) => charClass.kind === kind);
    table.fill(classIndex, first, last + 1);
  }
  for (const [classIndex, { code }] of charClasses.entries()) if (code >= 0) table[code] = classIndex;
  return table;
}

/** How often a token begins at a character, where that is not certain. In hundredths of a token, like all costs. */
export interface TokenWeights {
  /** The first letter of a word after a single punctuation mark. */
  readonly lowerAfter: Readonly<Record<PunctuationKind, number>>;
  readonly capitalAfter: Readonly<Record<PunctuationKind, number>>;
  readonly lowerAfterCapitals: number;
  readonly lowerAfterAccent: number;
  readonly accentAfterLower: number;
  readonly accentAfterCapital: number;
  /** Punctuation after the same character; as second, third or later of a run; after a mark beyond ASCII. */
  readonly sign: Readonly<Record<"again" | "second" | "third" | "later" | "afterOther", number>>;
  /** The first character of a run of its kind, and each further one. */
  readonly first: Readonly<Record<NonAsciiKind, number>>;
  readonly more: Readonly<Record<NonAsciiKind, number>>;
  /** Between two letters of a word, a to z. The row is the first letter, the column the second. */
  readonly letterPairs: readonly (readonly number[])[];
}

/** A state table: a row for each previous character, a column for each class. A cell has the cost and the next row. */
export interface TokenCostTable {
  /** The cost is in the bits from `COST_SHIFT` up, the next row below it: one lookup per character. */
  readonly cells: Uint32Array;
  readonly firstRow: number;
}

export const COST_SHIFT = 16;
export const ROW_MASK = 0xffff;

/** Builds the state table from the measured weights. */
export function buildTokenCostTable(weights: TokenWeights): TokenCostTable {
  const cells = new Uint32Array(charClasses.length * MAX_CHAR_RUN * ROW_LENGTH);
  for (const previous of listPreviousChars()) {
    const row = rowOffset(previous.classIndex, previous.run);
    for (const { kind, from, to } of kindSpans) {
      const cost = kindCost(previous, kind, weights);
      const run = nextRun(previous, kind);
      for (let column = from; column < to; column++) {
        cells[row + column] = ((cost ?? letterCost(previous, column, weights)) << COST_SHIFT) | rowOffset(column, run);
      }
    }
  }
  return { cells, firstRow: rowOffset(kindSpans.find(({ kind }) => kind === "newline")?.from ?? 0, 1) };
}

export const TOKEN_COST = 100;
const ROW_LENGTH = 128;
const MAX_CHAR_RUN = 3;

/** The previous character, and how many of its kind precede in a row. */
interface PreviousChar extends CharClass {
  readonly classIndex: number;
  readonly run: number;
}

function listPreviousChars(): readonly PreviousChar[] {
  return charClasses.flatMap((charClass, classIndex) =>
    Array.from({ length: maxRun(charClass.kind) }, (_, extra) => ({ ...charClass, classIndex, run: extra + 1 })),
  );
}

function rowOffset(classIndex: number, run: number): number {
  return (classIndex * MAX_CHAR_RUN + run - 1) * ROW_LENGTH;
}

function maxRun(kind: CharKind): number {
  if (kind === "digit" || isPunctuation(kind)) return MAX_CHAR_RUN;
  return kind === "capital" || kind === "space" ? 2 : 1;
}

function nextRun({ kind: previousKind, run }: PreviousChar, kind: CharKind): number {
  // Punctuation after a space shares its token with the space, not with the following word.
  if (previousKind === "space" && isPunctuation(kind)) return 2;
  const continuesRun = previousKind === kind || (isPunctuation(previousKind) && isPunctuation(kind));
  if (!continuesRun || (kind === "digit" && run === MAX_CHAR_RUN)) return 1;
  return Math.min(run + 1, maxRun(kind));
}

/** Null if the cost depends on both characters. A space is counted with the character after it, which usually includes it in its token. */
function kindCost(previous: PreviousChar, kind: CharKind, weights: TokenWeights): number | null {
  if (kind === "lower" || kind === "capital") return wordCost(previous, kind, weights);
  if (kind === "digit") return digitCost(previous);
  if (kind === "space") return previous.kind === "space" && previous.run === 1 ? TOKEN_COST : 0;
  if (kind === "newline") return newlineCost(previous);
  if (isPunctuation(kind)) return punctuationCost(previous, weights);
  return nonAsciiCost(previous, kind, weights);
}

function wordCost(
  { kind: previousKind, run }: PreviousChar,
  kind: "lower" | "capital",
  weights: TokenWeights,
): number | null {
  if (previousKind === "lower") return kind === "lower" ? null : TOKEN_COST;
  if (previousKind === "capital") return kind === "lower" && run > 1 ? weights.lowerAfterCapitals : null;
  if (previousKind === "accented") return kind === "lower" ? weights.lowerAfterAccent : TOKEN_COST;
  return isPunctuation(previousKind) && run === 1 ? weights[`${kind}After`][previousKind] : TOKEN_COST;
}

// Three digits are one token, which never includes a space.
function digitCost({ kind: previousKind, run }: PreviousChar): number {
  if (previousKind === "space") return 2 * TOKEN_COST;
  return previousKind === "digit" && run < 3 ? 0 : TOKEN_COST;
}

// A newline joins the token of punctuation, spaces and newlines before it.
function newlineCost({ kind: previousKind, run }: PreviousChar): number {
  if (previousKind === "newline" || isPunctuation(previousKind)) return 0;
  return previousKind === "space" && run > 1 ? 0 : TOKEN_COST;
}

function punctuationCost({ kind: previousKind }: PreviousChar, { sign }: TokenWeights): number | null {
  if (isPunctuation(previousKind)) return null;
  return previousKind === "mark" || previousKind === "symbol" || previousKind === "line" ? sign.afterOther : TOKEN_COST;
}

function nonAsciiCost({ kind: previousKind }: PreviousChar, kind: NonAsciiKind, weights: TokenWeights): number {
  if (kind === "accented" && previousKind === "lower") return weights.accentAfterLower;
  if (kind === "accented" && previousKind === "capital") return weights.accentAfterCapital;
  if (kind === "lowSurrogate" && previousKind === "highSurrogate") return 0;
  return previousKind === kind ? weights.more[kind] : weights.first[kind];
}

function letterCost(previous: PreviousChar, classIndex: number, { letterPairs, sign }: TokenWeights): number {
  if (!isPunctuation(previous.kind))
    return letterPairs[letterIndex(previous.classIndex)]?.[letterIndex(classIndex)] ?? TOKEN_COST;
  if (previous.classIndex === classIndex) return sign.again;
  return previous.run === 1 ? sign.second : previous.run === 2 ? sign.third : sign.later;
}

/** 0 for `a` and `A`. */
function letterIndex(classIndex: number): number {
  return ((charClasses[classIndex]?.code ?? 0) & 31) - 1;
}
