/** Defines the kinds of damage in a session file. Damage is always reported, never thrown and never ignored. */

/** One damaged part of a session file. */
export interface Damage {
  readonly kind: DamageKind;
  /** The line number, counted from 1. */
  readonly line: number;
  /** The offset in bytes from the start of the file. */
  readonly offset: number;
  /** The length in bytes. */
  readonly length: number;
  /** The explanation for the user. */
  readonly note: string;
}

/** A kind of damage in a session file. */
export type DamageKind = keyof typeof damageNotes;

/**
 * Explains each kind of damage to the user. Migration writes some of these texts into session files, as the reason of a gap; no code
 * compares them.
 */
export const damageNotes = {
  "utf-16": "the file is encoded as UTF-16; the next append rewrites it as UTF-8",
  "lone-carriage-returns": "the lines end in CR without LF",
  "no-header": "the file does not begin with a session header",
  "damaged-header": "the session header cannot be read; the file's name and folder are used instead",
  "second-header": "a second session header; two files were probably joined",
  "future-version": "a newer version of the format; unknown fields are kept unchanged",
  "torn-tail": "the last line is incomplete",
  "torn-batch": "the last batch of entries is incomplete; all of its entries are ignored",
  "torn-run": "lines before this one never reached the disk; this line is ignored",
  "not-json": "not JSON",
  "not-an-object": "JSON, but not an object",
  "invalid-utf8": "not UTF-8",
  "nul-bytes": "NUL bytes, as left by a power failure",
  "wrong-checksum": "the checksum does not match: the line has changed since it was written",
  "damaged-trailer": "the checksum at the end of the line is damaged; the entry itself is unchanged",
  "line-too-long": "longer than the limit",
  "nested-too-deep": "nested deeper than the limit",
  malformed: "fields are missing or have the wrong type for this kind of entry",
  "duplicate-line": "a copy of an earlier line; it is ignored",
  "duplicate-id": "another entry has the same id; this entry gets a new id",
  "missing-parent": "its parent is not in the file; a gap replaces the parent",
  "parent-cycle": "its ancestors lead back to itself; a gap replaces the parent",
  "out-of-order": "the parent of this entry comes later in the file",
  "lost-entry": "an entry was lost here before the file was rewritten; a gap marks its position",
  "missing-first-kept":
    "the first entry that this compaction keeps is not before it on its branch; only the summary is in the context",
} as const;

/** The kinds of damage that lose no data: every entry can still be read. They are not shown to the user. */
export const harmlessDamageKinds: ReadonlySet<DamageKind> = new Set([
  "utf-16",
  "lone-carriage-returns",
  "second-header",
  // The session can be read. The first append is refused and explains why.
  "future-version",
  "duplicate-line",
  "duplicate-id",
  "out-of-order",
] satisfies DamageKind[]);

/** The kinds of damage that a crash leaves at the end of a file. The next append moves those bytes to a `.damaged` file. */
export const crashDamageKinds: ReadonlySet<DamageKind> = new Set([
  "torn-tail",
  "torn-batch",
  "torn-run",
] satisfies DamageKind[]);

/** Creates the report for one damaged line. */
export function createDamage(
  kind: DamageKind,
  line: (Pick<Damage, "offset" | "length"> & { readonly number: number }) | undefined,
  detail?: string,
): Damage {
  const note = detail === undefined ? damageNotes[kind] : `${damageNotes[kind]}: ${detail}`;
  return { kind, line: line?.number ?? 1, offset: line?.offset ?? 0, length: line?.length ?? 0, note };
}
