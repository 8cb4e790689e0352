/** Computes what a letter costs in tokens after what precedes it: nothing, a whole token, or the measured share of one. */

export type CharKind = "lower" | "capital" | "digit" | "space" | "newline" | PunctuationKind | NonAsciiKind;

/** Signs of ASCII, by how closely they hold on to a word that follows. */
export type PunctuationKind = "close" | "near" | "loose" | "apart";

/** Beyond ASCII: scripts, marks, and the halves of what takes two units, as emoji do. */
export type NonAsciiKind = ScriptKind | "mark" | "symbol" | "line" | "highHalf" | "lowHalf";

type ScriptKind =
  | ("accented" | "greek" | "cyrillic" | "armenian" | "georgian" | "hebrew" | "arabic" | "indic" | "thai")
  | ("han" | "kana" | "hangul" | "rare");

/** Each letter and sign of ASCII is a sort of its own; all others are sorted by kind. */
export interface CharClass {
  readonly kind: CharKind;
  /** The one letter or sign it stands for; -1 if there are many. */
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

/** A later one wins. */
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
  ["highHalf", 0xd800, 0xdbff],
  ["lowHalf", 0xdc00, 0xdfff],
  ["han", 0xf900, 0xfaff],
  ["mark", 0xfe00, 0xfe0f],
  ["mark", 0xff00, 0xffef],
];

/** Those of one kind stand together. */
export const charClasses: readonly CharClass[] = [
  ...[...new Set(charRanges.map(([kind]) => kind))].map((kind) => ({ kind, code: -1 })),
  ...asciiKinds.flatMap(([kind, chars]) => [...chars].map((char) => ({ kind, code: char.charCodeAt(0) }))),
];

/** Where the sorts of each kind stand. */
export const kindSpans: readonly { readonly kind: CharKind; readonly from: number; readonly to: number }[] = [
  ...new Set(charClasses.map(({ kind }) => kind)),
].map((kind) => ({
  kind,
  from: charClasses.findIndex((charClass) => charClass.kind === kind),
  to: charClasses.findLastIndex((charClass) => charClass.kind === kind) + 1,
}));

/** Of ASCII. */
export function isPunctuation(kind: CharKind): kind is PunctuationKind {
  return kind === "close" || kind === "near" || kind === "loose" || kind === "apart";
}

/** For every UTF-16 unit the place of its sort in `allSorts`. */
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

/** How often a token begins there, where that is not certain; in hundredths of a token, as all costs are. */
export interface TokenWeights {
  /** A word after a sign that nothing else holds. */
  readonly lowerAfter: Readonly<Record<PunctuationKind, number>>;
  readonly capitalAfter: Readonly<Record<PunctuationKind, number>>;
  readonly lowerAfterCapitals: number;
  readonly lowerAfterAccent: number;
  readonly accentAfterLower: number;
  readonly accentAfterCapital: number;
  /** A sign after the same one; after another, after two, after more; after a mark beyond ASCII. */
  readonly sign: Readonly<Record<"again" | "second" | "third" | "later" | "afterOther", number>>;
  /** The first of its kind, and one more of its kind. */
  readonly first: Readonly<Record<NonAsciiKind, number>>;
  readonly more: Readonly<Record<NonAsciiKind, number>>;
  /** Between two letters of a word, from a to z. Rows: the first; columns: the second. */
  readonly letterPairs: readonly (readonly number[])[];
}

/** A row for all that may come before, and in it a column for each sort: what that costs, and the row for what follows it. */
export interface TokenCostTable {
  /** The cost above `COST_SHIFT`, the next row below: one look for each letter. */
  readonly cells: Uint32Array;
  readonly firstRow: number;
}

export const COST_SHIFT = 16;
export const ROW_MASK = 0xffff;

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

/** What came before a letter, and how many of its kind in a row. */
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
  // A sign behind a space belongs to it, and no longer to the word that follows.
  if (previousKind === "space" && isPunctuation(kind)) return 2;
  const continuesRun = previousKind === kind || (isPunctuation(previousKind) && isPunctuation(kind));
  if (!continuesRun || (kind === "digit" && run === MAX_CHAR_RUN)) return 1;
  return Math.min(run + 1, maxRun(kind));
}

/** Null if it takes a look at both letters. A space is counted with what follows, which mostly takes it in. */
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

// Three digits are a token, and take no space in.
function digitCost({ kind: previousKind, run }: PreviousChar): number {
  if (previousKind === "space") return 2 * TOKEN_COST;
  return previousKind === "digit" && run < 3 ? 0 : TOKEN_COST;
}

// Signs, blanks and other newlines before it take a newline in.
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
  if (kind === "lowHalf" && previousKind === "highHalf") return 0;
  return previousKind === kind ? weights.more[kind] : weights.first[kind];
}

function letterCost(previous: PreviousChar, classIndex: number, { letterPairs, sign }: TokenWeights): number {
  if (!isPunctuation(previous.kind))
    return letterPairs[letterIndex(previous.classIndex)]?.[letterIndex(classIndex)] ?? TOKEN_COST;
  if (previous.classIndex === classIndex) return sign.again;
  return previous.run === 1 ? sign.second : previous.run === 2 ? sign.third : sign.later;
}

/** 0 for a, be it small or capital. */
function letterIndex(classIndex: number): number {
  return ((charClasses[classIndex]?.code ?? 0) & 31) - 1;
}
