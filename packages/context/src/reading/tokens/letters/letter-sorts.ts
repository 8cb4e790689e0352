/** Letters by sort, as far as tokens depend on them: each letter and sign of ASCII by itself, all others by their kind. */

export type Kind = "lower" | "capital" | "digit" | "space" | "newline" | SignKind | OtherKind;

/** Signs of ASCII, by how closely they hold on to a word that follows. */
export type SignKind = "close" | "near" | "loose" | "apart";

/** Beyond ASCII: scripts, marks, and the halves of what takes two units, as emoji do. */
export type OtherKind = Script | "mark" | "symbol" | "line" | "highHalf" | "lowHalf";

type Script =
  | ("accented" | "greek" | "cyrillic" | "armenian" | "georgian" | "hebrew" | "arabic" | "indic" | "thai")
  | ("han" | "kana" | "hangul" | "rare");

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
