/** Defines a damaged file and the expected result of reading it. */

import type { FormatLimits } from "../../src/settings.ts";

export interface DamagedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Every damage in file order, as `kind@line`. */
  readonly damage: string;
  /** Ids in file order, gaps in brackets. */
  readonly entries: string;
  /** From the root to the last entry that can be read; all entries, if not said. */
  readonly branch?: string;
  readonly limits?: FormatLimits;
  /** Written by a newer program: it can be read, not written. */
  readonly future?: boolean;
}
