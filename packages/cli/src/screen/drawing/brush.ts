/** What every drawing is made with: how wide, in which inks, and whether what can be folded is shown whole. */

import type { Theme } from "./theme.ts";

export interface Brush {
  readonly width: number;
  readonly theme: Theme;
  readonly isUnfolded: boolean;
  /** Rows there are for what is not finished yet; its end is shown. Absent: all of it. */
  readonly most?: number;
  /** In milliseconds, for what says how long it has been under way. */
  readonly now: number;
}
