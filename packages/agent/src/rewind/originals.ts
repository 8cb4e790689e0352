/** The port to what files were: the bytes that a session replaced and those it wrote, for moves back and forth. Never exported, indexed or sent. */

export interface Originals {
  /** The hash of what is now kept; null where it cannot be: too large, or the disk refuses. Never throws. */
  keep(bytes: Uint8Array): Promise<string | null>;
  /** Exactly what was kept under this hash; null where it is not there, or no longer as it was. */
  read(hash: string): Promise<Uint8Array | null>;
}
