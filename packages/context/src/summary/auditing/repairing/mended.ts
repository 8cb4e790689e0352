/** What every repair gives back: the lines as they are now, and what was wrong with them. */

import type { Flaw } from "../flaw.ts";

export interface Mended {
  readonly texts: readonly string[];
  readonly mended: readonly Flaw[];
}
