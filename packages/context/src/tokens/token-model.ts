/** Computes what a letter costs in tokens after what precedes it: nothing, a whole token, or the measured share of one. */

export type Kind = "lower" | "capital" | "digit" | "space" | "newline" | SignKind | OtherKind;

/** Signs of ASCII, by how closely they hold on to a word that follows. */
export type SignKind = "close" | "near" | "loose" | "apart";

/** Beyond ASCII: scripts, marks, and the halves of what takes two units, as emoji do. */
export type OtherKind = Script | "mark" | "symbol" | "line" | "highHalf" | "lowHalf";

type Script =
  | ("accented" | "greek" | "cyrillic" | "armenian" | "georgian" | "hebrew" | "arabic" | "indic" | "thai")
  | ("han" | "kana" | "hangul" | "rare");

/** Each letter and sign of ASCII is a sort of its own; all others are sorted by kind. */
export interface Sort {
  readonly kind: Kind;
  /** The one letter or sign it stands for; -1 if there are many. */
  readonly code: number;
}

const asciiKinds: readonly (readonly [Kind, string])[] = [
  ["lower", "abcdefghijklmnopqrstuvwxyz"],
  ["capital", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"],
  ["close", "._-\\("],
  ["near", "/,'=[<%&!"],
  ["loose", ':;?")+#*'],
  ["apart", "{}|>`@$~^]"],
];

/** A later one wins. */
const ranges: readonly (readonly [Kind, first: number, last: number])[] = [
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
export const allSorts: readonly Sort[] = [
  ...[...new Set(ranges.map(([kind]) => kind))].map((kind) => ({ kind, code: -1 })),
  ...asciiKinds.flatMap(([kind, letters]) => [...letters].map((letter) => ({ kind, code: letter.charCodeAt(0) }))),
];

/** Where the sorts of each kind stand. */
export const spans: readonly { readonly kind: Kind; readonly from: number; readonly to: number }[] = [
  ...new Set(allSorts.map(({ kind }) => kind)),
].map((kind) => ({
  kind,
  from: allSorts.findIndex((sort) => sort.kind === kind),
  to: allSorts.findLastIndex((sort) => sort.kind === kind) + 1,
}));

/** Of ASCII. */
export function isSign(kind: Kind): kind is SignKind {
  return kind === "close" || kind === "near" || kind === "loose" || kind === "apart";
}

/** For every UTF-16 unit the place of its sort in `allSorts`. */
export const sortOf: Uint8Array = sortTable();

function sortTable(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const [kind, first, last] of ranges) {
    const place = allSorts.findIndex((sort) => sort.kind === kind);
    table.fill(place, first, last + 1);
  }
  for (const [place, { code }] of allSorts.entries()) if (code >= 0) table[code] = place;
  return table;
}

/** How often a token begins there, where that is not certain; in hundredths of a token, as all costs are. */
export interface TokenWeights {
  /** A word after a sign that nothing else holds. */
  readonly lowerAfter: Readonly<Record<SignKind, number>>;
  readonly capitalAfter: Readonly<Record<SignKind, number>>;
  readonly lowerAfterCapitals: number;
  readonly lowerAfterAccent: number;
  readonly accentAfterLower: number;
  readonly accentAfterCapital: number;
  /** A sign after the same one; after another, after two, after more; after a mark beyond ASCII. */
  readonly sign: Readonly<Record<"again" | "second" | "third" | "later" | "afterOther", number>>;
  /** The first of its kind, and one more of its kind. */
  readonly first: Readonly<Record<OtherKind, number>>;
  readonly more: Readonly<Record<OtherKind, number>>;
  /** Between two letters of a word, from a to z. Rows: the first; columns: the second. */
  readonly letterPairs: readonly (readonly number[])[];
}

/** A row for all that may come before, and in it a column for each sort: what that costs, and the row for what follows it. */
export interface TokenSteps {
  /** The cost above `COST_SHIFT`, the next row below: one look for each letter. */
  readonly steps: Uint32Array;
  readonly firstRow: number;
}

export const COST_SHIFT = 16;
export const ROW_MASK = 0xffff;

export function tokenSteps(weights: TokenWeights): TokenSteps {
  const steps = new Uint32Array(allSorts.length * LONGEST_RUN * COLUMNS);
  for (const before of befores()) {
    const row = rowOf(before.place, before.run);
    for (const { kind, from, to } of spans) {
      const cost = kindCost(before, kind, weights);
      const run = nextRun(before, kind);
      for (let column = from; column < to; column++) {
        steps[row + column] = ((cost ?? letterCost(before, column, weights)) << COST_SHIFT) | rowOf(column, run);
      }
    }
  }
  return { steps, firstRow: rowOf(spans.find(({ kind }) => kind === "newline")?.from ?? 0, 1) };
}

export const TOKEN = 100;
const COLUMNS = 128;
const LONGEST_RUN = 3;

/** What came before a letter, and how many of its kind in a row. */
interface Before extends Sort {
  readonly place: number;
  readonly run: number;
}

function befores(): readonly Before[] {
  return allSorts.flatMap((sort, place) =>
    Array.from({ length: longestRun(sort.kind) }, (_, more) => ({ ...sort, place, run: more + 1 })),
  );
}

function rowOf(place: number, run: number): number {
  return (place * LONGEST_RUN + run - 1) * COLUMNS;
}

function longestRun(kind: Kind): number {
  if (kind === "digit" || isSign(kind)) return LONGEST_RUN;
  return kind === "capital" || kind === "space" ? 2 : 1;
}

function nextRun({ kind: before, run }: Before, kind: Kind): number {
  // A sign behind a space belongs to it, and no longer to the word that follows.
  if (before === "space" && isSign(kind)) return 2;
  const goesOn = before === kind || (isSign(before) && isSign(kind));
  if (!goesOn || (kind === "digit" && run === LONGEST_RUN)) return 1;
  return Math.min(run + 1, longestRun(kind));
}

/** Null if it takes a look at both letters. A space is counted with what follows, which mostly takes it in. */
function kindCost(before: Before, kind: Kind, weights: TokenWeights): number | null {
  if (kind === "lower" || kind === "capital") return wordCost(before, kind, weights);
  if (kind === "digit") return digitCost(before);
  if (kind === "space") return before.kind === "space" && before.run === 1 ? TOKEN : 0;
  if (kind === "newline") return newlineCost(before);
  if (isSign(kind)) return signCost(before, weights);
  return otherCost(before, kind, weights);
}

function wordCost({ kind: before, run }: Before, kind: "lower" | "capital", weights: TokenWeights): number | null {
  if (before === "lower") return kind === "lower" ? null : TOKEN;
  if (before === "capital") return kind === "lower" && run > 1 ? weights.lowerAfterCapitals : null;
  if (before === "accented") return kind === "lower" ? weights.lowerAfterAccent : TOKEN;
  return isSign(before) && run === 1 ? weights[`${kind}After`][before] : TOKEN;
}

// Three digits are a token, and take no space in.
function digitCost({ kind: before, run }: Before): number {
  if (before === "space") return 2 * TOKEN;
  return before === "digit" && run < 3 ? 0 : TOKEN;
}

// Signs, blanks and other newlines before it take a newline in.
function newlineCost({ kind: before, run }: Before): number {
  if (before === "newline" || isSign(before)) return 0;
  return before === "space" && run > 1 ? 0 : TOKEN;
}

function signCost({ kind: before }: Before, { sign }: TokenWeights): number | null {
  if (isSign(before)) return null;
  return before === "mark" || before === "symbol" || before === "line" ? sign.afterOther : TOKEN;
}

function otherCost({ kind: before }: Before, kind: OtherKind, weights: TokenWeights): number {
  if (kind === "accented" && before === "lower") return weights.accentAfterLower;
  if (kind === "accented" && before === "capital") return weights.accentAfterCapital;
  if (kind === "lowHalf" && before === "highHalf") return 0;
  return before === kind ? weights.more[kind] : weights.first[kind];
}

function letterCost(before: Before, place: number, { letterPairs, sign }: TokenWeights): number {
  if (!isSign(before.kind)) return letterPairs[letterAt(before.place)]?.[letterAt(place)] ?? TOKEN;
  if (before.place === place) return sign.again;
  return before.run === 1 ? sign.second : before.run === 2 ? sign.third : sign.later;
}

/** 0 for a, be it small or capital. */
function letterAt(place: number): number {
  return ((allSorts[place]?.code ?? 0) & 31) - 1;
}
