/** What every drawing is made with: how wide, in which inks, and whether what can be folded is shown whole. */

import type { ImageProtocol } from "@earendil-works/pi-tui";
import type { Keymap } from "../keys/keymap.ts";
import type { Theme } from "./theme.ts";

export interface Brush {
  readonly width: number;
  readonly theme: Theme;
  readonly isUnfolded: boolean;
  /** Rows there are for what is not finished yet; its end is shown. Absent: all of it. */
  readonly most?: number;
  /** How the terminal takes pictures; only for what is printed for good, since a picture cannot be drawn anew. */
  readonly pictures?: ImageProtocol;
  /** In milliseconds, for what says how long it has been under way. */
  readonly now: number;
  /** Which key does what, for hints that name one; absent: as usual. */
  readonly keymap?: Keymap;
}

/** Whether it can still be opened and closed. */
export function isLive({ most }: Brush): boolean {
  return most !== undefined;
}
