/** Names every kind of damage in a session file. Damage is always reported, never thrown and never ignored. */

/** One damaged place in a session file. */
export interface Damage {
  readonly kind: DamageKind;
  /** Counted from 1, as an editor shows it. */
  readonly line: number;
  /** In bytes from the start of the file. */
  readonly offset: number;
  readonly length: number;
  readonly note: string;
}

export type DamageKind = keyof typeof damageNotes;

/** What each kind of damage means. */
export const damageNotes = {
  "utf-16": "the file is UTF-16; it was read as such, and will be written as UTF-8",
  "lone-carriage-returns": "lines end in CR alone",
  "no-header": "the file does not begin with a session header",
  "damaged-header": "the session header cannot be read; the file's name and folder are used instead",
  "second-header": "another session header; two files were joined",
  "future-version": "written by a newer version of the format; unknown things are kept as they are",
  "torn-tail": "the last line was cut off",
  "torn-batch": "the last entries belong together and not all of them arrived; none of them counts",
  "torn-run": "lines before this one never reached the disk; it came too early and does not count",
  "not-json": "not JSON",
  "not-an-object": "JSON, but not an object",
  "invalid-utf8": "not UTF-8",
  "nul-bytes": "zero bytes, as a power cut leaves them",
  "wrong-checksum": "the checksum does not fit: the line has changed since it was written",
  "damaged-trailer": "the end of the line has changed; the entry before it is as it was written",
  "line-too-long": "longer than the limit",
  "nested-too-deep": "nested deeper than the limit",
  malformed: "fields are missing or of another type than the entry's kind promises",
  "duplicate-line": "the same line once more; it counts once",
  "duplicate-id": "an id that another entry has; this one was given a new id",
  "missing-parent": "its parent is not in the file; it hangs under a gap",
  "parent-cycle": "its ancestors lead back to itself; it hangs under a gap",
  "out-of-order": "its parent comes later in the file",
  "lost-entry": "an entry was lost here before the file was written anew; a note stands in its place",
  "missing-first-kept":
    "the first entry this compaction keeps is not before it on its branch; only the summary is seen",
} as const;

/** Kinds that cost nothing: every entry is there and reads as it was written. Nobody needs to be told of them. */
export const harmlessDamageKinds: ReadonlySet<DamageKind> = new Set([
  "utf-16",
  "lone-carriage-returns",
  "second-header",
  // The session can be read; the first attempt to write says why it cannot be written.
  "future-version",
  "duplicate-line",
  "duplicate-id",
  "out-of-order",
] satisfies DamageKind[]);

/** Kinds of what a crash left at the end of a file: the next append sets it aside. */
export const crashDamageKinds: ReadonlySet<DamageKind> = new Set([
  "torn-tail",
  "torn-batch",
  "torn-run",
] satisfies DamageKind[]);

/** The damage of one line. */
export function createDamage(
  kind: DamageKind,
  line: (Pick<Damage, "offset" | "length"> & { readonly number: number }) | undefined,
  detail?: string,
): Damage {
  const note = detail === undefined ? damageNotes[kind] : `${damageNotes[kind]}: ${detail}`;
  return { kind, line: line?.number ?? 1, offset: line?.offset ?? 0, length: line?.length ?? 0, note };
}
